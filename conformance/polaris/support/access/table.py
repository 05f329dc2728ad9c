"""The rules of `authorization.toml`, and the cells that follow from them.

A cell is a request with the set of grants of its caller, and the server must either authorize or reject it. A grant is
a privilege at a level: on the catalog, the namespace, the table, the view or the policy that the request names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from conformance.polaris.support.access.calls import operations
from conformance.polaris.support.grants import SECURABLES
from specs.files import read_toml
from specs.openapi import Document, snake_case

FILE = Path(__file__).parents[2] / "authorization.toml"
LEVELS = ("catalog", "namespace", "table", "view", "policy")
MOST_ROLES = 48  # of one token, which names its roles and must fit into a header
SMOKE, DEEP = "smoke", "deep"


class Grant(NamedTuple):
    """Privilege at the level at which it is granted."""

    privilege: str
    level: str

    def __str__(self) -> str:
        return f"{self.privilege} on the {self.level}"


Grants = tuple[Grant, ...]
Grantable = Mapping[str, Collection[str]]  # the privileges that can be granted at each level
POWERLESS: Grants = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """Privileges that authorize one request, see the file.

    `together` are sets of grants that suffice only together, `documented` grants that are documented to allow it.
    """

    name: str
    operation: str
    suffice: tuple[str, ...]
    at: tuple[str, ...]
    together: tuple[Grants, ...]
    documented: frozenset[Grant]
    since: str

    @property
    def id(self) -> str:
        """The operation, and the request in words unless the operation alone says it."""
        words = self.name.replace("_", " ")
        return self.operation if snake_case(self.operation) == self.name else f"{self.operation} ({words})"

    def allowed(self, grantable: Grantable) -> list[Grant]:
        """Return the grants that suffice alone, for each privilege the lowest level first."""
        levels = [level for level in reversed(self.at) if level in grantable]
        return [
            Grant(privilege, level) for privilege in self.suffice for level in levels if privilege in grantable[level]
        ]

    def refused(self, grantable: Grantable) -> list[Grants]:
        """Return all other grants in sets, as large as possible without sufficing together."""
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

    def combined(self, grantable: Grantable) -> list[Grants]:
        """Return the sets that suffice together and whose grants the document declares."""
        there = set(every_grant(grantable))
        return [group for group in self.together if there.issuperset(group)]

    def incomplete(self, grantable: Grantable) -> list[Grants]:
        """Return the sets of `combined` with one grant removed, which do not suffice."""
        rests = (
            tuple(grant for grant in grants if grant != left) for grants in self.combined(grantable) for left in grants
        )
        return list(dict.fromkeys(rests))

    def _suffice(self, grants: Iterable[Grant]) -> bool:
        """True when the grants contain a set that suffices together, at any levels."""
        names = {grant.privilege for grant in grants}
        return any(names.issuperset(grant.privilege for grant in group) for group in self.together)


def every_grant(grantable: Grantable) -> list[Grant]:
    """Return the grants of all privileges at all levels."""
    return [Grant(privilege, level) for level, names in grantable.items() for privilege in names]


def grantable_in(document: Document) -> dict[str, Sequence[str]]:
    """Return the privileges that the document allows at each level, without levels that have none."""
    privileges = {level: SECURABLES[level].privileges(document) for level in LEVELS}
    return {level: names for level, names in privileges.items() if names}


def allowed_cells(depth: str, rule: Rule, grantable: Grantable) -> Iterator[Grants]:
    """Yield the sets of sufficient grants that a run of a depth tests."""
    seen: set[str] = set()
    for grant in rule.allowed(grantable):
        if depth == DEEP or grant.privilege not in seen:
            yield (grant,)
        seen.add(grant.privilege)
        if depth == SMOKE:
            return
    if depth == DEEP:
        yield from rule.combined(grantable)


def refused_cells(depth: str, rule: Rule, grantable: Grantable) -> Iterator[Grants]:
    """Yield the sets of insufficient grants that a run of a depth tests."""
    yield POWERLESS
    if depth != SMOKE:
        yield from rule.refused(grantable)
    if depth == DEEP:
        yield from rule.incomplete(grantable)


def hole_cells(depth: str, rule: Rule, grantable: Grantable) -> Iterator[Grants]:
    """Yield the cells of `refused_cells` without grants that are documented to allow the request."""
    for grants in refused_cells(depth, rule, grantable):
        rest = tuple(grant for grant in grants if grant not in rule.documented)
        if rest or not grants:
            yield rest


@cache
def rules() -> dict[str, Rule]:
    """Return the rule of each request, by the name of the request."""
    requested = operations()
    return {
        name: Rule(
            name,
            operation,
            tuple(entry["suffice"]),
            tuple(entry["at"]),
            tuple(_set(text) for text in entry.get("together", ())),
            frozenset(grant for text in entry.get("documented", ()) for grant in _at_each(text, entry["at"])),
            entry.get("since", ""),
        )
        for entry in read_toml(FILE)["request"]
        for name, operation in ((name, requested[name]) for name in entry["ids"])
    }


def _at_each(text: str, levels: Iterable[str]) -> list[Grant]:
    """Return the grants of a privilege at its level, or at each of these."""
    privilege, _, level = text.partition("@")
    return [Grant(privilege, each) for each in ([level] if level else levels)]


def _set(text: str) -> Grants:
    words = (word.partition("@") for word in text.split())
    return tuple(Grant(privilege, level or LEVELS[0]) for privilege, _, level in words)
