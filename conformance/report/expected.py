"""What became of the known deviations of a server, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conformance.replay.commands import prune
from conformance.values.results import Results
from conformance.values.verdict import ExpectationRecord, ExpectationState

MOST = 40
ADVICE: dict[ExpectationState, str] = {
    "stale": "is met now: remove it with `{prune}`",
    "orphan": "is no requirement: correct the id, or remove it with `{prune}`",
    "expired": "was expected until {expires}: fix it, or give it another day",
    "different": "is seen in another way than “{seen}”",
}

WHAT_TO_DO: dict[ExpectationState, str] = {
    "different": "fix them, or write them anew with `lakeproof expect`",
    "stale": "remove them with `{prune}`",
    "orphan": "correct the ids, or remove them with `{prune}`",
    "expired": "fix them, or give them another day",
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
    return "expectations: " + ", ".join(f"{count:,} {state}" for state, count in counts.most_common())


def not_as_expected(results: Results) -> Iterator[str]:
    """Yield a line for each expectation that does not hold, with what to do about it."""
    broken = [record for record in results.expectations if record.state in ADVICE]
    command = prune(results.target.settings)
    yield from (_line(record, command) for record in broken[:MOST])
    if len(broken) > MOST:
        yield f"and {len(broken) - MOST:,} more"


def advice(results: Results) -> dict[ExpectationState, str]:
    """Return what to do about the expectations of each state that do not hold."""
    command = prune(results.target.settings)
    return {state: text.format(prune=command) for state, text in WHAT_TO_DO.items()}


def _line(record: ExpectationRecord, command: str) -> str:
    return f"{record.state}: {record.requirement} " + ADVICE[record.state].format(
        expires=record.expires, seen=record.seen, prune=command
    )
