"""Changes of a table by SQL: columns, partitions, order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.author.checks import equal, find
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from spark_tests.scenarios.lake import Lake, Row

CLAUSE = "iceberg-definitions"


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """Change of the columns `a INT, b STRING, s STRUCT<x: INT>` of a table with one row (1, 'b', (2))."""

    sql: str
    columns: dict[str, str]
    rows: tuple[Row, ...]
    select: str = "*"
    comments: Mapping[str, str] = field(default_factory=dict)


S = "struct<x:int>"
CHANGES = {
    "added": ColumnChange(
        "ADD COLUMN c DOUBLE", {"a": "int", "b": "string", "s": S, "c": "double"}, ((1, "b", (2,), None),)
    ),
    "added_first": ColumnChange(
        "ADD COLUMN c INT FIRST", {"c": "int", "a": "int", "b": "string", "s": S}, ((None, 1, "b", (2,)),)
    ),
    "added_nested": ColumnChange(
        "ADD COLUMN s.y STRING", {"a": "int", "b": "string", "s": "struct<x:int,y:string>"}, ((1, None),), "a, s.y"
    ),
    "renamed": ColumnChange("RENAME COLUMN b TO c", {"a": "int", "c": "string", "s": S}, ((1, "b"),), "a, c"),
    "dropped": ColumnChange("DROP COLUMN b", {"a": "int", "s": S}, ((1, (2,)),)),
    "widened": ColumnChange("ALTER COLUMN a TYPE BIGINT", {"a": "bigint", "b": "string", "s": S}, ((1, "b"),), "a, b"),
    "moved": ColumnChange("ALTER COLUMN b FIRST", {"b": "string", "a": "int", "s": S}, (("b", 1, (2,)),)),
    "commented": ColumnChange(
        "ALTER COLUMN a COMMENT 'c'", {"a": "int", "b": "string", "s": S}, ((1, "b", (2,)),), comments={"a": "c"}
    ),
}


@must("spark.iceberg.column.{}", operations=["updateTable"], clause=CLAUSE, kind="scenario", each=CHANGES)
def test_columns(lake: Lake, case: ColumnChange) -> None:
    """After a column is {}, the table has the new columns, and its earlier rows are read with them."""
    lake.run(f"CREATE TABLE {lake.name('t')} (a INT, b STRING, s STRUCT<x: INT>) USING iceberg")
    lake.run(f"INSERT INTO {lake.name('t')} VALUES (1, 'b', named_struct('x', 2))")
    lake.run(f"ALTER TABLE {lake.name('t')} {case.sql}")
    equal(lake.columns(lake.name("t")), case.columns, "the columns of the table")
    comments = {row[0]: row[2] for row in lake.run(f"DESCRIBE {lake.name('t')}") if row[2]}
    equal(comments, case.comments, "the comments of the columns")
    equal(lake.run(f"SELECT {case.select} FROM {lake.name('t')}"), list(case.rows), "the rows of the table")


@must("spark.iceberg.column.dropped-and-added", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_dropped_and_added(lake: Lake) -> None:
    """After a column is dropped and added again under its name, its old values are not read."""
    lake.run(f"CREATE TABLE {lake.name('t')} USING iceberg AS SELECT 1 AS a, 'old' AS b")
    lake.run(f"ALTER TABLE {lake.name('t')} DROP COLUMN b")
    lake.run(f"ALTER TABLE {lake.name('t')} ADD COLUMN b STRING")
    equal(lake.run(f"SELECT a, b FROM {lake.name('t')}"), [(1, None)], "the rows of the table")


@must("spark.iceberg.column.required-dropped", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_optional(lake: Lake) -> None:
    """After a required column is made optional, it accepts nulls."""
    lake.run(f"CREATE TABLE {lake.name('t')} (a INT NOT NULL) USING iceberg")
    lake.run(f"ALTER TABLE {lake.name('t')} ALTER COLUMN a DROP NOT NULL")
    lake.run(f"INSERT INTO {lake.name('t')} VALUES (NULL)")
    equal(lake.run(f"SELECT a FROM {lake.name('t')}"), [(None,)], "the rows of the table")


@must("spark.iceberg.column.identifiers", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_identifiers(lake: Lake, catalog: IcebergCatalog) -> None:
    """SET IDENTIFIER FIELDS sets identifier fields, and DROP IDENTIFIER FIELDS removes them."""
    lake.run(f"CREATE TABLE {lake.name('t')} (a INT NOT NULL, b INT NOT NULL) USING iceberg")
    lake.run(f"ALTER TABLE {lake.name('t')} SET IDENTIFIER FIELDS a, b")
    lake.run(f"ALTER TABLE {lake.name('t')} DROP IDENTIFIER FIELDS b")
    metadata = catalog.metadata(catalog.table_id())
    current = metadata["current-schema-id"]
    now = find(metadata["schemas"], lambda schema: schema["schema-id"] == current, "the current schema")
    equal(now["identifier-field-ids"], [1], "the identifier-field-ids of the current schema")


@dataclass(frozen=True, slots=True)
class PartitionChange:
    """Changes of the partition spec of a table of `id, day` that is partitioned by id, and the resulting transforms."""

    changes: tuple[str, ...]
    transforms: list[str]


LAYOUTS = {
    "added": PartitionChange(("ADD PARTITION FIELD months(day)",), ["identity", "month"]),
    "dropped": PartitionChange(("DROP PARTITION FIELD id",), []),
    "replaced": PartitionChange(("REPLACE PARTITION FIELD id WITH bucket(4, id)",), ["bucket[4]"]),
    "restored": PartitionChange(("DROP PARTITION FIELD id", "ADD PARTITION FIELD id"), ["identity"]),
}


@must("spark.iceberg.partition.{}", operations=["updateTable"], clause=CLAUSE, kind="scenario", each=LAYOUTS)
def test_partitions(lake: Lake, catalog: IcebergCatalog, case: PartitionChange) -> None:
    """After a partition field is {}, rows from before and after are read, also with a filter on that column."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} (id INT, day DATE) USING iceberg PARTITIONED BY (id)")
    lake.run(f"INSERT INTO {table} VALUES (1, DATE'2024-01-01'), (2, DATE'2024-02-01')")
    for change in case.changes:
        lake.run(f"ALTER TABLE {table} {change}")
    lake.run(f"INSERT INTO {table} VALUES (1, DATE'2024-03-01'), (3, DATE'2024-03-01')")
    metadata = catalog.metadata(catalog.table_id())
    default = metadata["default-spec-id"]
    spec = find(metadata["partition-specs"], lambda spec: spec["spec-id"] == default, "the default partition spec")
    transforms = [field["transform"] for field in spec["fields"] if field["transform"] != "void"]
    equal(transforms, case.transforms, "the transforms of the default partition spec")
    equal(lake.value(f"SELECT count(*) FROM {table}"), 4, "the number of rows")
    equal(lake.value(f"SELECT count(*) FROM {table} WHERE id = 1"), 2, "the number of rows with the id 1")
    later = lake.value(f"SELECT count(*) FROM {table} WHERE day >= DATE'2024-02-01'")
    equal(later, 3, "the number of rows from February on")


