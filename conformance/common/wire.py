"""Templates that check each operation by all its answers in a run, or by its probe before the run."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.author.requirement import must
from conformance.author.suite import Suite
from conformance.common.template import template
from conformance.http.client import BODY
from conformance.http.wire import WireFinding
from conformance.target.offers import HEAD, is_refusal
from conformance.target.target import MISSING, REFUSED, Probe
from conformance.values.evidence import aspect_of
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Skipped, Unoffered, Violation
from specs.openapi import Operation, media_type_of

UNSEEN = "the run saw no response to judge"


@template("offered.{}", must, clause="unsupported-operation", kind="wire")
def offered_or_refused(suite: Suite, case: Operation) -> None:
    """{} is supported, or returns 4xx with an error body."""
    probe = suite.target.probes[case.id]
    status = probe.exchange.status
    suite.client.steps = [probe.exchange]
    suite.client.touch(probe.exchange, "status")
    if _is_improper(suite, probe):
        raise Unoffered(f"the server does not offer {case.id}", case.id)  # check_refusals judges the form
    if probe.state in (MISSING, REFUSED):
        _check_form(suite, case, probe.exchange)
    if probe.state == MISSING:
        raise Violation(f"{case.id} returns {status}: neither served nor refused in the documented form")
    if probe.state == REFUSED:
        suite.client.reached.add(f"{case.id} {status}")


def _check_form(suite: Suite, case: Operation, refusal: Exchange) -> None:
    """Raise Violation for a refusal that is no 4xx with an error body; the form of a status alone is that of HEAD."""
    refused = 400 <= refusal.status < 500
    if refused and (case.method == HEAD or suite.client.document.errors.is_error(refusal.json())):
        return
    if refused:
        suite.client.touch(refusal, BODY)
    kind = media_type_of(refusal.response_headers.get("Content-Type", "")) if refusal.response_body else "no body"
    got = f"{refusal.status}, {kind or 'no media type'}" if refusal.status else refusal.failure
    raise Violation(f"{case.id} is not offered, but returns no 4xx with an error body ({got})", aspect="schema")


def check_refusals(suite: Suite) -> None:
    """Raise Violation for the first unsupported operation whose refusal lacks the documented form."""
    improper = [probe.exchange for probe in suite.target.probes.values() if _is_improper(suite, probe)]
    if improper:
        suite.client.steps = improper[:1]
        suite.client.touch(improper[0], "status")
        more = f" (same error for {len(improper) - 1} other operations)" if len(improper) > 1 else ""
        raise Violation(f"{improper[0].operation} returns {improper[0].status}{more}")


def _is_improper(suite: Suite, probe: Probe) -> bool:
    client, exchange = suite.client, probe.exchange
    return probe.state == REFUSED and is_refusal(client, exchange) and not client.refuses_properly(exchange)


@template("wire.{}", must, clause="responses-declared", kind="wire")
def answers_match_document(suite: Suite, case: Operation) -> None:
    """Every response of {} has a declared status, the declared media type and a body that matches its schema."""
    suite.client.require(case.id)
    raise_first(suite, suite.client.wire.of(case.id))
    if not suite.client.wire.count(case.id):
        raise Skipped(UNSEEN)


def check_extra(suite: Suite, operations: Sequence[str], check: str) -> None:
    """Raise Violation for the first finding of an extra check in the answers of operations.

    Raises Unoffered if the server offers none of them, and Skipped if the run saw no answer that the check could judge.
    """
    offered = [name for name in operations if not suite.client.lacks(name)]
    if not offered:
        suite.client.require(operations[0])
    raise_first(suite, suite.client.wire.extra(check, offered))
    if not suite.client.wire.has_judged(check, offered):
        raise Skipped(UNSEEN)


def raise_first(suite: Suite, findings: list[WireFinding]) -> None:
    """Raise Violation for the first finding, and show its steps.

    Those about answers that other requests of the run may have caused come first only where there are no others.
    """
    if findings:
        first = next((finding for finding in findings if not finding.crowded), findings[0])
        suite.client.steps = list(first.steps)
        others = tuple(finding.message for finding in findings if finding is not first)
        aspect = aspect_of(first.mark, "schema")
        raise Violation(first.message, expected=first.rule, aspect=aspect, others=others, crowded=first.crowded)
