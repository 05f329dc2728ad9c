"""Tables of the warehouse, derived from the types of results and exchanges, and the upgrade of older tables.

The version of the schema is a property of each table. A newer kit adds the columns that an older one did
not know; an older kit rejects tables that a newer one has written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from conformance.values.exchange import Step
from conformance.values.results import Results
from spark_tests.pipeline.columns import column_type
from specs.problems import Problem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CATALOG = "lakeproof_warehouse"
NAMESPACE = f"{CATALOG}.lakeproof"
VERSION = 2
VERSION_PROPERTY = "lakeproof.schema-version"
RUNS, VERDICTS, EXCHANGES = "runs", "verdicts", "exchanges"
SOURCE = "source"  # path of the run's file
FIELDS_OF_RUN = {
    "run_id": "run.id",
    "started": "run.started",
    "server": "target.name",
    "api": "target.api",
    "profile": "target.profile",
}
FIELDS: Mapping[str, Mapping[str, str]] = {
    VERDICTS: {
        "requirement": "requirements.id",
        **{name: f"requirements.{name}" for name in ("level", "kind", "verdict", "message", "seconds", "requests")},
        "blocked_by": "requirements.blocked_by",
        "operations": "requirements.operations",
    },
    EXCHANGES: {
        "operation": "operation",
        "method": "request.method",
        "status": "response.status",
        "seconds": "seconds",
        "failure": "response.failure",
    },
    RUNS: {
        "url": "target.url",
        "software": "target.server",
        **{name: f"run.{name}" for name in ("depth", "seed", "kit", "command", "interrupted", "seconds", "requests")},
    },
}
"""Sources of each table's own columns: fields of Results, or of Step for exchanges."""


def _columns(name: str, record_type: type) -> dict[str, str]:
    columns = {column: column_type(record_type, path) for column, path in FIELDS[name].items()}
    return {**{column: column_type(Results, path) for column, path in FIELDS_OF_RUN.items()}, **columns}


TABLES: Mapping[str, Mapping[str, str]] = {  # runs come last: a run in it is complete in the other tables
    VERDICTS: _columns(VERDICTS, Results),
    EXCHANGES: _columns(EXCHANGES, Step),
    RUNS: {**_columns(RUNS, Results), SOURCE: "string"},
}


def table(name: str) -> str:
    """Return a table's name in SQL."""
    return f"{NAMESPACE}.{name}"


def ensure_tables(spark: SparkSession) -> None:
    """Create the tables, or upgrade existing ones.

    Raises Problem for tables that a newer kit has written.
    """
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {NAMESPACE}")
    for name, columns in TABLES.items():
        described = ", ".join(f"{column} {kind}" for column, kind in columns.items())
        properties = f"'{VERSION_PROPERTY}' = '{VERSION}', 'format-version' = '2'"
        spark.sql(f"CREATE TABLE IF NOT EXISTS {table(name)} ({described}) USING iceberg TBLPROPERTIES ({properties})")
        _bring_up_to_date(spark, name, columns)


def check_tables(spark: SparkSession) -> None:
    """Upgrade the tables. Raises Problem if they do not exist, or a newer kit has written them."""
    namespaces = {row["namespace"] for row in spark.sql(f"SHOW NAMESPACES IN {CATALOG}").collect()}
    known = NAMESPACE.partition(".")[2] in namespaces
    tables = {row["tableName"] for row in spark.sql(f"SHOW TABLES IN {NAMESPACE}").collect()} if known else set()
    if not tables >= set(TABLES):
        raise Problem("The warehouse is empty.", "Fill it with `lakeproof warehouse load DIR`.")
    for name, columns in TABLES.items():
        _bring_up_to_date(spark, name, columns)


def _bring_up_to_date(spark: SparkSession, name: str, columns: Mapping[str, str]) -> None:
    version = _version(spark, name)
    if version == VERSION:
        return
    present = set(spark.table(table(name)).columns)
    missing = ", ".join(f"{column} {kind}" for column, kind in columns.items() if column not in present)
    if missing:
        spark.sql(f"ALTER TABLE {table(name)} ADD COLUMNS ({missing})")
    spark.sql(f"ALTER TABLE {table(name)} SET TBLPROPERTIES ('{VERSION_PROPERTY}' = '{VERSION}')")


def _version(spark: SparkSession, name: str) -> int:
    rows = spark.sql(f"SHOW TBLPROPERTIES {table(name)}").collect()
    version = int({row["key"]: row["value"] for row in rows}.get(VERSION_PROPERTY, "0"))
    if version > VERSION:
        raise Problem(
            f"The table {table(name)} has schema version {version}; this kit knows up to {VERSION}.",
            "Use a newer lakeproof.",
        )
    return version
