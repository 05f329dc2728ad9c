"""Fields and parameters of every operation: what does not fit its schema, and identifiers in all their forms.

Each of these sees the request accepted without the defect: before, and on the same thing afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from conformance.client import Answer
from conformance.common.fields import Wrong, below_minimum, defects, wrong_types
from conformance.common.hostile import UNUSED
from conformance.common.operations import subject
from conformance.lance.catalog import INVALID_INPUT, LanceCatalog
from conformance.lance.operations import JSON_OPERATIONS, OPERATIONS
from conformance.lance.support.ordinary import SUCCESSES, Ordinary, accepted, ordinary
from conformance.outcomes import Violation
from conformance.requirement import must, should
from specs.openapi import JSON_TYPE, Operation
from specs.profiles import find_profile

DOCUMENT = find_profile("lance").document()
INVALID: frozenset[tuple[int, Any]] = frozenset({(400, INVALID_INPUT)})
NO_VERSION = INVALID | {(404, 11), (409, 14)}  # the table has no such version, or none of this number can follow
# An identity and a context travel in headers, some flags in the query: a server need not look at the body for them.
ELSEWHERE = ("identity", "context", "with_table_uri", "load_detailed_metadata")
# Judged by requirements of their own: the identifier, and what takes a container to run.
APART = ("id", "virtual_column", "include_declared")
LEFT = (*ELSEWHERE, *APART)


def _schema(operation: Operation) -> Any:
    return operation.request.content.get(JSON_TYPE, {}) if operation.request else {}


def _queries(operation: Operation, wrong: Wrong) -> dict[str, list[Any]]:
    """Return the wrong values of each parameter of the query that has some; any text is a string."""
    found = {one.name: wrong(DOCUMENT.resolve(one.schema)) for one in operation.query_parameters()}
    return {name: values for name, values in found.items() if values not in ([], [17]) and name not in LEFT}


def _with(wrong: Wrong) -> dict[str, Operation]:
    """Return the operations whose bodies have fields that can be wrong."""
    names = {name: list(defects(DOCUMENT, _schema(one), {}, wrong, LEFT)) for name, one in JSON_OPERATIONS.items()}
    return {name: JSON_OPERATIONS[name] for name, found in names.items() if found}


QUERIED = {name: one for name, one in OPERATIONS.items() if _queries(one, wrong_types)}
NAMED = {
    name: one for name, one in JSON_OPERATIONS.items() if "id" in DOCUMENT.resolve(_schema(one)).get("properties", {})
}
OWN = {name: one for name, one in NAMED.items() if "/transaction/" not in one.path}  # whose id is one text, or several
MAKERS = ("CreateNamespace", "CreateTable", "DeclareTable", "CreateEmptyTable", "RegisterTable")
IDENTIFIED = {name: one for name, one in OPERATIONS.items() if "{id}" in one.path and "/transaction/" not in one.path}


def _refuses(catalog: LanceCatalog, operation: str, requests: Iterable[tuple[str, Ordinary]], good: Ordinary) -> None:
    """Check that each request is refused as invalid, and that none of them did anything: `good` is accepted then."""
    found = [(what, request.send(catalog, operation)) for what, request in requests]
    wrong = [(what, one) for what, one in found if not _is_refused(one, NO_VERSION if "version" in what else INVALID)]
    if not any(one.status in SUCCESSES for _, one in wrong):
        accepted(catalog, operation, good)
    if wrong:
        answers = ", ".join(f"{what} with {one.status}" for what, one in wrong)
        raise Violation(f"{operation} should refuse these with 400 and code 13, but answers {answers}", "status")


def _is_refused(answer: Answer, allowed: Collection[tuple[int, Any]]) -> bool:
    return answer.status in {status for status, _ in allowed} and (answer.status, answer.code) in allowed


def _takes(catalog: LanceCatalog, operation: str, request: Ordinary, **options: Any) -> None:
    """Check that a request is accepted. Raises Blocked where it is refused in its plain form too."""
    if request.send(catalog, operation, **options).status in SUCCESSES:
        return
    refused = catalog.client.steps[-1]
    accepted(catalog, operation, ordinary(catalog, operation, "twin"))
    catalog.client.judge_status(refused, SUCCESSES)


def _body_refused(catalog: LanceCatalog, case: Operation, wrong: Wrong) -> None:
    good = ordinary(catalog, case.id)
    wrong_bodies = defects(catalog.client.document, _schema(case), good.body, wrong, LEFT)
    _refuses(catalog, case.id, ((what, replace(good, body=body)) for what, body in wrong_bodies), good)


@must("lance.body.field_types.{}", operations=subject, clause="request-schemas", kind="error", each=_with(wrong_types))
def test_fields_of_wrong_type(catalog: LanceCatalog, case: Operation) -> None:
    """{} refuses a body in which any declared field has another type with 400 and code 13, and does nothing."""
    _body_refused(catalog, case, wrong_types)


@must("lance.body.bounds.{}", operations=subject, clause="request-schemas", kind="error", each=_with(below_minimum))
def test_numbers_below_their_minimum(catalog: LanceCatalog, case: Operation) -> None:
    """{} refuses a number below the minimum that the document gives with 400 and code 13, and does nothing."""
    _body_refused(catalog, case, below_minimum)


@must("lance.query_string.types.{}", operations=subject, clause="request-schemas", kind="error", each=QUERIED)
def test_parameters_of_wrong_type(catalog: LanceCatalog, case: Operation) -> None:
    """{} refuses a query in which any declared parameter has another type with 400 and code 13."""
    good = ordinary(catalog, case.id)
    wrong = (
        (f"{name}={value}", replace(good, query={**good.query, name: value}))
        for name, values in _queries(case, wrong_types).items()
        for value in values
    )
    _refuses(catalog, case.id, wrong, good)


# Identifiers


@must("lance.identifier.body_other.{}", operations=subject, clause="identifier-body", kind="error", each=NAMED)
def test_body_names_something_else(catalog: LanceCatalog, case: Operation) -> None:
    """{} refuses a body whose id is not the one in the path with 400 and code 13, and does nothing."""
    good = ordinary(catalog, case.id)
    _refuses(catalog, case.id, [("another id", good.with_body(id=[UNUSED]))], good)


@must("lance.identifier.body_own.{}", operations=subject, clause="identifier-body", each=OWN)
def test_body_repeats_the_id(catalog: LanceCatalog, case: Operation) -> None:
    """{} takes a body that repeats the id of the path, as the official clients send it."""
    good = ordinary(catalog, case.id)
    _takes(catalog, case.id, good.with_body(id=good.id))


@must("lance.identifier.delimited.{}", operations=subject, clause="identifier-delimiter", each=IDENTIFIED)
def test_id_with_another_delimiter(catalog: LanceCatalog, case: Operation) -> None:
    """{} takes an identifier that is written with the delimiter of the request, and means the same object."""
    good = ordinary(catalog, case.id)
    _takes(catalog, case.id, good, delimiter=".")
    if case.id in MAKERS:
        exists = catalog.namespace_exists if case.id == "CreateNamespace" else catalog.table_exists
        exists(good.id or ())


# Numbers of versions

VERSIONED = {
    name: one for name, one in _with(below_minimum).items() if "version" in DOCUMENT.resolve(_schema(one))["properties"]
}
READ = {name: one for name, one in VERSIONED.items() if one.id not in ("CreateTableVersion", "TableExists")}
NUMBERS = (0, 2**31, 2**53 + 1)


@must("lance.version.number.{}", operations=subject, clause="version-numbers", kind="error", each=READ)
def test_numbers_that_no_version_has(catalog: LanceCatalog, case: Operation) -> None:
    """{} refuses each number of a version that the table lacks, 0, 2^31 and 2^53 + 1, with 400 or 404."""
    good = ordinary(catalog, case.id)
    _refuses(catalog, case.id, ((f"version {one}", good.with_body(version=one)) for one in NUMBERS), good)


# What nobody knows yet

UNKNOWN = {"from_the_future": {"x": 1}}


@should("lance.body.unknown_keys.{}", operations=subject, clause="open-schemas", each=NAMED)
def test_unknown_keys_are_ignored(catalog: LanceCatalog, case: Operation) -> None:
    """{} ignores keys of the body and the query that it does not know: newer clients send them."""
    good = ordinary(catalog, case.id).with_body(**UNKNOWN)
    _takes(catalog, case.id, replace(good, query={**good.query, "from_the_future": "1"}))
