"""`python -m benchmarks growth`: what operations cost among few things and among many, on every server."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from benchmarks import growing_iceberg, growing_lance
from benchmarks.growing import Growing, grown
from benchmarks.numbers import numbers
from benchmarks.printing import print_rows, save_rows

GROWING = {"lance": growing_lance.GROWING, "iceberg": growing_iceberg.GROWING}
SIZES = "500,2000"
PATIENCE = 60.0


@click.command()
@click.option("--api", type=click.Choice(list(GROWING)), help="Only one API.")
@click.option("-k", "select", default="", metavar="WORD", help='Only names like "tables, memory" with this.')
@click.option("--sizes", default=SIZES, show_default=True, callback=numbers, help="How many things there are.")
@click.option("--patience", default=PATIENCE, show_default=True, help="Seconds that a server may take to be filled.")
@click.option("--folder", type=click.Path(path_type=Path), help="Where servers keep data.  [default: a temporary one]")
@click.option("--json", "path", type=click.Path(path_type=Path), help="Also write the figures here.")
def growth(
    api: str | None, select: str, sizes: list[int], patience: float, folder: Path | None, path: Path | None
) -> None:
    """Measure latencies of one client among few and among many tables, versions and snapshots.

    Each line has the median at each size, measured in turns, and the last of them divided by the first.
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
    """Yield what was chosen, with the name of its API and those servers alone that were chosen."""
    for name, of_api in GROWING.items():
        for growing in of_api if api in (None, name) else ():
            starts = {
                storage: start for storage, start in growing.starts.items() if select in f"{growing.name}, {storage}"
            }
            if starts:
                yield name, replace(growing, starts=starts)
