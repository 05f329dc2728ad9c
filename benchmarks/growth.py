"""Command `python -m benchmarks growth`: the cost of operations on small and large collections, on every server."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from benchmarks import growing_iceberg, growing_lance
from benchmarks.commands import numbers, print_rows, save_rows
from benchmarks.growing import Growing, grown

GROWING = {"lance": growing_lance.GROWING, "iceberg": growing_iceberg.GROWING}
SIZES = "500,2000"
PATIENCE = 60.0


@click.command()
@click.option("--api", type=click.Choice(list(GROWING)), help="Only this API.")
@click.option(
    "-k", "select", default="", metavar="WORD", help='Only names such as "tables, memory" that contain this text.'
)
@click.option("--sizes", default=SIZES, show_default=True, callback=numbers, help="Numbers of objects.")
@click.option("--patience", default=PATIENCE, show_default=True, help="Time limit for filling a server, in seconds.")
@click.option("--folder", type=click.Path(path_type=Path), help="Directory of the servers.  [default: a temporary one]")
@click.option("--json", "path", type=click.Path(path_type=Path), help="Also write the figures to this file.")
def growth(
    api: str | None, select: str, sizes: list[int], patience: float, folder: Path | None, path: Path | None
) -> None:
    """Measure latencies of one client with few and with many tables, versions and snapshots.

    Each line has the median at each size, measured in turns, and the last divided by the first.
    """
    rows = []
    console = Console(highlight=False, markup=False, soft_wrap=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch, console.status("") as status:

        def report(what: str, made: int, size: int) -> None:
            status.update(f"{what}: {made:,} of {size:,}")

        for name, growing in _chosen(api, select):
            place = Path(scratch) / name / growing.name
            rows += print_rows(grown(growing, sorted(set(sizes)), place, patience, report), console.print)
    if path:
        save_rows(rows, path)


def _chosen(api: str | None, select: str) -> Iterator[tuple[str, Growing]]:
    """Yield the chosen collections, with the name of the API and only the chosen servers."""
    for name, of_api in GROWING.items():
        for growing in of_api if api in (None, name) else ():
            starts = {
                storage: start for storage, start in growing.starts.items() if select in f"{growing.name}, {storage}"
            }
            if starts:
                yield name, replace(growing, starts=starts)
