"""Resources that a run creates on a server, and those that remain."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import msgspec

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


class Leftovers(msgspec.Struct, kw_only=True, omit_defaults=True, frozen=True):
    """The objects of a kind that still exist after a run for one reason. Results of older kits have a `name` each."""

    kind: str
    reason: str
    names: tuple[str, ...] = ()
    name: str = ""

    @property
    def all_names(self) -> tuple[str, ...]:
        """The names of all its objects."""
        return self.names or (self.name,)


LeftBehind = Collection[Leftovers | str]  # lines in results of the oldest kits


def grouped(left_behind: Iterable[Leftover]) -> list[Leftovers]:
    """Return objects by kind and reason, the most frequent first."""
    names: dict[tuple[str, str], list[str]] = {}
    for left in left_behind:
        names.setdefault((left.kind, left.reason), []).append(left.name)
    groups = [Leftovers(kind=kind, reason=why, names=tuple(group)) for (kind, why), group in names.items()]
    return sorted(groups, key=lambda group: -len(group.names))


def names_of(left_behind: LeftBehind) -> list[str]:
    """Return the names of all objects, or the lines of the oldest results."""
    return [name for left in left_behind for name in ((left,) if isinstance(left, str) else left.all_names)]


def summary(left_behind: LeftBehind) -> list[str]:
    """Return a line for each kind and reason: "12 tables (dropTable returned 405)"."""
    lines = [left for left in left_behind if isinstance(left, str)]
    groups = (left for left in left_behind if not isinstance(left, str))
    each = grouped(Leftover(group.kind, name, group.reason) for group in groups for name in group.all_names)
    counts = [(len(group.names), group) for group in each]
    return [*lines, *(f"{count:,} {group.kind}{'s' * (count > 1)} ({group.reason})" for count, group in counts)]
