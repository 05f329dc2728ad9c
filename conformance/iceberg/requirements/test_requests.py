"""Requests of any operation: broken bodies, unknown fields, media types, credentials, paths that are none."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from conformance.checks import equal
from conformance.client import Encoded
from conformance.exchange import Exchange
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.operations import HEAD_OPERATIONS, JSON_OPERATIONS, OPERATIONS, subject
from conformance.iceberg.support.content import SCHEMA
from conformance.iceberg.support.idempotency import MUTATIONS, Mutation
from conformance.iceberg.support.metadata import properties_of
from conformance.iceberg.support.updates import TOUCH
from conformance.outcomes import Unoffered, Violation
from conformance.requirement import given, must, should
from conformance.suite import Suite
from specs.openapi import JSON_TYPE, Operation

BROKEN = {"cut": b'{"name": "t", ', "no_json": b"name=t", "invalid_utf8": b'{"name": "\xff"}'}
SECURED = {name: one for name, one in OPERATIONS.items() if one.id not in ("getToken", "getConfig")}
# Operations that are about something with a name, and have no body that could be wrong.
NAMING = {name: one for name, one in OPERATIONS.items() if "{namespace}" in one.path and one.request is None}
BAD_BEARERS = ("Bearer wrong", "Bearer ", "Basic eDp5", "nonsense")


def _path(catalog: IcebergCatalog, operation: Operation, name: str) -> dict[str, str]:
    """Return path values for an operation on things of this name in the example's home."""
    names = [one.name for one in operation.parameters if one.location == "path" and one.name != "prefix"]
    home = catalog.namespace_path(catalog.home)
    return {one: home["namespace"] if one == "namespace" else name for one in names}


@must("iceberg.request.broken_json.{}", operations=subject, clause="bad-json", kind="error", each=JSON_OPERATIONS)
@given(body=st.sampled_from(list(BROKEN.values())))
def test_body_that_is_no_json(catalog: IcebergCatalog, case: Operation, body: bytes) -> None:
    """{} refuses a body that is not JSON with 400, whether what it is about is there or not."""
    catalog.send(case.id, _path(catalog, case, catalog.new_table()[-1]), body, expect=(400, 404))


@must("iceberg.request.no_object.{}", operations=subject, clause="bad-body", kind="error", each=JSON_OPERATIONS)
@given(body=st.sampled_from([b"[]", b'"text"', b"null", b"7"]))
def test_body_that_is_no_object(catalog: IcebergCatalog, case: Operation, body: bytes) -> None:
    """{} refuses a body that is JSON but no object with 400."""
    catalog.send(case.id, _path(catalog, case, catalog.new_table()[-1]), body, expect=(400, 404))


UNKNOWN: dict[str, Any] = {"x-from-the-future": {"a": [1, None]}}


@should(
    "iceberg.request.unknown_fields",
    operations=["createNamespace", "createTable", "updateTable"],
    clause="open-requests",
)
def test_unknown_fields(catalog: IcebergCatalog) -> None:
    """Fields of a body that a server does not know are no error."""
    catalog.create_namespace(catalog.namespace_id(), **UNKNOWN)
    id = catalog.table_id()
    catalog.create_table(id, schema=SCHEMA, **UNKNOWN)
    catalog.update_table(id, [{**TOUCH, **UNKNOWN}], **UNKNOWN)
    equal(properties_of(catalog.metadata(id)).get("touched"), "1", "the property that the commit set")


@should("iceberg.request.unknown_query", operations=["loadTable", "listTables"], clause="open-requests")
def test_unknown_query_parameters(catalog: IcebergCatalog) -> None:
    """Query parameters and headers that a server does not know are no error."""
    id = catalog.new_table()
    catalog.load_table(id, something_new="1", _headers={"X-Something-New": "1"})
    catalog.list_tables(catalog.home, somethingNew="1")


@should("iceberg.request.media_type", operations=["createTable"], clause="media-type", kind="error")
def test_other_media_type(catalog: IcebergCatalog) -> None:
    """A body of another media type than JSON is refused with a 4xx status."""
    path = catalog.namespace_path(catalog.home)
    body = b"<table><name>t</name></table>"
    catalog.send("createTable", path, body, content_type="application/xml", expect=(400, 406, 415, 422))


@should("iceberg.request.charset", operations=["createTable", "createNamespace"], clause="media-type")
@given(kind=st.sampled_from([f"{JSON_TYPE}; charset=utf-8", f"{JSON_TYPE};charset=UTF-8", "Application/JSON"]))
def test_parameters_of_the_media_type(catalog: IcebergCatalog, kind: str) -> None:
    """A charset beside the media type, and its spelling, make no difference."""
    id = catalog.table_id()
    body = {"name": id[-1], "schema": SCHEMA}
    catalog.note_tables([id])
    catalog.send("createTable", catalog.namespace_path(id[:-1]), body, content_type=kind)


