"""Rows by SQL."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from conformance.author.checks import distinct, equal
from conformance.author.requirement import must, should
from conformance.values.json_values import shown
from conformance.values.outcomes import Violation
from spark_tests.scenarios.lake import Lake
from spark_tests.scenarios.lance.tables import new_table

CLAUSE = "lance-rows"
WRITE = ("CreateEmptyTable", "DescribeTable")
WRITERS = 4


def words(lake: Lake, table: str) -> dict[int, str]:
    """Return the words of a table by id. Raises Violation for a repeated id."""
    rows = lake.run(f"SELECT id, word FROM {table}")
    distinct((id for id, _ in rows), "the ids of the rows")
    return dict(rows)


@must("spark.lance.rows.appended", operations=WRITE, clause=CLAUSE, kind="scenario")
def test_append(lake: Lake) -> None:
    """Each of several appends adds exactly its rows."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} (x INT) USING lance")
    for number in range(4):
        lake.run(f"INSERT INTO {table} VALUES ({number}), ({number + 10})")
    expected = [(x,) for x in (0, 1, 2, 3, 10, 11, 12, 13)]
    equal(lake.run(f"SELECT x FROM {table} ORDER BY x"), expected, "the rows of the table")


@must("spark.lance.rows.types", operations=WRITE, clause=CLAUSE, kind="scenario")
def test_types(lake: Lake) -> None:
    """Values of every type, and nulls, are read as written."""
    columns = (
        "a BOOLEAN, b BIGINT, c FLOAT, d DECIMAL(20,5), e DATE, f TIMESTAMP, g STRING, h BINARY, i ARRAY<STRING>, "
        "j STRUCT<x: INT, y: STRING>"
    )
    values = (
        "SELECT true AS a, CAST(7 AS BIGINT) AS b, CAST(1.5 AS FLOAT) AS c, CAST(12.34567 AS DECIMAL(20,5)) AS d, "
        "DATE'2024-02-29' AS e, TIMESTAMP'2024-02-29 12:34:56.789012' AS f, 'ä\\n' AS g, X'00FF' AS h, "
        "array('x', null) AS i, named_struct('x', 1, 'y', 'q') AS j"
    )
    lake.run(f"CREATE TABLE {lake.name('t')} ({columns}) USING lance")
    lake.run(f"INSERT INTO {lake.name('t')} {values}")
    nulls = [*["NULL"] * 8, "array('y')", "named_struct('x', NULL, 'y', NULL)"]
    lake.run(f"INSERT INTO {lake.name('t')} VALUES ({', '.join(nulls)})")
    equal(lake.run(f"SELECT * FROM {lake.name('t')} WHERE a"), lake.run(values), "the row of values")
    empty = lake.run(f"SELECT a, b, c, d, e, f, g, h FROM {lake.name('t')} WHERE a IS NULL")
    equal(empty, [(None,) * 8], "the row of nulls")


@must("spark.lance.rows.filtered", operations=WRITE, clause=CLAUSE, kind="scenario")
def test_filter(lake: Lake) -> None:
    """Projections, filters, counts, orders and limits return the matching rows."""
    table = new_table(lake, rows=60)
    equal(lake.value(f"SELECT count(*) FROM {table}"), 60, "the number of rows")
    equal(lake.run(f"SELECT word FROM {table} WHERE id = 7"), [("w7",)], "the rows of the id 7")
    among = lake.value(f"SELECT count(*) FROM {table} WHERE id >= 10 AND id < 30 AND word <> 'w11'")
    equal(among, 19, "the number of rows that the filters let through")
    last = lake.run(f"SELECT id FROM {table} WHERE word IN ('w3', 'w5') ORDER BY id DESC LIMIT 1")
    equal(last, [(5,)], "the row of the higher id of two")
    equal(lake.run(f"SELECT min(id), max(word) FROM {table}"), [(0, "w9")], "the lowest id and the highest word")


