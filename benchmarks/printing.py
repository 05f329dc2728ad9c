"""Rows as they are measured: a line each, and at the end all of them as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

import click

from benchmarks.workloads import Row

WIDEST = 58  # characters of what was measured


def print_rows(rows: Iterable[Row], say: Callable[[str], None] = click.echo) -> list[Row]:
    """Say every row as soon as it is there, in one line, and return all of them."""
    printed = []
    for row in rows:
        figures = "   ".join(f"{name} {figure:,.6g} {row.unit}" for name, figure in row.figures.items())
        say(f"{row.quantity:{WIDEST}}  {figures}   {row.ratio}".rstrip())
        printed.append(row)
    return printed


def save_rows(rows: list[Row], path: Path) -> None:
    """Write rows and the machine that they were measured on to a file."""
    machine = {"cpus": os.cpu_count(), "python": platform.python_version(), "system": platform.platform()}
    path.write_text(json.dumps({"machine": machine, "rows": [asdict(row) for row in rows]}, indent=2) + "\n")
