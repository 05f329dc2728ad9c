"""Checks of each operation by all its answers in a run, or by its probe before the run."""

from __future__ import annotations

from conformance.author.requirement import must, should
from conformance.author.suite import Suite
from conformance.common import wire
from conformance.iceberg.support.checks import CODE, TEXT
from conformance.polaris.operations import OPERATIONS
from conformance.polaris.support.checks import BODY, ISSUING, MANAGEMENT_IDS, SECRETS, TYPE
from specs.openapi import Operation

test_offered_or_refused = wire.offered_or_refused.declare(
    __name__, OPERATIONS, level=should, clause="operations-offered"
)
test_answers_match_document = wire.answers_match_document.declare(__name__, OPERATIONS, clause="polaris-schemas")


@should("polaris.errors.code.{}", clause="error-code-is-status", kind="wire", each=OPERATIONS)
def test_error_codes_are_statuses(suite: Suite, case: Operation) -> None:
    """The code in every error body of {} equals the status of the response."""
    wire.check_extra(suite, [case.id], CODE)


@should("polaris.errors.type.{}", clause="error-types", kind="wire", each=OPERATIONS)
def test_error_types_are_known(suite: Suite, case: Operation) -> None:
    """Errors of {} carry an error type that clients recognize."""
    wire.check_extra(suite, [case.id], TYPE)


@should("polaris.errors.text.{}", clause="error-text", kind="wire", each=OPERATIONS)
def test_error_texts_are_for_people(suite: Suite, case: Operation) -> None:
    """Error messages of {} contain no stack trace and no internals of the server."""
    wire.check_extra(suite, [case.id], TEXT)


@should("polaris.errors.body", operations=sorted(MANAGEMENT_IDS), clause="error-body", kind="wire")
def test_errors_have_a_body(suite: Suite) -> None:
    """Every error response of the management API has a body, also where the document declares only the status."""
    wire.check_extra(suite, sorted(MANAGEMENT_IDS), BODY)


@must("polaris.secrets.once", operations=ISSUING, clause="secret-once", kind="wire")
def test_secrets_are_shown_once(suite: Suite) -> None:
    """A secret appears in the response that issues it and in no later response."""
    wire.check_extra(suite, list(suite.target.document.operations), SECRETS)
