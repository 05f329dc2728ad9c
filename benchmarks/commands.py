"""Commands of the benchmarks: options with several numbers, and the output of rows as lines and as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

import click

from benchmarks.workloads import Row

WIDEST = 58  # characters of the quantity


def numbers(_context: click.Context, option: click.Parameter, text: str) -> list[int]:
    """Parse the numbers of an option. Raises BadParameter for a text that is no list of numbers."""
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a list of numbers like {option.default}.") from None


def print_rows(rows: Iterable[Row], say: Callable[[str], None] = click.echo) -> list[Row]:
    """Print each row on a line as soon as it is measured, and return all rows."""
    printed = []
    for row in rows:
        figures = "   ".join(f"{name} {figure:,.6g} {row.unit}" for name, figure in row.figures.items())
        say(f"{row.quantity:{WIDEST}}  {figures}   {row.ratio}".rstrip())
        printed.append(row)
    return printed


def save_rows(rows: list[Row], path: Path) -> None:
    """Write rows and a description of the machine to a file."""
    machine = {"cpus": os.cpu_count(), "python": platform.python_version(), "system": platform.platform()}
    path.write_text(json.dumps({"machine": machine, "rows": [asdict(row) for row in rows]}, indent=2) + "\n")
