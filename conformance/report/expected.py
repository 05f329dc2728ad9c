"""The states of a run's expectations, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conformance.replay.commands import prune
from conformance.values.results import Results
from conformance.values.verdict import ExpectationRecord, ExpectationState

MOST = 40
ADVICE: dict[ExpectationState, str] = {
    "stale": "passes now: remove it with `{prune}`",
    "orphan": "is an unknown requirement: correct the id, or remove it with `{prune}`",
    "expired": "was expected until {expires}: fix it, or set a later date",
    "different": "fails in another way than “{seen}”",
}

WHAT_TO_DO: dict[ExpectationState, str] = {
    "different": "fix them, or update them with `lakeproof expect`",
    "stale": "remove them with `{prune}`",
    "orphan": "correct the ids, or remove them with `{prune}`",
    "expired": "fix them, or set a later date",
}


def by_state(results: Results) -> list[tuple[ExpectationState, list[ExpectationRecord]]]:
    """Return the expectations of a run by state; states that need an action come first."""
    groups: dict[ExpectationState, list[ExpectationRecord]] = {state: [] for state in WHAT_TO_DO}
    for record in results.expectations:
        groups.setdefault(record.state, []).append(record)
    return [(state, records) for state, records in groups.items() if records]


def expected(results: Results) -> str:
    """Return the number of expectations by state, in words."""
    counts = Counter(record.state for record in results.expectations)
    return "expectations: " + ", ".join(f"{count:,} {state}" for state, count in counts.most_common())


def not_as_expected(results: Results) -> Iterator[str]:
    """Yield a line for each expectation that does not hold, with the action to take."""
    broken = [record for record in results.expectations if record.state in ADVICE]
    command = prune(results.target.settings)
    yield from (_line(record, command) for record in broken[:MOST])
    if len(broken) > MOST:
        yield f"and {len(broken) - MOST:,} more"


def advice(results: Results) -> dict[ExpectationState, str]:
    """Return the action for the expectations of each state that do not hold."""
    command = prune(results.target.settings)
    return {state: text.format(prune=command) for state, text in WHAT_TO_DO.items()}


def _line(record: ExpectationRecord, command: str) -> str:
    return f"{record.state}: {record.requirement} " + ADVICE[record.state].format(
        expires=record.expires, seen=record.seen, prune=command
    )
