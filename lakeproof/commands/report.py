"""`lakeproof report`."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.report import render_reports
from conformance.results import read_results
from lakeproof.terminal import out, print_results


@click.command("report", epilog="Example: lakeproof report lakeproof-report/results.json --report public/")
@click.argument("results", type=click.Path(path_type=Path))
@click.option(
    "--report",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where to write.  [default: beside RESULTS]",
)
def report_command(results: Path, report: Path | None) -> None:
    """Write the reports of a run again from its results.json, and show them."""
    run = read_results(results)
    folder = report or (results if results.is_dir() else results.parent)
    paths = render_reports(run, folder)
    print_results(run)
    out.print(f"report: {paths['html']}", soft_wrap=True)
