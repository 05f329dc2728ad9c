"""What the report page shows on demand, packed into it: requirements with their steps, and the clauses in order."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator
from typing import Any

import orjson

from conformance.exchange import Step
from conformance.report.pretty import body_lines
from conformance.results import ClauseRecord, Result, Results
from specs.clauses import Clause, clauses_of
from specs.places import is_link, said
from specs.problems import Problem
from specs.profiles import Profile, find_profile

TESTED, EXCLUDED, MISSING = "tested", "excluded", "missing"
OTHERS = "what the document has for all operations"
NO_PLACE = "what no norm says in so many words"


def pack(data: dict[str, Any]) -> str:
    """Return data as text that a page can hold: JSON, compressed, in base64."""
    return base64.b64encode(gzip.compress(orjson.dumps(data), mtime=0)).decode()


def page_data(results: Results, order: list[Result]) -> dict[str, Any]:
    """Return what a page shows of a run on demand; requirements come in this order."""
    clauses = list(_clauses(results))
    places = {clause["id"]: place for place, clause in enumerate(clauses)}
    causes = {name: number for number, one in enumerate(results.causes, 1) for name in one.requirements + one.blocked}
    return {
        "clauses": clauses,
        "requirements": [
            {
                "id": one.id,
                "level": one.level,
                "kind": one.kind,
                "verdict": one.verdict,
                "statement": one.statement,
                "message": one.message,
                "clause": places[one.clause.id],
                "operations": one.operations,
                "requests": one.requests,
                "ms": round(one.seconds * 1000),
                "where": one.where,
                "blocker": one.blocked_by or "",
                "cause": causes.get(one.id, 0),
                "steps": list(map(_step, one.steps)),
            }
            for one in order
        ],
    }


def _step(step: Step) -> dict[str, Any]:
    response = step.response
    header = step.mark[7:] if step.mark.startswith("header:") else ""
    return {
        "curl": step.request.curl,
        "sent": [line.text for line in body_lines(step.request.body, "")] if step.request.body else [],
        "status": str(response.status or response.failure),
        "bad": step.mark == "status",
        "offending": bool(step.mark),
        "header": f"{header}: {response.headers.get(header, '(absent)')}" if header else "",
        "lines": [[line.text, int(line.marked)] for line in body_lines(response.body, step.mark)],
    }


def _clauses(results: Results) -> Iterator[dict[str, Any]]:
    """Yield the clauses of the run's documents, in the order in which these have them, and all that the run names."""
    tested = {one.clause.id: one.clause for one in results.requirements}
    ordered: list[tuple[int, str, Clause, Profile]] = []
    for profile in _profiles(results):
        operations = {name: place for place, name in enumerate(profile.document().operations)}
        for clause in clauses_of(profile).values():
            place, title = _place(clause, operations)
            ordered.append((place, title, clause, profile))
    known = set()
    for _, title, clause, profile in sorted(ordered, key=lambda one: one[0]):
        known.add(clause.id)
        state = TESTED if clause.id in tested else EXCLUDED if clause.excluded else MISSING
        yield {
            **_shown(ClauseRecord(id=clause.id, text=clause.text, source=clause.source, place=list(clause.place))),
            "group": title,
            "level": clause.level,
            "state": state,
            "why": clause.excluded,
            "said": next((text for place in clause.place if (text := said(place, profile))), ""),
        }
    for name, record in tested.items():
        if name not in known:
            yield {**_shown(record), "group": NO_PLACE, "level": "", "state": TESTED, "why": "", "said": ""}


def _shown(record: ClauseRecord) -> dict[str, Any]:
    return {"id": record.id, "text": record.text, "source": record.source, "place": record.place}


def _profiles(results: Results) -> list[Profile]:
    """Return the profiles whose clauses a run was about, none where this kit does not have its profile."""
    try:
        return list(find_profile(results.target.profile).judged_by())
    except Problem:
        return []


def _place(clause: Clause, operations: dict[str, int]) -> tuple[int, str]:
    """Return where a clause stands: first what operations say, then what holds for all of them, then other norms."""
    start = clause.place[0].partition("/")[0] if clause.place else ""
    named = start if start in operations else next(iter(clause.operations), "") if not start else ""
    if named in operations and clause.place:
        return operations[named], named
    count = len(operations)
    if not clause.place:
        return count + 2, NO_PLACE
    return (count + 1, clause.place[0].partition("#")[0]) if is_link(clause.place[0]) else (count, OTHERS)
