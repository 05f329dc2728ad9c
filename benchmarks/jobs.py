"""Command `python -m benchmarks jobs`: duration of a run by number of jobs, on a near and on a distant server."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console

from benchmarks.commands import numbers, print_rows, save_rows
from benchmarks.polaris import CREDENTIALS
from benchmarks.servers import Running, reference
from benchmarks.workloads import Row
from specs.apis import apis

ROOT = Path(__file__).parent.parent
ROOT_USER = ":".join(CREDENTIALS)
SERVED_WITH = {"polaris": ("--bootstrap", ROOT_USER)}
TESTED_WITH = {"polaris": ("--credential", ROOT_USER)}


@click.command()
@click.option("--api", "chosen", type=click.Choice(list(apis())), multiple=True, help="Only this API; repeatable.")
@click.option(
    "--jobs", default="1,8", show_default=True, callback=numbers, help="Numbers of requirements tested in parallel."
)
@click.option(
    "--away", default="0,20", show_default=True, callback=numbers, help="Latencies of the server, in milliseconds."
)
@click.option("-k", "select", default="", metavar="EXPR", help="Only requirements whose ids match.")
@click.option("--json", "path", type=click.Path(path_type=Path), help="Also write the figures to this file.")
def jobs(chosen: tuple[str, ...], jobs: list[int], away: list[int], select: str, path: Path | None) -> None:
    """Measure runs of the suite against the reference server with delayed responses.

    Each line has the seconds for each number of jobs, and the first divided by the last.
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

    Raises RuntimeError if a run fails.
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
        raise RuntimeError(f"the run failed: {' '.join(command)}\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return seconds
