"""Lives of tables, namespaces, rows, versions, columns, tags and indices, as the operations of each show them."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal
from conformance.common.lives import GONE, Life, Shown, life
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.arrow_types import read_table
from conformance.lance.support.columns import fields
from conformance.lance.support.forms import OTHER_DELIMITER
from conformance.lance.support.indexing import index_names, wait_for_index
from conformance.lance.support.listing import collect, collect_all_tables, collect_namespaces, collect_tables
from conformance.lance.support.queries import ids
from conformance.lance.support.versions import numbers
from conformance.lance.support.views import people, told_version_is_shown
from conformance.lance.worlds import NAMES, PLACE
from specs.lance.identifiers import join_parts

THERE_OR_NOT = (200, 404)
COLUMNS, TAG, INDEX = ("more", "further"), "life", "life_index"


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


# Content of tables


def _look_at_rows(catalog: LanceCatalog, id: Names) -> Shown:
    return _offered(
        catalog,
        {
            "CountTableRows": lambda: catalog.count_table_rows(id).json,
            "QueryTable": lambda: tuple(sorted(ids(read_table(catalog, id).to_pylist()))),
            "GetTableStats": lambda: catalog.get_table_stats(id)["num_rows"],
        },
    )


def _rows(*keys: int) -> Shown:
    return {"CountTableRows": len(keys), "QueryTable": keys, "GetTableStats": len(keys)}


def _look_at_column(catalog: LanceCatalog, id: Names) -> Shown:
    return {"DescribeTable": len(set(COLUMNS) & fields(catalog, id).keys())}


# Each change is made in two requests: a server that carries out only the first one shows too few.


def _insert(catalog: LanceCatalog, id: Names) -> None:
    for key in (3, 4):
        catalog.insert_into_table(id, stream(people(key, 1)))


def _delete(catalog: LanceCatalog, id: Names) -> None:
    for key in (1, 4):
        catalog.delete_from_table(id, predicate=f"id = {key}")


def _update(catalog: LanceCatalog, id: Names) -> None:
    for key in (0, 2):
        answer = catalog.update_table(id, predicate=f"id = {key}", updates=[["name", "'changed'"]])
        equal(answer.get("updated_rows", 1), 1, "the number of updated rows")


def _add_columns(catalog: LanceCatalog, id: Names) -> None:
    for name in COLUMNS:
        new_columns = [{"name": name, "expression": "id + 1"}]
        told_version_is_shown(catalog, id, catalog.alter_table_add_columns(id, new_columns=new_columns))


def _drop_columns(catalog: LanceCatalog, id: Names) -> None:
    for name in COLUMNS:
        told_version_is_shown(catalog, id, catalog.alter_table_drop_columns(id, columns=[name]))


def _look_at_tag(catalog: LanceCatalog, id: Names) -> Shown:
    def version() -> Any:
        tagged = catalog.get_table_tag_version(id, tag=TAG, expect=THERE_OR_NOT)
        return tagged["version"] - catalog.version(id) if tagged.succeeded else GONE

    return _offered(
        catalog,
        {"ListTableTags": lambda: TAG in catalog.list_table_tags(id)["tags"], "GetTableTagVersion": version},
    )


def _tag(version: int | str) -> Shown:
    return {"ListTableTags": version != GONE, "GetTableTagVersion": version}


def _move_tag(catalog: LanceCatalog, id: Names) -> None:
    catalog.insert_into_table(id, stream(people(900, 1)))
    catalog.update_table_tag(id, tag=TAG, version=catalog.version(id))


def _look_at_index(catalog: LanceCatalog, id: Names) -> Shown:
    return _offered(
        catalog,
        {
            "ListTableIndices": lambda: index_names(catalog, id).count(INDEX),
            "DescribeTableIndexStats": lambda: (
                catalog.describe_table_index_stats(id, INDEX, expect=THERE_OR_NOT).succeeded
            ),
        },
    )


def _build(catalog: LanceCatalog, id: Names) -> None:
    catalog.create_table_scalar_index(id, column="name", index_type="BTREE", name=INDEX)
    wait_for_index(catalog, id, INDEX)


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
    "rows": Life(
        "table with its rows",
        "rows-agree",
        ("InsertIntoTable", "DeleteFromTable", "CountTableRows", "QueryTable"),
        lambda catalog: catalog.new_table_of(people(0, 3)),
        _look_at_rows,
        _rows(0, 1, 2),
        [
            (_insert, _rows(0, 1, 2, 3, 4)),
            (_delete, _rows(0, 2, 3)),
        ],
    ),
    "update": Life(
        "row that is updated",
        "rows-agree",
        ("UpdateTable", "CountTableRows"),
        lambda catalog: catalog.new_table_of(people(0, 3)),
        lambda catalog, id: {"CountTableRows": catalog.count_table_rows(id, predicate="name = 'changed'").json},
        {"CountTableRows": 0},
        [(_update, {"CountTableRows": 2})],
    ),
    "statistics": Life(
        "table with its statistics",
        "rows-agree",
        ("GetTableStats",),
        lambda catalog: catalog.new_table_of(people(0, 3)),
        lambda catalog, id: {"GetTableStats": catalog.get_table_stats(id)["num_rows"]},
        {"GetTableStats": 3},
        [(_insert, {"GetTableStats": 5})],
    ),
    "versions": Life(
        "table with its versions",
        "versions-agree",
        ("ListTableVersions",),
        lambda catalog: catalog.new_table_of(people(0, 3)),
        lambda catalog, id: {"ListTableVersions": numbers(catalog, id).count(catalog.version(id))},
        {"ListTableVersions": 1},
        [(_insert, {"ListTableVersions": 1})],
    ),
    "column": Life(
        "column",
        "schema-agrees",
        ("AlterTableAddColumns", "AlterTableDropColumns", "DescribeTable"),
        lambda catalog: catalog.new_table(),
        _look_at_column,
        {"DescribeTable": 0},
        [(_add_columns, {"DescribeTable": len(COLUMNS)}), (_drop_columns, {"DescribeTable": 0})],
    ),
    "tag": Life(
        "tag",
        "tags-agree",
        ("CreateTableTag", "UpdateTableTag", "DeleteTableTag", "ListTableTags", "GetTableTagVersion"),
        lambda catalog: catalog.new_table_of(people(0, 1)),
        _look_at_tag,
        _tag(GONE),
        [
            (lambda catalog, id: catalog.create_table_tag(id, tag=TAG, version=catalog.version(id)), _tag(0)),
            (_move_tag, _tag(0)),
            (lambda catalog, id: catalog.delete_table_tag(id, tag=TAG), _tag(GONE)),
        ],
    ),
    "index": Life(
        "index",
        "indices-agree",
        ("CreateTableScalarIndex", "DropTableIndex", "ListTableIndices", "DescribeTableIndexStats"),
        lambda catalog: catalog.new_table_of(people(0, 20)),
        _look_at_index,
        {"ListTableIndices": 0, "DescribeTableIndexStats": False},
        [
            (_build, {"ListTableIndices": 1, "DescribeTableIndexStats": True}),
            (
                lambda catalog, id: catalog.drop_table_index(id, INDEX),
                {"ListTableIndices": 0, "DescribeTableIndexStats": False},
            ),
        ],
    ),
}

test_life = life.declare(__name__, LIVES)
