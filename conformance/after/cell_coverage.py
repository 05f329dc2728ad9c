"""Coverage of a document's cells by a run, and excuses for the uncovered ones: `conformance/<api>/coverage.toml`.

gaps = 1200                         the most cells that a run of the whole suite may leave without a reason

[[excused]]
operations = ["Drop*"]              patterns; without this line, all operations
cells = ["body /context: *"]        patterns; `*` matches any text
why = "Servers need not store it."
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from conformance.after.status_coverage import COVERED, EXCLUDED, GAP, UNSERVED
from conformance.apis import PACKAGE, dimensions_of, place_of, suite_part
from conformance.values.cells import declared_cells
from conformance.values.results import Results
from specs.files import read_toml
from specs.problems import Problem
from specs.profiles import Profile, find_profile

FILE_NAME = "coverage.toml"
PARTS = ("path", "request", "query", "header", "body", "answer", "world")
KEYS = {"operations", "cells", "why"}


@dataclass(frozen=True, slots=True)
class CellCoverage:
    """One cell of one operation; see conformance/values/cells.py. `why` is the reason for an excluded cell."""

    operation: str
    cell: str
    state: str
    why: str = ""


@dataclass(frozen=True)
class Excuse:
    """Cells that need no coverage, with the reason."""

    cells: tuple[str, ...]
    why: str
    operations: tuple[str, ...] = ("*",)

    def covers(self, operation: str, cell: str) -> bool:
        """True when the excuse matches this cell of this operation."""
        return bool(_pattern(self.operations).fullmatch(operation) and _pattern(self.cells).fullmatch(cell))


@dataclass(frozen=True, slots=True)
class Allowance:
    """The content of `coverage.toml`: the number of allowed gaps, None for any number, and the excuses."""

    gaps: int | None
    excused: tuple[Excuse, ...]


def allowance(api: str) -> Allowance:
    """Return the allowance of an API, an unlimited one without a file. Raises Problem for an invalid file."""
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
    """Return every cell of a run's document. Raises Problem for results without coverage data."""
    if not results.cells:
        raise Problem(
            "These results have no coverage data: they are from an older kit.",
            "Count without the cells, or run `lakeproof check` again.",
        )
    profile = find_profile(results.target.profile)
    seen = {record.operation: set(record.cells) for record in results.cells}
    unserved = {entry.id for entry in results.target.operations if entry.state != "offered"}
    excuses = [excuse for suite in profile.suites for excuse in allowance(suite).excused]
    return [
        _cell(operation, cell, seen.get(operation, set()), unserved, excuses)
        for operation, cells in cells_of(profile).items()
        for cell in cells
    ]


def held_line(coverage: Sequence[CellCoverage], api: str) -> list[str]:
    """Return the deviations of a whole run from the allowance of an API, one sentence each."""
    gaps, allowed = sum(entry.state == GAP for entry in coverage), allowance(api).gaps
    more = [f"{gaps:,} cells have neither a requirement nor a reason; {FILE_NAME} allows {allowed}."]
    stale = [f"The excuse for {', '.join(excuse.cells)} has no effect." for excuse in stale_excuses(coverage, api)]
    return (more if allowed is not None and gaps > allowed else []) + stale


def stale_excuses(coverage: Sequence[CellCoverage], api: str) -> list[Excuse]:
    """Return the excuses of an API without effect: all their cells in this revision are covered."""

    def is_stale(excuse: Excuse) -> bool:
        states = {entry.state for entry in coverage if excuse.covers(entry.operation, entry.cell)}
        return bool(states) and states.isdisjoint((EXCLUDED, GAP))

    return [excuse for excuse in allowance(api).excused if is_stale(excuse)]


@dataclass(frozen=True, slots=True)
class GapGroup:
    """Similar gaps: missing kinds of value, the operations, and the fields.

    `part` is the part of the message with the fields: body, query, header, answer, path or request.
    """

    part: str
    kinds: tuple[str, ...]
    operations: tuple[str, ...]
    fields: tuple[str, ...]

    @property
    def count(self) -> int:
        """The number of cells."""
        return len(self.kinds) * len(self.operations) * len(self.fields)


def gap_groups(coverage: Iterable[CellCoverage]) -> list[GapGroup]:
    """Return the gaps in groups for display: by part of the request or answer, the largest groups first."""
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


def cells_of(profile: Profile) -> dict[str, list[str]]:
    """Return the cells of the operations of a profile."""
    parts = [suite_part(part.api) for part in profile.tested_by()]
    levels = {scale for part in parts for scale in part.levels}
    document = profile.document()
    return declared_cells(document, levels, dimensions_of(parts, document))


def _cell(operation: str, cell: str, seen: set[str], unserved: set[str], excuses: Sequence[Excuse]) -> CellCoverage:
    if cell in seen:
        return CellCoverage(operation, cell, COVERED)
    if operation in unserved:
        return CellCoverage(operation, cell, UNSERVED, "the tested server lacks the operation")
    why = next((excuse.why for excuse in excuses if excuse.covers(operation, cell)), "")
    return CellCoverage(operation, cell, EXCLUDED if why else GAP, why)


@cache
def _pattern(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(pattern).replace(r"\*", ".*") for pattern in patterns))
