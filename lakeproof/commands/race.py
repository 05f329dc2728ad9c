"""Command `lakeproof race`: concurrent clients on Spark's executors."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.table import Table
from rich.text import Text

from conformance.history.orders import MOST_ORDERS
from conformance.report.pages import check_page
from conformance.report.timeline import bars
from conformance.run.choosing import shown_by
from conformance.values.exit_codes import EXIT_CONFORMS, EXIT_FAILS
from conformance.values.resources import Leftovers
from conformance.values.settings import EMBEDDED_STORAGE, Settings
from lakeproof.command_line import command_line
from lakeproof.commands.on_spark import (
    announce,
    api_option,
    counting,
    settings_with_api,
    spark_options,
    spark_settings_of,
)
from lakeproof.commands.settings_options import ACCESS, CONNECTION, settings_options
from lakeproof.console import err, out
from lakeproof.options import checked
from lakeproof.progress import showing
from lakeproof.server_process import ServerProcess, log_in
from lakeproof.terminal import print_end
from reference_server.serve import server_settings
from spark_tests.connectors import catalog_for, sql_tables
from spark_tests.races import running
from spark_tests.races import sql as sql_race
from spark_tests.races.apis import raceable
from spark_tests.races.report import NAME, advice, sentence, to_json, write
from spark_tests.races.running import Race, RaceSettings, run_race
from spark_tests.session import SparkSettings, open_session
from specs.problems import Problem
from specs.writing import NotWritten

MOST_PROBLEMS = 5
LANE = 24
COLORS = {"ok": "green", "refused": "yellow", "unknown": "red"}
SENTENCE_COLORS = {"fail": "bold red", "undecided": "bold yellow", "pass": "bold green"}
EPILOG = """\b
Examples:
  lakeproof race --api iceberg --clients 100 --operations 10000
  lakeproof race http://localhost:8181 --api iceberg --token "$TOKEN"
  lakeproof race --sql                               through Spark's connector
  lakeproof race --api iceberg --fault lost-update   shows a finding
  lakeproof race URL --master spark://host:7077 --py-files lakeproof.whl

Other faults for races: stale-read, torn-transaction and duplicate-apply (Iceberg), torn-batch,
race-hidden and drop-race-hidden (Lance).

A contradiction is a history that no order of the operations explains. Exit codes: 0 no contradiction,
1 contradictions or undecided objects, 4 wrong usage or unreachable server.
"""


@click.command("race", epilog=EPILOG)
@click.argument("url", required=False)
@api_option(raceable())
@click.option("--clients", type=click.IntRange(1), help="Number of concurrent clients.  [default: 1000, with --sql 6]")
@click.option(
    "--operations", type=click.IntRange(1), help="Operations of all clients.  [default: 100000, with --sql 120]"
)
@click.option("--sql", is_flag=True, help="Race with SQL appends and merges through Spark's connector (Iceberg).")
@click.option("--partitions", type=click.IntRange(1), help="Number of Spark tasks that run the clients.")
@click.option(
    "--most-orders",
    type=click.IntRange(1),
    default=MOST_ORDERS,
    show_default=True,
    help="Orders of one object's operations to try before its history is undecided.",
)
@settings_options("storage", seed="Random seed of the clients' choices.")
@click.option("--fault", "faults", multiple=True, metavar="NAME", help="Fault of the embedded server; repeatable.")
@settings_options("name", "warehouse", **ACCESS)
@settings_options("scope", "header", *CONNECTION, "report")
@click.option("--json", "as_json", is_flag=True, help="Print only the report, as JSON.")
@spark_options
@checked
def race_command(
    url: str | None,
    faults: tuple[str, ...],
    as_json: bool,
    clients: int | None,
    operations: int | None,
    sql: bool,
    partitions: int | None,
    most_orders: int,
    **given: Any,
) -> int:
    """Race clients on Spark's executors and judge their history; by default on the embedded server."""
    spark: SparkSettings = spark_settings_of(given)
    settings = settings_with_api(given, url, raceable(), "a race")
    tables = sql_tables(settings.api)
    if sql and not tables:
        able = " or ".join(filter(sql_tables, raceable()))
        raise Problem(f"--sql: {settings.api} has no race through SQL, only {able} has.", "Leave --sql out.")
    many, much = (sql_race.CLIENTS, sql_race.OPERATIONS) if sql else (running.CLIENTS, running.OPERATIONS)
    size = RaceSettings(clients or many, operations or much, partitions or 0, settings.seed, most_orders=most_orders)
    through_sql = partial(sql_race.through_sql, tables=tables) if sql and tables else None
    folder, command = Path(settings.report), command_line()
    check_page(folder, NAME)
    announce(spark)

    def keep(race: Race) -> None:
        with suppress(NotWritten):  # the write at the end says so
            write(to_json(race, command), folder)

    with race_target(settings, faults) as target:
        catalogs = [catalog_for(sql_race.CATALOG, target)] if sql else []
        with (
            showing() as progress,
            open_session(spark, catalogs) as session,
            counting(progress, f"{size.clients:,} clients race", size.operations) as on_progress,
        ):
            race = run_race(session, target, size, through_sql, on_progress, keep)
    report = to_json(race, command)
    if as_json:
        click.echo(json.dumps(report, indent=2))
    else:
        print_race(report, folder / f"{NAME}.json")
    paths = write(report, folder)
    if not as_json:
        out.print(f"report: {paths['html']}", soft_wrap=True)
    return EXIT_CONFORMS if report["verdict"] == "pass" else EXIT_FAILS


