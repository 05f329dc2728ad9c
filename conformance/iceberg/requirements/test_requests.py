"""Requests of any operation: invalid bodies, unknown fields, media types, unknown paths, HEAD, credentials."""

from __future__ import annotations

from hypothesis import strategies as st

from conformance.author.checks import equal, holds
from conformance.author.requirement import given, must, should
from conformance.author.suite import Suite
from conformance.common import requests
from conformance.common.bodies import RequestCase
from conformance.common.requests import UNKNOWN, WRONG_BEARERS, require_token
from conformance.http.client import Encoded
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.operations import HEAD_OPERATIONS, JSON_OPERATIONS, OPERATIONS
from conformance.iceberg.support.content import SCHEMA
from conformance.iceberg.support.idempotency import MUTATIONS, Mutation
from conformance.iceberg.support.metadata import properties_of
from conformance.iceberg.support.ordinary import ISSUED, SIGNING, preparation
from conformance.iceberg.support.updates import TOUCH
from conformance.values.outcomes import Violation
from specs.openapi import JSON_TYPE, Operation

SECURED = {name: operation for name, operation in OPERATIONS.items() if operation.id not in ("getToken", "getConfig")}
CARRIED_OUT = {
    name: RequestCase(operation, preparation(operation))
    for name, operation in SECURED.items()
    if operation.id not in (*ISSUED, SIGNING)
}
# Operations without a body whose path names an object.
NAMING = {
    name: operation
    for name, operation in OPERATIONS.items()
    if "{namespace}" in operation.path and operation.request is None
}


test_body_that_is_no_json = requests.body_that_is_no_json.declare(__name__, JSON_OPERATIONS)
test_body_that_is_no_object = requests.body_that_is_no_object.declare(__name__, JSON_OPERATIONS)


@should(
    "iceberg.request.unknown_fields",
    operations=["createNamespace", "createTable", "updateTable"],
    clause="open-requests",
)
def test_unknown_fields(catalog: IcebergCatalog) -> None:
    """Unknown fields in request bodies are ignored."""
    catalog.create_namespace(catalog.namespace_id(), **UNKNOWN)
    id = catalog.table_id()
    catalog.create_table(id, schema=SCHEMA, **UNKNOWN)
    catalog.update_table(id, [{**TOUCH, **UNKNOWN}], **UNKNOWN)
    equal(properties_of(catalog.metadata(id)).get("touched"), "1", "the property that the commit set")


@should("iceberg.request.unknown_query", operations=["loadTable", "listTables"], clause="open-requests", reads=True)
def test_unknown_query_parameters(catalog: IcebergCatalog) -> None:
    """Unknown query parameters and headers are ignored."""
    id = catalog.new_table()
    catalog.load_table(id, something_new="1", _headers={"X-Something-New": "1"})
    catalog.list_tables(catalog.home, somethingNew="1")


@should("iceberg.request.media_type", operations=["createTable"], clause="media-type", kind="error")
def test_other_media_type(catalog: IcebergCatalog) -> None:
    """createTable with a body of another media type than JSON returns 400, 406, 415 or 422."""
    path = catalog.namespace_path(catalog.home)
    body = b"<table><name>t</name></table>"
    catalog.send("createTable", path, body, content_type="application/xml", expect=(400, 406, 415, 422))


@should("iceberg.request.charset", operations=["createTable", "createNamespace"], clause="media-type")
@given(kind=st.sampled_from([f"{JSON_TYPE}; charset=utf-8", f"{JSON_TYPE};charset=UTF-8", "Application/JSON"]))
def test_parameters_of_the_media_type(catalog: IcebergCatalog, kind: str) -> None:
    """createTable accepts application/json in any letter case and with a charset parameter."""
    id = catalog.table_id()
    body = catalog.body("createTable", id, schema=SCHEMA)
    catalog.note_tables([id])
    catalog.send("createTable", catalog.namespace_path(id[:-1]), body, content_type=kind)


@should("iceberg.request.unknown_path", operations=["listNamespaces"], clause="unknown-route", kind="error", reads=True)
def test_path_that_is_none(suite: Suite, catalog: IcebergCatalog) -> None:
    """A path that the document does not define returns 4xx with a JSON error body."""
    catalog.list_namespaces()
    exchange = suite.client.get_raw("/v1/lakeproof/asks/where/nothing/is")
    suite.client.touch(exchange, "status")
    if not 400 <= exchange.status < 500:
        raise Violation(f"the status is {exchange.status}")
    suite.client.touch(exchange, "body:")
    if b'"error"' not in exchange.response_body or JSON_TYPE not in exchange.response_headers.get("Content-Type", ""):
        raise Violation("the body is no error of the catalog")


