"""Rows by SQL: append, overwrite, delete, update, merge."""

from __future__ import annotations

from conformance.author.checks import equal
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from spark_tests.scenarios.iceberg.tables import new_table, words
from spark_tests.scenarios.lake import Lake

CLAUSE = "iceberg-rows"
MODES = {"copy-on-write": "copy-on-write", "merge-on-read": "merge-on-read"}


@must("spark.iceberg.rows.appended", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_append(lake: Lake) -> None:
    """Each of several appends adds exactly its rows."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} (x INT) USING iceberg")
    for number in range(4):
        lake.run(f"INSERT INTO {table} VALUES ({number}), ({number + 10})")
    expected = [(x,) for x in (0, 1, 2, 3, 10, 11, 12, 13)]
    equal(lake.run(f"SELECT x FROM {table} ORDER BY x"), expected, "the rows of the table")


@must("spark.iceberg.rows.types", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_types(lake: Lake) -> None:
    """Values of every type, and nulls, are read as written."""
    values = (
        "SELECT true AS a, CAST(7 AS BIGINT) AS b, CAST(1.5 AS FLOAT) AS c, CAST(12.34567 AS DECIMAL(20,5)) AS d, "
        "DATE'2024-02-29' AS e, TIMESTAMP'2024-02-29 12:34:56.789012' AS f, 'ä\\n' AS g, X'00FF' AS h, "
        "array('x', null) AS i, map('k', 1L) AS j, named_struct('x', 1, 'y', array(named_struct('z', 'q'))) AS k"
    )
    lake.run(f"CREATE TABLE {lake.name('t')} USING iceberg AS {values}")
    nulls = ", ".join(["NULL"] * 11)
    lake.run(f"INSERT INTO {lake.name('t')} VALUES ({nulls})")
    equal(lake.run(f"SELECT * FROM {lake.name('t')} WHERE a"), lake.run(values), "the row of values")
    equal(lake.run(f"SELECT * FROM {lake.name('t')} WHERE a IS NULL"), [(None,) * 11], "the row of nulls")


@must("spark.iceberg.rows.overwritten", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_overwrite(lake: Lake) -> None:
    """INSERT OVERWRITE replaces all rows, and with PARTITION only the rows of that partition."""
    table = new_table(lake)
    lake.run(f"INSERT OVERWRITE {table} PARTITION (part = 1) SELECT 9, 'nine'")
    equal(words(lake, table), {0: "w0", 2: "w2", 3: "w3", 5: "w5", 9: "nine"}, "the words after the overwrite")
    lake.run(f"INSERT OVERWRITE {table} VALUES (1, 1, 'one')")
    equal(words(lake, table), {1: "one"}, "the words after the overwrite")


@must("spark.iceberg.rows.overwritten-dynamically", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_dynamic_overwrite(lake: Lake) -> None:
    """A dynamic overwrite replaces only the partitions of the new rows."""
    table = new_table(lake)
    source = "SELECT 10 AS id, 1 AS part, 'ten' AS word"
    lake.job(
        f"spark.sql({source!r}).writeTo({table!r}).overwritePartitions()",
        lambda: lake.frame(source).writeTo(table).overwritePartitions(),
    )
    equal(words(lake, table), {0: "w0", 2: "w2", 3: "w3", 5: "w5", 10: "ten"}, "the words after the overwrite")


@must("spark.iceberg.rows.deleted.{}", operations=["updateTable"], clause=CLAUSE, kind="scenario", each=MODES)
def test_delete(lake: Lake, case: str) -> None:
    """DELETE ({}) deletes only the matching rows."""
    table = new_table(lake, case)
    lake.run(f"DELETE FROM {table} WHERE id IN (1, 2)")
    equal(words(lake, table), {0: "w0", 3: "w3", 4: "w4", 5: "w5"}, "the words that are left")
    lake.run(f"DELETE FROM {table} WHERE word = 'w5'")
    equal(words(lake, table), {0: "w0", 3: "w3", 4: "w4"}, "the words that are left")


@must("spark.iceberg.rows.partition-deleted", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_delete_partition(lake: Lake, catalog: IcebergCatalog) -> None:
    """DELETE of a whole partition changes only metadata and writes no file."""
    table = new_table(lake)
    lake.run(f"DELETE FROM {table} WHERE part = 1")
    equal(words(lake, table), {0: "w0", 2: "w2", 3: "w3", 5: "w5"}, "the words that are left")
    summary = catalog.metadata(catalog.table_id())["snapshots"][-1]["summary"]
    equal(summary["operation"], "delete", "the operation of the last snapshot")
    equal(summary.get("added-data-files", "0"), "0", "the added-data-files of the last snapshot")


@must("spark.iceberg.rows.updated.{}", operations=["updateTable"], clause=CLAUSE, kind="scenario", each=MODES)
def test_update(lake: Lake, case: str) -> None:
    """UPDATE ({}) changes only the matching rows."""
    table = new_table(lake, case)
    lake.run(f"UPDATE {table} SET word = upper(word) WHERE id >= 4")
    equal(words(lake, table), {0: "w0", 1: "w1", 2: "w2", 3: "w3", 4: "W4", 5: "W5"}, "the words after the update")


@must("spark.iceberg.rows.merged.{}", operations=["updateTable"], clause=CLAUSE, kind="scenario", each=MODES)
def test_merge(lake: Lake, case: str) -> None:
    """MERGE ({}) updates, deletes and inserts rows in one commit."""
    table = new_table(lake, case)
    lake.run(
        f"MERGE INTO {table} t USING "
        "(SELECT * FROM VALUES (1, 1, 'one'), (2, 2, NULL), (7, 1, 'seven') AS s(id, part, word)) s "
        "ON t.id = s.id WHEN MATCHED AND s.word IS NULL THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET word = s.word WHEN NOT MATCHED THEN INSERT *"
    )
    equal(words(lake, table), {0: "w0", 1: "one", 3: "w3", 4: "w4", 5: "w5", 7: "seven"}, "the words after the merge")
    equal(lake.value(f"SELECT count(*) FROM {lake.name('t', 'snapshots')}"), 2, "the number of snapshots")


@must("spark.iceberg.rows.delete-files.{}", operations=["updateTable"], clause=CLAUSE, kind="scenario", each=MODES)
def test_delete_files(lake: Lake, case: str) -> None:
    """DELETE ({}) writes delete files only in the mode merge-on-read."""
    table = new_table(lake, case)
    lake.run(f"DELETE FROM {table} WHERE id = 0")
    delete_files = lake.value(f"SELECT count(*) FROM {lake.name('t', 'delete_files')}")
    equal(delete_files, 1 if case == "merge-on-read" else 0, "the number of delete files")
    equal(words(lake, table), {1: "w1", 2: "w2", 3: "w3", 4: "w4", 5: "w5"}, "the words that are left")


@must("spark.iceberg.rows.truncated", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_truncate(lake: Lake) -> None:
    """TRUNCATE TABLE deletes all rows, and the table can be written again."""
    table = new_table(lake)
    lake.run(f"TRUNCATE TABLE {table}")
    equal(words(lake, table), {}, "the words that are left")
    lake.run(f"INSERT INTO {table} VALUES (1, 1, 'one')")
    equal(words(lake, table), {1: "one"}, "the words after the insert")


@must("spark.iceberg.rows.filtered", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_filter(lake: Lake) -> None:
    """Counts and filters on partitions, on other columns and on both return the matching rows."""
    table = new_table(lake, rows=60)
    equal(lake.value(f"SELECT count(*) FROM {table}"), 60, "the number of rows")
    equal(lake.value(f"SELECT count(*) FROM {table} WHERE part = 2"), 20, "the number of rows of the partition")
    both = lake.value(f"SELECT count(*) FROM {table} WHERE part = 2 AND id < 30")
    equal(both, 10, "the number of rows that both filters let through")
    ends = lake.run(f"SELECT min(id), max(id) FROM {table} WHERE part <> 0")
    equal(ends, [(1, 59)], "the lowest and the highest id of the other partitions")
    equal(lake.value(f"SELECT count(*) FROM {table} WHERE word LIKE 'w1%'"), 11, "the number of words that match")
