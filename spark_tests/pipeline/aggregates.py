"""Queries on a warehouse, in SQL: each returns few rows, however large the tables are."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from conformance.report.matrix import WORST_FIRST
from conformance.values.verdict import UNTESTED as UNTESTED_VERDICTS
from spark_tests.pipeline.schema import EXCHANGES, RUNS, VERDICTS, table
from specs.problems import Problem
from specs.profiles import find_profile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WINDOW = 20  # latest runs of a server to search: a run may not contain every requirement
FLIPS = 2
MOST_TREND = 50
COUNTS = ", ".join(f"count_if(verdict = '{verdict}') AS `{verdict}`" for verdict in WORST_FIRST)
SUBJECT = "server, profile"
UNTESTED = f"({', '.join(map(repr, UNTESTED_VERDICTS))})"
RECENT = f"""
SELECT run_id, {SUBJECT}, started,
       row_number() OVER (PARTITION BY {SUBJECT} ORDER BY started DESC, run_id DESC) AS age
FROM {table(RUNS)} WHERE NOT interrupted
"""
NEWEST = f"""
SELECT v.requirement, v.level, v.operations, v.server, v.profile, v.verdict,
       row_number() OVER (PARTITION BY v.server, v.profile, v.requirement ORDER BY r.age) AS age
FROM {table(VERDICTS)} v JOIN recent r ON v.run_id = r.run_id AND r.age <= {WINDOW}
"""
QUERIES = {
    "servers": f"""
        SELECT {SUBJECT}, count(*) AS runs, max(started) AS latest, max_by(software, started) AS software,
               max_by(kit, started) AS kit
        FROM {table(RUNS)} GROUP BY ALL ORDER BY ALL""",
    "matrix": f"""
        SELECT requirement, level, {SUBJECT}, verdict FROM newest WHERE age = 1
        ORDER BY requirement, server""",
    "groups": f"""
        SELECT {SUBJECT}, `group`, count(DISTINCT requirement) AS requirements,
               count(DISTINCT CASE WHEN verdict NOT IN {UNTESTED} THEN requirement END) AS tested,
               count(DISTINCT CASE WHEN verdict = 'pass' THEN requirement END) AS passed
        FROM (SELECT *, explode(operations) AS operation FROM newest WHERE age = 1 AND level = 'MUST')
        JOIN operation_groups USING (profile, operation) WHERE size(operations) < of_profile
        GROUP BY ALL ORDER BY ALL""",
    "trend": f"""
        SELECT r.server, r.profile, substring_index(min(v.requirement), '.', 1) AS suite, r.run_id, r.started,
               count(*) AS requirements, {COUNTS}
        FROM {table(VERDICTS)} v JOIN recent r ON v.run_id = r.run_id AND r.age <= {MOST_TREND}
        GROUP BY ALL ORDER BY server, profile, suite, started""",
    "flaky": f"""
        WITH steps AS (
          SELECT v.server, v.profile, v.requirement, v.verdict, r.started,
                 lag(v.verdict) OVER (PARTITION BY v.server, v.profile, v.requirement
                                      ORDER BY r.started, r.run_id) AS before
          FROM {table(VERDICTS)} v JOIN recent r ON v.run_id = r.run_id AND r.age <= {WINDOW})
        SELECT {SUBJECT}, requirement, count(*) AS runs, count_if(verdict != before) AS flips,
               count_if(verdict != 'pass') AS not_passed
        FROM steps GROUP BY ALL HAVING flips >= {FLIPS} ORDER BY flips DESC, requirement, server""",
    "changes": f"""
        WITH two AS (
          SELECT {SUBJECT}, requirement, max(CASE WHEN age = 1 THEN verdict END) AS now,
                 max(CASE WHEN age = 2 THEN verdict END) AS before
          FROM newest WHERE age <= 2 GROUP BY ALL)
        SELECT {SUBJECT}, requirement, before, now FROM two
        WHERE now IS NOT NULL AND before IS NOT NULL AND (now = 'pass') != (before = 'pass')
        ORDER BY now = 'pass', server, requirement""",
    "latency": f"""
        SELECT {SUBJECT}, operation, count(*) AS requests, count_if(status >= 500) AS server_errors,
               count_if(status = 0) AS unanswered,
               percentile_approx(1000 * seconds, array(0.5, 0.9, 0.99), 1000) AS percentiles,
               max(1000 * seconds) AS slowest
        FROM {table(EXCHANGES)} WHERE run_id IN (SELECT run_id FROM {table(RUNS)})
        GROUP BY ALL ORDER BY operation, server""",
}


GROUPS = "profile string, operation string, `group` string, of_profile int"


def aggregate(spark: SparkSession) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of every query, by its name; times are texts in ISO 8601."""
    spark.sql(RECENT).createOrReplaceTempView("recent")
    spark.sql(NEWEST).createOrReplaceTempView("newest")
    profiles = [row["profile"] for row in spark.sql(f"SELECT DISTINCT profile FROM {table(RUNS)}").collect()]
    spark.createDataFrame(operation_groups(profiles), GROUPS).createOrReplaceTempView("operation_groups")
    return {name: [_plain(row.asDict()) for row in spark.sql(query).collect()] for name, query in QUERIES.items()}


def operation_groups(profiles: Iterable[str]) -> list[tuple[str, str, str, int]]:
    """Return the groups of operations of profiles, as rows of GROUPS; none for an unknown profile."""
    rows = []
    for name in profiles:
        with contextlib.suppress(Problem):
            profile = find_profile(name)
            size = len(profile.document().operations)
            rows += [(name, id, group, size) for group, ids in profile.groups().items() for id in sorted(ids)]
    return rows


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in row.items()}
