"""Claims about findings of one cause: what all of them share, and a check of each claim for each finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TypeVar

import msgspec

from conformance.after.cause_sentences import sentence_of
from conformance.after.common_words import common_text, count_words, has_words, shortened
from conformance.after.grouping import Sighting
from conformance.values.causes import OPERATION, Cause, Claims
from conformance.values.evidence import CLASS, Evidence, sentence
from conformance.values.patterns import pattern
from conformance.values.verdict import Result

MOST_SAID = 110
MOST_STATED = 200
FEWEST_WORDS = 2  # fewer words of a server say nothing
MOST_VALUE = 60
REFUSING = (401, 403, 404)  # statuses that refuse a caller
MOST_CALLERS = 3  # more are told by the words that they share
DRAWN = "only in drawn worlds"  # for findings of several worlds
NO_STATEMENT = ("wire",)  # kinds whose statement is general: only the message names the defect
T = TypeVar("T")


def true_of_all(cause: Cause, members: Iterable[Result]) -> bool:
    """True when the sentence of a cause states nothing but its claims, and each claim holds for every member."""
    return not untrue_claims(cause, list(members))


def untrue_claims(cause: Cause, members: Sequence[Result]) -> list[tuple[str, str]]:
    """Return pairs of a member's id and a claim that does not hold for it; the id is "" for a claim of the sentence."""
    claims = cause.claims
    if claims is None or sentence_of(claims) != cause.sentence:
        return [("", "sentence")]
    sightings = list(map(Sighting.of, members))
    named = [("", "operations")] if set(claims.operations) - {entry.evidence.operation for entry in sightings} else []
    return named + [(entry.result.id, claim) for entry in sightings for claim in _untrue(claims, entry)]


def _untrue(claims: Claims, member: Sighting) -> Iterator[str]:
    """Yield the names of the claims that do not hold for a member."""
    evidence = member.evidence
    for name, claimed in msgspec.structs.asdict(claims).items():
        if claimed != DEFAULTS[name] and not HOLDS[name](claimed, evidence, member.result):
            yield name