@must("spark.lance.rows.joined", operations=WRITE, clause=CLAUSE, kind="scenario")
def test_join(lake: Lake) -> None:
    """A join of two tables of the catalog returns the matching rows."""
    table, other = new_table(lake), lake.name("u")
    lake.run(f"CREATE TABLE {other} (id INT, n INT) USING lance")
    lake.run(f"INSERT INTO {other} VALUES (1, 10), (2, 20), (9, 90)")
    joined = lake.run(f"SELECT t.word, u.n FROM {table} t JOIN {other} u ON t.id = u.id ORDER BY u.n")
    equal(joined, [("w1", 10), ("w2", 20)], "the joined rows")


@must("spark.lance.rows.frames", operations=WRITE, clause=CLAUSE, kind="scenario")
def test_frame(lake: Lake) -> None:
    """A data frame can be appended to a table by name."""
    table = new_table(lake)
    source = "SELECT 10 AS id, 'ten' AS word"
    lake.job(f"spark.sql({source!r}).writeTo({table!r}).append()", lambda: lake.frame(source).writeTo(table).append())
    equal(lake.value(f"SELECT count(*) FROM {table}"), 7, "the number of rows after the append")
    equal(lake.run(f"SELECT word FROM {table} WHERE id = 10"), [("ten",)], "the rows of the id 10")


@must("spark.lance.rows.seen", operations=WRITE, clause=CLAUSE, kind="scenario")
def test_seen(lake: Lake) -> None:
    """Rows that one session has written are immediately read by another session."""
    table, other = new_table(lake, rows=1), lake.another()
    for id in (1, 2):
        lake.run(f"INSERT INTO {table} VALUES ({id}, 'more')")
        equal(other.value(f"SELECT count(*) FROM {table}"), id + 1, "the number of rows that another session sees")


@must("spark.lance.rows.appended-at-once", operations=WRITE, clause=CLAUSE, kind="scenario")
def test_at_once(lake: Lake) -> None:
    """After concurrent appends of several sessions, the table contains each acknowledged row once and no other row."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} (x INT) USING lance")
    sessions = [lake.another() for _ in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS) as pool:
        failures = list(pool.map(lambda n: sessions[n].attempt(f"INSERT INTO {table} VALUES ({n})"), range(WRITERS)))
    written = [(number,) for number in range(WRITERS) if not failures[number]]
    equal(lake.run(f"SELECT x FROM {table} ORDER BY x"), written, "the rows of the appends that succeeded")
    if not written:
        raise Violation(f"of {WRITERS} sessions that appended a row none succeeded: {shown(failures)}")


@should("spark.lance.rows.overwritten", operations=WRITE, clause="lance-changed-rows", kind="scenario")
def test_overwrite(lake: Lake) -> None:
    """INSERT OVERWRITE replaces all rows."""
    table = new_table(lake)
    lake.run(f"INSERT OVERWRITE {table} VALUES (1, 'one')")
    equal(words(lake, table), {1: "one"}, "the words of the table")


@should("spark.lance.rows.deleted", operations=WRITE, clause="lance-changed-rows", kind="scenario")
def test_delete(lake: Lake) -> None:
    """DELETE deletes only the matching rows."""
    table = new_table(lake)
    lake.run(f"DELETE FROM {table} WHERE id >= 2 AND id < 5")
    equal(words(lake, table), {0: "w0", 1: "w1", 5: "w5"}, "the words that are left")


@should("spark.lance.rows.updated", operations=WRITE, clause="lance-changed-rows", kind="scenario")
def test_update(lake: Lake) -> None:
    """UPDATE changes only the matching rows."""
    table = new_table(lake)
    lake.run(f"UPDATE {table} SET word = upper(word) WHERE id >= 4")
    equal(words(lake, table), {0: "w0", 1: "w1", 2: "w2", 3: "w3", 4: "W4", 5: "W5"}, "the words after the update")
