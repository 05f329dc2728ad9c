"""Concurrent sessions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from conformance.author.checks import equal, lacks, only, same_items
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from conformance.values.json_values import shown
from conformance.values.outcomes import Violation
from spark_tests.scenarios.iceberg.tables import new_table, words
from spark_tests.scenarios.lake import Lake

CLAUSE = "iceberg-concurrency"
WRITERS = 4
ROUNDS = 3
CONFLICTS = {"CommitFailedException", "ValidationException", "CommitStateUnknownException"}


def at_once(lake: Lake, statements: list[list[str]]) -> list[list[list[str]]]:
    """Run lists of statements concurrently, each in its own session; return the names of their errors."""
    sessions = [lake.another() for _ in statements]

    def work(pair: tuple[Lake, list[str]]) -> list[list[str]]:
        session, statements_of_session = pair
        return [session.attempt(statement) for statement in statements_of_session]

    with ThreadPoolExecutor(len(statements)) as pool:
        return list(pool.map(work, zip(sessions, statements, strict=True)))


@must("spark.iceberg.concurrency.appends", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_appends(lake: Lake) -> None:
    """After concurrent appends of several sessions, the table contains each acknowledged row once and no other row."""
    table = lake.name("t")
    lake.run(
        f"CREATE TABLE {table} (x INT) USING iceberg TBLPROPERTIES "
        "('commit.retry.num-retries' = '20', 'commit.retry.min-wait-ms' = '10')"
    )
    plan = [[f"INSERT INTO {table} VALUES ({w * 100 + r})" for r in range(ROUNDS)] for w in range(WRITERS)]
    failures = at_once(lake, plan)
    written = sorted(w * 100 + r for w in range(WRITERS) for r in range(ROUNDS) if not failures[w][r])
    errors = [names for session in failures for names in session if names]
    rows = [x for (x,) in lake.run(f"SELECT x FROM {table} ORDER BY x")]
    equal(rows, written, "the rows of the appends that succeeded")
    equal(errors, [], "the errors of the appends, though an append alone conflicts with nothing")


@must("spark.iceberg.concurrency.updates", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_updates(lake: Lake) -> None:
    """After concurrent updates of one row by several sessions, the row counts the acknowledged updates."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} USING iceberg TBLPROPERTIES ('format-version' = '2') AS SELECT 0 AS n")
    failures = at_once(lake, [[f"UPDATE {table} SET n = n + 1"] * ROUNDS] * WRITERS)
    errors = [names for session in failures for names in session if names]
    updates = WRITERS * ROUNDS - len(errors)
    equal([names for names in errors if not CONFLICTS & set(names)], [], "the errors that are not conflicts")
    equal(lake.run(f"SELECT n FROM {table}"), [(updates,)], "the row after the updates that succeeded")
    if not updates:
        raise Violation(f"of {WRITERS} sessions that updated the row none succeeded: {shown(failures)}")


@must("spark.iceberg.concurrency.other-partitions", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_partitions(lake: Lake) -> None:
    """Of concurrent deletes in several partitions, each deletes its own rows, or is rejected and deletes none."""
    table = new_table(lake, "copy-on-write", rows=9)
    failures = at_once(lake, [[f"DELETE FROM {table} WHERE part = {part} AND id < 6"] for part in range(3)])
    deleted = {id for id in range(6) if not failures[id % 3][0]}
    same_items(words(lake, table), set(range(9)) - deleted, "the ids that are left")


@must("spark.iceberg.concurrency.creations", operations=["createTable"], clause=CLAUSE, kind="scenario")
def test_creations(lake: Lake) -> None:
    """If several sessions create the same table concurrently, exactly one succeeds, and its table remains."""
    table = lake.name("t")
    failures = at_once(
        lake, [[f"CREATE TABLE {table} USING iceberg AS SELECT {number} AS x"] for number in range(WRITERS)]
    )
    winners = [number for number in range(WRITERS) if not failures[number][0]]
    if not winners:
        raise Violation(f"of {WRITERS} sessions that created the table none succeeded: {shown(failures)}")
    winner = only(winners, "the sessions that created the table")
    equal(lake.run(f"SELECT x FROM {table}"), [(winner,)], "the row of the table that was created")


@must("spark.iceberg.concurrency.seen", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_seen(lake: Lake) -> None:
    """Rows that one session has written are immediately read by another session."""
    table, other = lake.name("t"), lake.another()
    lake.run(f"CREATE TABLE {table} (x INT) USING iceberg")
    for x in range(3):
        lake.run(f"INSERT INTO {table} VALUES ({x})")
        equal(other.value(f"SELECT max(x) FROM {table}"), x, "the highest row that another session sees")
    other.run(f"ALTER TABLE {table} ADD COLUMN y INT")
    equal(lake.columns(table), {"x": "int", "y": "int"}, "the columns that the first session sees")


@must("spark.iceberg.concurrency.stale", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_stale(lake: Lake, catalog: IcebergCatalog) -> None:
    """A commit for a schema that has changed since is rejected as a conflict."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} (x INT) USING iceberg")
    id = catalog.table_id()
    before = catalog.metadata(id)
    lake.run(f"ALTER TABLE {table} ADD COLUMN y INT")
    stale = {"type": "assert-current-schema-id", "current-schema-id": before["current-schema-id"]}
    properties = {"action": "set-properties", "updates": {"lp.stale": "yes"}}
    catalog.update_table(id, [properties], [stale], expect=409)
    lacks(lake.properties(table), ["lp.stale"], "the properties of the table")
