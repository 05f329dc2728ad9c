"""Fields and parameters of every operation: values that violate the schema, and identifiers in all their forms.

Each requirement sends the valid request too, before the invalid ones and afterwards on the same object.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.author.requirement import must, should
from conformance.common.fields import Wrong, below_minimum, defects, json_schema, wrong_types
from conformance.common.ordinary import accepted
from conformance.http.operation_client import DECLARED
from conformance.lance.catalog import LanceCatalog
from conformance.lance.operations import JSON_OPERATIONS, OPERATIONS, reads
from conformance.lance.support.ordinary import LanceRequest, ordinary
from conformance.lance.support.refusing import refuses, refuses_invalid, without_defect
from conformance.lance.worlds import all_but
from conformance.target.hostile import UNUSED
from conformance.values.outcomes import Skipped
from specs.openapi import JSON_TYPE, Document, Operation
from specs.profiles import newest_operations

# Identity and context travel in headers, some flags in the query: a server may ignore them in the body.
ELSEWHERE = ("identity", "context", "with_table_uri", "load_detailed_metadata", "check_declared")
# Tested by requirements of their own (the identifier), never sent (client code), or unsupported on some servers.
APART = ("id", "virtual_column", "include_declared")
LEFT = (*ELSEWHERE, *APART)


DOCUMENTS = {id: profile.document() for id, (profile, _) in newest_operations("lance").items()}


def _fields(operation: Operation) -> dict[str, Any]:
    """Return the schemas of the fields of an operation's body by their names, in its newest revision."""
    schema = operation.request.content.get(JSON_TYPE, {}) if operation.request else {}
    document = DOCUMENTS[operation.id]
    declared = document.resolve(schema).get("properties", {})
    return {name: document.resolve(field) for name, field in declared.items()}


def _queries(document: Document, operation: Operation, wrong: Wrong) -> dict[str, list[Any]]:
    """Return the invalid values of each query parameter that has some; any text is a valid string."""
    queries = {parameter.name: wrong(document.resolve(parameter.schema)) for parameter in operation.query_parameters()}
    return {name: values for name, values in queries.items() if values not in ([], [17]) and name not in LEFT}


def _with(wrong: Wrong) -> dict[str, Operation]:
    """Return the operations whose bodies have fields with invalid values."""
    return {
        name: operation
        for name, operation in JSON_OPERATIONS.items()
        if any(wrong(schema) for field, schema in _fields(operation).items() if field not in LEFT)
    }


QUERIED = {
    name: operation
    for name, operation in OPERATIONS.items()
    if _queries(DOCUMENTS[operation.id], operation, wrong_types)
}
NAMED = {name: operation for name, operation in JSON_OPERATIONS.items() if "id" in _fields(operation)}
# Without DropNamespace: a careless server would drop its root.
EMPTIED = {name: operation for name, operation in NAMED.items() if operation.id != "DropNamespace"}
OWN = {  # without transactions: their id is one string or a list
    name: operation for name, operation in NAMED.items() if "/transaction/" not in operation.path
}
ENDERS = ("DropNamespace", "DropTable", "DeregisterTable")
MAKERS = (
    "CreateNamespace",
    "CreateTable",
    "DeclareTable",
    "CreateEmptyTable",
    "RegisterTable",
    "CreateMaterializedView",
)
PLACED = {name: operation for name, operation in OPERATIONS.items() if "{id}" in operation.path}
IDENTIFIED = {name: operation for name, operation in PLACED.items() if "/transaction/" not in operation.path}
# Reading operations only: the root is not the run's own.
ON_ROOT = {
    name: operation for name, operation in PLACED.items() if "/namespace/" not in operation.path and reads(operation)
}


def _takes(catalog: LanceCatalog, operation: str, request: LanceRequest, **options: Any) -> None:
    """Check that a request is accepted. Raises Blocked when the server rejects the plain form of it too."""
    if request.send(catalog, operation, **options).succeeded:
        return
    refused = catalog.client.steps[-1]
    accepted(catalog, operation, ordinary(catalog, operation, "twin"))
    catalog.client.check_status(refused, catalog.successes(operation))


def _body_refused(catalog: LanceCatalog, case: Operation, wrong: Wrong) -> None:
    good = without_defect(catalog, case)
    wrong_bodies = defects(catalog.client.document, case, good.body, wrong, LEFT)
    requests = ((what, replace(good, body=body)) for what, body in wrong_bodies)
    schema = catalog.client.document.resolve(json_schema(catalog.client.document.operation(case.id)))
    optional = set(schema.get("properties", ())).difference(schema.get("required", ()))
    refuses_invalid(catalog, case.id, requests, good, optional)


@must("lance.body.field_types.{}", clause="request-schemas", kind="error", each=_with(wrong_types), reads=True)
def test_fields_of_wrong_type(catalog: LanceCatalog, case: Operation) -> None:
    """{} with a field of the wrong type returns 400 with code 13 and changes nothing."""
    _body_refused(catalog, case, wrong_types)