@should("iceberg.request.bad_parameter", operations=["dropTable"], clause="bad-parameter", kind="error")
def test_flag_that_is_none(catalog: IcebergCatalog) -> None:
    """dropTable with a purgeRequested that is neither true nor false returns 400, and the table stays."""
    id = catalog.new_table()
    catalog.drop_table(id, purgeRequested="perhaps", expect=400)
    catalog.load_table(id)


@should("iceberg.request.path_no_text.{}", clause="bad-path", kind="error", each=NAMING, reads=True)
def test_path_that_is_no_text(catalog: IcebergCatalog, case: Operation) -> None:
    """{} with a name that is not valid UTF-8 returns 400 or 404."""
    path = catalog.any_path(case, catalog.thing_or_missing(), anywhere=True)
    for name in path:
        catalog.send(case.id, {**path, name: Encoded(f"{catalog.target.prefix}%FF")}, expect=(400, 404))


# Responses without a body

# Headers about the state of an object, and headers about the body that GET returns: a successful HEAD, 204, has no
# body. Content-Length is left out: error texts may differ between HEAD and GET.
ABOUT_STATES = ("ETag", "Last-Modified")
ABOUT_BODIES = (*ABOUT_STATES, "Content-Type")
# Mutations whose successful response has no body.
EMPTY = {name: mutation for name, mutation in MUTATIONS.items() if name.startswith(("drop", "rename", "commit"))}


@must("iceberg.request.head.{}", clause="head-empty", each=HEAD_OPERATIONS, reads=True)
def test_head_has_no_body(suite: Suite, catalog: IcebergCatalog, case: Operation) -> None:
    """{} returns no body, and the connection stays usable for the next request."""
    id = catalog.new_view() if case.id == "viewExists" else catalog.new_table()
    done = catalog.successes(case.id)
    # namespaceExists finds its namespace every time. The last request shows that the connection stays usable.
    for name, expect in ((id[-1], done), ("missing", [*done, 404]), (id[-1], done)):
        answer = catalog.send(case.id, catalog.any_path(case, name), expect=expect)
        equal(len(answer.body), 0, "the length of the body")


@should("iceberg.request.head_like_get.{}", clause="head-like-get", each=HEAD_OPERATIONS, reads=True)
def test_head_is_like_get(catalog: IcebergCatalog, case: Operation) -> None:
    """{} returns 404 exactly when GET on the same path does, and the same headers as GET."""
    id = catalog.new_view() if case.id == "viewExists" else catalog.new_table()
    known = catalog.client.document.operations.values()
    get = next(other for other in known if other.method == "GET" and other.path == case.path)
    there = catalog.any_path(case, id[-1])
    for path in (there, {**there, **catalog.namespace_path(catalog.missing_namespace())}):
        before = catalog.send(get.id, path, expect=(200, 404))
        head = catalog.send(case.id, path, expect=(200, 204, 404))  # 204 is due by another requirement
        after = catalog.send(get.id, path, expect=(200, 404))
        agree = (head.status == 404) == (after.status == 404)
        holds(agree, f"HEAD, which answers {head.status}, finds what GET finds, which answers {after.status}")
        for header in ABOUT_BODIES if head.status == after.status else ABOUT_STATES:
            if head.header(header) and before.header(header) == after.header(header):
                equal(head.header(header), after.header(header), f"the {header} of HEAD")


@must("iceberg.request.success_empty.{}", clause="success-empty", each=EMPTY)
def test_success_without_a_body(catalog: IcebergCatalog, case: Mutation) -> None:
    """A successful {} returns no body."""
    answer = case.prepare(catalog)()
    equal(len(answer.body), 0, "the length of the body")


# Credentials

test_nothing_succeeds_without_credentials = requests.nothing_succeeds_without_credentials.declare(__name__, SECURED)
test_nothing_but_401_without_credentials = requests.nothing_but_401_without_credentials.declare(__name__, SECURED)
test_nothing_is_done_without_credentials = requests.nothing_is_done_without_credentials.declare(__name__, CARRIED_OUT)


@should("iceberg.credentials.config", operations=["getConfig"], clause="unauthorized", kind="auth", reads=True)
def test_configuration_without_credentials(suite: Suite, catalog: IcebergCatalog) -> None:
    """getConfig without credentials, or with wrong ones, returns 200 or 401."""
    require_token(suite)
    for token in (None, *WRONG_BEARERS):
        catalog.send("getConfig", headers={"Authorization": token}, expect=(200, 401))
