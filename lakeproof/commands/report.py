"""Command `lakeproof report`: the reports of an earlier run."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.after.reading import read_results
from conformance.report import publish, render_reports
from lakeproof.console import out
from lakeproof.terminal import print_results

EPILOG = """\b
Examples:
  lakeproof report lakeproof-report --report public/
  lakeproof report lakeproof-report --publish --report reports/my-server-1.2
  lakeproof report reports/my-server-1.2     write the page of a published run

--publish also reads notes.toml in the folder, the only file there that people
write: title, introduction, causes, closing (Markdown), baseline (the folder of a
report to compare with) and [why] (a sentence about a requirement).
"""


@click.command("report", epilog=EPILOG)
@click.argument("results", type=click.Path(path_type=Path))
@click.option(
    "--report",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Directory of the reports.  [default: the folder of RESULTS]",
)
@click.option(
    "--publish",
    "published",
    is_flag=True,
    help="Write the files for the repository: results.json.gz, summary, findings.",
)
def report_command(results: Path, report: Path | None, published: bool) -> None:
    """Write the reports of an earlier run again, and print the run. RESULTS is a results file or its folder."""
    run = read_results(results)
    folder = report or (results if results.is_dir() else results.parent)
    if published:
        out.print(f"findings: {publish(run, folder)['findings']}", soft_wrap=True)
        return
    print_results(run)
    paths = render_reports(run, folder)
    out.print(f"report: {paths['html']}", soft_wrap=True)