@must("spark.iceberg.order.written", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_order(lake: Lake, catalog: IcebergCatalog) -> None:
    """WRITE ORDERED BY sets a sort order, WRITE UNORDERED removes it, and rows can be written with either."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} (a INT, b STRING) USING iceberg")
    lake.run(f"ALTER TABLE {table} WRITE ORDERED BY b DESC NULLS LAST, a")
    metadata = catalog.metadata(catalog.table_id())
    default = metadata["default-sort-order-id"]
    order = find(metadata["sort-orders"], lambda order: order["order-id"] == default, "the default sort order")
    fields = [(field["source-id"], field["direction"], field["null-order"]) for field in order["fields"]]
    expected = [(2, "desc", "nulls-last"), (1, "asc", "nulls-first")]
    equal(fields, expected, "source-id, direction and null-order of the sort order's fields")
    lake.run(f"INSERT INTO {table} VALUES (1, 'a'), (2, 'b')")
    lake.run(f"ALTER TABLE {table} WRITE UNORDERED")
    lake.run(f"INSERT INTO {table} VALUES (3, 'c')")
    equal(catalog.metadata(catalog.table_id())["default-sort-order-id"], 0, "the default-sort-order-id")
    equal(lake.value(f"SELECT count(*) FROM {table}"), 3, "the number of rows")
