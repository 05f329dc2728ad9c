"""Namespaces of several levels: missing parents, listed identifiers, and pages with objects of other kinds between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.author.checks import same_items
from conformance.author.requirement import must
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import type_is
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.iceberg.support.listing import LISTINGS, IcebergListing, namespaces_below
from conformance.iceberg.support.updates import TOUCH
from conformance.values.outcomes import Unoffered

NO_NAMESPACE, NO_TABLE, NO_VIEW = "NoSuchNamespaceException", "NoSuchTableException", "NoSuchViewException"


@dataclass(frozen=True, slots=True)
class Lost:
    """Operation on a namespace, or on an object in it, and the types of errors when the namespace is missing."""

    id: str
    clause: str
    send: Callable[..., Answer]
    types: tuple[str, ...]


def _space(operation: str, clause: str, send: Callable[..., Answer]) -> Lost:
    return Lost(operation, clause, send, (NO_NAMESPACE,))


def _inner(operation: str, clause: str, send: Callable[..., Answer], type: str) -> Lost:
    """Return the operation on an object in the namespace: the error may name either of them."""
    return Lost(operation, clause, lambda catalog, id, **rest: send(catalog, (*id, "t"), **rest), (NO_NAMESPACE, type))


of = IcebergCatalog
LOST = {
    "load_namespace": _space("loadNamespaceMetadata", "namespace-not-found", of.load_namespace_metadata),
    "namespace_exists": _space("namespaceExists", "namespace-exists", of.namespace_exists),
    "drop_namespace": _space("dropNamespace", "namespace-not-found", of.drop_namespace),
    "update_properties": _space(
        "updateProperties",
        "namespace-not-found",
        lambda catalog, id, **rest: catalog.update_properties(id, updates={"a": "1"}, **rest),
    ),
    "list_namespaces": _space("listNamespaces", "list-namespaces-not-found", of.list_namespaces),
    "list_tables": _space("listTables", "list-not-found", of.list_tables),
    "list_views": _space("listViews", "list-not-found", of.list_views),
    "create_table": _space(
        "createTable",
        "create-table-no-namespace",
        lambda catalog, id, **rest: catalog.create_table((*id, "t"), schema=SCHEMA, **rest),
    ),
    "stage_table": _space(
        "createTable",
        "create-table-no-namespace",
        lambda catalog, id, **rest: catalog.create_table((*id, "t"), schema=SCHEMA, stage_create=True, **rest),
    ),
    "create_view": _space(
        "createView",
        "create-view-no-namespace",
        lambda catalog, id, **rest: catalog.create_view((*id, "t"), **view_body(id), **rest),
    ),
    "load_table": _inner("loadTable", "load-table-not-found", of.load_table, NO_TABLE),
    "table_exists": _inner("tableExists", "table-exists", of.table_exists, NO_TABLE),
    "drop_table": _inner("dropTable", "drop-table-not-found", of.drop_table, NO_TABLE),
    "update_table": _inner(
        "updateTable",
        "commit-not-found",
        lambda catalog, id, **rest: catalog.update_table(id, [TOUCH], **rest),
        NO_TABLE,
    ),
    "load_view": _inner("loadView", "load-view-not-found", of.load_view, NO_VIEW),
    "view_exists": _inner("viewExists", "view-exists", of.view_exists, NO_VIEW),
    "drop_view": _inner("dropView", "drop-view-not-found", of.drop_view, NO_VIEW),
    "replace_view": _inner(
        "replaceView",
        "replace-view-not-found",
        lambda catalog, id, **rest: catalog.replace_view(id, [TOUCH], **rest),
        NO_VIEW,
    ),
}


@must("iceberg.levels.missing.{}", clause=lambda case: case.clause, kind="error", each=LOST, reads=True)
def test_missing_levels(catalog: IcebergCatalog, case: Lost) -> None:
    """{} returns 404 for a namespace whose last level is missing, and for one whose last two levels are missing."""
    catalog.require_nested()
    missing = catalog.table_id("missing")
    for id in (missing, (*missing, "deeper")):
        refused = case.send(catalog, id, expect=404)
        if "Exists" not in case.id:
            type_is(refused, *case.types)


@must("iceberg.namespace.create.levels", operations=["createNamespace"], clause="create-namespace-levels")
def test_parents_are_there(catalog: IcebergCatalog) -> None:
    """createNamespace below two missing levels returns 4xx and creates none, or creates all three, listed in order."""
    catalog.require_nested()
    first = catalog.table_id("first")
    ids: list[Names] = [first, (*first, "second"), (*first, "second", "third")]
    catalog.note_namespaces(ids)
    made = catalog.create_namespace(ids[-1], expect=(200, 400, 403, 404, 406, 409, 422)).succeeded
    for parent, child in zip([catalog.home, *ids[:2]], ids, strict=True):
        if made or parent == catalog.home:
            listed = [id for id in namespaces_below(catalog, parent) if tuple(id) not in catalog.siblings]
            same_items(listed, [child] if made else [], "the listed namespaces")
    for id in ids:
        catalog.load_namespace_metadata(id, expect=200 if made else 404)


@must("iceberg.listing.nested.{}", clause="list-full", each=LISTINGS)
def test_nested_entries_are_listed_in_full(catalog: IcebergCatalog, case: IcebergListing) -> None:
    """{} in a namespace of several levels lists its entries with all levels, at once and in pages."""
    with catalog.deeper():
        for name in ("a", "b", "c"):
            with catalog.client.preparing():
                case.add(catalog, name)
        expected = [catalog.table_id(name) for name in ("a", "b", "c")]
        same_items(case.items(case.fetch(catalog)), expected, "the listed names")
        same_items(
            [entry for page in case.pages(catalog, pageSize=2) for entry in case.items(page)],
            expected,
            "the names on all pages",
        )


MIXED = "abcdef"


@must("iceberg.page.mixed.{}", clause="page-partition", kind="pagination", each=LISTINGS)
def test_pages_with_other_kinds_between(catalog: IcebergCatalog, case: IcebergListing) -> None:
    """The pages of {} contain its entries exactly once where other kinds of objects lie between them by name."""
    case.prepare(catalog)
    others = [listing for listing in LISTINGS.values() if listing is not case and _offered(catalog, listing)]
    if not others:
        raise Unoffered("the server has no other kinds of objects in namespaces")
    for number, name in enumerate(MIXED):
        with catalog.client.preparing():
            (others[number // 2 % len(others)] if number % 2 else case).add(catalog, name)
    expected = [catalog.table_id(name) for name in MIXED[::2]]
    same_items(case.everything(catalog), expected, "the listed names")
    same_items(case.ours(catalog, *case.pages(catalog, pageSize=1)), expected, "the names on all pages")


def _offered(catalog: IcebergCatalog, listing: IcebergListing) -> bool:
    """True when the target can have objects of a listing beside others."""
    if listing.id == "listNamespaces":
        return catalog.nested
    return listing.id == "listTables" or not catalog.client.lacks("createView")
