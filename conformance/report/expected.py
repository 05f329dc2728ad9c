"""What became of the known deviations of a server, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conformance.results import Results
from conformance.verdict import ExpectationRecord, ExpectationState

MOST = 40
ADVICE: dict[ExpectationState, str] = {
    "stale": "is met now: remove it with `lakeproof expect --prune`",
    "orphan": "is no requirement: correct the id, or remove it with `lakeproof expect --prune`",
    "expired": "was expected until {expires}: mend it, or give it another day",
    "different": "is seen in another way than “{seen}”",
}

WHAT_TO_DO: dict[ExpectationState, str] = {
    "different": "mend them, or write them anew with `lakeproof expect`",
    "stale": "remove them with `lakeproof expect --prune`",
    "orphan": "correct the ids, or remove them with `lakeproof expect --prune`",
    "expired": "mend them, or give them another day",
}


def by_state(results: Results) -> list[tuple[ExpectationState, list[ExpectationRecord]]]:
    """Return the expectations of a run by what became of them, those that somebody has to look at first."""
    groups: dict[ExpectationState, list[ExpectationRecord]] = {state: [] for state in WHAT_TO_DO}
    for record in results.expectations:
        groups.setdefault(record.state, []).append(record)
    return [(state, records) for state, records in groups.items() if records]


def expected(results: Results) -> str:
    """Return how many expectations there are of each state."""
    counts = Counter(record.state for record in results.expectations)
    return "expectations: " + ", ".join(f"{count} {state}" for state, count in counts.most_common())


def not_as_expected(results: Results) -> Iterator[str]:
    """Yield a line for each expectation that does not hold, with what to do about it."""
    broken = [record for record in results.expectations if record.state in ADVICE]
    yield from map(_line, broken[:MOST])
    if len(broken) > MOST:
        yield f"and {len(broken) - MOST} more"


def _line(record: ExpectationRecord) -> str:
    return f"{record.state}: {record.requirement} " + ADVICE[record.state].format(
        expires=record.expires, seen=record.seen
    )
