"""Rows from files: `results.json` and `exchanges.jsonl`, read by Spark with the fields of the tables.

Fields that no query needs, above all bodies, are never parsed into columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.after.reading import read_results as read
from conformance.http.exchange_log import FILE_NAME as EXCHANGES_FILE
from conformance.values.exchange import Step
from conformance.values.results import Results
from conformance.values.results_files import FILE_NAME as RESULTS_FILE
from conformance.values.results_files import NAMES
from spark_tests.pipeline.columns import read_type
from spark_tests.pipeline.schema import EXCHANGES, FIELDS, FIELDS_OF_RUN, RUNS, SOURCE, TABLES, VERDICTS
from specs.problems import Problem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Observation, SparkSession

BROKEN = "broken"
FROM_RESULTS = [*FIELDS_OF_RUN.values(), *FIELDS[VERDICTS].values(), *FIELDS[RUNS].values()]
RESULTS_SCHEMA = read_type(Results, FROM_RESULTS)
EXCHANGES_SCHEMA = f"{read_type(Step, FIELDS[EXCHANGES].values())}, {BROKEN} string"
GLOB = re.compile(r"[*?\[\]{}\\,]")


@dataclass(frozen=True, slots=True)
class Head:
    """File with the id of its run, or with the reason if it is not a results file of a known version."""

    path: str
    run: str = ""
    why: str = ""


def find_results(folders: Iterable[Path]) -> list[Path]:
    """Return every results file in these folders, at any depth. Raises Problem if there is none."""
    folders = list(folders)
    for folder in folders:
        if not folder.exists():
            raise Problem(f"There is no folder {folder}.", "Give the --report folders of runs, or one above them.")
    files = {path.resolve() for folder in folders for path in _below(folder)}
    if not files:
        names = ", ".join(map(str, folders))
        raise Problem(f"There is no {RESULTS_FILE} in {names}.", "Give the --report folders of runs.")
    return sorted(files)


def _below(folder: Path) -> Iterable[Path]:
    return [folder] if folder.is_file() else [path for name in NAMES for path in folder.rglob(name)]


def look_at(spark: SparkSession, paths: Sequence[Path]) -> list[Head]:
    """Check each file by the schema of results files, on Spark's executors."""
    context = spark.sparkContext
    slices = max(1, min(len(paths), context.defaultParallelism * 4))
    return context.parallelize([str(path) for path in paths], slices).map(_look).collect()


def _look(path: str) -> Head:
    try:
        return Head(path, run=read(Path(path)).run.id)
    except Problem as problem:
        return Head(path, why=problem.message)


def read_results(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Return a row for each results file, with the path in `source`."""
    places = [spark_path(path) for path in paths]
    frame = spark.read.schema(RESULTS_SCHEMA).option("multiLine", "true").json(places)
    return frame.selectExpr("*", f"_metadata.file_path AS {SOURCE}")


def runs(files: DataFrame) -> DataFrame:
    """Return the rows of the table of runs."""
    return files.selectExpr(*_of_run(), *_select(RUNS), SOURCE)


def verdicts(files: DataFrame) -> DataFrame:
    """Return the rows of the table of verdicts: one for each requirement of each run."""
    exploded = files.selectExpr(*_of_run(), "explode(requirements) AS requirements")
    return exploded.selectExpr(*FIELDS_OF_RUN, *_select(VERDICTS))


def exchanges(spark: SparkSession, files: DataFrame, logs: Sequence[str], seen: Observation) -> DataFrame:
    """Return the rows of the table of exchanges, from the wire logs beside results files.

    Invalid lines are left out; `seen` records their number, and the `log` of one of them.
    """
    from pyspark.sql.functions import expr  # noqa: PLC0415 - optional

    read = spark.read.schema(EXCHANGES_SCHEMA).option("columnNameOfCorruptRecord", BROKEN).json(list(logs))
    broken = expr(f"count({BROKEN}) AS broken"), expr(f"max(CASE WHEN {BROKEN} IS NOT NULL THEN log END) AS log")
    lines = read.selectExpr("*", "_metadata.file_path AS log").observe(seen, *broken).where(f"{BROKEN} IS NULL")
    of_run = files.selectExpr(*_of_run(), f"regexp_replace({SOURCE}, '[^/]+$', '{EXCHANGES_FILE}') AS log")
    return lines.join(of_run.hint("broadcast"), "log").selectExpr(*FIELDS_OF_RUN, *_select(EXCHANGES))


def logs_beside(paths: Iterable[str]) -> list[str]:
    """Return the wire logs beside results files, in the form of Spark's paths."""
    logs = [Path(path).with_name(EXCHANGES_FILE) for path in paths]
    return [spark_path(log) for log in logs if log.exists()]


def spark_path(path: str | Path) -> str:
    """Return a path in Spark's form: without percent-encoding, with characters of patterns escaped."""
    return "file:" + GLOB.sub(r"\\\g<0>", str(path))


def _of_run() -> list[str]:
    """Return the columns that identify the run of a row."""
    kinds = TABLES[RUNS]
    return [f"CAST({path} AS {kinds[column]}) AS {column}" for column, path in FIELDS_OF_RUN.items()]


def _select(name: str) -> list[str]:
    """Return a table's own columns."""
    return [f"{path} AS {column}" for column, path in FIELDS[name].items()]
