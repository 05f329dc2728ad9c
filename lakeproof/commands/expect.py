"""`lakeproof expect`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click
from conformance.after.reading import read_results

from conformance.after.expectations_update import pruned, updated
from conformance.replay.expectations_file import ExpectationFile, read_expectations, write_expectations
from conformance.values.settings import DEFAULT_REPORT, EXPECTATIONS
from lakeproof.commands.useless import checked
from lakeproof.console import out
from specs.problems import Problem

EPILOG = """\b
Examples:
  lakeproof check URL; lakeproof expect           the findings of this run are known from now on
  lakeproof expect --reason "fixed in 2.1" --link https://example.com/17 --expires 2027-06-30
  lakeproof expect lakeproof-report --prune       remove what is met now, or is no requirement any more
  lakeproof check URL --expect known/nightly.toml

\b
The file has an entry for each cause: a reason, a link, the day it expires, what was
seen for each requirement, and the steps that show it. `lakeproof check` fails on
what is not in the file, is seen in another way, is met now, or has expired.
"""


@click.command("expect", epilog=EPILOG)
@click.argument("results", type=click.Path(path_type=Path), default=DEFAULT_REPORT)
@click.option("--file", "path", type=click.Path(path_type=Path), default=EXPECTATIONS, show_default=True)
@click.option("--reason", default="", help="Why the new entries are there.  [default: the day on which they were seen]")
@click.option("--link", default="", metavar="URL", help="Where more stands about the new entries.")
@click.option("--expires", type=click.DateTime(["%Y-%m-%d"]), help="The last day on which the new entries hold.")
@click.option("--prune", is_flag=True, help="Add nothing; remove what is met now, or is no requirement.")
@checked
def expect_command(results: Path, path: Path, reason: str, link: str, expires: datetime | None, *, prune: bool) -> None:
    """Write the findings of a run as known deviations: from RESULTS, a results file or its folder."""
    run = read_results(results)
    file = read_expectations(path) if path.exists() else ExpectationFile(profile=run.target.profile)
    if file.profile != run.target.profile:
        raise Problem(
            f"{path} has expectations of {file.profile}, and the run was of {run.target.profile}.",
            "Give another --file.",
        )
    if prune:
        content = pruned(file, run)
    else:
        day = expires.date() if expires else None
        content = updated(file, run, reason=reason, link=link, expires=day)
    write_expectations(path, content)
    before, after = _named(file), _named(content)
    out.print(
        f"{path}: {len(after)} findings of {len(content.known)} causes; "
        f"{len(after - before)} added, {len(before - after)} removed",
        soft_wrap=True,
    )


def _named(file: ExpectationFile) -> set[str]:
    return {name for entry in file.known for name in entry.findings}
