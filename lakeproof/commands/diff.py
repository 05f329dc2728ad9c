"""`lakeproof diff`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from conformance.after.reading import read_results
from rich.text import Text

from conformance.after.comparing.runs import CHANGES, Change, Difference, counts, differences
from conformance.values.exit_codes import EXIT_CONFORMS, EXIT_FAILS
from conformance.values.results import Result
from lakeproof.console import out
from lakeproof.terminal import COLOURS, mark

MOST_NAMES = 3
TITLES: Mapping[Change, str] = {
    "broken": "Newly broken",
    "changed": "Broken in another way",
    "blocked": "Met before, and now blocked by another finding",
    "appeared": "Broken, and not tested before",
    "fixed": "Fixed",
    "gone": "Broken before, and not tested now",
}
EPILOG = """\b
Examples:
  lakeproof diff yesterday/ lakeproof-report        two results files, or their folders
  lakeproof diff reports/my-server-1.1 reports/my-server-1.2 --strict
  lakeproof diff main.json branch.json --json | jq '.[] | select(.change == "broken")'

\b
Exit codes: 0 no MUST is newly broken, blocked, or broken in another way, 1 one is.
"""


@click.command("diff", epilog=EPILOG)
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="A SHOULD counts like a MUST.")
@click.option("--json", "as_json", is_flag=True, help="Print the differences as JSON and nothing else.")
def diff_command(old: Path, new: Path, *, strict: bool, as_json: bool) -> int:
    """Say what is different between two runs, by cause: newly broken, fixed, broken in another way."""
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
    """Return a difference for a JSON file."""
    return {
        "change": difference.change,
        "level": difference.shown.level,
        "cause": difference.cause,
        "requirements": list(difference.requirements),
        "before": _seen(difference.before),
        "after": _seen(difference.after),
    }


def print_differences(verdicts: Sequence[Difference], titles: Mapping[Change, str]) -> None:
    """Print differences, under a title for each change, and their numbers."""
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
    """Return how a requirement ended, on one line."""
    return f"{result.verdict}: {result.message.partition(chr(10))[0]}".removesuffix(": ") if result else "not tested"
