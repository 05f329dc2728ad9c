"""Operations without a row in the model on a table or namespace that was dropped, or under a former name of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.requirement import must
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.model.kinds import NO_NAMESPACE, NO_TABLE
from conformance.iceberg.support.assertions import type_is
from conformance.iceberg.support.content import REPORTS

Send = Callable[..., Answer]
of = IcebergCatalog


@dataclass(frozen=True, slots=True)
class Use:
    """Operation on an object. `send` takes the catalog, the object and `expect`.

    `new` and `drop` create the object and drop it; `type` is the type of the error when it is missing.
    """

    id: str
    clause: str
    send: Send
    new: Callable[[IcebergCatalog], Names] = of.new_table
    drop: Send = of.drop_table
    type: str = NO_TABLE

    def refused(self, catalog: IcebergCatalog, id: Names) -> None:
        """Check that the operation finds no object."""
        type_is(self.send(catalog, id, expect=404), self.type)


def _of_namespace(operation: str, clause: str, send: Send) -> Use:
    return Use(operation, clause, send, of.new_namespace, of.drop_namespace, NO_NAMESPACE)


def _report(catalog: IcebergCatalog, id: Names, **options: Any) -> Answer:
    return catalog.report_metrics(id, **REPORTS["scan"], **options)


NAMED = {
    "load_credentials": Use("loadCredentials", "load-credentials-not-found", of.load_credentials),
    "report_metrics": Use("reportMetrics", "report-metrics-not-found", _report),
    "plan_table_scan": Use("planTableScan", "plan-not-found", of.plan_table_scan),
}
DROPPED = {
    **NAMED,
    "list_namespaces": _of_namespace("listNamespaces", "list-namespaces-not-found", of.list_namespaces),
    "list_views": _of_namespace("listViews", "list-not-found", of.list_views),
}


@must("iceberg.gone.dropped.{}", clause=lambda case: case.clause, kind="error", each=DROPPED)
def test_dropped_is_not_found(catalog: IcebergCatalog, case: Use) -> None:
    """{} on an object that was dropped returns 404, also where the same request succeeded before."""
    id = case.new(catalog)
    catalog.control(lambda: case.send(catalog, id))
    case.drop(catalog, id)
    case.refused(catalog, id)


@must("iceberg.gone.renamed.{}", clause=lambda case: case.clause, kind="error", each=NAMED)
def test_former_name_is_not_found(catalog: IcebergCatalog, case: Use) -> None:
    """{} under the former name of a renamed object returns 404, and the object stays under its new name."""
    id, other = case.new(catalog), catalog.table_id("renamed")
    catalog.control(lambda: case.send(catalog, id))
    with catalog.client.preparing():
        catalog.rename_table(id, other)
    case.refused(catalog, id)
    catalog.load_table(other)
