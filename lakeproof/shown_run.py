"""Runs of `check` with their output: progress, findings, and the path of the report."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

import click

from conformance.replay.commands import SELECTING
from conformance.report.servers import REPORT
from conformance.values.exit_codes import EXIT_USAGE
from conformance.values.results import Results
from conformance.values.settings import SETTINGS, Settings, flag
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
    """Completed run: its results, its exit code, and the problem if its report could not be written."""

    results: Results
    code: int
    problem: Problem | None = None


def check_and_show(url: str | None, *, as_json: bool, **given: Any) -> int:
    """Test a server with the arguments of `check`, print the run, and return its exit code."""
    return show_run(run_with_progress(url, **given), as_json=as_json)


def run_with_progress(url: str | None, **given: Any) -> Ended:
    """Test a server with the arguments of `check`, and show the progress."""
    with ProgressListener() as listener:
        return run_to_end(url, listener=listener, command=command_line(), **given)


def run_to_end(url: str | None, **given: Any) -> Ended:
    """Test a server with the arguments of `check`; return the results even if the report cannot be written."""
    try:
        return Ended(*check(url, **given))
    except NotReported as problem:
        return Ended(problem.results, EXIT_USAGE, Problem(problem.message, problem.hint))


def show_run(ended: Ended, *, as_json: bool) -> int:
    """Print a run and the path of its report, or only its results as JSON; return its exit code."""
    results, code, problem = ended
    if as_json:
        click.echo(json.dumps({"exit": code, **results.to_json()}, indent=2))
    else:
        _print(results, reported=not problem)
    if problem:
        complain(problem.message, problem.hint)
    return code


def _print(results: Results, *, reported: bool) -> None:
    if not results.run.selected:
        out.print(nothing_selected(results), soft_wrap=True, markup=False)
        return
    print_results(results)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in workflow_commands(results):
            click.echo(visible(line))
    totals = ", ".join(f"{count:,} {verdict}" for verdict, count in results.totals.items() if count) or "nothing tested"
    out.print(f"{totals} in {results.run.seconds:.1f} s")
    if reported:
        out.print(report_of(results.target.settings["report"]), soft_wrap=True)


def nothing_selected(results: Results) -> str:
    """Return why a run has tested nothing: the options that select, and notes such as those of --last-failed."""
    settings, defaults = results.target.settings, Settings()
    given = {name: settings[name] for name in SELECTING if settings.get(name)}
    chosen = {name: value for name, value in given.items() if [*value] != [*getattr(defaults, name)]}
    words = [f"{SETTINGS[name].short or flag(name)} {_listed(value)}" for name, value in chosen.items()]
    by = f" by {' '.join(words)}" if words else ""
    return " ".join([*results.run.notes, f"No requirement is selected{by}. No report was written."])


def _listed(value: Any) -> str:
    return repr(value) if isinstance(value, str) else ",".join(value)


def report_of(folder: str) -> str:
    """Return the line with the path of the report in a folder."""
    return f"report: {folder}/{REPORT}"
