"""DuckDB against the reference server: SQL from beginning to end, compared with what PyIceberg reads."""

from __future__ import annotations

import duckdb
import pytest
from pyiceberg.catalog import load_catalog

from lakeproof import serve
from tests.clients.drivers.duckdb import OFFLINE, load_extensions

PEOPLE = [(1, "a", 1.5), (2, "b", None), (3, None, 3.5)]


@pytest.fixture(params=["memory", "dir"])
def server(request, tmp_path):
    storage = request.param if request.param == "memory" else f"dir:{tmp_path / 'lake'}"
    with serve("iceberg", storage=storage) as server:
        yield server


@pytest.fixture
def sql(server):
    """Run a statement in DuckDB, to which the server is the catalog `lake`, and return the rows."""
    with duckdb.connect(config=OFFLINE) as connection:
        load_extensions(connection)
        connection.execute(f"ATTACH '' AS lake (TYPE iceberg, ENDPOINT '{server.url}', AUTHORIZATION_TYPE 'none')")
        yield lambda statement: connection.execute(statement).fetchall()


@pytest.fixture
def read(server):
    """Return the rows of a table as PyIceberg reads them, sorted by their first column."""
    catalog = load_catalog("reference", type="rest", uri=server.url)

    def rows(name):
        return sorted(tuple(row.values()) for row in catalog.load_table(name).scan().to_arrow().to_pylist())

    return rows


@pytest.fixture
def people(sql):
    sql("CREATE SCHEMA lake.ns")
    sql("CREATE TABLE lake.ns.people (id BIGINT, name VARCHAR, v DOUBLE)")
    sql("INSERT INTO lake.ns.people VALUES (1, 'a', 1.5), (2, 'b', NULL), (3, NULL, 3.5)")


def test_a_table_is_created_from_a_query(sql, read):
    sql("CREATE SCHEMA lake.ns")
    sql("CREATE TABLE lake.ns.t AS SELECT range AS id, 'x' || range AS name FROM range(5)")
    rows = [(n, f"x{n}") for n in range(5)]
    assert sql("SELECT * FROM lake.ns.t ORDER BY id") == rows == read("ns.t")
    sql("CREATE TABLE lake.ns.u AS FROM lake.ns.t WHERE id > 2")
    assert read("ns.u") == rows[3:]


def test_rows_come_and_go(sql, read, people):
    assert sql("SELECT * FROM lake.ns.people ORDER BY id") == PEOPLE == read("ns.people")
    sql("UPDATE lake.ns.people SET name = 'z' WHERE id = 2")
    sql("DELETE FROM lake.ns.people WHERE id = 1")
    sql("INSERT INTO lake.ns.people (id) VALUES (4)")
    rows = [(2, "z", None), (3, None, 3.5), (4, None, None)]
    assert sql("SELECT * FROM lake.ns.people ORDER BY id") == rows == read("ns.people")


def test_rows_are_merged(sql, read, people):
    source = "(SELECT unnest([3, 5]) AS id, 'm' AS name) AS source"
    matched = "WHEN MATCHED THEN UPDATE SET name = source.name"
    missing = "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (source.id, source.name)"
    sql(f"MERGE INTO lake.ns.people USING {source} ON people.id = source.id {matched} {missing}")
    assert read("ns.people") == [*PEOPLE[:2], (3, "m", 3.5), (5, "m", None)]


def test_one_transaction_writes_two_tables_or_none(sql, read, people):
    sql("CREATE TABLE lake.ns.log AS SELECT 1 AS id")
    for end, rows in (("ROLLBACK", 0), ("COMMIT", 1)):
        sql("BEGIN")
        sql("INSERT INTO lake.ns.people VALUES (9, 'i', 9.0)")
        sql("INSERT INTO lake.ns.log VALUES (9)")
        sql(end)
        assert read("ns.people") == PEOPLE + [(9, "i", 9.0)] * rows
        assert read("ns.log") == [(1,)] + [(9,)] * rows


def test_partitions_and_columns(sql, read, people):
    sql("CREATE TABLE lake.ns.parts (id BIGINT, kind VARCHAR) PARTITIONED BY (kind)")
    sql("INSERT INTO lake.ns.parts VALUES (1, 'a'), (2, 'b')")
    assert sql("SELECT id FROM lake.ns.parts WHERE kind = 'b'") == [(2,)]
    assert read("ns.parts") == [(1, "a"), (2, "b")]
    sql("ALTER TABLE lake.ns.people ADD COLUMN more INTEGER")
    sql("INSERT INTO lake.ns.people VALUES (4, 'd', 4.5, 7)")
    assert read("ns.people") == [*((*row, None) for row in PEOPLE), (4, "d", 4.5, 7)]


def test_names_move_and_go(sql, server, people):
    sql("ALTER TABLE lake.ns.people RENAME TO persons")
    catalog = load_catalog("reference", type="rest", uri=server.url)
    assert catalog.list_tables("ns") == [("ns", "persons")]
    with pytest.raises(duckdb.Error, match="NamespaceNotEmptyException"):
        sql("DROP SCHEMA lake.ns")
    sql("DROP TABLE lake.ns.persons")
    sql("DROP SCHEMA lake.ns")
    assert catalog.list_namespaces() == []


def test_what_pyiceberg_writes_is_read(sql, server, people):
    table = load_catalog("reference", type="rest", uri=server.url).load_table("ns.people")
    table.delete("id = 3")
    assert sql("SELECT id FROM lake.ns.people ORDER BY id") == [(1,), (2,)]
