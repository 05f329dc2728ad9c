"""Clauses: the normative statements of an API, in our words, each tested or excluded with a reason.

The files of `clauses/` hold

    [[clause]]      id, level (MUST, SHOULD, MAY), operations, source, text; or `excluded = "why"`.
                    `place` lists where the source says it (`places.py` says how places are written). Only
                    what sense or clients alone say has none, and that is not a MUST.
                    `revisions` are those that it is for, all if none is named, `since` the first of them;
                    `replaces` names clauses that do not hold in these
    [[unreached]]   operations ("*" for all), statuses, why: declared statuses that no requirement can provoke
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from specs.apis import folder_of
from specs.files import read_toml
from specs.problems import Problem
from specs.profiles import Profile

LEVELS = ("MUST", "SHOULD", "MAY")
FIELDS = ("id", "level", "operations", "source", "text")
WEAK_SOURCES = {"sense", "clients"}  # no norm, like the server that an API is named after: a SHOULD at most


@dataclass(frozen=True, slots=True)
class Clause:
    """One normative statement. `source` says who says it, `place` where, `excluded` why it is not tested.

    `revisions` are those that it is for (none given: all), `since` is the first of them, `replaces` the clauses that
    do not hold in them.
    """

    id: str
    level: str
    operations: tuple[str, ...]
    source: str
    text: str
    excluded: str
    place: tuple[str, ...] = ()
    revisions: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    since: str = ""

    def holds_in(self, profile: Profile) -> bool:
        """True when the clause is for a profile, whatever may replace it there."""
        return profile.has_reached(self.since) and (not self.revisions or profile.revision in self.revisions)


@dataclass(frozen=True, slots=True)
class Unreached:
    """Declared statuses that a suite cannot provoke from outside, and why."""

    operations: tuple[str, ...]
    statuses: tuple[str, ...]
    why: str

    def covers(self, operation_id: str, status: str) -> bool:
        """True when this entry excuses the status of the operation."""
        return status in self.statuses and ("*" in self.operations or operation_id in self.operations)


@cache
def clauses(api: str) -> dict[str, Clause]:
    """Return the clauses of an API by id. Raises Problem for a malformed or doubled one, and one without its place."""
    by_id: dict[str, Clause] = {}
    for path, raw in _entries(api, "clause"):
        clause = read_clause(path, raw)
        if clause.id in by_id:
            raise Problem(f"{path}: there are two clauses {clause.id!r}.", "Give one of them another id.")
        by_id[clause.id] = clause
    return by_id


def read_clause(path: Path, raw: dict[str, Any]) -> Clause:
    """Return the clause in an entry of a file. Raises Problem for a malformed one, and one without its place."""
    missing = [field for field in FIELDS if not raw.get(field)]
    if missing:
        raise Problem(f"{path}: the clause {raw.get('id')!r} lacks {', '.join(missing)}.", "Add what is missing.")
    if raw["level"] not in LEVELS:
        raise Problem(f"{path}: the clause {raw['id']!r} has no level.", f"Its level is one of {', '.join(LEVELS)}.")
    norms = set(raw["source"].split(", ")) - WEAK_SOURCES - {path.parent.parent.name}
    if raw["level"] == "MUST" and not norms:
        raise Problem(
            f"{path}: the clause {raw['id']!r} is a MUST, but its only source is {raw['source']!r}.",
            "Name the norm that says it, or make it a SHOULD.",
        )
    if norms and not raw.get("place"):
        raise Problem(
            f"{path}: the clause {raw['id']!r} has no `place`.", f"Name where it stands: {', '.join(sorted(norms))}."
        )
    return Clause(
        raw["id"],
        raw["level"],
        tuple(raw["operations"]),
        raw["source"],
        raw["text"],
        raw.get("excluded", ""),
        tuple(raw.get("place", ())),
        tuple(raw.get("revisions", ())),
        tuple(raw.get("replaces", ())),
        raw.get("since", ""),
    )


@cache
def clauses_of(profile: Profile) -> dict[str, Clause]:
    """Return the clauses of the profile's own API that hold in it, by id."""
    applicable = [clause for clause in clauses(profile.api).values() if clause.holds_in(profile)]
    replaced = {name for clause in applicable for name in clause.replaces}
    return {clause.id: clause for clause in applicable if clause.id not in replaced}


@cache
def unreached(api: str) -> tuple[Unreached, ...]:
    """Return which declared statuses no requirement can provoke, with the reasons."""
    return tuple(
        Unreached(tuple(raw["operations"]), tuple(raw["statuses"]), raw["why"]) for _, raw in _entries(api, "unreached")
    )


def _entries(api: str, kind: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted((folder_of(api) / "clauses").glob("*.toml")):
        for raw in read_toml(path).get(kind, []):
            yield path, raw
