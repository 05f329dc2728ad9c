"""The wire log: how every answer of a run compares with the document.

A finding is kept once for each operation, status and place, with the steps that led to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter
from typing import Any

from conformance.http.retry_after import RETRY_AFTER, says_when
from conformance.http.routers import UNSUPPORTED_TYPE, is_of_router, media_type
from conformance.values.exchange import NO_JSON, Exchange, why_no_json
from conformance.values.json_values import shown
from specs.openapi import JSON_TYPE, Document
from specs.validation import Validators


@dataclass(frozen=True, slots=True)
class WireFinding:
    """One way in which answers of an operation break the document. `mark` is as in Exchange."""

    operation: str
    mark: str
    message: str
    steps: tuple[Exchange, ...]


# A further check of one API: from an exchange with a JSON body to pairs of mark and message.
ExtraCheck = Callable[[Exchange, Any], list[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a wire log has seen, without the document: see WireLog."""

    seen: Counter[tuple[str, int]]
    findings: dict[tuple[str, int, str], WireFinding]
    extra_findings: dict[tuple[str, str, int, str], WireFinding]


@dataclass
class WireLog:
    """What was seen: how often each operation and status, and every finding once."""

    document: Document
    validators: Validators
    seen: Counter[tuple[str, int]] = field(default_factory=Counter)
    findings: dict[tuple[str, int, str], WireFinding] = field(default_factory=dict)
    extra_checks: dict[str, ExtraCheck] = field(default_factory=dict)
    extra_findings: dict[tuple[str, str, int, str], WireFinding] = field(default_factory=dict)
    _told: tuple[int, int] = (0, 0)

    def check(self, exchange: Exchange, steps: list[Exchange]) -> None:
        """Check one answer; an exchange without one, or with that of a router, says nothing about the document."""
        if not exchange.status:
            return
        self._keep_extra(RETRY_AFTER, exchange, _retry_after(exchange), steps)
        if is_of_router(exchange) or self._is_of_other_type(exchange):
            return
        self.seen[exchange.operation, exchange.status] += 1
        for mark, message in self._findings(exchange):
            exchange.defect = exchange.defect or (mark, message)
            key = (exchange.operation, exchange.status, mark)
            if key not in self.findings:
                self.findings[key] = _finding(exchange, mark, message, steps)
        value = exchange.json(NO_JSON)
        for name, check in self.extra_checks.items():
            self._keep_extra(name, exchange, check(exchange, value), steps)

    def _keep_extra(self, name: str, exchange: Exchange, pairs: list[tuple[str, str]], steps: list[Exchange]) -> None:
        for mark, message in pairs:
            exchange.defect = exchange.defect or (mark, message)
            key = (name, exchange.operation, exchange.status, mark)
            if key not in self.extra_findings:
                self.extra_findings[key] = _finding(exchange, mark, message, steps)

    def defects(self, exchange: Exchange) -> dict[str, str]:
        """Return all that is wrong with one answer of an operation, by the marks of its places; nothing is noted."""
        value = exchange.json(NO_JSON)
        extra = [pair for check in self.extra_checks.values() for pair in check(exchange, value)]
        return dict([*_retry_after(exchange), *extra, *self._findings(exchange)])

    def _is_of_other_type(self, exchange: Exchange) -> bool:
        """True for a refusal of a body because its type is none that the operation reads."""
        request = self.document.operations[exchange.operation].request
        if exchange.status != UNSUPPORTED_TYPE or request is None:
            return False
        return media_type(exchange.request_headers) not in request.content

    def absorb(self, other: Seen | WireLog) -> None:
        """Take over what another log has seen."""
        self.seen += other.seen
        self.findings = {**other.findings, **self.findings}
        self.extra_findings = {**other.extra_findings, **self.extra_findings}

    def take(self) -> Seen:
        """Return what was seen since the last time; a finding is not told again."""
        reported, reported_extra = self._told
        new = Seen(
            self.seen,
            dict(islice(self.findings.items(), reported, None)),
            dict(islice(self.extra_findings.items(), reported_extra, None)),
        )
        self.seen, self._told = Counter(), (len(self.findings), len(self.extra_findings))
        return new

    def of(self, operation: str) -> list[WireFinding]:
        """Return the findings about one operation, by status and place: the same whatever order they came in."""
        return [finding for key, finding in sorted(self.findings.items(), key=itemgetter(0)) if key[0] == operation]

    def extra(self, name: str, operation: str) -> list[WireFinding]:
        """Return what a further check found about one operation, in the order of `of`."""
        found = sorted(self.extra_findings.items(), key=itemgetter(0))
        return [finding for key, finding in found if key[:2] == (name, operation)]

    def count(self, operation: str) -> int:
        """Return how many answers of an operation were seen."""
        return sum(count for (name, _), count in self.seen.items() if name == operation)

    def _findings(self, exchange: Exchange) -> list[tuple[str, str]]:
        operation = self.document.operations[exchange.operation]
        declared = operation.declared(exchange.status)
        if declared is None:
            return [("status", f"the status {exchange.status} is not declared for {operation.id}")]
        body = operation.responses[declared]
        if not body.content or not (body.required or exchange.response_body):
            return []
        return self._content_findings(exchange, body.content)

    def _content_findings(self, exchange: Exchange, content: Any) -> list[tuple[str, str]]:
        kind = exchange.response_headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind not in content:
            return [("header:Content-Type", f"the body is {kind or 'without a type'}, not {' or '.join(content)}")]
        if kind != JSON_TYPE:
            return []
        value = exchange.json(NO_JSON)
        if value is NO_JSON:
            return [("body:", why_no_json(exchange.response_body))]
        mismatches = self.validators.response_mismatches(exchange.operation, exchange.status, value)
        return [(f"body:{mismatch.pointer}", mismatch.message) for mismatch in mismatches]


def _retry_after(exchange: Exchange) -> list[tuple[str, str]]:
    """Return what is wrong with when to come back: whoever answers, the server or what stands before it."""
    value = exchange.response_headers.get(RETRY_AFTER)
    if value is None or says_when(value):
        return []
    return [(f"header:{RETRY_AFTER}", f"{RETRY_AFTER} is {shown(value)}, neither whole seconds nor a date of HTTP")]


def _finding(exchange: Exchange, mark: str, message: str, steps: list[Exchange]) -> WireFinding:
    """Keep the steps up to this answer, which is the last one, with its offending field marked."""
    kept = [copy(step) for step in steps]
    for step in kept:
        step.mark = ""
    kept[-1].mark = mark
    return WireFinding(exchange.operation, mark, message, tuple(kept))
