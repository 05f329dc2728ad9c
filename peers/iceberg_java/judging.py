"""Run of the kit from the first request to the reports, and its output in a terminal."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from conformance.report import render_reports
from conformance.report.headline import sentence
from conformance.report.matrix import WORST_FIRST
from conformance.values.redaction import REDACTED, is_secret
from conformance.values.results import Result, Results
from lakeproof.console import out
from lakeproof.terminal import COLOURS, mark
from peers.iceberg_java.kit import probe, run_kit
from peers.iceberg_java.verdicts import KitRun, build_results

only_option = click.option(
    "-k",
    "only",
    multiple=True,
    metavar="ID",
    help="Only this test: an id of the report, or a part of a name; repeatable.",
)
FINDINGS = ("error", "fail", "blocked")
LOG = "rck.log"


def judge(
    url: str,
    properties: Mapping[str, str],
    folder: Path,
    *,
    name: str = "",
    only: Sequence[str] = (),
    seconds: float = 1800,
) -> Results:
    """Run the kit against a URL, write `results.json`, the reports and Java's log into a folder, return the results.

    Raises Problem if the kit cannot run or no server responds at the URL.
    """
    server_info = probe(url, properties)
    folder.mkdir(parents=True, exist_ok=True)
    started, clock = datetime.now(UTC), time.perf_counter()
    outcomes = run_kit(url, properties, folder / LOG, only=only, seconds=seconds)
    run = KitRun(url, name, properties, started, time.perf_counter() - clock, command_line(url, properties, only))
    results = build_results(run, server_info, outcomes)
    results.write(folder)
    render_reports(results, folder)
    return results


def command_line(url: str, properties: Mapping[str, str], only: Sequence[str] = ()) -> str:
    """Return the command of the run, without its secrets."""
    properties_shown = [f"-D {name}={REDACTED if is_secret(name) else value}" for name, value in properties.items()]
    return " ".join(["python -m peers.iceberg_java.rck", url, *properties_shown, *(f"-k {text}" for text in only)])


def show(results: Results) -> None:
    """Print the verdicts by class, each cause of failures with its first test, and the verdict."""
    out.print(_table(results))
    findings = [entry for entry in results.requirements if entry.verdict in FINDINGS]
    for (verdict, _), entries in _causes(findings).items():
        more = f" and {len(entries) - 1} more with this cause" if len(entries) > 1 else ""
        out.print(mark(verdict, f"{entries[0].id}{more}"), soft_wrap=True)
        out.print(Text("".join(f"    {line}\n" for line in entries[0].message.splitlines())), soft_wrap=True)
    out.print(Text(sentence(results), "bold red" if findings else "bold green"), soft_wrap=True)


def _causes(findings: list[Result]) -> dict[tuple[str, str], list[Result]]:
    """Return findings by verdict and first line of their messages, the most frequent first."""
    causes: dict[tuple[str, str], list[Result]] = {}
    for entry in findings:
        causes.setdefault((entry.verdict, entry.message.partition("\n")[0]), []).append(entry)
    return dict(sorted(causes.items(), key=lambda cause: -len(cause[1])))


def _table(results: Results) -> Table:
    columns = [verdict for verdict in WORST_FIRST if results.totals[verdict]]
    table = Table("class", "tests", box=None, header_style="dim", pad_edge=False)
    for verdict in columns:
        table.add_column(mark(verdict, verdict), justify="right")
    counts: dict[str, Counter[str]] = {}
    for entry in results.requirements:
        counts.setdefault(entry.where.partition(":")[0].rpartition(".")[2], Counter())[entry.verdict] += 1
    for name, verdicts in counts.items():
        row = (Text(str(verdicts[verdict]), COLOURS[verdict]) for verdict in columns)
        table.add_row(name, str(verdicts.total()), *row)
    return table
