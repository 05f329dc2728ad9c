"""Templates that check each operation by all its answers in a run, or by its probe before the run."""

from __future__ import annotations

from conformance.author.requirement import must
from conformance.author.suite import Suite
from conformance.common.template import template
from conformance.http.wire import WireFinding
from conformance.target.target import MISSING, REFUSED, Probe, is_refusal
from conformance.values.evidence import aspect_of
from conformance.values.outcomes import Blocked, Unoffered, Violation
from specs.openapi import Operation


@template("offered.{}", must, clause="unsupported-operation", kind="wire")
def offered_or_refused(suite: Suite, case: Operation) -> None:
    """{} is supported, or returns 4xx with an error body."""
    probe = suite.target.probes[case.id]
    status = probe.exchange.status
    suite.client.steps = [probe.exchange]
    suite.client.touch(probe.exchange, "status")
    if probe.state == MISSING:
        got = f"returns {status}" if status else f"gets no response ({probe.exchange.failure})"
        raise Violation(f"{case.id} {got}: neither served nor refused in the documented form")
    if _is_improper(suite, probe):
        raise Unoffered(f"the server does not have {case.id}")  # check_refusals judges the form
    if probe.state == REFUSED and not 400 <= status < 500:
        raise Violation(f"{case.id} is not offered, but returns {status or probe.exchange.failure}")
    if probe.state == REFUSED:
        suite.client.reached.add(f"{case.id} {status}")


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
    check_findings(suite, case, suite.client.wire.of(case.id))


def check_extra(suite: Suite, operation: Operation, check: str) -> None:
    """Raise Violation for the first finding of an extra check in the answers of an operation."""
    check_findings(suite, operation, suite.client.wire.extra(check, operation.id))


def check_findings(suite: Suite, operation: Operation, findings: list[WireFinding]) -> None:
    """Raise Violation for the first finding about an operation, Blocked or Unoffered if the server lacks it."""
    if operation.id in suite.client.missing:
        raise Blocked(f"the server does not have {operation.id}", suite.client.missing[operation.id])
    if suite.target.state(operation.id) == REFUSED:
        raise Unoffered(f"the server does not have {operation.id}")
    raise_first(suite, findings)


def raise_first(suite: Suite, findings: list[WireFinding]) -> None:
    """Raise Violation for the first finding, and show its steps."""
    if findings:
        suite.client.steps = list(findings[0].steps)
        first, more = findings[0], len(findings) - 1
        raise Violation(first.message, expected=first.rule, aspect=aspect_of(first.mark, "schema"), more=more)
