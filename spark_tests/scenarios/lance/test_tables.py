"""Tables by SQL."""

from __future__ import annotations

from conformance.author.checks import contains, distinct, equal, same_items
from conformance.author.requirement import must, should
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog
from spark_tests.scenarios.lake import Lake

CLAUSE = "lance-tables"
CREATE = ("TableExists", "CreateEmptyTable", "DescribeTable")
TYPES = {
    "a": "boolean",
    "b": "int",
    "c": "bigint",
    "d": "float",
    "e": "double",
    "f": "decimal(10,2)",
    "g": "date",
    "h": "timestamp",
    "i": "string",
    "j": "binary",
    "k": "array<string>",
    "l": "struct<x:int,y:string>",
}
MANY = 300
NAMES = {
    "space": "two words",
    "plus": "a+b",
    "quote": "a'b",
    "unicode": "größe",
    "keyword": "select",
    "upper": "Table",
    "dash": "a-b",
    "long": "n" * 100,
}


@must("spark.lance.table.created", operations=CREATE, clause=CLAUSE, kind="scenario")
def test_create(lake: Lake) -> None:
    """A table created with columns of every type is listed, described with these columns, and has no rows."""
    lake.run(
        f"CREATE TABLE {lake.name('t')} ({', '.join(f'{column} {TYPES[column]}' for column in TYPES)}) USING lance"
    )
    same_items(lake.shown("TABLES"), ["t"], "the listed tables")
    equal(lake.columns(lake.name("t")), TYPES, "the columns of the table")
    equal(lake.run(f"SELECT * FROM {lake.name('t')}"), [], "the rows of the new table")


@must("spark.lance.table.created-as-select", operations=CREATE, clause=CLAUSE, kind="scenario")
def test_create_as_select(lake: Lake) -> None:
    """CREATE TABLE AS SELECT creates a table with the rows of the query."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} USING lance AS SELECT id, concat('w', id) AS word FROM range(5)")
    equal(lake.columns(table), {"id": "bigint", "word": "string"}, "the columns of the table")
    expected = [(number, f"w{number}") for number in range(5)]
    equal(lake.run(f"SELECT * FROM {table} ORDER BY id"), expected, "the rows of the table")


@must("spark.lance.table.dropped", operations=[*CREATE, "DropTable"], clause=CLAUSE, kind="scenario")
def test_drop(lake: Lake) -> None:
    """A dropped table is not listed, and its name can be used for another table immediately."""
    lake.run(f"CREATE TABLE {lake.name('t')} (x INT) USING lance")
    lake.run(f"INSERT INTO {lake.name('t')} VALUES (1)")
    lake.run(f"DROP TABLE {lake.name('t')}")
    same_items(lake.shown("TABLES"), [], "the listed tables")
    lake.run(f"CREATE TABLE {lake.name('t')} (y STRING) USING lance")
    equal(lake.columns(lake.name("t")), {"y": "string"}, "the columns of the new table")
    equal(lake.run(f"SELECT * FROM {lake.name('t')}"), [], "the rows of the new table")


@must("spark.lance.table.apart", operations=CREATE, clause=CLAUSE, kind="scenario")
def test_apart(lake: Lake, catalog: LanceCatalog) -> None:
    """Tables with the same name in two namespaces are different tables."""
    other = f"{catalog.home_name}_other"
    catalog.create_namespace((other,))
    for table, x in ((lake.name("t"), 1), (lake.at(other, "t"), 2)):
        lake.run(f"CREATE TABLE {table} (x INT) USING lance")
        lake.run(f"INSERT INTO {table} VALUES ({x})")
    equal(lake.run(f"SELECT x FROM {lake.name('t')}"), [(1,)], "the rows of the one table")
    equal(lake.run(f"SELECT x FROM {lake.at(other, 't')}"), [(2,)], "the rows of the other table")


@must("spark.lance.listing.tables", operations=["ListTables"], clause="lance-listings", kind="scenario")
def test_many(lake: Lake, catalog: LanceCatalog) -> None:
    """SHOW TABLES lists each of hundreds of tables once, and with LIKE the matching tables."""
    names = [f"t{number:04}" for number in range(MANY)]
    for name in names:
        catalog.declare_table(catalog.table_id(name))
    catalog.new_table_of(tables(1), "real")
    listed = lake.shown("TABLES")
    if declared := {*listed} - {"real"}:
        same_items(declared, names, "the declared tables, of which all or none are listed")
    distinct(listed, "the listed tables")
    contains(listed, ["real"], "the listed tables")
    alike = lake.run(f"SHOW TABLES IN {lake.namespace} LIKE 're*'")
    equal([row[1] for row in alike], ["real"], "the tables listed with LIKE")


@must("spark.lance.listing.made", operations=["ListTables"], clause="lance-listings", kind="scenario")
def test_made(lake: Lake, catalog: LanceCatalog) -> None:
    """SHOW TABLES lists each of many tables with rows once."""
    names = [f"t{number:04}" for number in range(MANY // 5)]
    for name in names:
        catalog.new_table_of(tables(1), name)
    same_items(lake.shown("TABLES"), names, "the listed tables")


@should(
    "spark.lance.name.{}",
    operations=["CreateEmptyTable", "DescribeTable", "ListTables", "DropTable"],
    clause="lance-names",
    kind="scenario",
    each=NAMES,
)
def test_names(lake: Lake, case: str) -> None:
    """A table with an unusual name ({}) can be created, listed as spelled, written, read and dropped."""
    table = lake.name(case)
    lake.run(f"CREATE TABLE {table} (x INT) USING lance")
    lake.run(f"INSERT INTO {table} VALUES (1)")
    same_items(lake.shown("TABLES"), [case], "the listed tables")
    equal(lake.run(f"SELECT x FROM {table}"), [(1,)], "the rows of the table")
    lake.run(f"DROP TABLE {table}")
    same_items(lake.shown("TABLES"), [], "the listed tables")
