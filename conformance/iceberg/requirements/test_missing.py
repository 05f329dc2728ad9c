"""Operations on namespaces, tables and views that do not exist."""

from __future__ import annotations

from collections.abc import Callable

from conformance.common.missing import Absent, Missing, missing_is_refused
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import type_is


def _type(name: str) -> tuple[str, Callable[[Answer], object]]:
    """Return the words for an error of this type, and the check of its type."""

    def check(refused: Answer) -> None:
        type_is(refused, name)

    return f"with type {name}", check


NAMESPACE = Absent(IcebergCatalog.missing_namespace, *_type("NoSuchNamespaceException"))
TABLE = Absent(lambda catalog: catalog.table_id("missing"), *_type("NoSuchTableException"))
VIEW = Absent(lambda catalog: catalog.table_id("missing"), *_type("NoSuchViewException"))
MISSING = {
    "listing.namespaces.missing": Missing(
        "listNamespaces", "list-namespaces-not-found", "Listing the children of a namespace", NAMESPACE
    ),
    "namespace.load.missing": Missing("loadNamespaceMetadata", "namespace-not-found", "Loading a namespace", NAMESPACE),
    "table.load.missing": Missing("loadTable", "load-table-not-found", "Loading a table", TABLE),
    "view.load.missing": Missing("loadView", "load-view-not-found", "Loading a view", VIEW),
}
test_missing_is_refused = missing_is_refused.declare(__name__, MISSING)
