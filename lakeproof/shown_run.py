"""A run as a command shows it: how far it is, what it found, and where its report is."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from conformance.results import Results
from lakeproof.checking import check
from lakeproof.command_line import command_line
from lakeproof.github import workflow_commands
from lakeproof.terminal import ProgressListener, out, print_results


def check_and_show(url: str | None, *, as_json: bool, **given: Any) -> int:
    """Judge a server as `check` does with these arguments, print the run, and return its exit code."""
    with ProgressListener() as listener:
        results, code = check(url, listener=listener, command=command_line(), **given)
    return _show(results, code, as_json=as_json)


def _show(results: Results, code: int, *, as_json: bool) -> int:
    """Print a run and where its report is, or all of it as JSON and nothing else; return its exit code."""
    if as_json:
        click.echo(json.dumps({"exit": code, **results.to_json()}, indent=2))
        return code
    print_results(results)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in workflow_commands(results):
            click.echo(line)
    if not results.run.selected:
        out.print("Nothing was selected. No report was written.")
        return code
    totals = ", ".join(f"{count} {verdict}" for verdict, count in results.totals.items() if count) or "nothing tested"
    out.print(f"{totals} in {results.run.seconds:.1f} s")
    out.print(f"report: {results.target.settings['report']}/report.html", soft_wrap=True)
    return code
