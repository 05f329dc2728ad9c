"""Race through Spark's connector: threads concurrently append to tables and merge into them.

Every write adds an amount to the sum of a table. However the connector and the catalog resolve conflicts, the sum
must equal the sum of the acknowledged writes.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.history import OK, READ, REFUSED, UNKNOWN, Key
from conformance.target.target import Target
from spark_tests.connectors import SqlTables
from spark_tests.races.clock import OnProgress, host_name
from spark_tests.races.records import Record
from spark_tests.races.running import RaceSettings
from spark_tests.races.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CATALOG, SQL_NAME = "raced", "name"
CLIENTS, OPERATIONS = 6, 120
SHARED_BY = 4  # clients that share a table
ROWS = 3  # rows that merges choose from
STATUS = {OK: 200, REFUSED: 409, UNKNOWN: 0}


def through_sql(
    spark: SparkSession,
    target: Target,
    catalog: Any,
    race: RaceSettings,
    seconds: dict[str, float],
    on_progress: OnProgress,
    tables: SqlTables,
    name: str = CATALOG,
) -> list[Record]:
    """Run threads of one session that write and read: the traffic of a race by SQL. `name` is the target's catalog."""
    since = time.perf_counter()
    workload = _prepare(spark, catalog, race, name, tables)
    seconds["prepare"] = time.perf_counter() - since
    since = time.perf_counter()
    shares = [
        race.operations // race.clients + (number < race.operations % race.clients) for number in range(race.clients)
    ]
    writers = [Writer(spark, workload, tables, number, on_progress) for number in range(race.clients)]
    with ThreadPoolExecutor(race.clients) as pool:
        list(pool.map(Writer.run, writers, shares))
    seconds["race"] = time.perf_counter() - since
    for number in range(workload.objects["sum"]):
        writers[0].read(number)
    return [record for writer in writers for record in writer.records]


def _prepare(spark: SparkSession, catalog: Any, race: RaceSettings, name: str, tables: SqlTables) -> Workload:
    home, count = catalog.home, 1 + race.clients // SHARED_BY
    properties = ", ".join(f"'{key}' = '{value}'" for key, value in tables.properties.items())
    workload = Workload(tuple(home), {"sum": count}, race.seed, False, {SQL_NAME: name})
    catalog.note_tables((*home, f"sum{number}") for number in range(count))
    for number in range(count):
        shared = table(workload, number)
        spark.sql(f"CREATE TABLE {shared} (id BIGINT, n BIGINT) USING {tables.format} TBLPROPERTIES ({properties})")
        spark.sql(f"INSERT INTO {shared} SELECT id, 0 FROM range({ROWS})")
    return workload


def table(workload: Workload, number: int) -> str:
    """Return a table's name in SQL."""
    return ".".join((workload.details[SQL_NAME], *(f"`{level}`" for level in workload.home), f"sum{number}"))


class Writer:
    """Client that runs its statements one after the other, concurrently with other clients."""

    def __init__(
        self, session: SparkSession, workload: Workload, tables: SqlTables, number: int, on_progress: OnProgress
    ) -> None:
        self._session = session
        self._workload = workload
        self._tables = tables
        self._number = number
        self._choose = random.Random(f"{workload.seed}/{number}")  # noqa: S311 - reproducible
        self._on_progress = on_progress
        self.records: list[Record] = []

    def run(self, operations: int) -> None:
        """Run a number of appends, merges and reads."""
        acts: list[Callable[[int], None]] = [self.append, self.merge, self.read]
        while len(self.records) < operations:
            act = self._choose.choices(acts, (5, 3, 2))[0]
            act(self._choose.randrange(self._workload.objects["sum"]))

    def append(self, number: int) -> None:
        """Append a row."""
        amount = self._choose.randrange(1, 1000)
        row = f"SELECT {ROWS + amount}L, {amount}L"
        self._do("append", number, f"INSERT INTO {table(self._workload, number)} {row}", amount)

    def merge(self, number: int) -> None:
        """Merge an amount into an existing row."""
        amount, row = self._choose.randrange(1, 1000), self._choose.randrange(ROWS)
        source = f"(SELECT {row}L AS id, {amount}L AS n) AS s ON t.id = s.id"
        update = "WHEN MATCHED THEN UPDATE SET n = t.n + s.n"
        self._do("merge", number, f"MERGE INTO {table(self._workload, number)} AS t USING {source} {update}", amount)

    def read(self, number: int) -> None:
        """Read the sum of all rows."""
        self._do(READ, number, f"SELECT sum(n) FROM {table(self._workload, number)}", None)

    def _do(self, action: str, number: int, statement: str, amount: int | None) -> None:
        start, result = time.monotonic(), None
        try:
            rows = self._session.sql(statement).collect()
            result = rows[0][0] if action == READ else None
            status = STATUS[OK]
        except Exception as error:  # any error: only acknowledged writes count
            status = _status(str(error), self._tables)
        key: Key = ("sum", number)
        note = partial(Record, host_name(), self._number, action, key, amount, result, start, time.monotonic())
        self.records.append(note(0.0, status))
        self._on_progress(self._number, len(self.records))


def _status(message: str, tables: SqlTables) -> int:
    """Return the HTTP status that corresponds to an error of the connector."""
    if any(name in message for name in tables.unknown):
        return STATUS[UNKNOWN]
    return STATUS[REFUSED] if any(name in message for name in tables.conflicts) else 500
