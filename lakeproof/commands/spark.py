"""`lakeproof spark`."""

from __future__ import annotations

import signal
from functools import partial
from typing import Any

import click

from conformance.settings import EMBEDDED_STORAGE
from lakeproof.commands.connection_options import connection_options
from lakeproof.commands.spark_options import spark_options, spark_settings_of
from lakeproof.shown_run import check_and_show
from spark_tests.connectors import connectable, default_connector
from spark_tests.scenarios.running import run_scenarios
from spark_tests.session import check_spark

EPILOG = """\b
Examples:
  lakeproof spark --api iceberg                    the embedded reference server
  lakeproof spark http://localhost:8181 --api iceberg --warehouse demo
  lakeproof spark http://localhost:2333 --api lance -k spark.lance.rows
  lakeproof spark URL --api lance --connector org.lance:lance-spark-bundle-3.5_2.12:0.4.0
  lakeproof spark URL --api iceberg --jars iceberg-spark-runtime.jar   without a registry

\b
Spark and the executors have to reach the files of the server's tables. Exit
codes are those of `lakeproof check`.
"""


@click.command("spark", epilog=EPILOG)
@click.argument("url", required=False)
@click.option(
    "--api", type=click.Choice(connectable()), default=default_connector(), show_default=True, help="What URL speaks."
)
@click.option("--profile", help="A revision of the API, such as iceberg/1.11. Default: the newest.")
@click.option(
    "--storage", default=EMBEDDED_STORAGE, show_default=True, help="Storage of the embedded server, without a URL."
)
@click.option("--name", help="What the reports call the server.")
@click.option("--warehouse", metavar="NAME", help="The warehouse to ask an Iceberg catalog for; NAME=URI embedded.")
@click.option("--token", help="Send this bearer token.")
@click.option("--credential", metavar="ID:SECRET", help="Let Spark get tokens from an Iceberg catalog for this.")
@click.option("--scope", help="The scope of tokens that are got for the credential.")
@click.option("--header", "headers", multiple=True, metavar="'NAME: VALUE'", help="Send this header too.")
@click.option("-k", "select", metavar="EXPR", help="Only scenarios whose id matches, as in pytest -k.")
@click.option("--strict", is_flag=True, default=None, help="A SHOULD counts like a MUST.")
@connection_options
@click.option("--report", metavar="DIR", help="Where the reports go.  [default: lakeproof-report]")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON and nothing else.")
@spark_options
def spark_command(url: str | None, storage: str, as_json: bool, headers: tuple[str, ...], **given: Any) -> int:
    """Run Spark, with the real connector, against a server; by default against the embedded one."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    spark = spark_settings_of(given)
    check_spark(spark)
    judge = partial(run_scenarios, spark=spark)
    return check_and_show(
        url,
        as_json=as_json,
        storage=storage,
        judge=judge,
        program="lakeproof spark",
        headers=headers or None,
        **given,
    )
