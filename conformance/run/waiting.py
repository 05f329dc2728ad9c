"""The queue of requirements for the workers of a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field


@dataclass
class Waiting:
    """Requirements in order, with their `needs`, and the shared fixture of those in `sharing`.

    A requirement is ready when its needs are tested. Requirements that share a fixture come first, and one worker, the
    fixture's holder, tests all of them: each further worker would create the fixture once more.
    """

    needs: Mapping[str, Set[str]]
    sharing: Mapping[str, str]
    holders: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Put requirements with a shared fixture first."""
        self._names = dict.fromkeys([*self.sharing, *self.needs])
        self._untested = set(self.needs)

    def take(self, worker: int, workers: Collection[int]) -> str | None:
        """Return the next requirement of a worker, None if none is ready; `workers` are the remaining ones."""
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
