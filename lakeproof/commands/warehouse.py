"""Commands `lakeproof warehouse ...`: the results of many runs, in Iceberg tables."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click
from rich.table import Table
from rich.text import Text

from conformance.report.pages import check_page
from conformance.target.target import connect
from conformance.values.exit_codes import EXIT_CONFORMS, EXIT_FAILS
from conformance.values.settings import DEFAULT_REPORT, Settings
from lakeproof.commands.on_spark import announce, spark_options, spark_settings_of, working
from lakeproof.console import out
from lakeproof.options import checked
from lakeproof.progress import showing
from lakeproof.terminal import mark
from reference_server.serve import serve
from spark_tests.connectors import catalog_for
from spark_tests.pipeline.aggregates import aggregate
from spark_tests.pipeline.loading import load
from spark_tests.pipeline.report import NAME, matrix, sentence, to_json, write
from spark_tests.pipeline.schema import CATALOG, check_tables
from spark_tests.session import SparkSettings, open_session
from specs.ports import DEFAULT_PORTS
from specs.problems import Problem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

F = TypeVar("F", bound=Callable[..., Any])
DEFAULT_FOLDER = "lakeproof-warehouse"
MOST_SHOWN = 15
SECONDS = 5.0


def catalog_options(command: F) -> F:
    """Add the options that locate the warehouse to a command, and the options of Spark."""
    for option in reversed(
        (
            click.option(
                "--folder",
                default=DEFAULT_FOLDER,
                metavar="DIR",
                show_default=True,
                help="Directory of the tables.",
            ),
            click.option(
                "--catalog", metavar="URL", help="Iceberg REST catalog of the tables, instead of a directory."
            ),
            click.option("--warehouse", metavar="NAME", help="Warehouse of the catalog."),
            click.option("--token", metavar="TOKEN", help="Bearer token for the catalog."),
            click.option(
                "--credential", metavar="ID:SECRET", help="Client credentials for getting a token from the catalog."
            ),
            click.option("--scope", metavar="SCOPE", help="Scope of the token requested with --credential."),
        )
    ):
        command = option(command)
    return spark_options(command)


@click.group(
    "warehouse",
    epilog="""\b
Examples:
  lakeproof check http://localhost:8181 --api iceberg --report reports/monday
  lakeproof warehouse load reports/   load the new runs below this folder
  lakeproof warehouse report          write lakeproof-report/warehouse.html
""",
)
def warehouse_group() -> None:
    """Load the results of many runs into Iceberg tables and report on them, with Spark."""


@warehouse_group.command(
    "load",
    epilog="""\b
Examples:
  lakeproof warehouse load lakeproof-report/
  lakeproof warehouse load reports/ --folder /srv/lakeproof
  lakeproof warehouse load reports/ --catalog https://catalog:8181 --token "$TOKEN"
  lakeproof warehouse load reports/ --master spark://host:7077 --py-files lakeproof.whl

Loading a run again changes nothing. A file that is not a results file is rejected and named; the others are loaded.
Exit codes: 0 all files loaded, 1 files rejected, 4 wrong usage or unreachable catalog.
""",
)
@click.argument("folders", nargs=-1, required=True, metavar="DIR...", type=click.Path(path_type=Path))
@catalog_options
@checked
def load_command(folders: tuple[Path, ...], **given: Any) -> int:
    """Load the results and wire logs of every run below the folders."""
    with _session(given) as (spark, where), working("loading", spark):
        loaded = load(spark, folders)
    rows = ", ".join(f"{count:,} {name}" for name, count in loaded.rows.items())
    out.print(
        f"loaded {loaded.runs:,} new runs from {loaded.files:,} files into {where}: {rows}; {loaded.seconds:.1f} s"
    )
    for refused in loaded.refused:
        out.print(Text(f"rejected: {refused.why}", "yellow"), soft_wrap=True)
    lines, log = loaded.broken
    if lines:
        out.print(Text(f"skipped: {lines:,} invalid lines of wire logs, such as in {log}", "yellow"), soft_wrap=True)
    return EXIT_FAILS if loaded.refused else EXIT_CONFORMS


@warehouse_group.command(
    "report",
    epilog="""\b
