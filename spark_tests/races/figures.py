"""Figures of a race: pure functions from records to rows."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from conformance.history import OK, READ, REFUSED, UNKNOWN
from conformance.history.registers import AGAIN
from spark_tests.races.records import Record

TICKS = 60
PERCENTILES = (50, 90, 99, 100)
NO_WRITES = (READ, AGAIN)


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest of sorted values that `percent` percent of them do not exceed."""
    return values[max(0, math.ceil(len(values) * percent / 100) - 1)]


def actions(records: Collection[Record]) -> list[dict[str, Any]]:
    """Return a row for each action on each kind of object: counts by outcome, and latencies.

    Latencies are in milliseconds, of responses only; `conflicts` is the share of rejected writes among the responses.
    """
    grouped: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        grouped[str(record.key[0]), record.action].append(record)
    return [_row(kind, action, group) for (kind, action), group in sorted(grouped.items())]


def _row(kind: str, action: str, records: list[Record]) -> dict[str, Any]:
    outcomes = Counter(record.outcome for record in records)
    answered = sorted(1000 * (record.end - record.start) for record in records if record.status)
    writes = action not in NO_WRITES
    return {
        "kind": kind,
        "action": action,
        "count": len(records),
        **{outcome: outcomes[outcome] for outcome in (OK, REFUSED, UNKNOWN)},
        "conflicts": rate(outcomes) if writes else None,
        "statuses": {
            str(status): count for status, count in sorted(Counter(record.status for record in records).items())
        },
        "latency": {f"p{percent}": round(percentile(answered, percent), 3) for percent in PERCENTILES if answered},
    }


def rate(outcomes: Counter[str]) -> float | None:
    """Return the share of rejections among the responses, None if there are no responses."""
    answered = outcomes[OK] + outcomes[REFUSED]
    return round(outcomes[REFUSED] / answered, 4) if answered else None


def totals(records: Collection[Record]) -> dict[str, Any]:
    """Return the number of operations, the seconds, the operations per second, and the conflict rate of all writes."""
    first, last = min(record.start for record in records), max(record.end for record in records)
    writes = Counter(record.outcome for record in records if record.action not in NO_WRITES)
    return {
        "operations": len(records),
        "seconds": round(last - first, 3),
        "per_second": round(len(records) / max(last - first, 1e-9), 1),
        "conflicts": rate(writes),
        "unanswered": sum(1 for record in records if not record.status),
        "server_errors": sum(1 for record in records if record.status >= 500),
        "never_done": never_done(records),
        "hosts": len({record.host for record in records}),
        "clock_slack_ms": round(1000 * max(record.slack for record in records), 3),
    }


def never_done(records: Collection[Record]) -> list[str]:
    """Return the actions that never succeeded: the race proves nothing about them."""
    tried = {f"{record.action} {record.key[0]}" for record in records}
    succeeded = {f"{record.action} {record.key[0]}" for record in records if record.outcome == OK}
    return sorted(tried - succeeded)


def timeline(records: Collection[Record], ticks: int = TICKS) -> dict[str, Any]:
    """Return the number of operations that ended in each of `ticks` equal spans, by outcome."""
    first, last = min(record.start for record in records), max(record.end for record in records)
    span = max(last - first, 1e-9) / ticks
    counts = {outcome: [0] * ticks for outcome in (OK, REFUSED, UNKNOWN)}
    for record in records:
        counts[record.outcome][min(ticks - 1, int((record.end - first) / span))] += 1
    return {"seconds": round(span, 4), **counts}
