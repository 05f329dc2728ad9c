"""What is checked for every operation over all answers of the run, or by one probe of each."""

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
    """The code in every error of {} is the status of the answer."""
    wire.check_extra(suite, case, CODE)


@should("polaris.errors.type.{}", clause="error-types", kind="wire", each=OPERATIONS)
def test_error_types_are_known(suite: Suite, case: Operation) -> None:
    """Every error that {} states for a reason of its own has the type that clients show for it."""
    wire.check_extra(suite, case, TYPE)


@should("polaris.errors.text.{}", clause="error-text", kind="wire", each=OPERATIONS)
def test_error_texts_are_for_people(suite: Suite, case: Operation) -> None:
    """The message in an error of {} shows nothing of the inside of the server."""
    wire.check_extra(suite, case, TEXT)


@should("polaris.errors.body", operations=sorted(MANAGEMENT_IDS), clause="error-body", kind="wire")
def test_errors_have_a_body(suite: Suite) -> None:
    """A refusal by the management API says in its body why, also where the document declares the status alone."""
    wire.raise_first(
        suite, [finding for name in sorted(MANAGEMENT_IDS) for finding in suite.client.wire.extra(BODY, name)]
    )


@must("polaris.secrets.once", operations=ISSUING, clause="secret-once", kind="wire")
def test_secrets_are_shown_once(suite: Suite) -> None:
    """A secret is in the answer that issues it, and in no later answer of any operation."""
    operations = suite.target.document.operations
    wire.raise_first(suite, [finding for name in operations for finding in suite.client.wire.extra(SECRETS, name)])
