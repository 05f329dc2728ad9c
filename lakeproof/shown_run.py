"""A run as a command shows it: how far it is, what it found, and where its report is."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

import click

from conformance.report.servers import REPORT
from conformance.values.exit_codes import EXIT_USAGE
from conformance.values.results import Results
from conformance.values.visible import visible
from lakeproof.checking import NotReported, check
from lakeproof.cli import complain
from lakeproof.command_line import command_line
from lakeproof.console import out
from lakeproof.github import workflow_commands
from lakeproof.progress import ProgressListener
from lakeproof.terminal import print_results
from specs.problems import Problem


class Ended(NamedTuple):
    """A run that is over: its results, its exit code, and why its report could not be written."""

    results: Results
    code: int
    problem: Problem | None = None


def check_and_show(url: str | None, *, as_json: bool, **given: Any) -> int:
    """Test a server as `check` does with these arguments, print the run, and return its exit code."""
    return show_run(run_with_progress(url, **given), as_json=as_json)


def run_with_progress(url: str | None, **given: Any) -> Ended:
    """Test a server as `check` does with these arguments, and show how far the run is."""
    with ProgressListener() as listener:
        return run_to_end(url, listener=listener, command=command_line(), **given)


def run_to_end(url: str | None, **given: Any) -> Ended:
    """Test a server as `check` does with these arguments; a report that cannot be written takes no result away."""
    try:
        return Ended(*check(url, **given))
    except NotReported as problem:
        return Ended(problem.results, EXIT_USAGE, Problem(problem.message, problem.hint))


def show_run(ended: Ended, *, as_json: bool) -> int:
    """Print a run and where its report is, or all of it as JSON and nothing else; return its exit code."""
    results, code, problem = ended
    if as_json:
        click.echo(json.dumps({"exit": code, **results.to_json()}, indent=2))
    else:
        _print(results, reported=not problem)
    if problem:
        complain(problem.message, problem.hint)
    return code


def _print(results: Results, *, reported: bool) -> None:
    print_results(results)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in workflow_commands(results):
            click.echo(visible(line))
    if not results.run.selected:
        out.print("Nothing was selected. No report was written.")
        return
    totals = ", ".join(f"{count:,} {verdict}" for verdict, count in results.totals.items() if count) or "nothing tested"
    out.print(f"{totals} in {results.run.seconds:.1f} s")
    if reported:
        out.print(report_of(results.target.settings["report"]), soft_wrap=True)


def report_of(folder: str) -> str:
    """Return the line that says where the report in a folder is."""
    return f"report: {folder}/{REPORT}"
