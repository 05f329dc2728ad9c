"""Lives of tables, views and namespaces, as the operations of each show them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from conformance.author.checks import equal
from conformance.common.lives import GONE, Life, Shown, life
from conformance.http.answers import Answer
from conformance.iceberg.catalog import NO_PROPERTIES, REFUSED_NAME, IcebergCatalog, Names
from conformance.iceberg.client import change
from conformance.iceberg.support.assertions import create_namespace
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.iceberg.support.listing import LISTINGS
from conformance.iceberg.support.updates import set_properties
from conformance.iceberg.worlds import BESIDE, HOME, PLACE, all_but
from conformance.values.outcomes import Unoffered

CLAUSE, NOTE = "shown-alike", "lakeproof.note"
NOTES = ("1", "2")  # of two changes: a server that carries out only the first one has the wrong value
THERE_OR_NOT = (200, 204, 404)
of = IcebergCatalog


def _look(
    kind: str, load: Callable[..., Answer], exists: Callable[..., Answer], catalog: IcebergCatalog, id: Names
) -> Shown:
    loaded = load(catalog, id, expect=THERE_OR_NOT)
    seen: dict[str, Any] = {
        f"load{kind}": _note_of(loaded) if loaded.succeeded else GONE,
        f"list{kind}s": LISTINGS[f"list_{kind.lower()}s"].everything(catalog).count(id),
    }
    if not catalog.client.lacks(f"{kind.lower()}Exists"):
        seen[f"{kind.lower()}Exists"] = exists(catalog, id, expect=THERE_OR_NOT).succeeded
    return seen


def _note_of(loaded: Answer) -> Any:
    return (loaded["metadata"].get("properties") or {}).get(NOTE)


def _shown(kind: str, note: str | None) -> Shown:
    return {f"load{kind}": note, f"list{kind}s": 1, f"{kind.lower()}Exists": True}


def _hidden(kind: str) -> Shown:
    return {f"load{kind}": GONE, f"list{kind}s": 0, f"{kind.lower()}Exists": False}


def _note_table(catalog: IcebergCatalog, id: Names) -> None:
    for value in NOTES:
        catalog.update_table(id, [set_properties(**{NOTE: value})], [])


def _note_view(catalog: IcebergCatalog, id: Names) -> None:
    for value in NOTES:
        catalog.replace_view(id, [set_properties(**{NOTE: value})])


def _new_child(catalog: IcebergCatalog) -> Names:
    """Create a namespace in the home, whose name has the form of the world from its first letter on.

    In a world with a namespace whose name begins alike, it gets such a neighbour first. Raises Unoffered where the
    server rejects it as too deep, or for the letters of the home in this world.
    """
    catalog.require_nested()
    id = catalog.table_id("n")
    if catalog.target.surroundings.world.get(BESIDE) == "prefix":
        with catalog.client.preparing():
            _put_child(catalog, (*id[:-1], f"{id[-1]}x"))
    _put_child(catalog, id)
    return id


def _put_child(catalog: IcebergCatalog, id: Names) -> None:
    world = catalog.target.surroundings.world
    if PLACE in world:
        catalog.new_deep_namespace(id)
    elif HOME not in world:
        create_namespace(catalog, id)
    elif not catalog.create_namespace(id, expect=(200, *REFUSED_NAME)).succeeded:
        raise Unoffered("the server rejects namespaces below a name like that")


def _look_at_namespace(catalog: IcebergCatalog, id: Names) -> Shown:
    loaded = catalog.load_namespace_metadata(id, expect=THERE_OR_NOT)
    seen: dict[str, Any] = {
        "loadNamespaceMetadata": tuple(loaded["namespace"]) == id if loaded.succeeded else GONE,
        "listNamespaces": LISTINGS["list_namespaces"].everything(catalog).count(id),
    }
    if not catalog.client.lacks("namespaceExists"):
        seen["namespaceExists"] = catalog.namespace_exists(id, expect=THERE_OR_NOT).succeeded
    return seen


NAMESPACE_SHOWN: Shown = {"loadNamespaceMetadata": True, "listNamespaces": 1, "namespaceExists": True}
NAMESPACE_HIDDEN: Shown = {"loadNamespaceMetadata": GONE, "listNamespaces": 0, "namespaceExists": False}


def _set(catalog: IcebergCatalog, id: Names, **changes: Any) -> None:
    answer = catalog.update_properties(id, expect=(200, NO_PROPERTIES), **changes)
    if answer.status == NO_PROPERTIES:
        raise Unoffered("the server stores no properties of namespaces")
    equal(answer["updated"], list(changes.get("updates", ())), "updated")
    equal(answer["removed"], list(changes.get("removals", ())), "removed")


def _look_at_properties(catalog: IcebergCatalog, id: Names) -> Shown:
    properties = catalog.load_namespace_metadata(id).get("properties") or {}
    return {"loadNamespaceMetadata": properties.get(NOTE)}


def _existence(kind: str, new: Callable[[IcebergCatalog], Names], exists: Any, drop: Any) -> Life[IcebergCatalog]:
    operation = f"{kind}Exists"
    return Life(
        f"{kind} by its existence",
        CLAUSE,
        (operation,),
        new,
        lambda catalog, id: {operation: exists(catalog, id, expect=THERE_OR_NOT).succeeded},
        {operation: True},
        [(drop, {operation: False})],
    )


def _unregister(catalog: IcebergCatalog, ids: list[Names]) -> None:
    for id in ids:
        catalog.unregister_table(id)


def _look_at_note(catalog: IcebergCatalog, id: Names) -> Shown:
    loaded = catalog.load_table(id, expect=THERE_OR_NOT)
    return {"loadTable": _note_of(loaded) if loaded.succeeded else GONE}


def _note_in_transactions(catalog: IcebergCatalog, id: Names) -> None:
    for value in NOTES:
        catalog.commit_transaction([change(id, [set_properties(**{NOTE: value})], [])])


LIVES: dict[str, Life[IcebergCatalog]] = {
    "table_existence": _existence("table", lambda catalog: catalog.new_table(), of.table_exists, of.drop_table),
    "view_existence": _existence("view", lambda catalog: catalog.new_view(), of.view_exists, of.drop_view),
    "namespace_existence": _existence("namespace", lambda c: c.new_namespace(), of.namespace_exists, of.drop_namespace),
    "unregistered": Life(
        "pair of tables that are unregistered",
        CLAUSE,
        ("unregisterTable",),
        lambda catalog: [catalog.new_table(name) for name in ("t", "v")],  # the names of siblings in another case
        lambda catalog, ids: {"loadTable": sum(catalog.load_table(id, expect=THERE_OR_NOT).succeeded for id in ids)},
        {"loadTable": 2},
        [(_unregister, {"loadTable": 0})],
    ),
    "transactions": Life(
        "table in transactions",
        CLAUSE,
        ("commitTransaction",),
        lambda catalog: catalog.new_table(),
        _look_at_note,
        {"loadTable": None},
        [(_note_in_transactions, {"loadTable": NOTES[-1]})],
    ),
    "table": Life(
        "table",
        CLAUSE,
        ("createTable", "loadTable", "listTables", "updateTable", "dropTable"),
        lambda catalog: catalog.new_table(),
        partial(_look, "Table", of.load_table, of.table_exists),
        _shown("Table", None),
        [
            (_note_table, _shown("Table", NOTES[-1])),
            (of.drop_table, _hidden("Table")),
            (lambda catalog, id: catalog.create_table(id, schema=SCHEMA), _shown("Table", None)),
        ],
    ),
    "view": Life(
        "view",
        CLAUSE,
        ("createView", "loadView", "listViews", "replaceView", "dropView"),
        lambda catalog: catalog.new_view(),
        partial(_look, "View", of.load_view, of.view_exists),
        _shown("View", None),
        [
            (_note_view, _shown("View", NOTES[-1])),
            (of.drop_view, _hidden("View")),
            (lambda catalog, id: catalog.create_view(id, **view_body(id[:-1])), _shown("View", None)),
        ],
        all_but(view=("dialects",)),  # a server may reject a version that drops a dialect
    ),
    "view_kept": Life(
        "view that is not replaced",
        CLAUSE,
        ("loadView", "listViews"),
        lambda catalog: catalog.new_view(),
        partial(_look, "View", of.load_view, of.view_exists),
        _shown("View", None),
        [(of.drop_view, _hidden("View"))],
    ),
    "namespace": Life(
        "namespace",
        CLAUSE,
        ("createNamespace", "loadNamespaceMetadata", "listNamespaces", "dropNamespace"),
        _new_child,
        _look_at_namespace,
        NAMESPACE_SHOWN,
        [(of.drop_namespace, NAMESPACE_HIDDEN), (create_namespace, NAMESPACE_SHOWN)],
    ),
    "properties": Life(
        "property of a namespace",
        CLAUSE,
        ("updateProperties", "loadNamespaceMetadata"),
        lambda catalog: _new_child(catalog) if catalog.nested else catalog.new_namespace(),
        _look_at_properties,
        {"loadNamespaceMetadata": None},
        [
            (partial(_set, updates={NOTE: "1"}), {"loadNamespaceMetadata": "1"}),
            (partial(_set, removals=[NOTE]), {"loadNamespaceMetadata": None}),
        ],
    ),
}

test_life = life.declare(__name__, LIVES)
