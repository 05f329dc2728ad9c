"""Coverage of the whole document by a run: statuses that were reached, clauses that were tested."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conformance.apis import requirements
from conformance.values.results import Results
from specs.clauses import clauses, unreached
from specs.openapi import Document
from specs.profiles import find_profile

COVERED, EXCLUDED, UNSERVED, GAP = "covered", "excluded", "unserved", "gap"


@dataclass(frozen=True, slots=True)
class StatusCoverage:
    """One declared status of one operation.

    `state` is covered (by these requirements), excluded (for this reason), unserved (the tested server lacks the
    operation) or gap.
    """

    operation: str
    status: str
    state: str
    by: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class ClauseCoverage:
    """One clause: the requirements that test it, or the reason why none does."""

    clause: str
    state: str
    by: tuple[str, ...]
    why: str


def status_coverage(results: Results, document: Document) -> list[StatusCoverage]:
    """Return every declared status of every operation, with the requirements that reached it in a run."""
    reached: dict[tuple[str, str], list[str]] = {}
    for entry in results.requirements:
        for text in entry.reached:
            name, _, status = text.rpartition(" ")
            declared = document.operations[name].declared(int(status)) if name in document.operations else None
            if declared:
                reached.setdefault((name, declared), []).append(entry.id)
    unserved = {entry.id for entry in results.target.operations if entry.state != "offered"}
    suites = find_profile(results.target.profile).suites
    return [
        _status(suites, operation.id, status, reached.get((operation.id, status), []), unserved)
        for operation in document.operations.values()
        for status in operation.responses
    ]


def _status(suites: Iterable[str], operation: str, status: str, by: list[str], unserved: set[str]) -> StatusCoverage:
    if by:
        return StatusCoverage(operation, status, COVERED, tuple(by), "")
    excuses = (entry for suite in suites for entry in unreached(suite))
    why = next((entry.why for entry in excuses if entry.covers(operation, status)), "")
    if why:
        return StatusCoverage(operation, status, EXCLUDED, (), why)
    if operation in unserved:
        return StatusCoverage(operation, status, UNSERVED, (), "the tested server lacks the operation")
    return StatusCoverage(operation, status, GAP, (), "no requirement reaches it")


def clause_coverage(api: str) -> list[ClauseCoverage]:
    """Return every clause of an API with the requirements that test it."""
    by_clause: dict[str, list[str]] = {}
    for requirement in requirements(api).values():
        by_clause.setdefault(requirement.clause, []).append(requirement.id)
    return [
        ClauseCoverage(clause.id, COVERED, tuple(by_clause[clause.id]), "")
        if clause.id in by_clause
        else ClauseCoverage(
            clause.id, EXCLUDED if clause.excluded else GAP, (), clause.excluded or "no requirement tests it"
        )
        for clause in clauses(api).values()
    ]