DEFAULTS = msgspec.structs.asdict(Claims())
HOLDS: dict[str, Callable[..., bool]] = {
    "operations": lambda claimed, evidence, _: evidence.operation in claimed,
    "status": lambda claimed, evidence, _: claimed == evidence.status and (evidence.about_status or evidence.said.page),
    "page": lambda _, evidence, __: evidence.said.page,
    "request": lambda claimed, evidence, _: claimed == evidence.request,
    "statuses": lambda claimed, evidence, _: claimed == evidence.statuses,
    "callers": lambda claimed, evidence, _: any(has_words(evidence.caller, caller) for caller in claimed),
    "due": lambda claimed, evidence, _: {status // CLASS for status in evidence.statuses} == {claimed},
    "kind": lambda claimed, evidence, _: claimed == evidence.said.type,
    "said": lambda claimed, evidence, _: has_words(pattern(evidence.said.message), claimed),
    "aspect": lambda claimed, evidence, _: claimed == evidence.aspect,
    "place": lambda claimed, evidence, _: claimed == evidence.place,
    "field": lambda claimed, evidence, _: claimed == evidence.leaf,
    "relation": lambda claimed, evidence, _: claimed == evidence.relation,
    "expected": lambda claimed, evidence, _: claimed == evidence.expected,
    "actual": lambda claimed, evidence, _: claimed == evidence.actual,
    "state": lambda claimed, evidence, _: claimed == evidence.state,
    "write": lambda claimed, evidence, _: claimed == evidence.write,
    "writes": lambda claimed, evidence, _: evidence.write in claimed,
    "returned": lambda claimed, evidence, result: claimed == returned_by(result, evidence.write),
    "reader": lambda claimed, evidence, _: claimed == evidence.reader,
    "only": lambda claimed, evidence, _: bool(evidence.world) if claimed == DRAWN else claimed == evidence.only,
    "norm": lambda claimed, _, result: (
        has_words(result.statement, claimed) or shortened(result.clause.text, MOST_STATED) == claimed
    ),
    "message": lambda claimed, evidence, _: has_words(_message(evidence), claimed),
}


def claims_of(findings: Sequence[Sighting]) -> Claims:
    """Return the claims that hold for all findings of one cause."""
    only = same(finding.evidence.only for finding in findings)
    drawn = DRAWN if all(finding.evidence.world for finding in findings) else ""
    return msgspec.structs.replace(_claims_about_answers(findings), only=drawn if only is None else only)


def _claims_about_answers(findings: Sequence[Sighting]) -> Claims:
    """Return the claims about what the server answered and what was due."""
    evidence = [finding.evidence for finding in findings]
    names = {entry.operation for entry in evidence}
    if all(entry.died for entry in evidence):
        return Claims(message=_shared_message(findings))
    state = same(entry.state for entry in evidence) or ""
    claims = Claims(
        operations=() if "" in names else tuple(sorted(names)),
        state=state,
        write=(same(entry.write for entry in evidence) or "") if state else "",
        reader=(same(entry.reader for entry in evidence) or "") if state else "",
    )
    page = all(entry.said.page for entry in evidence)
    if not page and all(map(_is_in_words, findings)):
        message = _shared_message(findings)
        if message:
            of_schema = all(entry.aspect == "schema" for entry in evidence)
            place = same(entry.place for entry in evidence) if of_schema else ""
            return msgspec.structs.replace(claims, message=message, place=place or "")
    status = same(entry.status for entry in evidence)
    about_status = all(entry.about_status for entry in evidence)
    let_through = status is not None or not any(entry.status in REFUSING for entry in evidence)
    if about_status and let_through and all(entry.caller for entry in evidence):
        return _about_callers(claims, evidence, status)
    if status is not None and (page or about_status):
        return _about_status(claims, findings, status, page=page)
    norm = _norm(findings)
    return msgspec.structs.replace(claims, norm=norm) if norm else _about_part(claims, evidence)


def _about_status(claims: Claims, findings: Sequence[Sighting], status: int, *, page: bool) -> Claims:
    """Return claims about a wrong status: the request, what was due, and the common statement or the server's words."""
    evidence = [finding.evidence for finding in findings]
    statuses, due = _shared_statuses(evidence)
    said = "" if page else _said(evidence)
    of_one = not page and len({finding.result.where for finding in findings}) == 1
    norm = _norm(findings) if of_one or not (page or said or all(entry.done for entry in evidence)) else ""
    return msgspec.structs.replace(
        claims,
        status=status,
        page=page,
        request="unknown" if norm else same(entry.request for entry in evidence) or "unknown",
        statuses=statuses,
        due=due,
        kind="" if norm or said or page else _type(evidence),
        said="" if norm else said,
        norm=norm,
    )


def _about_callers(claims: Claims, evidence: Sequence[Evidence], status: int | None) -> Claims:
    """Return claims about what callers without a privilege get; None for different statuses."""
    statuses, due = _shared_statuses(evidence)
    callers = tuple(sorted({entry.caller for entry in evidence}))
    callers = callers if len(callers) <= MOST_CALLERS else (common_text(callers),)
    return msgspec.structs.replace(claims, status=status, statuses=statuses, due=due, callers=callers)


def _shared_statuses(evidence: Sequence[Evidence]) -> tuple[tuple[int, ...], int]:
    """Return the statuses that were due for all, or their class; () and 0 for neither."""
    statuses = same(entry.statuses for entry in evidence) or ()
    due = {expected // CLASS for entry in evidence for expected in entry.statuses or (0,)}
    return statuses, due.pop() if len(due) == 1 and not statuses else 0


def _about_part(claims: Claims, evidence: Sequence[Evidence]) -> Claims:
    """Return claims about the wrong part of an answer."""
    place = same(entry.place for entry in evidence) or ""
    expected, actual = (same(map(attrgetter(name), evidence)) or "" for name in ("expected", "actual"))
    worded = any(entry.worded for entry in evidence)
    shown = not worded and len(expected) <= MOST_VALUE and len(actual) <= MOST_VALUE
    return msgspec.structs.replace(
        claims,
        aspect=same(entry.aspect for entry in evidence) or "",
        place=place,
        field="" if place else same(entry.leaf for entry in evidence) or "",
        relation=same(entry.relation for entry in evidence) or "stated",
        expected=expected if shown else "",
        actual=actual if shown else "",
    )


def _is_in_words(finding: Sighting) -> bool:
    """True for a finding whose sentence names the defect better than the statement of its requirement."""
    in_words = finding.result.verdict == "blocked" or finding.result.kind in NO_STATEMENT
    return in_words or (not finding.evidence.about_status and finding.evidence.states_all)


def _shared_message(findings: Sequence[Sighting]) -> str:
    """Return the words that the messages share, "" for too few, or fewer than a half of them."""
    messages = [_message(finding.evidence) for finding in findings]
    text = shortened(common_text(messages), MOST_STATED)
    least = max(FEWEST_WORDS, *(_count_own(shortened(message, MOST_STATED)) / 2 for message in messages))
    return text if _count_own(text) >= least else ""


def _count_own(message: str) -> int:
    """Return the number of words of a message beside its operation."""
    return count_words(message.replace(OPERATION, ""))


def returned_by(result: Result, write: str) -> int:
    """Return the status of the last answer of a write, 0 for none."""
    return next((step.response.status for step in reversed(result.steps) if step.operation == write), 0)


def _norm(findings: Sequence[Sighting]) -> str:
    """Return the common words of the requirements' statement, or the text of their common clause; "" for neither."""
    results = [finding.result for finding in findings]
    text = common_text(result.statement for result in results)
    if len({result.where for result in results}) == 1 and count_words(text) >= FEWEST_WORDS:
        return text
    clauses = {(result.clause.id, result.clause.text) for result in results}
    return shortened(results[0].clause.text, MOST_STATED) if len(clauses) == 1 else ""


def _said(evidence: Sequence[Evidence]) -> str:
    """Return the words that the server's messages share, "" for too few."""
    text = shortened(common_text(pattern(entry.said.message) for entry in evidence), MOST_SAID)
    return text if count_words(text) >= FEWEST_WORDS else ""


def _type(evidence: Sequence[Evidence]) -> str:
    """Return the type that the server's errors share, "" for none and for codes."""
    kind = same(entry.said.type for entry in evidence) or ""
    return "" if kind.isdigit() else kind


def _message(evidence: Evidence) -> str:
    """Return the sentence of a check with a placeholder for its operation."""
    message = sentence(msgspec.structs.replace(evidence, more=0, others=())).partition("\n")[0]
    return message.replace(evidence.operation, OPERATION) if evidence.operation and not evidence.died else message


def same(values: Iterable[T]) -> T | None:
    """Return the value that all have, None where they differ."""
    first, *others = dict.fromkeys(values)
    return None if others else first
