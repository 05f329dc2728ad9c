"""Which cells of a document a run covered, and why others are not: `conformance/<api>/coverage.toml`.

gaps = 1200                         the most that a run of the whole suite may leave without a reason

[[excused]]
operations = ["Drop*"]              patterns, all of them without this line
cells = ["body /context: *"]        patterns; `*` stands for any text
why = "Servers need not keep it."
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from conformance.after.status_coverage import COVERED, EXCLUDED, GAP, UNSERVED
from conformance.apis import PACKAGE, place_of, suite_part
from conformance.values.cells import declared_cells
from conformance.values.results import Results
from specs.files import read_toml
from specs.problems import Problem
from specs.profiles import Profile, find_profile

FILE_NAME = "coverage.toml"
PARTS = ("path", "request", "query", "header", "body", "answer")
KEYS = {"operations", "cells", "why"}


@dataclass(frozen=True, slots=True)
class CellCoverage:
    """One cell of one operation; see conformance/values/cells.py. `why` is the reason of one that is excluded."""

    operation: str
    cell: str
    state: str
    why: str = ""


@dataclass(frozen=True)
class Excuse:
    """Cells that nobody has to cover, with the reason."""

    cells: tuple[str, ...]
    why: str
    operations: tuple[str, ...] = ("*",)

    def covers(self, operation: str, cell: str) -> bool:
        """True when it is about this cell of this operation."""
        return bool(_pattern(self.operations).fullmatch(operation) and _pattern(self.cells).fullmatch(cell))


@dataclass(frozen=True, slots=True)
class Allowance:
    """What `coverage.toml` allows: so many gaps, any number where it does not say; and what needs not be covered."""

    gaps: int | None
    excused: tuple[Excuse, ...]


def allowance(api: str) -> Allowance:
    """Return what an API allows, anything where it has no file. Raises Problem for one that says something else."""
    path = place_of(f"{PACKAGE}.{api}") / FILE_NAME
    if not path.exists():
        return Allowance(None, ())
    value = read_toml(path)
    entries = value.get("excused", [])
    if value.keys() - {"gaps", "excused"} or any(entry.keys() - KEYS or not entry.get("why") for entry in entries):
        raise Problem(f"{path} has unknown keys, or an entry without a reason.", f"Known: {', '.join(sorted(KEYS))}.")
    return Allowance(
        value.get("gaps"),
        tuple(Excuse(tuple(entry["cells"]), entry["why"], tuple(entry.get("operations", ("*",)))) for entry in entries),
    )


def cell_coverage(results: Results) -> list[CellCoverage]:
    """Return every cell of a run's document. Raises Problem for results that do not say what was sent."""
    if not results.cells:
        raise Problem(
            "These results do not say what the run has sent and looked at: they are of an older kit.",
            "Count without the cells, or run `lakeproof check` again.",
        )
    profile = find_profile(results.target.profile)
    seen = {record.operation: set(record.cells) for record in results.cells}
    unserved = {entry.id for entry in results.target.operations if entry.state != "offered"}
    excuses = [excuse for suite in profile.suites for excuse in allowance(suite).excused]
    return [
        _cell(operation, cell, seen.get(operation, set()), unserved, excuses)
        for operation, cells in _declared(profile).items()
        for cell in cells
    ]


def held_line(coverage: Sequence[CellCoverage], api: str) -> list[str]:
    """Return what a run of the whole suite does not keep to of what an API allows, one sentence each."""
    gaps, allowed = sum(entry.state == GAP for entry in coverage), allowance(api).gaps
    more = [f"{gaps:,} cells have neither a requirement nor a reason; {FILE_NAME} allows {allowed}."]
    stale = [f"The reason for {', '.join(excuse.cells)} excuses nothing." for excuse in stale_excuses(coverage, api)]
    return (more if allowed is not None and gaps > allowed else []) + stale


def stale_excuses(coverage: Iterable[CellCoverage], api: str) -> list[Excuse]:
    """Return the excuses of an API that excuse nothing: all that they are about is covered, or not declared."""
    open_cells = [entry for entry in coverage if entry.state in (EXCLUDED, GAP)]
    return [
        excuse
        for excuse in allowance(api).excused
        if not any(excuse.covers(entry.operation, entry.cell) for entry in open_cells)
    ]


@dataclass(frozen=True, slots=True)
class GapGroup:
    """Gaps that are alike: what is not seen (kinds of value) of which fields of which operations.

    `part` is where the fields stand: body, query, header, answer, path or request.
    """

    part: str
    kinds: tuple[str, ...]
    operations: tuple[str, ...]
    fields: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many cells they are."""
        return len(self.kinds) * len(self.operations) * len(self.fields)


def gap_groups(coverage: Iterable[CellCoverage]) -> list[GapGroup]:
    """Return the gaps for people: by part of the request or answer, the largest groups first."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for entry in coverage:
        if entry.state == GAP:
            name, _, kind = entry.cell.rpartition(": ")
            kinds.setdefault((name, entry.operation), []).append(kind)
    operations: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (name, operation), lacking in kinds.items():
        operations.setdefault((name, tuple(lacking)), []).append(operation)
    fields: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for (name, alike), names in operations.items():
        part, _, path = name.partition(" ")
        fields.setdefault((part, alike, tuple(names)), []).append(path)
    groups = [GapGroup(*key, tuple(paths)) for key, paths in fields.items()]
    return sorted(groups, key=lambda group: (PARTS.index(group.part), -group.count, group.fields))


def _declared(profile: Profile) -> dict[str, list[str]]:
    levels = {scale for part in profile.tested_by() for scale in suite_part(part.api).levels}
    return declared_cells(profile.document(), levels)


def _cell(operation: str, cell: str, seen: set[str], unserved: set[str], excuses: Sequence[Excuse]) -> CellCoverage:
    if cell in seen:
        return CellCoverage(operation, cell, COVERED)
    if operation in unserved:
        return CellCoverage(operation, cell, UNSERVED, "the tested server does not have the operation")
    why = next((excuse.why for excuse in excuses if excuse.covers(operation, cell)), "")
    return CellCoverage(operation, cell, EXCLUDED if why else GAP, why)


@cache
def _pattern(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(pattern).replace(r"\*", ".*") for pattern in patterns))
