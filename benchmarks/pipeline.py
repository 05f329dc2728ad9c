"""Command `python -m benchmarks.pipeline`: growth of loading and reporting with the number of runs.

The largest size is 1,000 runs of 2,000 requirements with 10,000 exchanges each. Every command is a process of
its own, with Spark and the reference server; memory and processor time are the sums over all its processes.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import click
import urllib3
from rich.console import Console
from rich.table import Table

from benchmarks.generate import Amount, generate
from benchmarks.processes import PAGE, TICKS, processes
from reference_server.serve import serve
from spark_tests.pipeline.schema import TABLES

WHOLE = Amount(1000, 2000, 10_000)
SIZES = (16, 4, 1)  # divisors of the largest size
LOADED = re.compile(r"([\d,]+) new runs")


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a command: seconds, processor seconds, peak bytes of memory, and its output."""

    seconds: float
    processors: float
    peak: int
    output: str


@click.command()
@click.option("--folder", type=click.Path(path_type=Path), help="Working directory.  [default: a temporary one]")
@click.option("--sizes", default=",".join(map(str, SIZES)), show_default=True, help="Divisors of the largest size.")
@click.option("--json", "path", type=click.Path(path_type=Path), help="Also write the figures to this file.")
def main(folder: Path | None, sizes: str, path: Path | None) -> None:
    """Measure the pipeline at several sizes, and check that a second load of the same runs changes nothing."""
    rows = []
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        for divisor in map(int, sizes.split(",")):
            rows.append(measure(Path(scratch) / str(divisor), divisor))
            shutil.rmtree(Path(scratch) / str(divisor))
            _print(rows)
    if path:
        path.write_text(json.dumps(rows, indent=2) + "\n")


def measure(folder: Path, divisor: int) -> dict[str, float]:
    """Load runs twice and report on them. Raises RuntimeError if the second load changes anything."""
    amount = Amount(WHOLE.runs // divisor, WHOLE.requirements, WHOLE.exchanges)
    generate(folder / "runs", amount)
    where = ("--folder", str(folder / "warehouse"))
    first = run("load", str(folder / "runs"), *where)
    tables = state(folder / "warehouse")
    second = run("load", str(folder / "runs"), *where)
    report = run("report", "--report", str(folder / "report"), *where)
    if _new_runs(first) != amount.runs or _new_runs(second) or state(folder / "warehouse") != tables:
        raise RuntimeError(f"loaded {_new_runs(first)} and then {_new_runs(second)} of {amount.runs} runs")
    _print_tables(tables)
    return {
        "runs": amount.runs,
        "verdicts": amount.runs * amount.requirements,
        "exchanges": amount.runs * amount.exchanges,
        "input_mb": _size(folder / "runs"),
        "warehouse_mb": _size(folder / "warehouse"),
        "load_s": round(first.seconds, 1),
        "load_cpu_s": round(first.processors, 1),
        "load_mb": first.peak >> 20,
        "again_s": round(second.seconds, 1),
        "report_s": round(report.seconds, 1),
        "report_cpu_s": round(report.processors, 1),
        "report_mb": report.peak >> 20,
    }


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the snapshot and the number of rows of each table of a warehouse, from its catalog."""
    with serve("iceberg", storage=f"dir:{folder}") as server:
        return {name: _snapshot(f"{server.url}/v1/namespaces/lakeproof/tables/{name}") for name in TABLES}


def _snapshot(url: str) -> tuple[int, int]:
    metadata = urllib3.request("GET", url).json()["metadata"]
    current = metadata["current-snapshot-id"]
    summary = next(snapshot["summary"] for snapshot in metadata["snapshots"] if snapshot["snapshot-id"] == current)
    return current, int(summary["total-records"])


def _print_tables(tables: dict[str, tuple[int, int]]) -> None:
    for name, (snapshot, rows) in tables.items():
        Console(width=160).print(f"after both loads: {name}: {rows:,} rows, snapshot {snapshot}", highlight=False)


def _new_runs(cost: Cost) -> int:
    match = LOADED.search(cost.output)
    return int(match[1].replace(",", "")) if match else -1


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) >> 20


def run(*arguments: str) -> Cost:
    """Run a command of the warehouse. Raises RuntimeError if it fails."""
    started, peak, ticks = time.perf_counter(), 0, dict[int, int]()
    command = [sys.executable, "-m", "lakeproof", "warehouse", *arguments]
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True) as process,
    ):
        while process.poll() is None:
            resident = 0
            for pid, used, pages in processes(process.pid):
                ticks[pid] = used
                resident += pages * PAGE
            peak = max(peak, resident)
            time.sleep(0.25)
        log.seek(0)
        output = log.read()
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{output}")
    return Cost(time.perf_counter() - started, sum(ticks.values()) / TICKS, peak, output)


def _print(rows: list[dict[str, float]]) -> None:
    table = Table(*rows[0], box=None, header_style="dim", pad_edge=False)
    for row in rows:
        table.add_row(*(f"{value:,}" for value in row.values()))
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
