"""Concurrent requests that only one client can win: responses to the losers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from conformance.common.bodies import RequestCase
from conformance.common.races import Act, LoserRace, losers_are_refused, same_requests_are_no_failure
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import IcebergClient, change
from conformance.iceberg.operations import OPERATIONS
from conformance.iceberg.support.content import SCHEMA, WIDER, view_body
from conformance.iceberg.support.metadata import Metadata
from conformance.iceberg.support.ordinary import preparation
from conformance.iceberg.support.registrations import registered_before
from conformance.iceberg.support.updates import add_and_use_schema, requirement

Start = Callable[[IcebergCatalog, int], Sequence[Act]]
EXISTS, GONE, MOVED, CONFLICT = (409,), (404,), (404, 409), (409,)


def _all(method: Callable[..., Answer], **arguments: Any) -> Act:
    return partial(method, **arguments, expect=None)


def _create_view(catalog: IcebergCatalog, count: int) -> Sequence[Act]:
    id = catalog.table_id("v")
    catalog.note_views([id])
    return [_all(IcebergClient.create_view, id=id, **view_body(catalog.home))] * count


def _create_table(catalog: IcebergCatalog, count: int) -> Sequence[Act]:
    id = catalog.table_id()
    catalog.note_tables([id])
    return [_all(IcebergClient.create_table, id=id, schema=SCHEMA)] * count


def _create_namespace(catalog: IcebergCatalog, count: int) -> Sequence[Act]:
    id = catalog.namespace_id()
    catalog.note_namespaces([id])
    return [_all(IcebergClient.create_namespace, namespace=id)] * count


def _register(catalog: IcebergCatalog, count: int) -> Sequence[Act]:
    location, id = registered_before(catalog), catalog.table_id()
    return [_all(IcebergClient.register_table, id=id, metadata_location=location)] * count


def _each(method: Callable[..., Answer], new: Callable[[IcebergCatalog], Names], field: str = "id") -> Start:
    return lambda catalog, count: [_all(method, **{field: new(catalog)})] * count


def _rename(operation: str, method: Callable[..., Answer], new: Callable[[IcebergCatalog], Names]) -> Start:
    def start(catalog: IcebergCatalog, count: int) -> Sequence[Act]:
        source, destination = new(catalog), catalog.table_id("new")
        catalog.sandbox.note_renamed(operation, source, destination)
        return [_all(method, source=source, destination=destination)] * count

    return start


def _commit(catalog: IcebergCatalog) -> tuple[Names, list[Metadata], list[Metadata]]:
    """Return a table, and the updates and requirements of a commit that only one client can apply."""
    id = catalog.new_table()
    assumed = [requirement("assert-current-schema-id", current_schema_id=catalog.metadata(id)["current-schema-id"])]
    return id, add_and_use_schema(WIDER), assumed


def _update(catalog: IcebergCatalog, count: int) -> Sequence[Act]:
    id, updates, assumed = _commit(catalog)
    return [_all(IcebergClient.update_table, id=id, updates=updates, requirements=assumed)] * count


def _transaction(catalog: IcebergCatalog, count: int) -> Sequence[Act]:
    return [_all(IcebergClient.commit_transaction, table_changes=[change(*_commit(catalog))])] * count


def _late(operation: str, clause: str, deed: str, start: Start, refusals: Sequence[int]) -> LoserRace:
    answer = " or ".join(map(str, refusals))
    statement = f"When several clients {deed} concurrently, the losing requests return {answer}."
    return LoserRace([operation], clause, statement, f"tried to {deed}", start, refusals)


CASES = {
    "create_namespace": _late(
        "createNamespace", "create-namespace-exists", "create the same namespace", _create_namespace, EXISTS
    ),
    "drop_namespace": _late(
        "dropNamespace",
        "namespace-not-found",
        "drop the same namespace",
        _each(IcebergClient.drop_namespace, IcebergCatalog.new_namespace, "namespace"),
        MOVED,
    ),
    "create_table": _late("createTable", "create-table-exists", "create the same table", _create_table, EXISTS),
    "register_table": _late("registerTable", "register-table-exists", "register the same table", _register, EXISTS),
    "drop_table": _late(
        "dropTable",
        "drop-table-not-found",
        "drop the same table",
        _each(IcebergClient.drop_table, IcebergCatalog.new_table),
        GONE,
    ),
    "unregister_table": _late(
        "unregisterTable",
        "unregister-table-not-found",
        "unregister the same table",
        _each(IcebergClient.unregister_table, IcebergCatalog.new_table),
        GONE,
    ),
    "rename_table": _late(
        "renameTable",
        "rename-table-source",
        "give the same table the same new name",
        _rename("renameTable", IcebergClient.rename_table, IcebergCatalog.new_table),
        MOVED,
    ),
    "update_table": _late("updateTable", "commit-requirements", "make the same commit", _update, CONFLICT),
    "commit_transaction": _late(
        "commitTransaction", "commit-requirements", "make the same transaction", _transaction, CONFLICT
    ),
    "create_view": _late("createView", "create-view-exists", "create the same view", _create_view, EXISTS),
    "drop_view": _late(
        "dropView",
        "drop-view-not-found",
        "drop the same view",
        _each(IcebergClient.drop_view, IcebergCatalog.new_view),
        GONE,
    ),
    "rename_view": _late(
        "renameView",
        "rename-view-source",
        "give the same view the same new name",
        _rename("renameView", IcebergClient.rename_view, IcebergCatalog.new_view),
        MOVED,
    ),
}
test_losers_are_refused = losers_are_refused.declare(__name__, CASES)


# Requests that may succeed for every client: only a failure of the server is wrong.

SAME = {
    name: RequestCase(OPERATIONS[name], preparation(OPERATIONS[name]))
    for name in ("update_properties", "replace_view", "register_view")
}
test_same_requests_are_no_failure = same_requests_are_no_failure.declare(__name__, SAME)
