"""Command `lakeproof expect`: write the file of known deviations."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import click

from conformance.after.expectations_update import pruned, updated
from conformance.after.reading import read_results
from conformance.replay.expectations_file import ExpectationFile, read_expectations, write_expectations
from conformance.values.results import Results
from conformance.values.settings import DEFAULT_REPORT, EXPECTATIONS
from lakeproof.console import out
from lakeproof.options import checked
from specs.problems import Problem

EPILOG = """\b
Examples:
  lakeproof check URL; lakeproof expect      expect these findings from now on
  lakeproof expect --reason "fixed in 2.1" --expires 2027-06-30
  lakeproof expect lakeproof-report --prune  remove entries that pass now
  lakeproof check URL --expect known/nightly.toml

The file has an entry for each cause: a reason, a link, an expiry date, the message of
each requirement, and the steps that show it. `lakeproof check` fails on a finding that
is not in the file, and on an entry that passes now, fails in another way, or has expired.
"""


@click.command("expect", epilog=EPILOG)
@click.argument("results", type=click.Path(path_type=Path), default=DEFAULT_REPORT)
@click.option(
    "--file",
    "path",
    type=click.Path(path_type=Path),
    default=EXPECTATIONS,
    show_default=True,
    help="File of known deviations.",
)
@click.option("--reason", default="", help="Reason of the new entries.  [default: the date of the run]")
@click.option("--link", default="", metavar="URL", help="Link of the new entries, such as an issue.")
@click.option(
    "--expires",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="Last day on which the new entries are valid.",
)
@click.option("--prune", is_flag=True, help="Only remove entries that pass now or name no requirement.")
@checked
def expect_command(results: Path, path: Path, reason: str, link: str, expires: datetime | None, *, prune: bool) -> None:
    """Record the findings of a run as known deviations. RESULTS is a results file or its folder."""
    run = read_results(results)
    file = read_expectations(path) if path.exists() else ExpectationFile(profile=run.target.profile)
    if file.profile != run.target.profile:
        raise Problem(
            f"--file {path} has expectations of the profile {file.profile}, the run tested {run.target.profile}.",
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
    for line in _varying(content, run):
        out.print(line, soft_wrap=True)


def _varying(file: ExpectationFile, run: Results) -> Iterator[str]:
    """Yield a line on what may differ in the next run of the same server."""
    if file.unsteady:
        flaky = sum(len(entry.flaky) for entry in file.known)
        yield (
            f"{flaky} of them come and go: this server answers equal requests differently. The file says "
            "`unsteady = true`, so another finding that comes and goes does not fail the next run either."
        )
    if run.run.stopped:
        yield (
            "The run ended before its last requirement, and sent no finding again: the next run may have others. "
            "Run again without --max-time before you rely on this file."
        )


def _named(file: ExpectationFile) -> set[str]:
    return {name for entry in file.known for name in entry.findings}
