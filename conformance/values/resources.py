"""Resources that a run creates on a server, and those that remain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

NAMESPACE, TABLE, VIEW, REGISTRATION = "namespace", "table", "view", "registration"
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resource:
    """An object that a run may have created. An id that is a string is sent unchanged.

    A registration is a table with files of another owner: clean-up deregisters it and keeps its files.
    """

    kind: str
    id: Names | str

    @property
    def name(self) -> str:
        """Its levels with dots between them."""
        return self.id if isinstance(self.id, str) else ".".join(self.id)


@dataclass(frozen=True, slots=True)
class Leftover:
    """An object that still exists after a run, and why."""

    kind: str
    name: str
    reason: str


def summary(left_behind: Collection[Leftover | str]) -> list[str]:
    """Return a line for each kind and reason: "12 tables (dropTable returned 405)"; older results have lines."""
    lines = [left for left in left_behind if isinstance(left, str)]
    counts = Counter((left.kind, left.reason) for left in left_behind if not isinstance(left, str))
    return [*lines, *(f"{count:,} {kind}{'s' * (count > 1)} ({why})" for (kind, why), count in counts.most_common())]
