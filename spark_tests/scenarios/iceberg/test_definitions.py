"""Definitions of tables by SQL: create, replace, rename, drop."""

from __future__ import annotations

from conformance.author.checks import equal, find, holds, number, only, same_items
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from conformance.target.local_files import local_path
from conformance.values.outcomes import Unoffered
from spark_tests.scenarios.lake import Lake

CLAUSE = "iceberg-definitions"
TYPES = {
    "a": "boolean",
    "b": "int",
    "c": "bigint",
    "d": "float",
    "e": "double",
    "f": "decimal(20,5)",
    "g": "date",
    "h": "timestamp",
    "i": "timestamp_ntz",
    "j": "string",
    "k": "binary",
    "l": "array<string>",
    "m": "map<string,bigint>",
    "n": "struct<x:int,y:array<struct<z:string>>>",
}


@must("spark.iceberg.table.created", operations=["createTable", "loadTable"], clause=CLAUSE, kind="scenario")
def test_create(lake: Lake) -> None:
    """A table created with columns of every type is listed, described with these columns, and has no rows."""
    lake.run(
        f"CREATE TABLE {lake.name('t')} ({', '.join(f'{column} {TYPES[column]}' for column in TYPES)}) USING iceberg"
    )
    same_items(lake.shown("TABLES"), ["t"], "the listed tables")
    equal(lake.columns(lake.name("t")), TYPES, "the columns of the table")
    equal(lake.run(f"SELECT * FROM {lake.name('t')}"), [], "the rows of the new table")


@must("spark.iceberg.table.created-in-full", operations=["createTable"], clause=CLAUSE, kind="scenario")
def test_create_in_full(lake: Lake, catalog: IcebergCatalog) -> None:
    """CREATE TABLE with comments, required columns, partitions and properties creates a table with all of them."""
    lake.run(
        f"CREATE TABLE {lake.name('t')} (id BIGINT NOT NULL COMMENT 'the key', day DATE) USING iceberg "
        "PARTITIONED BY (bucket(4, id), months(day)) COMMENT 'all of it' TBLPROPERTIES ('lp.a' = '1')"
    )
    metadata = catalog.metadata(catalog.table_id())
    key = metadata["schemas"][-1]["fields"][0]
    equal(key["required"], True, "required of the column id")
    equal(key.get("doc"), "the key", "the doc of the column id")
    fields = metadata["partition-specs"][-1]["fields"]
    transforms = [(field["transform"], field["source-id"]) for field in fields]
    equal(transforms, [("bucket[4]", 1), ("month", 2)], "transform and source-id of the partition fields")
    equal(metadata["properties"].get("comment"), "all of it", "the comment of the table")
    equal(lake.properties(lake.name("t")).get("lp.a"), "1", "the property lp.a")


@must(
    "spark.iceberg.table.format-version.{}",
    operations=["createTable", "updateTable"],
    clause=CLAUSE,
    kind="scenario",
    each={"1": 1, "2": 2},
)
def test_format_version(lake: Lake, catalog: IcebergCatalog, case: int) -> None:
    """A table can be created and written in format version {}."""
    lake.run(f"CREATE TABLE {lake.name('t')} (x INT) USING iceberg TBLPROPERTIES ('format-version' = '{case}')")
    lake.run(f"INSERT INTO {lake.name('t')} VALUES (1)")
    equal(catalog.metadata(catalog.table_id())["format-version"], case, "the format-version")
    equal(lake.run(f"SELECT * FROM {lake.name('t')}"), [(1,)], "the rows of the table")


