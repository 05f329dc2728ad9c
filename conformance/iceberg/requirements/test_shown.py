"""Tables, views and namespaces as all operations show them together, whatever way they came or went."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import change
from conformance.iceberg.support.assertions import PLACE_REFUSED, POLICY
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.iceberg.support.listing import items_of, tables_in, views_in
from conformance.iceberg.support.registrations import drop_table, dropped_view
from conformance.iceberg.support.updates import CREATE, creation
from conformance.iceberg.worlds import STATE, VIEW_STATE
from conformance.values.outcomes import Unoffered
from conformance.values.worlds import Pins

CLAUSE = "shown-alike"
OWN_STATES: Pins = dict.fromkeys((STATE, VIEW_STATE), ("new",))  # of objects that come in ways of their own
NO_MOVE = (403, 406)  # rejections of a move into another namespace
Way = Callable[[IcebergCatalog, Names], object]


@dataclass(frozen=True, slots=True)
class Shown:
    """Kind of objects in namespaces, with the operations that show them."""

    name: str
    create: Callable[..., Answer]
    load: Callable[..., Answer]
    exists: Callable[..., Answer]
    drop: Callable[..., Answer]
    rename: Callable[..., Answer]
    listed: Callable[[IcebergCatalog, Names], list[Names]]

    @property
    def operations(self) -> list[str]:
        """The operations that show objects of the kind."""
        return [f"load{self.name.title()}", f"{self.name}Exists", f"list{self.name.title()}s", "dropNamespace"]


def _create_table(catalog: IcebergCatalog, id: Names, **options: Any) -> Answer:
    return catalog.create_table(id, schema=SCHEMA, **options)


def _create_view(catalog: IcebergCatalog, id: Names, **options: Any) -> Answer:
    return catalog.create_view(id, **view_body(id[:-1]), **options)


of = IcebergCatalog
TABLE = Shown("table", _create_table, of.load_table, of.table_exists, of.drop_table, of.rename_table, tables_in)
VIEW = Shown("view", _create_view, of.load_view, of.view_exists, of.drop_view, of.rename_view, views_in)
KINDS = {"table": TABLE, "view": VIEW}


@dataclass(frozen=True, slots=True)
class Passage:
    """Way in which an object comes to a name or goes from it, in words."""

    id: str
    kind: Shown
    go: Way
    by: str

    @property
    def operations(self) -> list[str]:
        """The operations that show the object, and the one by which it came or went."""
        return list(dict.fromkeys([*self.kind.operations, self.by]))


def _staged(catalog: IcebergCatalog, id: Names) -> Any:
    with catalog.client.preparing():
        return _create_table(catalog, id, stage_create=True)["metadata"]


def _commit_staged(catalog: IcebergCatalog, id: Names) -> None:
    catalog.update_table(id, creation(_staged(catalog, id)), [CREATE])


def _commit_all(catalog: IcebergCatalog, id: Names) -> None:
    created = change(id, creation(_staged(catalog, id)), [CREATE])
    if not catalog.commit_transaction([created], expect=(204, 404, *POLICY)).succeeded:  # 404: it must exist before
        raise Unoffered("the server creates no tables in transactions")


def _register_table(catalog: IcebergCatalog, id: Names) -> None:
    with catalog.client.preparing():
        _create_table(catalog, id)
    catalog.register_table(id, metadata_location=drop_table(catalog, id))


def _register_view(catalog: IcebergCatalog, id: Names) -> None:
    location, _ = dropped_view(catalog)
    if not catalog.register_view(id, metadata_location=location, expect=(200, *PLACE_REFUSED)).succeeded:
        raise Unoffered("the server registers no file that lies elsewhere")


def _recreate(kind: Shown, catalog: IcebergCatalog, id: Names) -> None:
    with catalog.client.preparing():
        kind.create(catalog, id)
        kind.drop(catalog, id)
    kind.create(catalog, id)


def _rename_here(kind: Shown, catalog: IcebergCatalog, id: Names) -> None:
    former = (*id[:-1], "former")
    with catalog.client.preparing():
        kind.create(catalog, former)
    kind.rename(catalog, former, id)


def _moved(kind: Shown, catalog: IcebergCatalog, source: Names, destination: Names) -> None:
    """Create an object and rename it into another namespace. Raises Unoffered where the server moves nothing."""
    with catalog.client.preparing():
        kind.create(catalog, source)
    if not kind.rename(catalog, source, destination, expect=(204, *NO_MOVE)).succeeded:
        raise Unoffered(f"the server moves no {kind.name} into another namespace")


def _move_here(kind: Shown, catalog: IcebergCatalog, id: Names) -> None:
    _moved(kind, catalog, catalog.table_id("former"), id)


def _move_away(kind: Shown, catalog: IcebergCatalog, id: Names) -> None:
    _moved(kind, catalog, id, catalog.table_id("later"))


def _drop(kind: Shown, catalog: IcebergCatalog, id: Names) -> None:
    with catalog.client.preparing():
        kind.create(catalog, id)
    kind.drop(catalog, id)


def _unregister(catalog: IcebergCatalog, id: Names) -> None:
    with catalog.client.preparing():
        _create_table(catalog, id)
    catalog.unregister_table(id)


def _both(name: str, words: str, go: Callable[[Shown, IcebergCatalog, Names], object], by: str) -> dict[str, Passage]:
    """Return the same way for tables and for views."""
    return {
        f"{kind.name}.{name}": Passage(
            f"{kind.name} that was {words}", kind, partial(go, kind), by.format(kind.name.title())
        )
        for kind in KINDS.values()
    }


COMING = {
    **_both("created", "created", lambda kind, catalog, id: kind.create(catalog, id), "create{}"),
    **_both("recreated", "created again after a drop", _recreate, "create{}"),
    **_both("renamed", "renamed", _rename_here, "rename{}"),
    **_both("moved", "renamed into another namespace", _move_here, "rename{}"),
    "table.staged": Passage("table that was staged and committed", TABLE, _commit_staged, "updateTable"),
    "table.transaction": Passage("table that a transaction created", TABLE, _commit_all, "commitTransaction"),
    "table.registered": Passage("table that was registered", TABLE, _register_table, "registerTable"),
    "view.registered": Passage("view that was registered", VIEW, _register_view, "registerView"),
}
GOING = {
    **_both("dropped", "dropped", _drop, "drop{}"),
    **_both("moved", "renamed into another namespace", _move_away, "rename{}"),
    "table.unregistered": Passage("table that was unregistered", TABLE, _unregister, "unregisterTable"),
    "table.staged": Passage("table that was staged and never committed", TABLE, _staged, "createTable"),
}


@must("iceberg.shown.{}", clause=CLAUSE, each=COMING, world=OWN_STATES)
def test_everything_shows_it(catalog: IcebergCatalog, case: Passage) -> None:
    """A {} loads, exists, is listed once in full, keeps its name from others and its namespace from being dropped."""
    kind, namespace = case.kind, catalog.new_namespace()
    id = (*namespace, catalog.named("it"))
    case.go(catalog, id)
    kind.load(catalog, id)
    kind.exists(catalog, id)
    same_items(kind.listed(catalog, namespace), [id], f"the listed {kind.name}s")
    for other in KINDS.values():
        if not catalog.client.lacks(f"create{other.name.title()}"):
            other.create(catalog, id, expect=409)
    catalog.drop_namespace(namespace, expect=409)
    kind.load(catalog, id)


@must("iceberg.hidden.{}", clause=CLAUSE, each=GOING, world=OWN_STATES)
def test_nothing_shows_it(catalog: IcebergCatalog, case: Passage) -> None:
    """A {} neither loads nor exists, is not listed, leaves its name to others and its namespace to be dropped."""
    kind, namespace = case.kind, catalog.new_namespace()
    id = (*namespace, catalog.named("it"))
    case.go(catalog, id)
    kind.load(catalog, id, expect=404)
    kind.exists(catalog, id, expect=404)
    equal(kind.listed(catalog, namespace), [], f"the listed {kind.name}s")
    other = VIEW if kind is TABLE and not catalog.client.lacks("createView") else TABLE
    other.create(catalog, id)
    other.drop(catalog, id)
    catalog.drop_namespace(namespace)
    catalog.namespace_exists(namespace, expect=404)


DEEP = ("createNamespace", "loadNamespaceMetadata", "namespaceExists", "listNamespaces", "dropNamespace")


@must("iceberg.shown.namespace", operations=DEEP, clause=CLAUSE)
def test_everything_shows_a_namespace(catalog: IcebergCatalog) -> None:
    """A nested namespace loads, exists, is listed once in full and keeps its parent from being dropped.

    Once it is dropped, none of these shows it.
    """
    catalog.require_nested()
    parent = catalog.new_namespace()
    child = (*parent, "child")
    for _ in range(2):  # once more after it was dropped
        catalog.create_namespace(child)
        equal(catalog.load_namespace_metadata(child)["namespace"], list(child), "the levels of the namespace")
        catalog.namespace_exists(child)
        same_items(items_of(catalog.list_namespaces(parent), "namespaces"), [child], "the listed namespaces")
        catalog.drop_namespace(parent, expect=409)
        catalog.drop_namespace(child)
        catalog.namespace_exists(child, expect=404)
        equal(items_of(catalog.list_namespaces(parent), "namespaces"), [], "the listed namespaces after the drop")
    catalog.drop_namespace(parent)
