"""Invalid request bodies, and credentials."""

from __future__ import annotations

from conformance.author.checks import equal
from conformance.author.requirement import must
from conformance.author.suite import Suite
from conformance.common.requests import ask_as, require_token
from conformance.lance.catalog import LanceCatalog
from conformance.lance.operations import JSON_OPERATIONS, OPERATIONS
from conformance.lance.support.refusing import refuses_invalid, without_defect
from conformance.values.outcomes import Unoffered
from specs.openapi import JSON_TYPE, Operation

READS = ("DescribeNamespace", "NamespaceExists", "DescribeTable", "TableExists", "CountTableRows")


@must("lance.body.malformed.{}", clause="request-bodies", kind="error", each=JSON_OPERATIONS, reads=True)
def test_body_that_is_no_json(catalog: LanceCatalog, case: Operation) -> None:
    """{} with a body that is not JSON returns 400 with code 13."""
    good = without_defect(catalog, case)
    refuses_invalid(catalog, case.id, [("a body that is not JSON", good.with_bytes(b'{"id": ['))], good)


@must("lance.body.not_object.{}", clause="request-schemas", kind="error", each=JSON_OPERATIONS, reads=True)
def test_body_that_is_no_object(catalog: LanceCatalog, case: Operation) -> None:
    """{} with a JSON number as its body returns 400 with code 13."""
    good = without_defect(catalog, case)
    refuses_invalid(catalog, case.id, [("a number as the body", good.with_bytes(b"17"))], good)


@must("lance.body.id_type.{}", clause="request-schemas", kind="error", each=JSON_OPERATIONS, reads=True)
def test_id_of_wrong_type(catalog: LanceCatalog, case: Operation) -> None:
    """{} with an id or another field of the wrong type returns 400 with code 13."""
    schema = catalog.client.document.resolve(case.request.content[JSON_TYPE]) if case.request else {}
    wrong = (
        {"id": "text"} if "id" in schema.get("properties", {}) else {next(iter(schema.get("required", [])), "k"): 17}
    )
    good = without_defect(catalog, case)
    refuses_invalid(catalog, case.id, [(f"a wrong type of {field}", good.with_body(**wrong)) for field in wrong], good)


@must(
    "lance.body.identity.{}",
    clause="identity",
    each={name: operation for name, operation in OPERATIONS.items() if operation.id in READS},
    reads=True,
)
def test_identity_and_context(catalog: LanceCatalog, case: Operation) -> None:
    """{} accepts an identity and a context in the body and a context in headers."""
    id = catalog.new_table() if "/table/" in case.path else catalog.new_namespace()
    context = {"x-lance-ctx-trace": "1", "x-trace": "1"}
    settings = catalog.target.settings
    if settings.token or settings.header:  # real credentials in the body would end up in reports
        catalog.send(case.id, id, {"id": list(id), "identity": {}, "context": {"trace": "1"}}, headers=context)
        return
    body = {"id": list(id), "identity": {"api_key": "k", "auth_token": "t"}, "context": {"trace": "1"}}
    headers = {**context, "x-api-key": "k", "Authorization": "Bearer t"}
    if not catalog.send(case.id, id, body, headers=headers, expect=(200, 401, 403)).succeeded:
        raise Unoffered("the server wants no credentials, but refuses those that it does not know")


@must("lance.auth.required.{}", clause="authentication", kind="auth", each=OPERATIONS, reads=True)
def test_credentials_are_required(suite: Suite, catalog: LanceCatalog, case: Operation) -> None:
    """{} without credentials returns 401 with code 16 on servers that require credentials."""
    require_token(suite)
    refused = ask_as(catalog, case, None, 401)
    equal(refused.code, 16, "the code of the error")


@must("lance.auth.wrong.{}", clause="authentication", kind="auth", each=OPERATIONS, reads=True)
def test_wrong_credentials(suite: Suite, catalog: LanceCatalog, case: Operation) -> None:
    """{} with a wrong token returns 401 with code 16 on servers that require credentials."""
    require_token(suite)
    refused = ask_as(catalog, case, "Bearer not-the-token", 401)
    equal(refused.code, 16, "the code of the error")
