"""`python -m benchmarks jobs`: how long a run of the suite takes with some jobs, on a server near by and far away."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console

from benchmarks.numbers import numbers
from benchmarks.polaris import CREDENTIALS
from benchmarks.printing import print_rows, save_rows
from benchmarks.servers import Running, reference
from benchmarks.workloads import Row
from specs.apis import apis

ROOT = Path(__file__).parent.parent
ROOT_USER = ":".join(CREDENTIALS)
SERVED_WITH = {"polaris": ("--bootstrap", ROOT_USER)}
TESTED_WITH = {"polaris": ("--credential", ROOT_USER)}


@click.command()
@click.option("--api", "chosen", type=click.Choice(list(apis())), multiple=True, help="Only this API; repeatable.")
@click.option("--jobs", default="1,8", show_default=True, callback=numbers, help="Requirements at the same time.")
@click.option("--away", default="0,20", show_default=True, callback=numbers, help="Milliseconds to the server.")
@click.option("-k", "select", default="", metavar="EXPR", help="Only such requirements.")
@click.option("--json", "path", type=click.Path(path_type=Path), help="Also write the figures here.")
def jobs(chosen: tuple[str, ...], jobs: list[int], away: list[int], select: str, path: Path | None) -> None:
    """Measure runs of the suite against the reference server, all answers of which are late by so many milliseconds.

    Each line has the seconds for each number of jobs, and the first of them divided by the last.
    """
    console = Console(highlight=False, markup=False, soft_wrap=True)
    rows = []
    with console.status("") as status:
        for api in chosen or tuple(apis()):
            for late in away:
                status.update(f"{api}, {late} ms away")
                rows += print_rows(timed(api, late, jobs, select), console.print)
    if path:
        save_rows(rows, path)


def timed(api: str, late: int, jobs: list[int], select: str) -> Iterator[Row]:
    """Yield a row: the seconds of a run for each number of jobs, each on a new server.

    Raises RuntimeError when a run is not green.
    """
    figures = {}
    for count in jobs:
        options = (*SERVED_WITH.get(api, ()), *(("--fault", f"slow:{late / 1000}") if late else ()))
        with reference(api, "memory", options=options) as server, tempfile.TemporaryDirectory() as report:
            figures[f"{count} jobs"] = round(_run(server, api, count, select, report), 1)
    first, *_, last = [*figures.values()] * 2
    yield Row(f"{api}, {late} ms away", figures, "s", f"{first / last:.1f}x")


def _run(server: Running, api: str, count: int, select: str, report: str) -> float:
    """Run `lakeproof check` and return its seconds."""
    check = [sys.executable, "-m", "lakeproof", "check", server.url, "--api", api, "--report", report]
    command = [*check, "--jobs", str(count), *TESTED_WITH.get(api, ()), *(("-k", select) if select else ())]
    started = time.perf_counter()
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    seconds = time.perf_counter() - started
    if run.returncode:
        raise RuntimeError(f"the run was not green: {' '.join(command)}\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return seconds