@should("iceberg.request.unknown_path", operations=["listNamespaces"], clause="unknown-route", kind="error")
def test_path_that_is_none(suite: Suite, catalog: IcebergCatalog) -> None:
    """A path that the interface does not know is refused with a 4xx status and a proper error body."""
    catalog.list_namespaces()
    exchange = suite.client.get_raw("/v1/lakeproof/asks/where/nothing/is")
    suite.client.touch(exchange, "status")
    if not 400 <= exchange.status < 500:
        raise Violation(f"the status is {exchange.status}", "status")
    suite.client.touch(exchange, "body:")
    if b'"error"' not in exchange.response_body or JSON_TYPE not in exchange.response_headers.get("Content-Type", ""):
        raise Violation("the body is no error of the catalog", "body:")


@should("iceberg.request.bad_parameter", operations=["dropTable"], clause="bad-parameter", kind="error")
def test_flag_that_is_none(catalog: IcebergCatalog) -> None:
    """A flag that is neither true nor false is refused with 400, and the table stays."""
    id = catalog.new_table()
    catalog.drop_table(id, purgeRequested="perhaps", expect=400)
    catalog.load_table(id)


@should("iceberg.request.path_no_text.{}", operations=subject, clause="bad-path", kind="error", each=NAMING)
def test_path_that_is_no_text(catalog: IcebergCatalog, case: Operation) -> None:
    """{} refuses names whose bytes are no UTF-8 with 400 or 404."""
    path = _path(catalog, case, catalog.new_table()[-1])
    for name in path:
        catalog.send(case.id, {**path, name: Encoded(f"{catalog.target.prefix}%FF")}, expect=(400, 404))


# What has no body

# Mutations that answer without a body.
EMPTY = {name: one for name, one in MUTATIONS.items() if name.startswith(("drop", "rename", "commit"))}


@must("iceberg.request.head.{}", operations=subject, clause="head-empty", each=HEAD_OPERATIONS)
def test_head_has_no_body(suite: Suite, catalog: IcebergCatalog, case: Operation) -> None:
    """The answers of {} have no body, so that the connection serves for the next request."""
    id = catalog.new_view() if case.id == "viewExists" else catalog.new_table()
    for name in (id[-1], "missing"):
        path = _path(catalog, case, name)
        answer = catalog.send(case.id, path, expect=(*catalog.successes(case.id), 404))
        equal(len(answer.body), 0, "the length of the body")
    catalog.list_tables(catalog.home)


@must("iceberg.request.success_empty.{}", operations=lambda one: [one.id], clause="success-empty", each=EMPTY)
def test_success_without_a_body(catalog: IcebergCatalog, case: Mutation) -> None:
    """Success of {} comes without a body."""
    answer = case.prepare(catalog)()
    equal(len(answer.body), 0, "the length of the body")


# Credentials


def _bare(
    suite: Suite, catalog: IcebergCatalog, operation: Operation, token: str | None, *, expect: int | None = None
) -> Exchange:
    """Send an operation with other credentials than the run's, or none, and return the exchange."""
    body = b"{}" if operation.request is not None else None
    path = _path(catalog, operation, "t")
    catalog.send(operation.id, path, body, headers={"Authorization": token}, expect=expect)
    return suite.client.steps[-1]


@must(
    "iceberg.credentials.no_success.{}",
    operations=subject,
    clause="unauthorized-is-no-success",
    kind="auth",
    each=SECURED,
)
def test_without_credentials_nothing_succeeds(suite: Suite, catalog: IcebergCatalog, case: Operation) -> None:
    """Without credentials, or with wrong ones, {} never succeeds."""
    _require_token(suite)
    for token in (None, *BAD_BEARERS):
        exchange = _bare(suite, catalog, case, token)
        suite.client.touch(exchange, "status")
        if not 400 <= exchange.status < 500:
            raise Violation(f"{case.id} without proper credentials: {exchange.status or exchange.failure}", "status")


@should("iceberg.credentials.status.{}", operations=subject, clause="unauthorized", kind="auth", each=SECURED)
def test_status_without_credentials(suite: Suite, catalog: IcebergCatalog, case: Operation) -> None:
    """Without credentials, or with wrong ones, {} is refused with 401."""
    _require_token(suite)
    for token in (None, *BAD_BEARERS):
        _bare(suite, catalog, case, token, expect=401)


@should("iceberg.credentials.config", operations=["getConfig"], clause="unauthorized", kind="auth")
def test_configuration_without_credentials(suite: Suite, catalog: IcebergCatalog) -> None:
    """Without credentials, or with wrong ones, the configuration is shown, or refused with 401."""
    _require_token(suite)
    for token in (None, *BAD_BEARERS):
        catalog.send("getConfig", headers={"Authorization": token}, expect=(200, 401))


def _require_token(suite: Suite) -> None:
    if not (suite.settings.token or suite.settings.credential):
        raise Unoffered("the run has no token: the server may want none")
