"""A run as a command shows it: how far it is, what it found, and where its report is."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from conformance.report.servers import REPORT
from conformance.results import Results
from conformance.visible import visible
from lakeproof.checking import check
from lakeproof.command_line import command_line
from lakeproof.console import out
from lakeproof.github import workflow_commands
from lakeproof.progress import ProgressListener
from lakeproof.terminal import print_results


def check_and_show(url: str | None, *, as_json: bool, **given: Any) -> int:
    """Test a server as `check` does with these arguments, print the run, and return its exit code."""
    results, code = run_with_progress(url, **given)
    return show_run(results, code, as_json=as_json)


def run_with_progress(url: str | None, **given: Any) -> tuple[Results, int]:
    """Test a server as `check` does with these arguments, and show how far the run is."""
    with ProgressListener() as listener:
        return check(url, listener=listener, command=command_line(), **given)


def show_run(results: Results, code: int, *, as_json: bool) -> int:
    """Print a run and where its report is, or all of it as JSON and nothing else; return its exit code."""
    if as_json:
        click.echo(json.dumps({"exit": code, **results.to_json()}, indent=2))
        return code
    print_results(results)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in workflow_commands(results):
            click.echo(visible(line))
    if not results.run.selected:
        out.print("Nothing was selected. No report was written.")
        return code
    totals = ", ".join(f"{count:,} {verdict}" for verdict, count in results.totals.items() if count) or "nothing tested"
    out.print(f"{totals} in {results.run.seconds:.1f} s")
    out.print(report_of(results.target.settings["report"]), soft_wrap=True)
    return code


def report_of(folder: str) -> str:
    """Return the line that says where the report in a folder is."""
    return f"report: {folder}/{REPORT}"
