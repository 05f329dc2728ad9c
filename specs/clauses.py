"""Clauses: the normative statements of an API, in our words, each tested or excluded with a reason.

The files of `clauses/` contain

    [[clause]]      id, level (MUST, SHOULD, MAY), operations, source, text; or `excluded = "why"`.
                    `place` lists the places of the statement in its source, in the form of `places.py`. Only clauses
                    with the sources sense or clients have none; they are a SHOULD at most.
                    `revisions` are the revisions in which it holds, all by default, `since` is the first of them;
                    `replaces` names clauses that do not hold in these revisions
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
WEAK_SOURCES = {"sense", "clients"}  # not norms, like the server that an API is named after: a SHOULD at most


@dataclass(frozen=True, slots=True)
class Clause:
    """Normative statement, with its `source`, its `place` there, and the reason if it is `excluded` from tests.

    `revisions` are the revisions in which it holds (empty: all), `since` is the first of them, `replaces` are the
    clauses that do not hold in them.
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
        """True if the clause holds in a profile, unless another clause replaces it."""
        return profile.has_reached(self.since) and (not self.revisions or profile.revision in self.revisions)


@dataclass(frozen=True, slots=True)
class Unreached:
    """Declared statuses that no request can provoke, with the reason."""

    operations: tuple[str, ...]
    statuses: tuple[str, ...]
    why: str

    def covers(self, operation_id: str, status: str) -> bool:
        """True if this entry excuses the status of the operation."""
        return status in self.statuses and ("*" in self.operations or operation_id in self.operations)


@cache
def clauses(api: str) -> dict[str, Clause]:
    """Return an API's clauses by id. Raises Problem for a malformed clause, a repeated id, or a missing place."""
    by_id: dict[str, Clause] = {}
    for path, raw in _entries(api, "clause"):
        clause = read_clause(path, raw)
        if clause.id in by_id:
            raise Problem(f"{path}: there are two clauses {clause.id!r}.", "Give one of them another id.")
        by_id[clause.id] = clause
    return by_id


def read_clause(path: Path, raw: dict[str, Any]) -> Clause:
    """Parse a clause of a file. Raises Problem for a malformed clause or a missing place."""
    missing = [field for field in FIELDS if not raw.get(field)]
    if missing:
        raise Problem(f"{path}: the clause {raw.get('id')!r} has no {', '.join(missing)}.", "Add the missing fields.")
    if raw["level"] not in LEVELS:
        raise Problem(f"{path}: the clause {raw['id']!r} has no level.", f"Set it to one of {', '.join(LEVELS)}.")
    norms = set(raw["source"].split(", ")) - WEAK_SOURCES - {path.parent.parent.name}
    if raw["level"] == "MUST" and not norms:
        raise Problem(
            f"{path}: the clause {raw['id']!r} is a MUST, but its only source is {raw['source']!r}.",
            "Name the norm that states it, or make it a SHOULD.",
        )
    if norms and not raw.get("place"):
        raise Problem(
            f"{path}: the clause {raw['id']!r} has no `place`.",
            f"Name its place in the norm: {', '.join(sorted(norms))}.",
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
    """Return the declared statuses that no requirement can provoke, with the reasons."""
    return tuple(
        Unreached(tuple(raw["operations"]), tuple(raw["statuses"]), raw["why"]) for _, raw in _entries(api, "unreached")
    )


def _entries(api: str, kind: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted((folder_of(api) / "clauses").glob("*.toml")):
        for raw in read_toml(path).get(kind, []):
            yield path, raw
