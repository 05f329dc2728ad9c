"""Names that are alike: one is the beginning of another, or matches it as a pattern of a database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import create_namespace
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.iceberg.support.listing import items_of

ALIKE = {"alike": "alike2", "alike_name": "alikexname"}  # a name, and an existing one that is like it


@dataclass(frozen=True, slots=True)
class Found:
    """An operation that finds something by its name: its clause, what it finds, and the request on an id."""

    id: str
    clause: str
    kind: Named
    send: Callable[..., Answer]


@dataclass(frozen=True, slots=True)
class Named:
    """Things with names: the operation that creates one, its clause, and the methods of the catalog.

    `id` is the operation; `name` returns the identifier for a name, `create`, `look` and `drop` send requests on one.
    """

    id: str
    clause: str
    name: Callable[[IcebergCatalog, str], Names]
    create: Callable[[IcebergCatalog, Names], Answer]
    look: Callable[[IcebergCatalog, Names], Answer]
    drop: Callable[[IcebergCatalog, Names], Answer]


def _new_view(catalog: IcebergCatalog, id: Names) -> Answer:
    return catalog.create_view(id, **view_body(catalog.home))


NAMESPACE = Named(
    "createNamespace",
    "create-namespace",
    IcebergCatalog.namespace_id,
    create_namespace,
    lambda catalog, id: catalog.load_namespace_metadata(id),
    lambda catalog, id: catalog.drop_namespace(id),
)
TABLE = Named(
    "createTable",
    "create-table",
    IcebergCatalog.table_id,
    lambda catalog, id: catalog.create_table(id, schema=SCHEMA),
    lambda catalog, id: catalog.load_table(id),
    lambda catalog, id: catalog.drop_table(id),
)
VIEW = Named(
    "createView",
    "create-view",
    IcebergCatalog.table_id,
    _new_view,
    lambda catalog, id: catalog.load_view(id),
    lambda catalog, id: catalog.drop_view(id),
)
NAMED = {"namespace": NAMESPACE, "table": TABLE, "view": VIEW}


def _found(operation: str, clause: str, kind: Named, method: str, **body: Any) -> Found:
    return Found(operation, clause, kind, lambda catalog, id: getattr(catalog, method)(id, **body, expect=404))


FOUND = {
    "namespace_exists": _found("namespaceExists", "namespace-not-found", NAMESPACE, "namespace_exists"),
    "load_namespace": _found("loadNamespaceMetadata", "namespace-not-found", NAMESPACE, "load_namespace_metadata"),
    "update_properties": _found(
        "updateProperties", "namespace-not-found", NAMESPACE, "update_properties", updates={"a": "1"}
    ),
    "drop_namespace": _found("dropNamespace", "namespace-not-found", NAMESPACE, "drop_namespace"),
    "list_namespaces": _found("listNamespaces", "list-namespaces-not-found", NAMESPACE, "list_namespaces"),
    "list_tables": _found("listTables", "list-not-found", NAMESPACE, "list_tables"),
    "list_views": _found("listViews", "list-not-found", NAMESPACE, "list_views"),
}


@must("iceberg.alike.missing.{}", clause=lambda case: case.clause, kind="error", each=FOUND)
def test_alike_name_is_missing(catalog: IcebergCatalog, case: Found) -> None:
    """{} on a missing name returns 404, also if another name begins with it or matches it as a pattern."""
    for missing, existing in ALIKE.items():
        with catalog.client.preparing():
            case.kind.create(catalog, case.kind.name(catalog, existing))
        case.send(catalog, case.kind.name(catalog, missing))


@must("iceberg.alike.create.{}", clause=lambda case: case.clause, each=NAMED)
def test_alike_name_is_free(catalog: IcebergCatalog, case: Named) -> None:
    """{} takes a name that another name begins with or matches as a pattern; dropping it leaves the other."""
    for free, existing in ALIKE.items():
        id, other = case.name(catalog, free), case.name(catalog, existing)
        with catalog.client.preparing():
            case.create(catalog, other)
        case.create(catalog, id)
        case.drop(catalog, id)
        case.look(catalog, other)


@dataclass(frozen=True, slots=True)
class Content:
    """A listing of what is in a namespace: `fetch` lists it, `put` adds an entry, `field` has the entries."""

    id: str
    clause: str
    field: str
    fetch: Callable[[IcebergCatalog, Names], Answer]
    put: Callable[[IcebergCatalog, Names], object]


CONTENT = {
    "list_namespaces": Content(
        "listNamespaces",
        "list-namespaces-children",
        "namespaces",
        lambda catalog, id: catalog.list_namespaces(id),
        lambda catalog, id: catalog.create_namespace((*id, "n")),
    ),
    "list_tables": Content(
        "listTables",
        "list-tables",
        "identifiers",
        lambda catalog, id: catalog.list_tables(id),
        lambda catalog, id: catalog.create_table((*id, "t"), schema=SCHEMA),
    ),
    "list_views": Content(
        "listViews",
        "list-views",
        "identifiers",
        lambda catalog, id: catalog.list_views(id),
        lambda catalog, id: catalog.create_view((*id, "v"), **view_body(id)),
    ),
}


@must("iceberg.alike.content.{}", clause=lambda case: case.clause, each=CONTENT)
def test_alike_namespaces_are_apart(catalog: IcebergCatalog, case: Content) -> None:
    """{} returns nothing of a namespace whose name begins with the listed one or matches it as a pattern."""
    if case.id == "listNamespaces":
        catalog.require_nested()
    for name, other in ALIKE.items():
        with catalog.client.preparing():
            id = catalog.new_namespace(name)
            case.put(catalog, catalog.new_namespace(other))
        equal(items_of(case.fetch(catalog, id), case.field), [], "the entries of the empty namespace")
        with catalog.client.preparing():
            case.put(catalog, id)
        entries = items_of(case.fetch(catalog, id), case.field)
        same_items([entry[:-1] for entry in entries], [id], "the namespaces of the listed entries")
