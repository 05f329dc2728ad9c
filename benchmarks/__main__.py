"""Command `python -m benchmarks`: run the benchmarks and print a line for each; `--json FILE` saves the figures."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from benchmarks import iceberg, lance, mock, polaris
from benchmarks.commands import print_rows, save_rows
from benchmarks.growth import growth
from benchmarks.jobs import jobs
from benchmarks.load import CLIENT
from benchmarks.mocks.table import mocks
from benchmarks.workloads import Row
from lakeproof.interruptions import handle

APIS = {
    "lance": lance.BENCHMARKS,
    "iceberg": iceberg.BENCHMARKS,
    "polaris": polaris.BENCHMARKS,
    "mock": mock.BENCHMARKS,
}


@click.group(invoke_without_command=True)
@click.option("--api", type=click.Choice(list(APIS)), help="Only the benchmarks of this API, or of the mock.")
@click.option("-k", "select", default="", metavar="WORD", help="Only benchmarks whose name contains this word.")
@click.option("--json", "path", type=click.Path(path_type=Path), help="Also write the figures to this file.")
@click.pass_context
def main(context: click.Context, api: str | None, select: str, path: Path | None) -> None:
    """Measure the reference server beside its peers. Only the ratios within one run are meaningful."""
    handle(lambda *_: sys.exit(1))  # end the servers with the benchmarks
    if context.invoked_subcommand:
        return
    rows: list[Row] = []
    of_apis = [benchmark for name, benchmarks in APIS.items() if api in (None, name) for benchmark in benchmarks]
    chosen = [benchmark for benchmark in of_apis if select in benchmark.__name__]
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(f"requests sent by {CLIENT}")
    with tempfile.TemporaryDirectory() as folder, Progress(console=console, transient=True) as progress:
        for benchmark in progress.track(chosen, description="measuring"):
            rows += print_rows(benchmark(Path(folder) / benchmark.__name__), console.print)
    if path:
        save_rows(rows, path)


main.add_command(growth)
main.add_command(jobs)
main.add_command(mocks)

if __name__ == "__main__":
    main()
