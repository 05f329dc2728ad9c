"""What is judged for every operation over all answers of the run, or by one probe of each."""

from __future__ import annotations

from conformance.lance.operations import OPERATIONS, subject
from conformance.lance.support.checks import CODE_LIST, CODE_STATUS
from conformance.outcomes import Blocked, Unoffered, Violation
from conformance.requirement import must, should
from conformance.suite import Suite
from conformance.target import MISSING, REFUSED
from conformance.wire import WireFinding
from specs.openapi import Operation


@must("lance.offered.{}", operations=subject, clause="unsupported-operations", kind="wire", each=OPERATIONS)
def test_offered_or_refused(suite: Suite, case: Operation) -> None:
    """{} is served, or refused with 406 and code 0."""
    probe = suite.target.probes[case.id]
    suite.client.steps = [probe.exchange]
    if probe.state == MISSING:
        suite.client.touch(probe.exchange, "status")
        raise Violation(
            f"{case.id} answers {probe.exchange.status or probe.exchange.failure} instead of 406 with code 0"
        )
    if probe.state == REFUSED:
        suite.client.reached.add(f"{case.id} 406")


@must("lance.wire.{}", operations=subject, clause="responses-declared", kind="wire", each=OPERATIONS)
def test_answers_match_document(suite: Suite, case: Operation) -> None:
    """Every answer of {} has a declared status, the declared media type and a body that fits its schema."""
    _judge(suite, case, suite.client.wire.of(case.id))


@must("lance.codes.status.{}", operations=subject, clause="error-code-status", kind="wire", each=OPERATIONS)
def test_codes_match_statuses(suite: Suite, case: Operation) -> None:
    """Every error of {} has the status that its code stands for."""
    _judge(suite, case, suite.client.wire.extra(CODE_STATUS, case.id))


@should("lance.codes.listed.{}", operations=subject, clause="error-code-list", kind="wire", each=OPERATIONS)
def test_codes_are_listed(suite: Suite, case: Operation) -> None:
    """Every error of {} has a code that the error list gives the operation."""
    _judge(suite, case, suite.client.wire.extra(CODE_LIST, case.id))


def _judge(suite: Suite, operation: Operation, findings: list[WireFinding]) -> None:
    """Fail with the first finding; its steps are the ones to show."""
    if operation.id in suite.client.missing:
        raise Blocked(f"the server does not have {operation.id}", suite.client.missing[operation.id])
    if suite.target.probes[operation.id].state == REFUSED:
        raise Unoffered(f"the server does not have {operation.id}")
    if findings:
        suite.client.steps = list(findings[0].steps)
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        raise Violation(findings[0].message + more)
