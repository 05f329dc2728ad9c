"""What is judged for every operation over all answers of the run, or by one probe of each."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.iceberg.operations import OPERATIONS, subject
from conformance.iceberg.support.checks import BODY, CODE, TEXT, TYPE
from conformance.iceberg.support.metadata import TABLE_RULES, VIEW_RULES
from conformance.outcomes import Blocked, Unoffered, Violation
from conformance.requirement import must, should
from conformance.suite import Suite
from conformance.target import MISSING, REFUSED
from conformance.wire import WireFinding
from specs.clauses import clauses
from specs.iceberg.errors import OAUTH_OPERATION
from specs.openapi import Operation

# Errors of these have bodies of the catalog's own form.
ERRING = {
    name: operation
    for name, operation in OPERATIONS.items()
    if operation.method != "HEAD" and operation.id != OAUTH_OPERATION
}
ALL = [operation.id for operation in ERRING.values()]


@should("iceberg.offered.{}", operations=subject, clause="unsupported-operation", kind="wire", each=OPERATIONS)
def test_offered_or_refused(suite: Suite, case: Operation) -> None:
    """{} is there if the configuration names it, and refused with a 4xx status and an error body otherwise."""
    probe = suite.target.probes[case.id]
    suite.client.steps = [probe.exchange]
    suite.client.touch(probe.exchange, "status")
    if probe.state == MISSING:
        raise Violation(f"{case.id} should be there, but answers {probe.exchange.status or probe.exchange.failure}")
    if probe.state == REFUSED and not 400 <= probe.exchange.status < 500:
        raise Violation(f"{case.id} is not offered, but answers {probe.exchange.status or probe.exchange.failure}")


@must("iceberg.wire.{}", operations=subject, clause="responses-declared", kind="wire", each=OPERATIONS)
def test_answers_match_document(suite: Suite, case: Operation) -> None:
    """Every answer of {} has a declared status, the declared media type and a body that fits its schema."""
    _judge(suite, case, suite.client.wire.of(case.id))


@must("iceberg.errors.body", operations=ALL, clause="error-body", kind="wire")
def test_errors_have_a_body(suite: Suite) -> None:
    """Every error has a body with one field, error, which holds message, type and code."""
    _raise(suite, [finding for name in ALL for finding in suite.client.wire.extra(BODY, name)])


@must("iceberg.errors.code.{}", operations=subject, clause="error-code-is-status", kind="wire", each=ERRING)
def test_error_codes_are_statuses(suite: Suite, case: Operation) -> None:
    """The code in every error of {} is the status of the answer."""
    _judge(suite, case, suite.client.wire.extra(CODE, case.id))


@should("iceberg.errors.type.{}", operations=subject, clause="error-types", kind="wire", each=ERRING)
def test_error_types_are_known(suite: Suite, case: Operation) -> None:
    """Every error that {} states for a reason of its own has a type that clients know for it."""
    _judge(suite, case, suite.client.wire.extra(TYPE, case.id))


@should("iceberg.errors.text.{}", operations=subject, clause="error-text", kind="wire", each=ERRING)
def test_error_texts_are_for_people(suite: Suite, case: Operation) -> None:
    """The message in an error of {} shows nothing of the inside of the server."""
    _judge(suite, case, suite.client.wire.extra(TEXT, case.id))


@dataclass(frozen=True, slots=True)
class MetadataRule:
    """A rule that metadata in all answers keep: the clause that states it, and the check that judges it."""

    clause: str
    check: str

    @property
    def operations(self) -> list[str]:
        """The operations whose answers hold such metadata."""
        return [name for name in clauses("iceberg")[self.clause].operations if name != "unregisterTable"]


RULES = {
    **{name.replace("-", "_"): MetadataRule(name, f"table {name}") for name in TABLE_RULES},
    **{name.replace("-", "_"): MetadataRule(name, f"view {name}") for name in VIEW_RULES},
}


@must(
    "iceberg.rules.{}",
    operations=lambda rule: rule.operations,
    clause=lambda rule: rule.clause,
    kind="wire",
    each=RULES,
)
def test_metadata_keep_the_rules(suite: Suite, case: MetadataRule) -> None:
    """All metadata in answers keep the rule {}."""
    findings = [
        finding
        for operation in suite.target.document.operations
        for finding in suite.client.wire.extra(case.check, operation)
    ]
    _raise(suite, findings)


def _judge(suite: Suite, operation: Operation, findings: list[WireFinding]) -> None:
    """Fail with the first finding; its steps are the ones to show."""
    if operation.id in suite.client.missing:
        raise Blocked(f"the server does not have {operation.id}", suite.client.missing[operation.id])
    if suite.target.probes[operation.id].state == REFUSED:
        raise Unoffered(f"the server does not have {operation.id}")
    _raise(suite, findings)


def _raise(suite: Suite, findings: list[WireFinding]) -> None:
    if findings:
        suite.client.steps = list(findings[0].steps)
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        raise Violation(findings[0].message + more)