Examples:
  lakeproof warehouse report --report public/
  lakeproof warehouse report --json | jq .changes
""",
)
@click.option("--report", default=DEFAULT_REPORT, show_default=True, metavar="DIR", help="Directory of the report.")
@click.option("--json", "as_json", is_flag=True, help="Print only the report, as JSON.")
@catalog_options
@checked
def report_command(report: str, as_json: bool, **given: Any) -> int:
    """Write the report on all loaded runs.

    It has a heat map of servers and groups of operations, trends, changes, flaky requirements, latencies and a matrix.
    """
    check_page(Path(report), NAME)
    with _session(given) as (spark, where), working("asking", spark):
        check_tables(spark)
        aggregated = to_json(aggregate(spark), where)
    if as_json:
        click.echo(json.dumps(aggregated, indent=2))
    else:
        _print(aggregated)
    paths = write(aggregated, Path(report))
    if not as_json:
        out.print(f"report: {paths['html']}", soft_wrap=True)
    return EXIT_CONFORMS


@contextlib.contextmanager
def _session(given: dict[str, Any]) -> Iterator[tuple[SparkSession, str]]:
    """Yield a Spark session with the warehouse, and its location. Raises Problem if the warehouse cannot be opened."""
    spark = spark_settings_of(given)
    announce(spark)
    with showing(), contextlib.ExitStack() as stack:
        url, where = given["catalog"], given["catalog"]
        if not url:
            url = stack.enter_context(serve("iceberg", storage=f"dir:{given['folder']}")).url
            where = str(given["folder"])
        session = stack.enter_context(_open(spark, url, given))
        with _as_problem(where):
            yield session, where


def _open(spark: SparkSettings, url: str, given: dict[str, Any]) -> contextlib.AbstractContextManager[SparkSession]:
    names = ("warehouse", "token", "credential", "scope")
    settings = Settings(server=url, api="iceberg", **{name: given[name] for name in names if given[name]})
    _check(connect(settings).settings.server)
    return open_session(spark, [catalog_for(CATALOG, settings)])


def _check(url: str) -> None:
    """Raise Problem if nothing listens at a URL: Spark's connector would fail later, with a worse message."""
    place = urlsplit(url)
    port = place.port or DEFAULT_PORTS[place.scheme]
    try:
        socket.create_connection((place.hostname or "", port), SECONDS).close()
    except OSError as error:
        raise Problem(f"--catalog {url} cannot be reached: {error.strerror or error}.", "Check the URL.") from None


@contextlib.contextmanager
def _as_problem(where: str) -> Iterator[None]:
    """Raise Problem for an error of Spark, its connector or the catalog."""
    from py4j.protocol import Py4JJavaError  # noqa: PLC0415 - optional
    from pyspark.errors import PySparkException  # noqa: PLC0415

    try:
        yield
    except (Py4JJavaError, PySparkException) as error:
        reason = str(error.java_exception.getMessage() if isinstance(error, Py4JJavaError) else error)
        first = reason.strip().splitlines()[0].rstrip(".")
        raise Problem(
            f"The warehouse {where} cannot be used: {first}.",
            "Load again: a run counts only when it is complete.",
        ) from None


def _print(report: dict[str, Any]) -> None:
    for row in report["changes"][:MOST_SHOWN]:
        out.print(mark(row["now"], f"{row['requirement']}: {row['server']}, {row['before']} before"), soft_wrap=True)
    _print_rest(len(report["changes"]), "changes")
    shown = matrix(report)
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("requirement", no_wrap=True)
    for number, (server, profile) in enumerate(shown.servers, 1):
        out.print(f"{number:>2}  {server}  [dim]{profile}[/]", soft_wrap=True)
        table.add_column(str(number))
    for name, cells in list(shown.rows.items())[:MOST_SHOWN]:
        table.add_row(name, *(mark(cells[column]) if column in cells else Text("·", "dim") for column in shown.servers))
    if shown.rows:
        out.print(table)
    _print_rest(len(shown.rows), "requirements")
    out.print(Text(sentence(report), "bold"))


def _print_rest(count: int, nouns: str) -> None:
    if count > MOST_SHOWN:
        out.print(f"… and {count - MOST_SHOWN:,} more {nouns}: see the report.")
