"""Command `lakeproof spark`: scenarios through Spark's connectors."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from lakeproof.commands.on_spark import announce, api_option, settings_with_api, spark_options, spark_settings_of
from lakeproof.commands.settings_options import ACCESS, CONNECTION, settings_options
from spark_tests.connectors import connectable, spoken_profile
from spark_tests.session import check_spark

EPILOG = """\b
Examples:
  lakeproof spark --api iceberg                    the embedded reference server
  lakeproof spark http://localhost:8181 --api iceberg --warehouse demo
  lakeproof spark http://localhost:2333 --api lance -k spark.lance.rows
  lakeproof spark URL --api iceberg --jars iceberg-spark-runtime.jar
  lakeproof spark URL --api lance \\
      --connector org.lance:lance-spark-bundle-3.5_2.12:0.4.0

Spark and its executors must reach the files of the server's tables. Exit codes
are those of `lakeproof check`.
"""


@click.command("spark", epilog=EPILOG)
@click.argument("url", required=False)
@api_option(connectable())
@settings_options("profile", "storage", "name", "warehouse", **ACCESS)
@settings_options("scope", "header", "select", "strict", *CONNECTION, "report")
@click.option("--json", "as_json", is_flag=True, help="Print only the results, as JSON.")
@spark_options
def spark_command(url: str | None, as_json: bool, **given: Any) -> int:
    """Test a server through Spark and the API's real connector; by default the embedded server."""
    spark = spark_settings_of(given)
    settings = settings_with_api(given, url, connectable(), "a scenario")
    if not (settings.profile or settings.spec) and (spoken := spoken_profile(settings.api, spark.connectors)):
        given["profile"] = spoken
    from conformance.report import check_report  # noqa: PLC0415 - slow to import

    check_report(Path(settings.report))
    announce(spark)
    check_spark(spark)
    from lakeproof.shown_run import check_and_show  # noqa: PLC0415 - slower, the first line comes before it
    from spark_tests.scenarios.running import run_scenarios  # noqa: PLC0415

    runner = partial(run_scenarios, spark=spark)
    return check_and_show(url, as_json=as_json, runner=runner, program="lakeproof spark", **given)
