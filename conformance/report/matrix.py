"""The matrix: operations by kinds of requirement, the worst verdict in each cell."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from conformance.values.kinds import EVERY_KIND
from conformance.values.results import OperationRecord, Result, Results, Verdict
from conformance.values.verdict import UNTESTED

WORST_FIRST: tuple[Verdict, ...] = ("error", "fail", "blocked", "warn", "known", "skipped", "unoffered", "pass")
NOT_MET: tuple[Verdict, ...] = ("error", "fail", "blocked", "warn", "known")
FEW = 2  # on a server with at most 2 operations, a requirement may concern each of them
ALL = "all operations"
"""The row of requirements on all operations of the server: they do not concern a single one."""
IN_CELLS = (*(verdict for verdict in WORST_FIRST if verdict not in UNTESTED), *UNTESTED)
GLYPHS = {
    "pass": "✓",
    "fail": "✗",
    "warn": "!",
    "known": "≈",
    "unoffered": "–",
    "skipped": "○",
    "blocked": "⊘",
    "error": "‽",
}
MEANINGS = {
    "pass": "the server does what the requirement says",
    "fail": "the server breaks a MUST",
    "warn": "the server breaks a SHOULD or MAY",
    "known": "the server breaks it, and the expectations list it",
    "unoffered": "the server does not offer the operation, or one that prepares it",
    "skipped": "the run lacks something, or saw no response to judge",
    "blocked": "could not be tested: an earlier step failed",
    "error": "the kit itself failed",
}


@dataclass(slots=True)
class Cell:
    """The requirements of one kind about one operation."""

    counts: Counter[str] = field(default_factory=Counter)

    @property
    def worst(self) -> str:
        """The worst verdict among tested requirements, "" without any requirement."""
        return next((verdict for verdict in IN_CELLS if self.counts[verdict]), "")

    @property
    def total(self) -> int:
        """The number of requirements."""
        return self.counts.total()

    @property
    def broken(self) -> int:
        """The number of requirements that failed or were blocked."""
        return sum(self.counts[verdict] for verdict in NOT_MET)

    @property
    def title(self) -> str:
        """The counts in words."""
        return ", ".join(f"{self.counts[verdict]:,} {verdict}" for verdict in WORST_FIRST if self.counts[verdict])


@dataclass(slots=True)
class OperationRow:
    """One operation: its entry in the results, and a cell for each kind."""

    operation: OperationRecord
    cells: dict[str, Cell]

    @property
    def counts(self) -> Counter[str]:
        """The verdicts of the whole row."""
        return sum((cell.counts for cell in self.cells.values()), Counter())


@dataclass(slots=True)
class Matrix:
    """The rows by resource, and the kinds of requirement that occur."""

    kinds: list[str]
    resources: dict[str, list[OperationRow]]


def subjects(requirement: Result, results: Results) -> list[str]:
    """Return the rows in which a requirement counts: those of its operations, or the one for all operations."""
    known = {entry.id for entry in results.target.operations}
    return [ALL] if len(known) > FEW and known <= set(requirement.operations) else requirement.operations


def build_matrix(results: Results) -> Matrix:
    """Return the matrix of a run; operations without any requirement have empty cells."""
    operations = list(results.target.operations)
    if any(subjects(requirement, results) == [ALL] for requirement in results.requirements):
        operations.append(OperationRecord(id=ALL, resource=ALL, summary="", state="offered"))
    rows = {entry.id: OperationRow(entry, {kind: Cell() for kind in EVERY_KIND}) for entry in operations}
    for requirement in results.requirements:
        for operation in subjects(requirement, results):
            if operation in rows:
                rows[operation].cells[requirement.kind].counts[requirement.verdict] += 1
    kinds = [kind for kind in EVERY_KIND if any(row.cells[kind].total for row in rows.values())]
    resources: dict[str, list[OperationRow]] = {}
    for row in rows.values():
        resources.setdefault(row.operation.resource, []).append(row)
    return Matrix(kinds, resources)
