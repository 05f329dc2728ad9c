"""Checks of every operation: over all responses of the run, and over one probe of each operation."""

from __future__ import annotations

from conformance.author.requirement import must, should
from conformance.author.suite import Suite
from conformance.common import wire
from conformance.lance.operations import OPERATIONS
from conformance.lance.support.checks import CODE_LIST, CODE_STATUS
from specs.openapi import Operation

test_offered_or_refused = wire.offered_or_refused.declare(
    __name__,
    OPERATIONS,
    clause="unsupported-operations",
    statement="{} is offered, or returns 406 with code 0.",
)
test_answers_match_document = wire.answers_match_document.declare(__name__, OPERATIONS)


@must(
    "lance.unsupported.form",
    operations=[operation.id for operation in OPERATIONS.values()],
    clause="unsupported-operations",
    kind="wire",
)
def test_form_of_refusals(suite: Suite) -> None:
    """Operations that the server does not offer return 406 with code 0."""
    wire.check_refusals(suite)


@must("lance.codes.status.{}", clause="error-code-status", kind="wire", each=OPERATIONS)
def test_codes_match_statuses(suite: Suite, case: Operation) -> None:
    """Every error of {} has the HTTP status that belongs to the error code in its body."""
    wire.check_extra(suite, [case.id], CODE_STATUS)


@should("lance.codes.listed.{}", clause="error-code-list", kind="wire", each=OPERATIONS)
def test_codes_are_listed(suite: Suite, case: Operation) -> None:
    """Every error of {} has a code from the error list of this operation."""
    wire.check_extra(suite, [case.id], CODE_LIST)
