"""`python -m benchmarks`: run them all and print the tables; `--json FILE` keeps the figures."""

from __future__ import annotations

import json
import os
import platform
import tempfile
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks import iceberg, lance, polaris
from benchmarks.workloads import Row

APIS = {"lance": lance.BENCHMARKS, "iceberg": iceberg.BENCHMARKS, "polaris": polaris.BENCHMARKS}


@click.command()
@click.option("--api", type=click.Choice(list(APIS)), help="Only the benchmarks of one API.")
@click.option("-k", "select", default="", metavar="WORD", help="Only benchmarks whose name has this word.")
@click.option("--json", "path", type=click.Path(path_type=Path), help="Also write the figures here.")
def main(api: str | None, select: str, path: Path | None) -> None:
    """Measure the reference server beside its peers. Only ratios within one run mean anything."""
    rows: list[Row] = []
    of_apis = [benchmark for name, benchmarks in APIS.items() if api in (None, name) for benchmark in benchmarks]
    chosen = [benchmark for benchmark in of_apis if select in benchmark.__name__]
    with tempfile.TemporaryDirectory() as folder, Progress(transient=True) as progress:
        for benchmark in progress.track(chosen, description="measuring"):
            rows += benchmark(Path(folder) / benchmark.__name__)
    _print(rows)
    if path:
        machine = {"cpus": os.cpu_count(), "python": platform.python_version(), "system": platform.platform()}
        path.write_text(json.dumps({"machine": machine, "rows": [asdict(row) for row in rows]}, indent=2) + "\n")


def _print(rows: list[Row]) -> None:
    table = Table("what", "figures", "ratio", box=None, header_style="dim", pad_edge=False)
    for row in rows:
        figures = "   ".join(f"{name} {figure:,.6g} {row.unit}" for name, figure in row.figures.items())
        table.add_row(row.quantity, figures, row.ratio)
    Console(width=200).print(table)


if __name__ == "__main__":
    main()
