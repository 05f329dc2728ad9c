"""What waits for a worker of a run, and which worker may have what."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field


@dataclass
class Waiting:
    """Requirements in their order, with those that each `needs`, and the fixture that those share which are `sharing`.

    What needs another is ready when that is tested. What shares a fixture is first, as one worker, its holder, has all
    of it to test: each further one would make the fixture once more.
    """

    needs: Mapping[str, Set[str]]
    sharing: Mapping[str, str]
    holders: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Put what is shared first."""
        self._names = dict.fromkeys([*self.sharing, *self.needs])
        self._untested = set(self.needs)

    def take(self, worker: int, workers: Collection[int]) -> str | None:
        """Return what a worker tests next, None for nothing at the moment; `workers` are those that are left."""
        others = {name for name, holder in self.holders.items() if holder in workers and holder != worker}
        ready = (
            name
            for name in self._names
            if self.sharing.get(name) not in others and not self.needs[name] & self._untested
        )
        name = next(ready, None)
        if name:
            del self._names[name]
            if name in self.sharing:
                self.holders[self.sharing[name]] = worker
        return name

    def tested(self, name: str) -> None:
        """Note that a requirement was tested."""
        self._untested.discard(name)
