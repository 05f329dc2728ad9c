"""The table `authorization.toml`, and the cells that follow from it.

A cell is a request and a set of grants with which it is asked: it must be let through, or refused. A grant is a
privilege at a level: that of the catalog, the namespace, the table, the view or the policy that requests are about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from conformance.polaris.support.grants import SECURABLES
from specs.files import read_toml
from specs.openapi import Document

FILE = Path(__file__).parents[2] / "authorization.toml"
LEVELS = ("catalog", "namespace", "table", "view", "policy")
MOST_ROLES = 48  # of one token: its roles stand in it, and it in a header


class Grant(NamedTuple):
    """A privilege, and the level at which it is granted."""

    privilege: str
    level: str

    def __str__(self) -> str:
        return f"{self.privilege} on the {self.level}"


Grants = tuple[Grant, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may ask something: see the file. `together` are sets of grants that suffice only together."""

    name: str
    suffice: tuple[str, ...]
    at: tuple[str, ...]
    together: tuple[Grants, ...]
    since: str

    @property
    def id(self) -> str:
        """The request in words."""
        return self.name.replace("_", " ")

    def allowed(self, grantable: Mapping[str, Collection[str]]) -> list[Grant]:
        """Return the grants that suffice alone, each privilege at its lowest level first."""
        levels = [level for level in reversed(self.at) if level in grantable]
        return [
            Grant(privilege, level) for privilege in self.suffice for level in levels if privilege in grantable[level]
        ]

    def refused(self, grantable: Mapping[str, Collection[str]]) -> list[Grants]:
        """Return all other grants, in sets as large as they can be without that anything in them suffices together."""
        allowed = set(self.allowed(grantable))
        sets: list[list[Grant]] = []
        for grant in every_grant(grantable):
            if grant not in allowed:
                fitting = (group for group in sets if len(group) < MOST_ROLES and not self._suffice([*group, grant]))
                chosen = next(fitting, None)
                if chosen is None:
                    sets.append(chosen := [])
                chosen.append(grant)
        return [tuple(group) for group in sets]

    def combined(self, grantable: Mapping[str, Collection[str]]) -> list[Grants]:
        """Return the sets that suffice together, as far as there are such grants."""
        there = set(every_grant(grantable))
        return [group for group in self.together if there.issuperset(group)]

    def incomplete(self, grantable: Mapping[str, Collection[str]]) -> list[Grants]:
        """Return what such sets leave if one grant is taken away; it does not suffice."""
        rests = (
            tuple(grant for grant in grants if grant != left) for grants in self.combined(grantable) for left in grants
        )
        return list(dict.fromkeys(rests))

    def _suffice(self, grants: Iterable[Grant]) -> bool:
        """Return whether a set that suffices together is in these grants, at whatever levels."""
        names = {grant.privilege for grant in grants}
        return any(names.issuperset(grant.privilege for grant in group) for group in self.together)


def every_grant(grantable: Mapping[str, Collection[str]]) -> list[Grant]:
    """Return every privilege at every level at which it can be granted."""
    return [Grant(privilege, level) for level, names in grantable.items() for privilege in names]


def grantable_in(document: Document) -> dict[str, Sequence[str]]:
    """Return the privileges that can be granted at each level, as the document has it."""
    privileges = {level: SECURABLES[level].privileges(document) for level in LEVELS}
    return {level: names for level, names in privileges.items() if names}


@cache
def rules() -> dict[str, Rule]:
    """Return the rule of every request."""
    return {
        name: Rule(
            name,
            tuple(entry["suffice"]),
            tuple(entry["at"]),
            tuple(_set(text) for text in entry.get("together", ())),
            entry.get("since", ""),
        )
        for entry in read_toml(FILE)["request"]
        for name in entry["ids"]
    }


def _set(text: str) -> Grants:
    words = (word.partition("@") for word in text.split())
    return tuple(Grant(privilege, level or LEVELS[0]) for privilege, _, level in words)
