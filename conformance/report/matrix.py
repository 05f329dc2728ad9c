"""The matrix: operations by kinds of requirement, the worst verdict in each cell."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from conformance.kinds import EVERY_KIND
from conformance.results import OperationRecord, Results, Verdict

WORST_FIRST: tuple[Verdict, ...] = ("error", "fail", "blocked", "warn", "known", "unoffered", "pass")
NOT_MET: tuple[Verdict, ...] = ("error", "fail", "blocked", "warn", "known")
GLYPHS = {
    "pass": "✓",
    "fail": "✗",
    "warn": "!",
    "known": "≈",
    "unoffered": "–",
    "blocked": "⊘",
    "error": "‽",
}
MEANINGS = {
    "pass": "the server does what the requirement says",
    "fail": "the server breaks a MUST",
    "warn": "the server breaks a SHOULD or MAY",
    "known": "the server breaks it, as the expectations say",
    "unoffered": "the server does not have the operation, and says so",
    "blocked": "could not be tested: something before it failed",
    "error": "the kit itself failed",
}


@dataclass(slots=True)
class Cell:
    """The requirements of one kind about one operation."""

    counts: Counter[str] = field(default_factory=Counter)

    @property
    def worst(self) -> str:
        """The worst verdict among them, "" when there is none."""
        return next((verdict for verdict in WORST_FIRST if self.counts[verdict]), "")

    @property
    def total(self) -> int:
        """How many requirements there are."""
        return self.counts.total()

    @property
    def broken(self) -> int:
        """How many of them are not met, or could not be tested."""
        return sum(self.counts[verdict] for verdict in NOT_MET)

    @property
    def title(self) -> str:
        """The counts in words."""
        return ", ".join(f"{self.counts[verdict]} {verdict}" for verdict in WORST_FIRST if self.counts[verdict])


@dataclass(slots=True)
class Row:
    """One operation: its entry in the results, and a cell for each kind."""

    operation: OperationRecord
    cells: dict[str, Cell]

    @property
    def counts(self) -> Counter[str]:
        """The verdicts of the whole row."""
        return sum((cell.counts for cell in self.cells.values()), Counter())


@dataclass(slots=True)
class Matrix:
    """The rows by resource, and the kinds that occur."""

    kinds: list[str]
    resources: dict[str, list[Row]]


def build_matrix(results: Results) -> Matrix:
    """Return the matrix of a run; operations without any requirement have empty cells."""
    rows = {entry.id: Row(entry, {kind: Cell() for kind in EVERY_KIND}) for entry in results.target.operations}
    for requirement in results.requirements:
        for operation in requirement.operations:
            if operation in rows:
                rows[operation].cells[requirement.kind].counts[requirement.verdict] += 1
    kinds = [kind for kind in EVERY_KIND if any(row.cells[kind].total for row in rows.values())]
    resources: dict[str, list[Row]] = {}
    for row in rows.values():
        resources.setdefault(row.operation.resource, []).append(row)
    return Matrix(kinds, resources)
