"""Every operation on a table, view or namespace after it was dropped, and under the former name of a renamed one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.requirement import must
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import type_is
from conformance.iceberg.support.content import REPORTS
from conformance.iceberg.support.updates import set_properties

NO_TABLE, NO_VIEW, NO_NAMESPACE = "NoSuchTableException", "NoSuchViewException", "NoSuchNamespaceException"
Send = Callable[..., Answer]
of = IcebergCatalog


@dataclass(frozen=True, slots=True)
class Use:
    """Operation on an object. `send` takes the catalog, the object and `expect`.

    `before` uses the object while it exists, by sending the same request unless another function is given.
    `new`, `drop` and `rename` create the object, drop it and rename it, where it can be; `type` is the type of the
    error when it is missing.
    """

    id: str
    clause: str
    send: Send
    before: Callable[[IcebergCatalog, Names], object] | None
    new: Callable[[IcebergCatalog], Names]
    drop: Send
    rename: Send
    type: str

    def reach(self, catalog: IcebergCatalog, id: Names) -> None:
        """Use the existing object. Raises Blocked when that fails."""
        catalog.control(lambda: (self.before or self.send)(catalog, id))


def _not_before(catalog: IcebergCatalog, id: Names) -> None:
    """Send nothing: the request would remove the object."""


def _of_table(operation: str, clause: str, send: Send, before: Any = None) -> Use:
    return Use(operation, clause, send, before, of.new_table, of.drop_table, of.rename_table, NO_TABLE)


def _of_view(operation: str, clause: str, send: Send, before: Any = None) -> Use:
    return Use(operation, clause, send, before, of.new_view, of.drop_view, of.rename_view, NO_VIEW)


def _of_namespace(operation: str, clause: str, send: Send, before: Any = None) -> Use:
    return Use(operation, clause, send, before, of.new_namespace, of.drop_namespace, of.drop_namespace, NO_NAMESPACE)


def _commit(catalog: IcebergCatalog, id: Names, **options: Any) -> Answer:
    return catalog.update_table(id, [set_properties(n="1")], **options)


def _replace(catalog: IcebergCatalog, id: Names, **options: Any) -> Answer:
    return catalog.replace_view(id, [set_properties(n="1")], **options)


def _report(catalog: IcebergCatalog, id: Names, **options: Any) -> Answer:
    return catalog.report_metrics(id, **REPORTS["scan"], **options)


def _rename_table(catalog: IcebergCatalog, id: Names, **options: Any) -> Answer:
    return catalog.rename_table(id, catalog.table_id("elsewhere"), **options)


def _rename_view(catalog: IcebergCatalog, id: Names, **options: Any) -> Answer:
    return catalog.rename_view(id, catalog.table_id("elsewhere"), **options)


def _table_and_back(catalog: IcebergCatalog, id: Names) -> None:
    _rename_table(catalog, id)
    catalog.rename_table(catalog.table_id("elsewhere"), id)


def _view_and_back(catalog: IcebergCatalog, id: Names) -> None:
    _rename_view(catalog, id)
    catalog.rename_view(catalog.table_id("elsewhere"), id)


NAMED = {
    "load_table": _of_table("loadTable", "load-table-not-found", of.load_table),
    "table_exists": _of_table("tableExists", "table-exists", of.table_exists),
    "update_table": _of_table("updateTable", "commit-not-found", _commit),
    "rename_table": _of_table("renameTable", "rename-table-source", _rename_table, _table_and_back),
    "drop_table": _of_table("dropTable", "drop-table-not-found", of.drop_table, _not_before),
    "unregister_table": _of_table("unregisterTable", "unregister-table-not-found", of.unregister_table, _not_before),
    "load_credentials": _of_table("loadCredentials", "load-credentials-not-found", of.load_credentials),
    "report_metrics": _of_table("reportMetrics", "report-metrics-not-found", _report),
    "plan_table_scan": _of_table("planTableScan", "plan-not-found", of.plan_table_scan),
    "load_view": _of_view("loadView", "load-view-not-found", of.load_view),
    "view_exists": _of_view("viewExists", "view-exists", of.view_exists),
    "replace_view": _of_view("replaceView", "replace-view-not-found", _replace),
    "rename_view": _of_view("renameView", "rename-view-source", _rename_view, _view_and_back),
    "drop_view": _of_view("dropView", "drop-view-not-found", of.drop_view, _not_before),
}
SPACES = {
    "load_namespace": _of_namespace("loadNamespaceMetadata", "namespace-not-found", of.load_namespace_metadata),
    "namespace_exists": _of_namespace("namespaceExists", "namespace-exists", of.namespace_exists),
    "list_namespaces": _of_namespace("listNamespaces", "list-namespaces-not-found", of.list_namespaces),
    "list_tables": _of_namespace("listTables", "list-not-found", of.list_tables),
    "list_views": _of_namespace("listViews", "list-not-found", of.list_views),
}
# Those of the model of the catalog (model/) are refused there, after they succeeded, on what was dropped.
SHOWING = (
    "load_table",
    "table_exists",
    "load_credentials",
    "report_metrics",
    "plan_table_scan",
    "load_view",
    "view_exists",
)
DROPPED = {name: use for name, use in NAMED.items() if name in SHOWING} | SPACES
HEAD = ("tableExists", "viewExists", "namespaceExists")  # their responses have no body


def _missing(catalog: IcebergCatalog, case: Use, id: Names) -> None:
    """Check that an operation finds no object."""
    refused = case.send(catalog, id, expect=404)
    if case.id not in HEAD:
        type_is(refused, case.type)


@must("iceberg.gone.dropped.{}", clause=lambda case: case.clause, kind="error", each=DROPPED)
def test_dropped_is_not_found(catalog: IcebergCatalog, case: Use) -> None:
    """{} on an object that was dropped returns 404, also where the same request succeeded before."""
    id = case.new(catalog)
    case.reach(catalog, id)
    case.drop(catalog, id)
    _missing(catalog, case, id)


@must("iceberg.gone.renamed.{}", clause=lambda case: case.clause, kind="error", each=NAMED)
def test_former_name_is_not_found(catalog: IcebergCatalog, case: Use) -> None:
    """{} under the former name of a renamed object returns 404, and the object stays under its new name."""
    id, other = case.new(catalog), catalog.table_id("renamed")
    case.reach(catalog, id)
    with catalog.client.preparing():
        case.rename(catalog, id, other)
    _missing(catalog, case, id)
    look = catalog.load_view if case.type == NO_VIEW else catalog.load_table
    look(other)
