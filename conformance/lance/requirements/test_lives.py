"""Lives of tables and namespaces, as the operations of each show them."""

from __future__ import annotations

from typing import Any

from conformance.common.lives import Life, Shown, life
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.forms import OTHER_DELIMITER
from conformance.lance.support.listing import collect, collect_all_tables, collect_namespaces, collect_tables
from conformance.lance.support.views import people
from conformance.lance.worlds import NAMES, PLACE
from specs.lance.identifiers import join_parts

THERE_OR_NOT = (200, 404)


def _offered(catalog: LanceCatalog, seen: dict[str, Any]) -> Shown:
    """Return the views of those operations that the server offers: `seen` has a function for each."""
    return {operation: ask() for operation, ask in seen.items() if not catalog.client.lacks(operation)}


# Tables and namespaces

TABLE_SHOWN: Shown = {"DescribeTable": True, "TableExists": True, "ListTables": 1}
TABLE_GONE: Shown = {"DescribeTable": False, "TableExists": False, "ListTables": 0}
NAMESPACE_SHOWN: Shown = {"DescribeNamespace": True, "NamespaceExists": True, "ListNamespaces": 1}
NAMESPACE_GONE: Shown = {"DescribeNamespace": False, "NamespaceExists": False, "ListNamespaces": 0}


def _look_at_table(catalog: LanceCatalog, id: Names) -> Shown:
    return _offered(
        catalog,
        {
            "DescribeTable": lambda: catalog.describe_table(id, expect=THERE_OR_NOT).succeeded,
            "TableExists": lambda: catalog.table_exists(id, expect=THERE_OR_NOT).succeeded,
            "ListTables": lambda: collect_tables(catalog, id[:-1]).count(id[-1]),
        },
    )


def _look_at_namespace(catalog: LanceCatalog, id: Names) -> Shown:
    return _offered(
        catalog,
        {
            "DescribeNamespace": lambda: catalog.describe_namespace(id, expect=THERE_OR_NOT).succeeded,
            "NamespaceExists": lambda: catalog.namespace_exists(id, expect=THERE_OR_NOT).succeeded,
            "ListNamespaces": lambda: collect_namespaces(catalog, id[:-1]).count(id[-1]),
        },
    )


def _new_namespace(catalog: LanceCatalog) -> Names:
    """Create a namespace, and first the neighbour that the world has beside it: one with an alike name."""
    world, id = catalog.target.surroundings.world, catalog.namespace_id()
    alike = {PLACE: ("prefix", f"{id[-1]}z"), NAMES: ("case", f"{id[-1][:-2]}{id[-1][-2:].swapcase()}")}
    with catalog.client.preparing():
        for dimension, (value, name) in alike.items():
            if world.get(dimension) == value:
                catalog.create_namespace((*id[:-1], name))
    return catalog.new_namespace()


def _look_with_delimiter(catalog: LanceCatalog, id: Names) -> Shown:
    def listed() -> int:
        home = id[:-1]
        entries = collect(
            lambda **page: catalog.send("ListTables", home, delimiter=OTHER_DELIMITER, query=page), "tables"
        )
        return [entry.rpartition(OTHER_DELIMITER)[2] for entry in entries].count(id[-1])

    return _offered(
        catalog,
        {
            "ListTables": listed,
            "ListAllTables": lambda: collect_all_tables(catalog, delimiter=OTHER_DELIMITER).count(
                join_parts(id, OTHER_DELIMITER)
            ),
        },
    )


LIVES: dict[str, Life[LanceCatalog]] = {
    "table": Life(
        "table",
        "tables-agree",
        ("CreateTable", "DescribeTable", "ListTables", "DropTable"),
        lambda catalog: catalog.new_table(),
        _look_at_table,
        TABLE_SHOWN,
        [
            (lambda catalog, id: catalog.drop_table(id), TABLE_GONE),
            (lambda catalog, id: catalog.make_table(id, people(0, 1)), TABLE_SHOWN),
        ],
    ),
    "namespace": Life(
        "namespace",
        "namespaces-agree",
        ("CreateNamespace", "DescribeNamespace", "ListNamespaces", "DropNamespace"),
        _new_namespace,
        _look_at_namespace,
        NAMESPACE_SHOWN,
        [
            (lambda catalog, id: catalog.drop_namespace(id), NAMESPACE_GONE),
            (lambda catalog, id: catalog.create_namespace(id), NAMESPACE_SHOWN),
        ],
    ),
    "table_with_delimiter": Life(
        "table that is listed with another delimiter",
        "identifier-delimiter",
        ("ListTables", "ListAllTables"),
        lambda catalog: catalog.new_table(),
        _look_with_delimiter,
        {"ListTables": 1, "ListAllTables": 1},
        [(lambda catalog, id: catalog.drop_table(id), {"ListTables": 0, "ListAllTables": 0})],
    ),
}

test_life = life.declare(__name__, LIVES)
