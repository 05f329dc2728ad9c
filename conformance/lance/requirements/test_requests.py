"""Request bodies as they must not be, and credentials."""

from __future__ import annotations

import orjson

from conformance.checks import equal
from conformance.common import requests
from conformance.common.operations import subject
from conformance.common.requests import ask_as, require_token
from conformance.lance.catalog import LanceCatalog
from conformance.lance.operations import JSON_OPERATIONS, OPERATIONS
from conformance.minimal import minimal_value
from conformance.outcomes import Unoffered
from conformance.requirement import must
from conformance.suite import Suite
from specs.openapi import JSON_TYPE, Operation

READS = ("DescribeNamespace", "NamespaceExists", "DescribeTable", "TableExists", "CountTableRows")


test_body_that_is_no_json = requests.body_that_is_no_json.declare(
    __name__,
    JSON_OPERATIONS,
    id="body.malformed.{}",
    clause="request-bodies",
    statement="A body of {} that is not JSON is refused with 400 and code 13.",
)
test_body_that_is_no_object = requests.body_that_is_no_object.declare(
    __name__,
    JSON_OPERATIONS,
    id="body.not_object.{}",
    clause="request-schemas",
    statement="A body of {} that is JSON, but a number, is refused with 400 and code 13.",
)


@must("lance.body.id_type.{}", operations=subject, clause="request-schemas", kind="error", each=JSON_OPERATIONS)
def test_id_of_wrong_type(catalog: LanceCatalog, case: Operation) -> None:
    """A body of {} whose fields have the wrong type is refused with 400 and code 13."""
    schema = catalog.client.document.resolve(case.request.content[JSON_TYPE]) if case.request else {}
    if "id" in schema.get("properties", {}):
        body = {**minimal_value(catalog.client.document, schema, catalog.target.missing_name), "id": "text"}
    else:
        body = {next(iter(schema.get("required", [])), "key"): 17}
    catalog.check_invalid(catalog.ask(case, "missing", body=orjson.dumps(body), expect=400))


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
def test_credentials_are_required(suite: Suite, catalog: LanceCatalog, case: Operation) -> None:
    """{} without credentials is refused with 401 and code 16, where the server wants credentials."""
    require_token(suite)
    refused = ask_as(catalog, case, None, 401)
    equal(refused.code, 16, "the code of the error")


@must("lance.auth.wrong.{}", operations=subject, clause="authentication", kind="auth", each=OPERATIONS)
def test_wrong_credentials(suite: Suite, catalog: LanceCatalog, case: Operation) -> None:
    """{} with a wrong token is refused with 401 and code 16, where the server wants credentials."""
    require_token(suite)
    refused = ask_as(catalog, case, "Bearer not-the-token", 401)
    equal(refused.code, 16, "the code of the error")
