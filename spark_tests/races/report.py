"""Report of a race: `race.json`, and a page that is rendered from it alone."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from conformance.history import Contradiction, Event, Judgement, Key
from conformance.history.orders import MOST_ORDERS
from conformance.report.pages import template, write_page
from conformance.report.timeline import timeline_table
from conformance.values.resources import grouped
from conformance.values.results import kit_name
from spark_tests.races.figures import actions, timeline, totals
from spark_tests.races.running import Race
from spark_tests.races.words import describe

VERSION = 1
MOST_SHOWN = 50
MOST_EVENTS = 6
NAME = "race"
DIGITS = re.compile(r"\d+")
HERE = Path(__file__).parent


def to_json(race: Race, command: str) -> dict[str, Any]:
    """Return a race as JSON. Times of events are seconds since the first event."""
    first = min(record.start for record in race.records)
    target, settings = race.target, race.settings
    return {
        "version": VERSION,
        "run": {
            "id": race.id,
            "started": race.started.isoformat(timespec="seconds"),
            "command": command,
            "kit": kit_name(),
            "seconds": {name: round(seconds, 3) for name, seconds in race.seconds.items()},
            "left_behind": msgspec.to_builtins(grouped(race.left_behind)),
        },
        "target": {
            "url": target.settings.server,
            "name": target.settings.name or target.settings.server,
            "api": target.settings.api,
            "profile": target.profile.name,
            "server": target.server,
        },
        "settings": {"clients": settings.clients, "operations": settings.operations, "seed": settings.seed},
        "verdict": "fail" if race.contradictions else "undecided" if race.undecided else "pass",
        "objects": len(race.judgements),
        "contradictions": len(race.contradictions),
        "undecided": [_undecided(judgement) for judgement in race.undecided],
        "totals": totals(race.records),
        "actions": actions(race.records),
        "timeline": timeline(race.records),
        "problems": [
            {
                "object": " ".join(map(str, key)),
                "message": contradiction.message,
                "operations": len(contradiction.events),
                "events": [_event(event, first) for event in _last(contradiction.events)],
            }
            for key, contradiction in most_different_first(race.contradictions)
        ],
    }


def _last(events: Sequence[Event]) -> Sequence[Event]:
    """Return the events to show: those of a contradiction that began last, in the order of their beginnings."""
    return sorted(events, key=lambda event: event.start)[-MOST_EVENTS:]


def most_different_first(contradictions: Sequence[tuple[Key, Contradiction]]) -> list[tuple[Key, Contradiction]]:
    """Return contradictions, first those that differ in more than numbers."""
    seen: Counter[tuple[str, str]] = Counter()
    ranks = []
    for key, contradiction in contradictions:
        shape = str(key[0]), DIGITS.sub("", contradiction.message)
        ranks.append(seen[shape])
        seen[shape] += 1
    order = sorted(range(len(contradictions)), key=lambda position: ranks[position])
    return [contradictions[position] for position in order]


def _undecided(judgement: Judgement) -> dict[str, Any]:
    search = judgement.undecided
    return {
        "object": judgement.name,
        "operations": judgement.operations,
        "explained": search.explained if search else 0,
        "limit": search.limit if search else 0,
        "message": str(search),
    }


def _event(event: Event, first: float) -> dict[str, Any]:
    return {
        "client": event.client,
        "says": describe(event),
        "action": event.action,
        "value": event.value,
        "result": event.result,
        "outcome": event.outcome,
        "start": round(event.start - first, 6),
        "end": None if math.isinf(event.end) else round(event.end - first, 6),
    }


def sentence(report: dict[str, Any]) -> str:
    """Return the verdict in one sentence."""
    contradictions, undecided, figures = report["contradictions"], len(report["undecided"]), report["totals"]
    scale = f"{report['settings']['clients']:,} clients, {figures['operations']:,} operations"
    objects = f"{undecided:,} of {report['objects']:,} objects"
    if contradictions:
        noun = "contradiction" if contradictions == 1 else "contradictions"
        rest = f" {objects} are undecided." if undecided else ""
        return f"{contradictions:,} {noun}: no order of the operations explains the responses ({scale}).{rest}"
    if undecided:
        return f"Undecided: the history of {objects} could not be judged; the others have no contradiction ({scale})."
    return f"No contradiction: some order of the operations explains all responses ({scale})."


def advice(report: dict[str, Any]) -> str:
    """Return the advice for undecided objects."""
    limit = max((entry["limit"] for entry in report["undecided"]), default=MOST_ORDERS)
    return (
        f"Race again with --most-orders {10 * limit}, or with fewer --clients or --operations, so that fewer "
        "operations on one object overlap or have no response."
    )


def write(report: dict[str, Any], folder: Path) -> dict[str, Path]:
    """Write the report and its page into a folder and return their paths. Raises Problem if they cannot be written."""
    return write_page(folder, NAME, report, page(report))


def page(report: dict[str, Any]) -> str:
    """Return the page of a report."""
    run, target, figures = report["run"], report["target"], report["totals"]
    facts = {
        "server": f"{target['name']} {target['server']}",
        "tested as": target["profile"],
        "run": f"{run['started']}, {figures['seconds']:.1f} s, {figures['hosts']} host(s)",
        "command": run["command"],
        "throughput": f"{figures['per_second']:,.0f} operations/s",
        "never succeeded": ", ".join(figures["never_done"]) or "nothing",
        "conflicts": f"{figures['conflicts'] or 0:.1%} of the writes with a response",
    }
    return template("race.html.j2", HERE).render(
        title=f"{target['name']} · race",
        version=run["kit"].split(" ")[1],
        headline=sentence(report),
        advice=advice(report),
        facts=facts,
        report=report,
        shown=report["problems"][:MOST_SHOWN],
        rest=f"{NAME}.json",
        timeline_table=timeline_table,
        tallest=max(map(sum, zip(*_layers(report), strict=True)), default=1) or 1,
        layers=_layers(report),
    )


def _layers(report: dict[str, Any]) -> list[list[int]]:
    return [report["timeline"][outcome] for outcome in ("ok", "refused", "unknown")]
