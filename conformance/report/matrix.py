"""The matrix: operations by kinds of requirement, the worst verdict in each cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.requirement import KINDS
from conformance.results import Cause, OperationRecord, Results, Verdict

WORST_FIRST: tuple[Verdict, ...] = ("error", "fail", "blocked", "warn", "unoffered", "pass")
GLYPHS = {
    "pass": "✓",
    "fail": "✗",
    "warn": "!",
    "unoffered": "–",
    "blocked": "⊘",
    "error": "‽",
}
MEANINGS = {
    "pass": "the server does what the requirement says",
    "fail": "the server breaks a MUST",
    "warn": "the server breaks a SHOULD or MAY",
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
    rows = {entry.id: Row(entry, {kind: Cell() for kind in KINDS}) for entry in results.target.operations}
    for requirement in results.requirements:
        for operation in requirement.operations:
            if operation in rows:
                rows[operation].cells[requirement.kind].counts[requirement.verdict] += 1
    kinds = [kind for kind in KINDS if any(row.cells[kind].total for row in rows.values())]
    resources: dict[str, list[Row]] = {}
    for row in rows.values():
        resources.setdefault(row.operation.resource, []).append(row)
    return Matrix(kinds, resources)


def sentence(results: Results) -> str:
    """Return the run's verdict in one sentence."""
    counts = Counter((entry.level, entry.verdict) for entry in results.requirements)
    must = sum(count for (level, _), count in counts.items() if level == "MUST")
    if not results.requirements:
        return "No requirement was tested."
    if results.run.interrupted:
        return f"Interrupted: {_tested(results)}."
    profile, stopped = results.target.profile, results.run.stopped
    broken, blocked = counts["MUST", "fail"], counts["MUST", "blocked"]
    also = [f"{blocked} could not be tested"] if blocked else []
    also += [f"{_counted(results.totals['error'], 'error')} of the kit"] if results.totals["error"] else []
    also += [f"stopped: {_tested(results)}"] if stopped else []
    tail = f"; {', '.join(also)}" if also else ""
    told = f"{_told(results.causes, broken, must)}{tail}"
    if broken or blocked or (stopped and stopped.gone):
        return f"Does not conform to {profile}: {told}."
    if results.totals["error"] or stopped:
        return f"No verdict on {profile}: {told}."
    return f"Conforms to {profile}: {told}."


def _told(causes: Sequence[Cause], broken: int, must: int) -> str:
    """Return how many causes there are, and of what: of all MUST requirements so many are broken."""
    found = [cause for cause in causes if cause.requirements]
    hard = sum(cause.level == "MUST" for cause in found)
    soft = len(found) - hard
    if not hard:
        more = f"; {_counted(soft, 'cause')} {_breaks(soft)} SHOULD or MAY" if soft else ""
        return f"none of {must} MUST requirements is broken{more}"
    counts = f"{_breaks(hard)} MUST ({broken} of {must} requirements)"
    if not soft:
        return f"{_counted(hard, 'cause')} {counts}"
    return f"{_counted(len(found), 'cause')}: {hard} {counts}, {soft} only SHOULD or MAY"


def _breaks(count: int) -> str:
    return "breaks" if count == 1 else "break"


def _tested(results: Results) -> str:
    """Return how far a run came that ended early."""
    tested, selected = len(results.requirements), results.run.selected
    return f"{tested} of {selected} requirements tested" if selected else f"{_counted(tested, 'requirement')} tested"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
