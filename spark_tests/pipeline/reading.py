"""Rows from files: `results.json` and `exchanges.jsonl`, read by Spark with the fields that the tables keep.

What of a file nobody aggregates, above all bodies, is never parsed into columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.exchange_log import FILE_NAME as EXCHANGES_FILE
from conformance.results import read_results as read
from conformance.results_files import FILE_NAME as RESULTS_FILE
from conformance.results_files import NAMES
from specs.problems import Problem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Observation, SparkSession

RESULTS_SCHEMA = """
run struct<id: string, started: string, seconds: double, seed: bigint, depth: string, command: string,
           kit: string, interrupted: boolean, requests: bigint>,
target struct<url: string, name: string, api: string, profile: string, server: string>,
requirements array<struct<id: string, level: string, kind: string, verdict: string, message: string,
                          seconds: double, requests: bigint, blocked_by: string>>
"""
EXCHANGES_SCHEMA = """
operation string, request struct<method: string>, response struct<status: int, failure: string>, seconds double,
broken string
"""
GLOB = re.compile(r"[*?\[\]{}\\,]")
WHOSE = {
    "run_id": "run.id",
    "started": "CAST(run.started AS timestamp)",
    "server": "target.name",
    "api": "target.api",
    "profile": "target.profile",
}


@dataclass(frozen=True, slots=True)
class Head:
    """A file, and the run that it holds; or why it is no results file of a version that this kit knows."""

    path: str
    run: str = ""
    why: str = ""


def find_results(folders: Iterable[Path]) -> list[Path]:
    """Return every results file in these folders, at any depth. Raises Problem when there is none."""
    folders = list(folders)
    for folder in folders:
        if not folder.exists():
            raise Problem(f"There is no folder {folder}.", "Give the --report folders of runs, or one above them.")
    found = {path.resolve() for folder in folders for path in _below(folder)}
    if not found:
        names = ", ".join(map(str, folders))
        raise Problem(f"There is no {RESULTS_FILE} in {names}.", "Give the --report folders of runs.")
    return sorted(found)


def _below(folder: Path) -> Iterable[Path]:
    return [folder] if folder.is_file() else [path for name in NAMES for path in folder.rglob(name)]


def look_at(spark: SparkSession, paths: Sequence[Path]) -> list[Head]:
    """Return what each file is, by the schema of results files; Spark's executors look at them."""
    context = spark.sparkContext
    slices = max(1, min(len(paths), context.defaultParallelism * 4))
    return context.parallelize([str(path) for path in paths], slices).map(_look).collect()


def _look(path: str) -> Head:
    try:
        return Head(path, run=str(read(Path(path)).run["id"]))
    except Problem as problem:
        return Head(path, why=problem.message)


def read_results(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Return a row for each results file, with the path in `source`."""
    places = [spark_path(path) for path in paths]
    frame = spark.read.schema(RESULTS_SCHEMA).option("multiLine", "true").json(places)
    return frame.selectExpr("*", "_metadata.file_path AS source")


def runs(files: DataFrame) -> DataFrame:
    """Return the rows of the table of runs."""
    return files.selectExpr(
        *_whose(),
        "target.url AS url",
        "target.server AS software",
        *(f"run.{name}" for name in ("depth", "seed", "kit", "command", "interrupted", "seconds", "requests")),
        "source",
    )


def verdicts(files: DataFrame) -> DataFrame:
    """Return the rows of the table of verdicts: one for each requirement of each run."""
    exploded = files.selectExpr(*_whose(), "explode(requirements) AS one")
    names = ("level", "kind", "verdict", "message", "seconds", "requests", "blocked_by")
    return exploded.selectExpr(*WHOSE, "one.id AS requirement", *(f"one.{name}" for name in names))


def exchanges(spark: SparkSession, files: DataFrame, logs: Sequence[str], seen: Observation) -> DataFrame:
    """Return the rows of the table of exchanges, from wire logs that lie beside results files.

    Lines that are no exchange are left out; `seen` learns how many they are, and the `log` of one of them.
    """
    from pyspark.sql.functions import expr  # noqa: PLC0415 - optional

    read = spark.read.schema(EXCHANGES_SCHEMA).option("columnNameOfCorruptRecord", "broken").json(list(logs))
    told = expr("count(broken) AS broken"), expr("max(CASE WHEN broken IS NOT NULL THEN log END) AS log")
    lines = read.selectExpr("*", "_metadata.file_path AS log").observe(seen, *told).where("broken IS NULL")
    whose = files.selectExpr(*_whose(), f"regexp_replace(source, '[^/]+$', '{EXCHANGES_FILE}') AS log")
    joined = lines.join(whose.hint("broadcast"), "log")
    return joined.selectExpr(
        *WHOSE,
        "operation",
        "request.method AS method",
        "response.status AS status",
        "seconds",
        "response.failure AS failure",
    )


def logs_beside(paths: Iterable[str]) -> list[str]:
    """Return the wire logs that lie beside results files, as Spark takes them."""
    logs = [Path(path).with_name(EXCHANGES_FILE) for path in paths]
    return [spark_path(log) for log in logs if log.exists()]


def spark_path(path: str | Path) -> str:
    """Return a path as Spark takes it: it knows no percent-encoding, and takes some signs for patterns."""
    return "file:" + GLOB.sub(r"\\\g<0>", str(path))


def _whose() -> list[str]:
    return [f"{expression} AS {name}" for name, expression in WHOSE.items()]
