"""Grouping of findings by cause: failing steps that got the same answer for the same reason.

A finding has keys; findings that share a key have one cause, transitively. Keys are made of evidence, never of
sentences.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from conformance.replay.older import adapted
from conformance.values.evidence import Evidence
from conformance.values.patterns import pattern, raw_pattern
from conformance.values.verdict import Result

TELLING = 6  # number of words that identify an error in another operation
TELLING_HEAD = 4  # number of words that identify the beginning of an error
MISSING = 404
SERVER_ERRORS = 500
Key = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Sighting:
    """A finding, or a blocked requirement, with its evidence."""

    result: Result
    evidence: Evidence

    @classmethod
    def of(cls, result: Result) -> Sighting:
        """Return a finding of this kit or of an older one."""
        return cls(result, adapted(result).evidence or Evidence(thing=result.message))


def group(findings: Sequence[Sighting]) -> list[list[Sighting]]:
    """Return findings by cause, in order of occurrence."""
    roots = list(range(len(findings)))

    def root(place: int) -> int:
        while roots[place] != place:
            place = roots[place] = roots[roots[place]]
        return place

    first: dict[Key, int] = {}
    for place, finding in enumerate(findings):
        for key in keys_of(finding):
            leader, other = root(first.setdefault(key, place)), root(place)
            roots[max(leader, other)] = min(leader, other)
    groups: dict[int, list[Sighting]] = {}
    for place, finding in enumerate(findings):
        groups.setdefault(root(place), []).append(finding)
    return list(groups.values())


def keys_of(finding: Sighting) -> Iterator[Key]:
    """Yield the keys of a finding."""
    result, evidence = finding.result, finding.evidence
    got, operation = evidence.status, evidence.operation
    if evidence.died:
        yield "died", evidence.actual
    elif evidence.said.page:
        yield "page", got, operation if evidence.request == "valid" and got >= SERVER_ERRORS else ""
    elif not evidence.about_status:
        yield "check", *_check(result, evidence), got
        yield "case", operation, result.where, got
        values = raw_pattern(evidence.expected), raw_pattern(evidence.actual)
        place = "" if evidence.worded else evidence.check
        yield "values", "" if evidence.states_all else operation, place, *values
        if evidence.place:
            yield "place", operation, evidence.place
        if all(values) and not evidence.worded:
            yield "difference", result.clause.id, *values, got
    elif evidence.refused and evidence.said.message:
        yield from _refusals(result, evidence)
    else:
        yield "status", result.clause.id, evidence.statuses, got
        if evidence.statuses == (MISSING,):
            yield "missing", operation, got
        if evidence.done:
            yield "success", operation, got


def _check(result: Result, evidence: Evidence) -> Key:
    """Return the key of a check: its clause, its place in the code, and its rule or field."""
    clause = result.clause.id if evidence.check != result.where else result.where
    field = raw_pattern(evidence.expected) if evidence.states_all else raw_pattern(evidence.place)
    return clause, evidence.check, "" if evidence.worded else field


def _refusals(result: Result, evidence: Evidence) -> Iterator[Key]:
    """Yield the keys of an error with a message, or of a broken connection."""
    got, operation, kind, text = evidence.status, evidence.operation, evidence.said.type, evidence.said.message
    if not got:
        yield "broken", operation, result.where
        return
    said, head = pattern(text), pattern(text.partition(":")[0])
    if _words(said) >= TELLING:
        yield "text", got, kind, said
    yield "said", got, kind, said, result.clause.id
    if evidence.request == "valid":
        yield "raw", operation, got, kind, raw_pattern(text)
    elif got < SERVER_ERRORS:
        yield "status", result.clause.id, evidence.statuses, got
    else:
        yield "head", operation, got, kind, head
        if _words(head) >= TELLING_HEAD:
            yield "head", got, kind, head
        if not kind.isdigit():
            yield "type", got, kind, result.clause.id
    yield "template", operation, got, kind, result.where, evidence.request


def _words(text: str) -> int:
    return sum(any(map(str.isalpha, word)) for word in text.split())
