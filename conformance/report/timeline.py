"""Timeline of concurrent clients: a table with a bar for each request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.history import outcome
from conformance.report.pages import template
from conformance.values.exchange import Step


def timeline_table(events: Sequence[dict[str, Any]]) -> str:
    """Return events as HTML: `client`, `start` and `end` in seconds (None: never), `outcome`, and text `says`."""
    return template("timeline.html.j2").render(rows=zip(events, bars(events), strict=True))


def timeline_of(steps: Sequence[Step]) -> str:
    """Return the table of concurrent clients' steps, "" for sequential steps."""
    events = [
        {
            "client": step.moment.client,
            "start": step.moment.start,
            "end": step.moment.start + step.seconds if step.response.status else None,
            "outcome": outcome(step.response.status),
            "says": f"{step.operation}: {step.response.status or step.response.failure}",
        }
        for step in steps
        if step.moment
    ]
    return timeline_table(events) if len(events) > 1 else ""


def bars(events: Sequence[dict[str, Any]]) -> list[tuple[float, float]]:
    """Return the start and end of each event, as shares of the whole time."""
    first = min(event["start"] for event in events)
    last = max(event["start"] if event["end"] is None else event["end"] for event in events)
    span = max(last - first, 1e-9)
    ends = [last if event["end"] is None else event["end"] for event in events]
    return [((event["start"] - first) / span, (end - first) / span) for event, end in zip(events, ends, strict=True)]
