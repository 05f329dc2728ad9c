"""The wire log: deviations of the answers of a run from the document.

A finding is stored once for each operation, status and place, with the steps that led to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import itemgetter
from typing import Any

from conformance.http.retry_after import RETRY_AFTER, says_when
from conformance.http.routers import UNSUPPORTED_TYPE, is_of_router, media_type
from conformance.values.exchange import NO_JSON, Exchange, why_no_json
from conformance.values.json_values import shown
from specs.openapi import JSON_TYPE, Document, media_type_of
from specs.validation import Mismatch, Validators

CONFLICT, TOO_MANY, SERVER_ERROR = 409, 429, 500


def of_a_crowd(status: int) -> bool:
    """True for a status that other requests at the same time may cause."""
    return status in (CONFLICT, TOO_MANY) or status >= SERVER_ERROR


@dataclass(frozen=True, slots=True)
class WireFinding:
    """A deviation of an operation's answers. `mark` is as in Exchange, `rule` the violated keyword or check.

    `crowded` means that the answer came beside other requirements, whose requests may have caused its status.
    """

    operation: str
    mark: str
    rule: str
    message: str
    steps: tuple[Exchange, ...]
    crowded: bool = False

    def beside_others(self) -> WireFinding:
        """Return the finding as one of a worker: crowded if its status allows that, a 409 if it is not declared."""
        status = self.steps[-1].status
        return replace(self, crowded=of_a_crowd(status) and (status != CONFLICT or self.mark == "status"))


# A further check of one API: from an exchange and its JSON body to pairs of mark and message, None for an answer that
# has nothing to judge.
Found = list[tuple[str, str]]
ExtraCheck = Callable[[Exchange, Any], Found | None]


@dataclass(frozen=True, slots=True)
class Seen:
    """The contents of a wire log without the document: see WireLog."""

    seen: Counter[tuple[str, int]]
    judged: Counter[tuple[str, str]]
    findings: dict[tuple[str, int, str], WireFinding]
    extra_findings: dict[tuple[str, str, int, str], WireFinding]


@dataclass
class WireLog:
    """Counts of answers by operation and status, and every finding once.

    `judged` counts the answers that an extra check could judge, by check and operation.
    """

    document: Document
    validators: Validators
    seen: Counter[tuple[str, int]] = field(default_factory=Counter)
    judged: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: dict[tuple[str, int, str], WireFinding] = field(default_factory=dict)
    extra_checks: dict[str, ExtraCheck] = field(default_factory=dict)
    extra_findings: dict[tuple[str, str, int, str], WireFinding] = field(default_factory=dict)
    _told: tuple[int, int] = (0, 0)

    def check(self, exchange: Exchange, steps: list[Exchange]) -> None:
        """Check one answer; a missing answer, or one of a router, gives no evidence about the document."""
        if not exchange.status:
            return
        self._keep_extra(RETRY_AFTER, exchange, _retry_after(exchange), steps)
        if not self._is_of_operation(exchange):
            return
        self.seen[exchange.operation, exchange.status] += 1
        for mark, rule, message in self._findings(exchange):
            exchange.defect = exchange.defect or (mark, message)
            key = (exchange.operation, exchange.status, mark)
            if key not in self.findings or self.findings[key].crowded:
                self.findings[key] = _finding(exchange, mark, rule, message, steps)
        value = exchange.json(NO_JSON)
        for name, check in self.extra_checks.items():
            self._keep_extra(name, exchange, check(exchange, value), steps)

    def _keep_extra(self, name: str, exchange: Exchange, found: Found | None, steps: list[Exchange]) -> None:
        if found is None:
            return
        self.judged[name, exchange.operation] += 1
        for mark, message in found:
            exchange.defect = exchange.defect or (mark, message)
            key = (name, exchange.operation, exchange.status, mark)
            if key not in self.extra_findings or self.extra_findings[key].crowded:
                self.extra_findings[key] = _finding(exchange, mark, name, message, steps)

    def defects(self, exchange: Exchange) -> dict[str, str]:
        """Return all deviations of one answer by the marks of their places, without noting them."""
        if not self._is_of_operation(exchange):
            return dict(_retry_after(exchange) or ())
        value = exchange.json(NO_JSON)
        extra = [pair for check in self.extra_checks.values() for pair in check(exchange, value) or ()]
        declared = [(mark, message) for mark, _, message in self._findings(exchange)]
        return dict([*(_retry_after(exchange) or ()), *extra, *declared])

    def _is_of_operation(self, exchange: Exchange) -> bool:
        """True for an answer of an operation, which the document declares: not of a router, nor before it was read."""
        known = bool(exchange.status) and exchange.operation in self.document.operations
        return known and not (is_of_router(exchange) or self._is_of_other_type(exchange))

    def _is_of_other_type(self, exchange: Exchange) -> bool:
        """True when the server rejected a body whose media type the operation does not declare."""
        request = self.document.operations[exchange.operation].request
        if exchange.status != UNSUPPORTED_TYPE or request is None:
            return False
        return media_type(exchange.request_headers) not in request.content

    def absorb(self, other: Seen | WireLog) -> None:
        """Merge another log."""
        self.seen += other.seen
        self.judged += other.judged
        self.findings = {**other.findings, **self.findings}
        self.extra_findings = {**other.extra_findings, **self.extra_findings}

    def take(self) -> Seen:
        """Return the contents added since the last call; a finding is returned once."""
        reported, reported_extra = self._told
        new = Seen(
            self.seen,
            self.judged,
            dict(islice(self.findings.items(), reported, None)),
            dict(islice(self.extra_findings.items(), reported_extra, None)),
        )
        self.seen, self.judged = Counter(), Counter()
        self._told = len(self.findings), len(self.extra_findings)
        return new

    def of(self, operation: str) -> list[WireFinding]:
        """Return the findings about one operation, sorted by status and place."""
        return [finding for key, finding in sorted(self.findings.items(), key=itemgetter(0)) if key[0] == operation]

    def extra(self, name: str, operations: Collection[str]) -> list[WireFinding]:
        """Return the findings of an extra check about operations, sorted by operation, status and place."""
        found = sorted(self.extra_findings.items(), key=itemgetter(0))
        return [finding for key, finding in found if key[0] == name and key[1] in operations]

    def has_judged(self, name: str, operations: Iterable[str]) -> bool:
        """True when an extra check could judge an answer of one of these operations."""
        return any(self.judged[name, operation] for operation in operations)

    def count(self, operation: str) -> int:
        """Return the number of answers of an operation."""
        return sum(count for (name, _), count in self.seen.items() if name == operation)

    def _findings(self, exchange: Exchange) -> list[tuple[str, str, str]]:
        """Return the deviations from the document: mark, violated rule and message of each."""
        operation = self.document.operations[exchange.operation]
        declared = operation.declared(exchange.status)
        if declared is None:
            return [("status", "responses", f"the status {exchange.status} is not declared for {operation.id}")]
        body = operation.responses[declared]
        if not body.content or not (body.required or exchange.response_body):
            return []
        return self._content_findings(exchange, body.content)

    def _content_findings(self, exchange: Exchange, content: Any) -> list[tuple[str, str, str]]:
        """Return the deviations of a body and its type; JSON of another type is checked as well, as clients read it."""
        kind = media_type_of(exchange.response_headers.get("Content-Type", ""))
        wrong = f"the body is {kind or 'without a type'}, not {' or '.join(content)}"
        found = [] if kind in content else [("header:Content-Type", f"content {kind}", wrong)]
        if JSON_TYPE not in content or (kind in content and kind != JSON_TYPE):
            return found
        value = exchange.json(NO_JSON)
        if value is NO_JSON:
            return found or [("body:", "JSON", why_no_json(exchange.response_body))]
        mismatches = self.validators.response_mismatches(exchange.operation, exchange.status, value)
        return found + [(f"body:{mismatch.pointer}", mismatch.keyword, _told(mismatch)) for mismatch in mismatches]


def _told(mismatch: Mismatch) -> str:
    """Return the message of a mismatch, with the reason for a rule that the published document does not have."""
    reason = mismatch.correction.rstrip(".")
    return f"{mismatch.message} (a correction of the published document: {reason})" if reason else mismatch.message


def _retry_after(exchange: Exchange) -> Found | None:
    """Return the defect of a Retry-After header, of the server or of a gateway before it; None without the header."""
    value = exchange.response_headers.get(RETRY_AFTER)
    if value is None:
        return None
    if says_when(value):
        return []
    return [(f"header:{RETRY_AFTER}", f"{RETRY_AFTER} is {shown(value)}, neither whole seconds nor an HTTP date")]


def _finding(exchange: Exchange, mark: str, rule: str, message: str, steps: list[Exchange]) -> WireFinding:
    """Return a finding with copies of the steps up to this answer, the last one, whose offending field is marked."""
    kept = [copy(step) for step in steps]
    for step in kept:
        step.mark = ""
    kept[-1].mark = mark
    return WireFinding(exchange.operation, mark, rule, message, tuple(kept))
