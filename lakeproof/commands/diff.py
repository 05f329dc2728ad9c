"""Command `lakeproof diff`: the differences between two runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from conformance.after.comparing.runs import CHANGES, Change, Difference, counts, differences
from conformance.after.reading import read_results
from conformance.values.exit_codes import EXIT_CONFORMS, EXIT_FAILS
from conformance.values.results import Result
from lakeproof.console import out
from lakeproof.terminal import COLOURS, mark

MOST_NAMES = 3
TITLES: Mapping[Change, str] = {
    "broken": "Newly broken",
    "changed": "Violated in another way",
    "blocked": "Passed before, now blocked by another finding",
    "appeared": "Violated, not tested before",
    "fixed": "Fixed",
    "gone": "Violated before, not tested now",
}
EPILOG = """\b
Examples:
  lakeproof diff yesterday/ lakeproof-report
  lakeproof diff reports/my-server-1.1 reports/my-server-1.2 --strict
  lakeproof diff main.json branch.json --json | jq '.[] | select(.change == "broken")'

OLD and NEW are results files or their folders. Exit codes: 1 a MUST is newly broken, blocked,
or broken in another way, 0 otherwise.
"""


@click.command("diff", epilog=EPILOG)
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="Exit 1 for a SHOULD, too.")
@click.option("--json", "as_json", is_flag=True, help="Print only the differences, as JSON.")
def diff_command(old: Path, new: Path, *, strict: bool, as_json: bool) -> int:
    """Show the differences between two runs by cause: newly broken, fixed, broken in another way."""
    before, after = read_results(old), read_results(new)
    verdicts = differences(before, after)
    if as_json:
        click.echo(json.dumps(list(map(entry, verdicts)), indent=2))
    else:
        runs = " → ".join(f"{run.target.name} ({run.run.started})" for run in (before, after))
        out.print(f"{runs}\n", soft_wrap=True)
        print_differences(verdicts, TITLES)
    return EXIT_FAILS if any(difference.fails_gate(strict=strict) for difference in verdicts) else EXIT_CONFORMS


def entry(difference: Difference) -> dict[str, Any]:
    """Return a difference as values of JSON."""
    return {
        "change": difference.change,
        "level": difference.shown.level,
        "cause": difference.cause,
        "requirements": list(difference.requirements),
        "before": _seen(difference.before),
        "after": _seen(difference.after),
    }


def print_differences(verdicts: Sequence[Difference], titles: Mapping[Change, str]) -> None:
    """Print differences under a title for each kind of change, and the numbers of differences."""
    for change in CHANGES:
        some = [difference for difference in verdicts if difference.change == change]
        if some:
            out.print(Text(titles[change], "bold"))
        for difference in some:
            _print(difference)
    summary = ", ".join(f"{count:,} {titles[change].lower()}" for change, count in counts(verdicts).items() if count)
    out.print(summary or "no difference")


def _print(difference: Difference) -> None:
    verdict = "pass" if difference.change == "fixed" else difference.shown.verdict
    out.print(Text("  ").append_text(mark(verdict, f"{difference.shown.level}  {difference.cause}")), soft_wrap=True)
    more = f" and {len(difference.requirements) - MOST_NAMES} more" if len(difference.requirements) > MOST_NAMES else ""
    out.print(Text(f"      {', '.join(difference.requirements[:MOST_NAMES])}{more}", "dim"), soft_wrap=True)
    if difference.change == "changed":
        out.print(Text(f"      was: {_seen(difference.before)}", "dim"), soft_wrap=True)
    out.print(Text(f"      {_seen(difference.shown)}\n", COLOURS[verdict]), soft_wrap=True)


def _seen(result: Result | None) -> str:
    """Return the verdict of a requirement and its message on one line."""
    return f"{result.verdict}: {result.message.partition(chr(10))[0]}".removesuffix(": ") if result else "not tested"
