"""Loading of new runs.

A run is loaded once: its row in the table of runs is written last and means that the run is complete.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from spark_tests.pipeline import reading
from spark_tests.pipeline.reading import Head
from spark_tests.pipeline.schema import EXCHANGES, RUNS, TABLES, VERDICTS, ensure_tables, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Loaded:
    """Outcome of a load: number of files, new runs, rows written by table, rejected files, seconds.

    `broken` is the number of invalid lines in wire logs, and the log of one of them.
    """

    files: int
    runs: int
    rows: dict[str, int]
    refused: list[Head]
    seconds: float
    broken: tuple[int, str] = (0, "")


def load(spark: SparkSession, folders: Iterable[Path]) -> Loaded:
    """Load the results and wire logs of folders, without the runs that are already loaded.

    Raises Problem if there is nothing to load, and for tables of a newer kit.
    """
    started = time.perf_counter()
    paths = reading.find_results(folders)
    ensure_tables(spark)
    heads = reading.look_at(spark, paths)
    known = {row["run_id"] for row in spark.table(table(RUNS)).select("run_id").collect()}
    new = {head.run: head.path for head in reversed(heads) if head.run and head.run not in known}
    rows, broken = _write(spark, new) if new else (dict.fromkeys(TABLES, 0), (0, ""))
    refused = [head for head in heads if head.why]
    return Loaded(len(paths), len(new), rows, refused, time.perf_counter() - started, broken)


def _write(spark: SparkSession, new: Mapping[str, str]) -> tuple[dict[str, int], tuple[int, str]]:
    """Write runs, given as ids with their files; return the number of rows by table, and the invalid lines."""
    from pyspark.sql import Observation  # noqa: PLC0415 - optional

    _remove_halves(spark, new)
    seen = Observation()
    files = reading.read_results(spark, list(new.values()))
    frames = {VERDICTS: reading.verdicts(files)}
    logs = reading.logs_beside(new.values())
    if logs:
        frames[EXCHANGES] = reading.exchanges(spark, files, logs, seen)
    frames[RUNS] = reading.runs(files)
    counts = dict.fromkeys(TABLES, 0)
    for name, frame in frames.items():
        frame.select(*TABLES[name]).writeTo(table(name)).append()
        counts[name] = _added(spark, name)
    return counts, _broken(seen.get) if logs else (0, "")


def _broken(seen: Mapping[str, Any]) -> tuple[int, str]:
    return seen["broken"], unquote(urlsplit(seen["log"] or "").path)


def _remove_halves(spark: SparkSession, new: Iterable[str]) -> None:
    """Delete the rows of these runs that an interrupted load has written."""
    spark.createDataFrame([(run,) for run in new], "run_id string").createOrReplaceTempView("new_runs")
    for name in (VERDICTS, EXCHANGES):
        half_loaded = spark.sql(f"SELECT 1 FROM {table(name)} WHERE run_id IN (SELECT run_id FROM new_runs) LIMIT 1")
        if half_loaded.collect():
            spark.sql(f"DELETE FROM {table(name)} WHERE run_id IN (SELECT run_id FROM new_runs)")


def _added(spark: SparkSession, name: str) -> int:
    """Return the number of rows that the latest snapshot of a table has added."""
    snapshots = spark.sql(f"SELECT summary FROM {table(name)}.snapshots ORDER BY committed_at DESC LIMIT 1").collect()
    return int(snapshots[0]["summary"].get("added-records", 0)) if snapshots else 0
