"""Quoted names in SQL."""

from __future__ import annotations

from conformance.author.checks import contains, equal, same_items
from conformance.author.requirement import should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.values.json_values import shown
from conformance.values.outcomes import Unoffered
from spark_tests.scenarios.lake import Lake

CLAUSE = "iceberg-names"
NAMES = {
    "space": "two words",
    "dot": "a.b",
    "slash": "a/b",
    "percent": "a%2Fb",
    "plus": "a+b",
    "question": "a?b",
    "hash": "a#b",
    "quote": "a'b",
    "backtick": "a`b",
    "unicode": "größe_表",
    "emoji": "a\N{SNOWMAN}",
    "keyword": "select",
    "upper": "Table",
    "dash": "a-b",
    "ampersand": "a&b=c",
    "colon": "a:b",
    "long": "n" * 200,
}


@should(
    "spark.iceberg.name.table.{}",
    operations=["createTable", "loadTable", "listTables", "updateTable", "dropTable"],
    clause=CLAUSE,
    kind="scenario",
    each=NAMES,
)
def test_table(lake: Lake, case: str) -> None:
    """A table with an unusual name ({}) can be created, listed as spelled, written, read and dropped."""
    table = lake.name(case)
    lake.run(f"CREATE TABLE {table} (x INT) USING iceberg")
    lake.run(f"INSERT INTO {table} VALUES (1)")
    same_items(lake.shown("TABLES"), [case], "the listed tables")
    equal(lake.run(f"SELECT x FROM {table}"), [(1,)], "the rows of the table")
    lake.run(f"DROP TABLE {table}")
    same_items(lake.shown("TABLES"), [], "the listed tables")


@should(
    "spark.iceberg.name.namespace.{}",
    operations=["createNamespace", "listNamespaces", "dropNamespace"],
    clause=CLAUSE,
    kind="scenario",
    each={key: name for key, name in NAMES.items() if key not in ("backtick", "long")},
)
def test_namespace(lake: Lake, catalog: IcebergCatalog, case: str) -> None:
    """A namespace with an unusual name ({}) can be created, contain a table, and be dropped."""
    if catalog.separator in case:
        raise Unoffered(f"a level of a namespace cannot hold the separator {shown(catalog.separator)}")
    name = f"{catalog.namespace_id('ns')[0]}{case}"
    catalog.note_namespaces([(name,)])
    lake.run(f"CREATE NAMESPACE {lake.at(name)}")
    lake.run(f"CREATE TABLE {lake.at(name, 't')} (x INT) USING iceberg")
    same_items(lake.shown("TABLES", where=lake.at(name)), ["t"], "the listed tables")
    contains(catalog.list_namespaces()["namespaces"], [[name]], "the listed namespaces")
    lake.run(f"DROP TABLE {lake.at(name, 't')}")
    lake.run(f"DROP NAMESPACE {lake.at(name)}")


@should(
    "spark.iceberg.name.column.{}",
    operations=["createTable", "updateTable"],
    clause=CLAUSE,
    kind="scenario",
    each={key: name for key, name in NAMES.items() if key != "long"},
)
def test_column(lake: Lake, case: str) -> None:
    """A column with an unusual name ({}) can be written, filtered by and read."""
    column = "`" + case.replace("`", "``") + "`"
    lake.run(f"CREATE TABLE {lake.name('t')} ({column} INT) USING iceberg")
    lake.run(f"INSERT INTO {lake.name('t')} VALUES (1), (2)")
    equal(lake.run(f"SELECT {column} FROM {lake.name('t')} WHERE {column} > 1"), [(2,)], "the rows that a filter finds")
    equal(list(lake.columns(lake.name("t"))), [case], "the columns of the table")


@should("spark.iceberg.name.case", operations=["createTable", "loadTable"], clause=CLAUSE, kind="scenario")
def test_case(lake: Lake) -> None:
    """Two tables whose names differ only in case are different tables."""
    lake.run(f"CREATE TABLE {lake.name('Word')} USING iceberg AS SELECT 1 AS x")
    lake.run(f"CREATE TABLE {lake.name('word')} USING iceberg AS SELECT 2 AS x")
    equal(lake.run(f"SELECT x FROM {lake.name('Word')}"), [(1,)], "the rows of the table Word")
    equal(lake.run(f"SELECT x FROM {lake.name('word')}"), [(2,)], "the rows of the table word")
