"""Command `lakeproof matrix`: one page about many runs."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.after.reading import read_results
from conformance.report.servers import write_servers
from lakeproof.console import out

EPILOG = """\b
Examples:
  lakeproof matrix reports/*/ --report public/   all published runs on one page
  lakeproof matrix a/results.json b/results.json.gz
"""


@click.command("matrix", epilog=EPILOG)
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    default="lakeproof-matrix",
    show_default=True,
    metavar="DIR",
    help="Directory of the pages.",
)
def matrix_command(results: tuple[Path, ...], report: Path) -> None:
    """Write one page about many runs, and the report of each run. RESULTS are results files or their folders."""
    runs = [read_results(path) for path in results]
    out.print(f"matrix: {write_servers(runs, report)}", soft_wrap=True)
