"""Request bodies as they must not be, keys that nobody knows yet, and credentials."""

from __future__ import annotations

from conformance.checks import equal
from conformance.client import Answer
from conformance.lance.catalog import LanceCatalog
from conformance.lance.operations import JSON_OPERATIONS, OPERATIONS, has_json_body, subject
from conformance.minimal import minimal_value
from conformance.outcomes import Unoffered
from conformance.requirement import must
from specs.openapi import JSON_TYPE, Operation

READS = ("DescribeNamespace", "NamespaceExists", "DescribeTable", "TableExists", "CountTableRows")


def _path(catalog: LanceCatalog, operation: Operation) -> dict[str, str]:
    """Return path parameters that name nothing that exists."""
    values = {"id": f"{catalog.home_name}$missing"}
    return {
        parameter.name: values.get(parameter.name, "missing")
        for parameter in operation.parameters
        if parameter.location == "path"
    }


@must("lance.body.malformed.{}", operations=subject, clause="request-bodies", kind="error", each=JSON_OPERATIONS)
def test_malformed_json(catalog: LanceCatalog, case: Operation) -> None:
    """A body of {} that is not JSON is refused with 400 and code 13."""
    refused = catalog.client.call(case.id, path=_path(catalog, case), body=b'{"id": [', expect=400)
    equal(refused.code, 13, "the code of the error")


@must(
    "lance.body.not_object.{}",
    operations=subject,
    clause="request-schemas",
    kind="error",
    each=JSON_OPERATIONS,
)
def test_body_that_is_no_object(catalog: LanceCatalog, case: Operation) -> None:
    """A body of {} that is JSON, but a number, is refused with 400 and code 13."""
    refused = catalog.client.call(case.id, path=_path(catalog, case), json=17, expect=400)
    equal(refused.code, 13, "the code of the error")


@must("lance.body.id_type.{}", operations=subject, clause="request-schemas", kind="error", each=JSON_OPERATIONS)
def test_id_of_wrong_type(catalog: LanceCatalog, case: Operation) -> None:
    """A body of {} whose fields have the wrong type is refused with 400 and code 13."""
    schema = catalog.client.document.resolve(case.request.content[JSON_TYPE]) if case.request else {}
    if "id" not in schema.get("properties", {}):
        field = next(iter(schema.get("required", [])), "key")
        refused = catalog.client.call(case.id, path=_path(catalog, case), json={field: 17}, expect=400)
    else:
        body = {**minimal_value(catalog.client.document, schema, catalog.target.missing_name), "id": "text"}
        refused = catalog.client.call(case.id, path=_path(catalog, case), json=body, expect=400)
    equal(refused.code, 13, "the code of the error")


@must(
    "lance.body.unknown_keys.{}",
    operations=subject,
    clause="open-schemas",
    each={name: operation for name, operation in OPERATIONS.items() if operation.id in READS},
)
def test_unknown_keys_are_ignored(catalog: LanceCatalog, case: Operation) -> None:
    """{} ignores keys of the body and the query that it does not know: newer clients send them."""
    id = catalog.new_table() if "/table/" in case.path else catalog.new_namespace()
    catalog.send(case.id, id, {"id": list(id), "from_the_future": {"x": 1}}, query={"from_the_future": "1"})


@must(
    "lance.body.identity.{}",
    operations=subject,
    clause="identity",
    each={name: operation for name, operation in OPERATIONS.items() if operation.id in READS},
)
def test_identity_and_context(catalog: LanceCatalog, case: Operation) -> None:
    """{} takes an identity and a context in its body, and a context in headers: clients send all of them."""
    id = catalog.new_table() if "/table/" in case.path else catalog.new_namespace()
    context = {"x-lance-ctx-trace": "1", "x-trace": "1"}
    settings = catalog.target.settings
    if settings.token or settings.headers:  # the real ones would end up in reports
        catalog.send(case.id, id, {"id": list(id), "identity": {}, "context": {"trace": "1"}}, headers=context)
        return
    body = {"id": list(id), "identity": {"api_key": "k", "auth_token": "t"}, "context": {"trace": "1"}}
    headers = {**context, "x-api-key": "k", "Authorization": "Bearer t"}
    if catalog.send(case.id, id, body, headers=headers, expect=(200, 401, 403)).status != 200:
        raise Unoffered("the server wants no credentials, but refuses those that it does not know")


@must("lance.auth.required.{}", operations=subject, clause="authentication", kind="auth", each=OPERATIONS)
def test_credentials_are_required(catalog: LanceCatalog, case: Operation) -> None:
    """{} without credentials is refused with 401 and code 16, where the server wants credentials."""
    _require_token(catalog)
    refused = _send_with(catalog, case, {"Authorization": None})
    equal(refused.code, 16, "the code of the error")


@must("lance.auth.wrong.{}", operations=subject, clause="authentication", kind="auth", each=OPERATIONS)
def test_wrong_credentials(catalog: LanceCatalog, case: Operation) -> None:
    """{} with a wrong token is refused with 401 and code 16, where the server wants credentials."""
    _require_token(catalog)
    refused = _send_with(catalog, case, {"Authorization": "Bearer not-the-token"})
    equal(refused.code, 16, "the code of the error")


def _require_token(catalog: LanceCatalog) -> None:
    if not catalog.target.settings.token:
        raise Unoffered("the run has no token, so the server is taken to want none")


def _send_with(catalog: LanceCatalog, operation: Operation, headers: dict[str, str | None]) -> Answer:
    required = {parameter.name: "x" for parameter in operation.query_parameters() if parameter.required}
    body: dict[str, object] | None = {} if has_json_body(operation) else None
    path = _path(catalog, operation)
    return catalog.client.call(operation.id, path=path, query=required, json=body, headers=headers, expect=401)
