"""Operations on namespaces, tables and views that do not exist."""

from __future__ import annotations

from collections.abc import Callable

from conformance.common.missing import NOT_FOUND, Absent, Missing, missing_is_refused
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import PLACE_REFUSED, type_is
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.iceberg.support.registrations import registered_before
from conformance.iceberg.support.updates import TOUCH, set_properties


def _type(name: str) -> tuple[str, Callable[[Answer], object]]:
    """Return the words for an error of this type, and the check of its type."""

    def check(refused: Answer) -> None:
        type_is(refused, name)

    return f"with type {name}", check


NAMESPACE = Absent(IcebergCatalog.missing_namespace, *_type("NoSuchNamespaceException"))


def _no_namespace(refused: Answer) -> None:
    """Check the type of a 404; the server may reject the place of the file or the new object first."""
    if refused.status == NOT_FOUND:
        type_is(refused, "NoSuchNamespaceException")


OF_A_FILE = Absent(
    lambda catalog: (*catalog.missing_namespace(), "t"),
    "with type NoSuchNamespaceException, or 400 or 403 for the place of the file",
    _no_namespace,
    lambda _: (NOT_FOUND, *PLACE_REFUSED),
)
IN_NAMESPACE = Absent(lambda catalog: (*catalog.missing_namespace(), "t"), *_type("NoSuchNamespaceException"))
TABLE = Absent(lambda catalog: catalog.table_id("missing"), *_type("NoSuchTableException"))
VIEW = Absent(lambda catalog: catalog.table_id("missing"), *_type("NoSuchViewException"))
MISSING = {
    "commit.missing": Missing(
        "updateTable", "commit-not-found", "Committing to a table", TABLE, lambda _: {"updates": [TOUCH]}
    ),
    "listing.namespaces.missing": Missing(
        "listNamespaces", "list-namespaces-not-found", "Listing the children of a namespace", NAMESPACE
    ),
    "namespace.drop.missing": Missing("dropNamespace", "namespace-not-found", "Dropping a namespace", NAMESPACE),
    "namespace.load.missing": Missing("loadNamespaceMetadata", "namespace-not-found", "Loading a namespace", NAMESPACE),
    "namespace.properties.namespace_missing": Missing(
        "updateProperties",
        "namespace-not-found",
        "Updating properties of a namespace",
        NAMESPACE,
        lambda _: {"updates": {"a": "1"}},
    ),
    "register.table.namespace_missing": Missing(
        "registerTable",
        "register-table-no-namespace",
        "Registering a table in a namespace",
        OF_A_FILE,
        lambda catalog: {"metadata_location": registered_before(catalog)},
    ),
    "table.create.namespace_missing": Missing(
        "createTable",
        "create-table-no-namespace",
        "Creating a table in a namespace",
        IN_NAMESPACE,
        lambda _: {"schema": SCHEMA},
    ),
    "table.drop.missing": Missing("dropTable", "drop-table-not-found", "Dropping a table", TABLE),
    "table.load.missing": Missing("loadTable", "load-table-not-found", "Loading a table", TABLE),
    "table.rename.missing": Missing(
        "renameTable",
        "rename-table-source",
        "Renaming a table",
        TABLE,
        lambda catalog: {"destination": catalog.table_id("new")},
        lambda catalog: catalog.rename_table(catalog.new_table(), catalog.table_id("renamed")),
    ),
    "unregister.missing": Missing("unregisterTable", "unregister-table-not-found", "Unregistering a table", TABLE),
    "view.commit.missing": Missing(
        "replaceView",
        "replace-view-not-found",
        "Committing to a view",
        VIEW,
        lambda _: {"updates": [set_properties(a="1")]},
    ),
    "view.create.namespace_missing": Missing(
        "createView",
        "create-view-no-namespace",
        "Creating a view in a namespace",
        IN_NAMESPACE,
        lambda catalog: view_body(catalog.missing_namespace()),
    ),
    "view.drop.missing": Missing("dropView", "drop-view-not-found", "Dropping a view", VIEW),
    "view.load.missing": Missing("loadView", "load-view-not-found", "Loading a view", VIEW),
    "view.rename.missing": Missing(
        "renameView",
        "rename-view-source",
        "Renaming a view",
        VIEW,
        lambda catalog: {"destination": catalog.table_id("new")},
    ),
}
test_missing_is_refused = missing_is_refused.declare(__name__, MISSING)