@contextlib.contextmanager
def race_target(settings: Settings, faults: tuple[str, ...]) -> Iterator[Settings]:
    """Yield the settings with the server of a race, the embedded one by default, and the revision that it shows."""
    if settings.server:
        if shown := shown_by(settings):
            err.print(Text(f"The race follows {shown.profile.name}: {shown.why}."), soft_wrap=True)
            settings = replace(settings, profile=shown.profile.name)
        yield settings
        return
    known = server_settings(settings.api, storage=settings.storage or EMBEDDED_STORAGE, faults=faults)
    with log_in(Path(settings.report)) as log, ServerProcess(known, log) as server:
        yield replace(settings, server=server.url, name=settings.name or "embedded reference server")


def print_race(report: dict[str, Any], path: Path) -> None:
    """Print a race: contradictions, operations, and the verdict in one sentence. `path` is the full report."""
    problems, undecided = report["problems"], report["undecided"]
    for problem in problems[:MOST_PROBLEMS]:
        out.print(Text("✗ ", "red").append(f"{problem['object']}: {problem['message']}", "bold"), soft_wrap=True)
        for event, (start, end) in zip(problem["events"], bars(problem["events"]), strict=True):
            left, right = round(start * (LANE - 1)), round(end * (LANE - 1))
            lane = "·" * left + ("━" * (right - left + 1)) + "·" * (LANE - 1 - right)
            line = Text(f"    {event['start']:>10.6f} s ", "dim").append(lane, COLORS[event["outcome"]])
            out.print(line.append(f" client {event['client']} {event['says']}", "not dim"), soft_wrap=True)
    _print_rest(len(problems), "contradictions", path)
    out.print(_table(report))
    figures = report["totals"]
    out.print(
        f"{figures['per_second']:,.0f} operations/s, {figures['conflicts'] or 0:.1%} conflicts, "
        f"{figures['seconds']:.1f} s, history judged in {report['run']['seconds']['judge']:.2f} s"
    )
    out.print(Text(sentence(report), SENTENCE_COLORS[report["verdict"]]), soft_wrap=True)
    for entry in undecided[:MOST_PROBLEMS]:
        out.print(Text(f"? {entry['object']}: {entry['message']}", "yellow"), soft_wrap=True)
    _print_rest(len(undecided), "undecided objects", path)
    if undecided:
        out.print(advice(report), soft_wrap=True)
    for never in figures["never_done"]:
        out.print(Text(f"never succeeded, so the race proves nothing about it: {never}", "yellow"))
    print_end((), msgspec.convert(report["run"]["left_behind"], list[Leftovers | str]))


def _print_rest(count: int, nouns: str, path: Path) -> None:
    if count > MOST_PROBLEMS:
        out.print(f"… and {count - MOST_PROBLEMS:,} more {nouns}: {path} has all {count:,}.", soft_wrap=True)


def _table(report: dict[str, Any]) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("operation", no_wrap=True)
    for name in ("count", "done", "refused", "lost", "p50 ms", "p90", "p99", "max"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in report["actions"]:
        latencies = [f"{value:.{1 if value < 100 else 0}f}" for value in row["latency"].values()] or [""] * 4
        counts = [f"{row[name]:,}" for name in ("count", "ok", "refused", "unknown")]
        table.add_row(f"{row['action']} {row['kind']}", *counts, *latencies)
    return table
