"""Data that the report page shows on demand: requirements with their steps, and the clauses in order."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import orjson

from conformance.replay.chosen import rests_on
from conformance.replay.commands import retest
from conformance.replay.replaying import Finding
from conformance.replay.script import CLIENTS, doubt, missing_body, script_of
from conformance.report.body_files import with_file
from conformance.report.matrix import subjects
from conformance.report.pretty import NO_HTTP, absence, body_lines
from conformance.report.timeline import timeline_of
from conformance.values.exchange import Step, StepResponse
from conformance.values.results import ClauseRecord, Result, Results
from conformance.values.visible import visible_in
from specs.clauses import Clause, clauses_of
from specs.places import is_link, said
from specs.problems import Problem
from specs.profiles import Profile, find_profile

TESTED, EXCLUDED, MISSING = "tested", "excluded", "missing"
OTHERS = "all operations of the document"
NO_PLACE = "clauses that no norm states literally"


def pack(data: dict[str, Any]) -> str:
    """Return data as text for a page: JSON, compressed, in base64."""
    return base64.b64encode(gzip.compress(orjson.dumps(visible_in(data)), mtime=0)).decode()


def page_data(results: Results, order: list[Result]) -> dict[str, Any]:
    """Return the on-demand data of a run's page; requirements come in this order."""
    clauses = list(_clauses(results))
    places = {clause["id"]: place for place, clause in enumerate(clauses)}
    causes = {name: number for number, cause in enumerate(results.causes, 1) for name in cause.members}
    return {
        "clauses": clauses,
        "requirements": [
            {
                "id": result.id,
                "level": result.level,
                "kind": result.kind,
                "verdict": result.verdict,
                "statement": result.statement,
                "message": result.text,
                "clause": places[result.clause.id],
                "operations": subjects(result, results),
                "requests": result.requests,
                "ms": round(result.seconds * 1000),
                "again": retest("", result).strip(),
                "worlds": result.worlds,
                "where": result.where,
                "blocker": result.blocked_by or "",
                "cause": causes.get(result.id, 0),
                "timeline": timeline_of(result.steps),
                **_steps(result, results),
            }
            for result in order
        ],
    }


def shown_reference(result: Result) -> list[StepResponse | None]:
    """Return the answers of the reference server that the page shows, one or None for each step.

    These are the answers to marked steps, and those with another status than the target's.
    """
    return [
        answer if step and answer and (step.mark or step.response.status != answer.status) else None
        for step, answer in zip_longest(result.steps, result.reference)
    ]


def _steps(result: Result, results: Results) -> dict[str, Any]:
    """Return the steps of a requirement with commands to paste, and the preparation that they depend on."""
    if not result.steps:
        return {"first": "", "doubt": "", "reads": False, "before": [], "steps": []}
    finding, before = Finding.of(result, results), rests_on(result.steps, results.run.preparation, results.run.prefix)
    script = script_of(finding, before, finding.base, with_file)
    sent = ["\n".join(lines) for lines in script.steps]
    pasted = zip(result.steps, shown_reference(result), sent[len(before) :], strict=True)
    return {
        "first": "" if result.kind in CLIENTS else "\n".join(script.first),
        "doubt": doubt(finding),
        "reads": bool(script.files),
        "before": [{"curl": curl, "status": _status(step.response)} for step, curl in zip(before, sent, strict=False)],
        "steps": [_step(step, reference, curl) for step, reference, curl in pasted],
    }


def _step(step: Step, reference: StepResponse | None, curl: str) -> dict[str, Any]:
    response = step.response
    header = step.mark[7:] if step.mark.startswith("header:") else ""
    body = missing_body(step)
    return {
        "curl": f"test -f {body} && {curl}" if body else curl,
        "sent": [line.text for line in body_lines(step.request.body, "")] if step.request.body else [],
        "status": _status(response),
        "bad": step.mark == "status",
        "offending": bool(step.mark),
        "note": f"{header}: {response.headers.get(header, '(absent)')}"
        if header
        else absence(response.body, step.mark),
        "lines": [[line.text, int(line.marked)] for line in body_lines(response.body, step.mark)],
        "reference": reference and [_status(reference), *(line.text for line in body_lines(reference.body, ""))],
    }


def _status(response: StepResponse) -> str:
    return str(response.status or response.failure or NO_HTTP)


def _clauses(results: Results) -> Iterator[dict[str, Any]]:
    """Yield the clauses of the run's documents, in document order, and all others that the run names."""
    tested = {result.clause.id: result.clause for result in results.requirements}
    ordered: list[tuple[int, str, Clause, Profile]] = []
    for profile in _profiles(results):
        operations = {name: place for place, name in enumerate(profile.document().operations)}
        for clause in clauses_of(profile).values():
            place, title = _place(clause, operations)
            ordered.append((place, title, clause, profile))
    known = set()
    for _, title, clause, profile in sorted(ordered, key=lambda entry: entry[0]):
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
    """Return the profiles whose clauses a run tested, none if this kit lacks its profile."""
    try:
        return list(find_profile(results.target.profile).tested_by())
    except Problem:
        return []


def _place(clause: Clause, operations: dict[str, int]) -> tuple[int, str]:
    """Return the sort key and group of a clause: first those of operations, then common ones, then other norms."""
    start = clause.place[0].partition("/")[0] if clause.place else ""
    named = start if start in operations else next(iter(clause.operations), "") if not start else ""
    if named in operations and clause.place:
        return operations[named], named
    count = len(operations)
    if not clause.place:
        return count + 2, NO_PLACE
    return (count + 1, clause.place[0].partition("#")[0]) if is_link(clause.place[0]) else (count, OTHERS)