@must("spark.iceberg.table.upgraded", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_upgrade(lake: Lake, catalog: IcebergCatalog) -> None:
    """A table upgraded from format version 1 to 2 keeps its rows."""
    lake.run(f"CREATE TABLE {lake.name('t')} (x INT) USING iceberg TBLPROPERTIES ('format-version' = '1')")
    lake.run(f"INSERT INTO {lake.name('t')} VALUES (1)")
    lake.run(f"ALTER TABLE {lake.name('t')} SET TBLPROPERTIES ('format-version' = '2')")
    lake.run(f"INSERT INTO {lake.name('t')} VALUES (2)")
    equal(catalog.metadata(catalog.table_id())["format-version"], 2, "the format-version")
    equal(lake.run(f"SELECT * FROM {lake.name('t')} ORDER BY x"), [(1,), (2,)], "the rows of the table")


@must(
    "spark.iceberg.table.created-as-select", operations=["createTable", "updateTable"], clause=CLAUSE, kind="scenario"
)
def test_ctas(lake: Lake, catalog: IcebergCatalog) -> None:
    """CREATE TABLE AS SELECT creates a table with the rows, partitions and properties, in one snapshot."""
    lake.run(
        f"CREATE TABLE {lake.name('t')} USING iceberg PARTITIONED BY (part) TBLPROPERTIES ('lp.a' = '1') "
        "AS SELECT id, id % 3 AS part FROM range(10)"
    )
    counts = lake.run(f"SELECT part, count(*) FROM {lake.name('t')} GROUP BY part ORDER BY part")
    equal(counts, [(0, 4), (1, 3), (2, 3)], "the number of rows of each partition")
    metadata = catalog.metadata(catalog.table_id())
    only(metadata["snapshots"], "the snapshots of the table")
    equal(metadata["properties"].get("lp.a"), "1", "the property lp.a")


@must("spark.iceberg.table.create-as-select-failed", operations=["createTable"], clause=CLAUSE, kind="scenario")
def test_ctas_fails(lake: Lake) -> None:
    """CREATE TABLE AS SELECT creates no table if the query fails."""
    lake.attempt(f"CREATE TABLE {lake.name('t')} USING iceberg AS SELECT raise_error('no') AS x FROM range(3)")
    same_items(lake.shown("TABLES"), [], "the listed tables")
    lake.run(f"CREATE TABLE {lake.name('t')} USING iceberg AS SELECT 1 AS x")
    equal(lake.run(f"SELECT * FROM {lake.name('t')}"), [(1,)], "the rows of the table")


@must("spark.iceberg.table.replaced", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_replace(lake: Lake, catalog: IcebergCatalog) -> None:
    """REPLACE TABLE changes the columns of the same table, removes its rows and keeps its history."""
    lake.run(f"CREATE TABLE {lake.name('t')} USING iceberg AS SELECT 1 AS x")
    before = catalog.metadata(catalog.table_id())
    lake.run(f"REPLACE TABLE {lake.name('t')} (y STRING) USING iceberg")
    after = catalog.metadata(catalog.table_id())
    equal(lake.columns(lake.name("t")), {"y": "string"}, "the columns of the table")
    equal(lake.run(f"SELECT * FROM {lake.name('t')}"), [], "the rows of the table")
    equal(after["table-uuid"], before["table-uuid"], "the table-uuid")
    retained = [snapshot["snapshot-id"] for snapshot in after["snapshots"]]
    equal(retained, [snapshot["snapshot-id"] for snapshot in before["snapshots"]], "the snapshots of the table")


@must("spark.iceberg.table.replaced-as-select", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_rtas(lake: Lake, catalog: IcebergCatalog) -> None:
    """CREATE OR REPLACE TABLE AS SELECT replaces rows and layout in one commit; earlier rows can still be read."""
    lake.run(f"CREATE TABLE {lake.name('t')} USING iceberg AS SELECT 1 AS x")
    first = number(catalog.metadata(catalog.table_id())["current-snapshot-id"], "the current-snapshot-id")
    lake.run(f"CREATE OR REPLACE TABLE {lake.name('t')} USING iceberg PARTITIONED BY (x) AS SELECT 2 AS x, 'b' AS y")
    equal(lake.run(f"SELECT * FROM {lake.name('t')}"), [(2, "b")], "the rows of the table")
    equal(lake.run(f"SELECT * FROM {lake.name('t')} VERSION AS OF {first}"), [(1,)], "the rows of the snapshot before")
    metadata = catalog.metadata(catalog.table_id())
    default = metadata["default-spec-id"]
    spec = find(metadata["partition-specs"], lambda spec: spec["spec-id"] == default, "the default partition spec")
    holds(spec["fields"], "the table is partitioned")


@must("spark.iceberg.table.renamed", operations=["renameTable"], clause=CLAUSE, kind="scenario")
def test_rename(lake: Lake) -> None:
    """A renamed table is listed and read under its new name only."""
    lake.run(f"CREATE TABLE {lake.name('t')} USING iceberg AS SELECT 1 AS x")
    lake.run(f"ALTER TABLE {lake.name('t')} RENAME TO {lake.plain('u')}")
    same_items(lake.shown("TABLES"), ["u"], "the listed tables")
    equal(lake.run(f"SELECT * FROM {lake.name('u')}"), [(1,)], "the rows of the renamed table")
    lake.refused(f"SELECT * FROM {lake.name('t')}", "TABLE_OR_VIEW_NOT_FOUND")


@must("spark.iceberg.table.dropped", operations=["dropTable"], clause=CLAUSE, kind="scenario")
def test_drop(lake: Lake) -> None:
    """A dropped table is not listed, and its name can be used for another table immediately."""
    lake.run(f"CREATE TABLE {lake.name('t')} USING iceberg AS SELECT 1 AS x")
    lake.run(f"DROP TABLE {lake.name('t')}")
    same_items(lake.shown("TABLES"), [], "the listed tables")
    lake.run(f"CREATE TABLE {lake.name('t')} (y STRING) USING iceberg")
    equal(lake.run(f"SELECT * FROM {lake.name('t')}"), [], "the rows of the new table")


@must("spark.iceberg.table.purged", operations=["dropTable"], clause=CLAUSE, kind="scenario")
def test_purge(lake: Lake) -> None:
    """DROP TABLE with PURGE deletes the table and its data files."""
    lake.run(f"CREATE TABLE {lake.name('t')} USING iceberg AS SELECT 1 AS x")
    files = [local_path(uri) for (uri,) in lake.run(f"SELECT file_path FROM {lake.name('t', 'files')}")]
    if not all(path and path.exists() for path in files):
        raise Unoffered("the files of the server's tables cannot be seen from here")
    lake.run(f"DROP TABLE {lake.name('t')} PURGE")
    same_items(lake.shown("TABLES"), [], "the listed tables")
    equal([path for path in files if path and path.exists()], [], "the data files that are left")


@must("spark.iceberg.table.properties", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_properties(lake: Lake) -> None:
    """Setting, replacing and removing properties of a table leaves its other properties unchanged."""
    lake.run(f"CREATE TABLE {lake.name('t')} (x INT) USING iceberg TBLPROPERTIES ('a' = '1', 'b' = '1', 'c' = '1')")
    lake.run(f"ALTER TABLE {lake.name('t')} SET TBLPROPERTIES ('b' = '2')")
    lake.run(f"ALTER TABLE {lake.name('t')} UNSET TBLPROPERTIES ('c')")
    properties = lake.properties(lake.name("t"))
    equal(
        {name: properties.get(name) for name in "abc"}, {"a": "1", "b": "2", "c": None}, "the properties of the table"
    )
