"""Rules for all responses of every operation, checked over the whole run or by one probe of each operation."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.author.requirement import must, should
from conformance.author.suite import Suite
from conformance.common import wire
from conformance.iceberg.operations import OPERATIONS
from conformance.iceberg.support.checks import BODY, CODE, TEXT, TYPE
from conformance.iceberg.support.metadata import TABLE_RULES, VIEW_RULES
from specs.clauses import clauses
from specs.iceberg.errors import OAUTH_OPERATION
from specs.openapi import Operation

# Operations whose errors have the catalog's error body.
ERRING = {
    name: operation
    for name, operation in OPERATIONS.items()
    if operation.method != "HEAD" and operation.id != OAUTH_OPERATION
}
ALL = [operation.id for operation in ERRING.values()]


test_offered_or_refused = wire.offered_or_refused.declare(
    __name__,
    OPERATIONS,
    level=should,
    statement="{} works if the endpoints of getConfig include it; otherwise it returns 4xx with an error body.",
)
test_answers_match_document = wire.answers_match_document.declare(__name__, OPERATIONS)


@should("iceberg.unsupported.form", operations=ALL, clause="unsupported-operation", kind="wire")
def test_form_of_refusals(suite: Suite) -> None:
    """Operations that the server does not offer return 4xx, not 5xx."""
    wire.check_refusals(suite)


@must("iceberg.errors.body", operations=ALL, clause="error-body", kind="wire")
def test_errors_have_a_body(suite: Suite) -> None:
    """Every error of an offered operation has a body with one field, error, with message, type and code."""
    wire.check_extra(suite, ALL, BODY)


@must("iceberg.errors.code.{}", clause="error-code-is-status", kind="wire", each=ERRING)
def test_error_codes_are_statuses(suite: Suite, case: Operation) -> None:
    """The code in the error body of {} equals the HTTP status."""
    wire.check_extra(suite, [case.id], CODE)


@should("iceberg.errors.type.{}", clause="error-types", kind="wire", each=ERRING)
def test_error_types_are_known(suite: Suite, case: Operation) -> None:
    """Errors of {} carry an error type that clients recognize."""
    wire.check_extra(suite, [case.id], TYPE)


@should("iceberg.errors.text.{}", clause="error-text", kind="wire", each=ERRING)
def test_error_texts_are_for_people(suite: Suite, case: Operation) -> None:
    """Error messages of {} reveal no server internals."""
    wire.check_extra(suite, [case.id], TEXT)


@dataclass(frozen=True, slots=True)
class MetadataRule:
    """Rule for the metadata in all responses: the clause that states it, the name of its check, and its statement."""

    clause: str
    check: str
    statement: str

    @property
    def operations(self) -> list[str]:
        """The operations whose responses contain the metadata."""
        return [name for name in clauses("iceberg")[self.clause].operations if name != "unregisterTable"]


RULES = {
    name.replace("-", "_"): MetadataRule(name, f"{kind} {name}", rule.__doc__ or "")
    for kind, rules in (("table", TABLE_RULES), ("view", VIEW_RULES))
    for name, rule in rules.items()
}


RECOMMENDED_RULES = (
    "metadata_snapshot_log",
    "metadata_statistics",
    "metadata_log_order",
)


@must(
    "iceberg.rules.{}",
    operations=lambda rule: rule.operations,
    clause=lambda rule: rule.clause,
    kind="wire",
    each={key: rule for key, rule in RULES.items() if key not in RECOMMENDED_RULES},
    statement=lambda rule: rule.statement,
)
def test_metadata_keep_the_rules(suite: Suite, case: MetadataRule) -> None:
    """Metadata in all responses keep a rule."""
    _metadata_keep_the_rules(suite, case)


@should(
    "iceberg.rules.{}",
    operations=lambda rule: rule.operations,
    clause=lambda rule: rule.clause,
    kind="wire",
    each={key: RULES[key] for key in RECOMMENDED_RULES},
    statement=lambda rule: rule.statement,
)
def test_metadata_keep_the_rules_as_recommended(suite: Suite, case: MetadataRule) -> None:
    """Metadata in all responses keep a recommended rule."""
    _metadata_keep_the_rules(suite, case)


def _metadata_keep_the_rules(suite: Suite, case: MetadataRule) -> None:
    wire.check_extra(suite, [name for name in case.operations if name in suite.target.document.operations], case.check)