@must("lance.body.bounds.{}", clause="request-schemas", kind="error", each=_with(below_minimum), reads=True)
def test_numbers_below_their_minimum(catalog: LanceCatalog, case: Operation) -> None:
    """{} with a number below the minimum of the document returns 400 with code 13 and changes nothing."""
    _body_refused(catalog, case, below_minimum)


@must("lance.query_string.types.{}", clause="request-schemas", kind="error", each=QUERIED, reads=True)
def test_parameters_of_wrong_type(catalog: LanceCatalog, case: Operation) -> None:
    """{} with a query parameter of the wrong type returns 400 with code 13."""
    good, document = without_defect(catalog, case), catalog.client.document
    optional = {parameter.name for parameter in case.query_parameters() if not parameter.required}
    wrong = (
        (f"{name}={value}", replace(good, query={**good.query, name: value}))
        for name, values in _queries(document, document.operation(case.id), wrong_types).items()
        for value in values
    )
    refuses_invalid(catalog, case.id, wrong, good, optional)


# Identifiers


@must("lance.identifier.body_other.{}", clause="identifier-body", kind="error", each=NAMED, reads=True)
def test_body_names_something_else(catalog: LanceCatalog, case: Operation) -> None:
    """{} whose body id differs from the id in the path returns 400 with code 13 and changes nothing."""
    good = without_defect(catalog, case)
    outer = list(good.id[:-1]) if isinstance(good.id, tuple) else []
    others = {"another id": [UNUSED], "a part that is no text": [*outer, 17], "a part that is null": [*outer, None]}
    refuses_invalid(catalog, case.id, ((what, good.with_body(id=id)) for what, id in others.items()), good)


@should("lance.identifier.body_empty.{}", clause="identifier-body", kind="error", each=EMPTIED, reads=True)
def test_body_names_the_root(catalog: LanceCatalog, case: Operation) -> None:
    """{} with an empty id in the body (the root), unlike the path, returns 400 with code 13 and changes nothing."""
    good = without_defect(catalog, case)
    refuses_invalid(catalog, case.id, [("an empty id", good.with_body(id=[]))], good)


@must("lance.identifier.body_own.{}", clause="identifier-body", each=OWN, reads=True)
def test_body_repeats_the_id(catalog: LanceCatalog, case: Operation) -> None:
    """{} accepts a body that repeats the id of the path, as the official clients send it."""
    good = ordinary(catalog, case.id)
    _takes(catalog, case.id, good.with_body(id=good.id))


@must(
    "lance.identifier.delimited.{}",
    clause="identifier-delimiter",
    each=IDENTIFIED,
    reads=True,
    world=all_but(names=("dot",)),
)
def test_id_with_another_delimiter(catalog: LanceCatalog, case: Operation) -> None:
    """{} accepts an id written with the delimiter of the request and acts on the same object."""
    good = ordinary(catalog, case.id)
    if not good.id:
        raise Skipped("the run found no namespace to read but the root", "--namespace")
    _takes(catalog, case.id, good, delimiter=".")
    if case.id in (*MAKERS, *ENDERS):
        exists = catalog.namespace_exists if case.id.endswith("Namespace") else catalog.table_exists
        exists(good.id or (), expect=DECLARED if case.id in MAKERS else 404)


@should("lance.identifier.root.{}", clause="identifier-root", kind="error", each=ON_ROOT, reads=True)
def test_root_is_no_table(catalog: LanceCatalog, case: Operation) -> None:
    """{} on the root, which is neither a table nor a transaction, returns 400 or 404."""
    good = without_defect(catalog, case)
    refuses(
        catalog,
        case.id,
        [("the root", replace(good, id=()))],
        good,
        lambda _, answer: answer.status in (400, 404),
        "400 or 404",
    )


# Version numbers

VERSIONED = {name: operation for name, operation in _with(below_minimum).items() if "version" in _fields(operation)}
READ = {
    name: operation
    for name, operation in VERSIONED.items()
    if operation.id not in ("CreateTableVersion", "TableExists")
}
NUMBERS = (0, 2**31, 2**53 + 1)


@must("lance.version.number.{}", clause="version-numbers", kind="error", each=READ, reads=True)
def test_numbers_that_no_version_has(catalog: LanceCatalog, case: Operation) -> None:
    """{} with a version number that the table lacks (0, 2^31 or 2^53 + 1) returns 400 or 404."""
    good = ordinary(catalog, case.id)
    refuses_invalid(
        catalog, case.id, ((f"version {number}", good.with_body(version=number)) for number in NUMBERS), good
    )


# Unknown keys

UNKNOWN = {"from_the_future": {"x": 1}}


@should("lance.body.unknown_keys.{}", clause="open-schemas", each=NAMED, reads=True)
def test_unknown_keys_are_ignored(catalog: LanceCatalog, case: Operation) -> None:
    """{} ignores unknown keys of the body and the query, which newer clients send."""
    good = ordinary(catalog, case.id).with_body(**UNKNOWN)
    _takes(catalog, case.id, replace(good, query={**good.query, "from_the_future": "1"}))
