"""`lakeproof matrix`."""

from __future__ import annotations

from pathlib import Path

import click
from conformance.after.reading import read_results

from conformance.report.servers import write_servers
from lakeproof.console import out

EPILOG = """\b
Examples:
  lakeproof matrix reports/*/ --report public/     all published runs on one page
  lakeproof matrix a/results.json b/results.json.gz
"""


@click.command("matrix", epilog=EPILOG)
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--report", default="lakeproof-matrix", show_default=True, metavar="DIR", type=click.Path(path_type=Path))
def matrix_command(results: tuple[Path, ...], report: Path) -> None:
    """Write one page of many runs: RESULTS are files or their folders. The report of each run lies beside it."""
    runs = [read_results(path) for path in results]
    out.print(f"matrix: {write_servers(runs, report)}", soft_wrap=True)
