"""Command `lakeproof repro`: the steps of a finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from conformance.after.reading import read_results
from conformance.after.reproduction import (
    Recorded,
    Reproduced,
    State,
    as_shell,
    recorded,
    reproduce_all,
    settings_for,
)
from conformance.report.pretty import step_lines
from conformance.report.pytest_module import as_pytest
from conformance.values.exchange import Exchange, Step
from conformance.values.exit_codes import EXIT_CONFORMS, EXIT_FAILS
from conformance.values.settings import DEFAULT_REPORT
from conformance.values.verdict import FINDINGS
from lakeproof.commands.settings_options import ACCESS, settings_options
from lakeproof.console import out
from lakeproof.options import OneOf, check_may_write, checked
from lakeproof.progress import showing
from specs.problems import Problem

EPILOG = """\b
Examples:
  lakeproof repro lance.namespace.create.conflict
  lakeproof repro ID http://localhost:2333 --token "$TOKEN"
  lakeproof repro ID --results reports/my-server-1.2 http://localhost:2333
  lakeproof repro --all                        every finding of the run
  lakeproof repro ID --as pytest > test_it.py  a test that fails until it is fixed
  lakeproof repro ID --as curl | sh            the steps as curl commands

Without URL, the steps go to the server of the run. They are sent with new names, and with
the ids that the server returns now; files that the run wrote or deleted itself are written
or deleted again. If the responses do not decide, or a step cannot be repeated, the
requirement is tested again. Exit codes: 0 fixed, 1 still fails or unknown, 4 unknown
finding or unreachable server.
"""
COUNTED: dict[State, str] = {"fails": "still fail", "fixed": "fixed", "unknown": "unknown"}
WORDS: dict[State, tuple[str, str]] = {
    "fails": ("It still fails", "bold red"),
    "fixed": ("It is fixed", "bold green"),
    "unknown": ("It is not known whether it is fixed", "bold yellow"),
}


@click.command("repro", epilog=EPILOG)
@click.argument("requirement_id", metavar="REQUIREMENT", required=False)
@click.argument("url", required=False)
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=DEFAULT_REPORT,
    show_default=True,
    help="Results file or its folder.",
)
@click.option("--all", "every", is_flag=True, help="Reproduce every finding of the run; give no REQUIREMENT.")
@click.option("--as", "form", type=OneOf(["curl", "pytest"]), help="Print the steps in this form, and send nothing.")
@settings_options(**ACCESS, header="Header to send instead of the recorded ones; repeatable.")
@checked
def repro_command(
    requirement_id: str | None, url: str | None, results: Path, form: str | None, *, every: bool, **given: Any
) -> int:
    """Send the steps of a finding again and report whether it still fails."""
    if every:
        if url or form:
            raise Problem("--all takes only a URL.", "Leave out the requirement and --as.")
        return _reproduce_every(results, requirement_id, given)
    if requirement_id is None:
        raise Problem("No requirement is given.", "Name one, or give --all.")
    record = recorded(read_results(results), requirement_id)
    base = (url or record.finding.base).rstrip("/")
    if form:
        click.echo((as_shell if form == "curl" else as_pytest)(record, base))
        return EXIT_CONFORMS
    outcome = _reproduced([record], base, given)[record.finding.id]
    out.print(Text.assemble((requirement_id, "bold"), f"  {record.statement}"), soft_wrap=True)
    out.print(Text(f"recorded: {record.due}", "dim"), soft_wrap=True)
    _print_steps(record.finding.steps, outcome.exchanges)
    text, style = WORDS[outcome.state]
    out.print(Text(f"{text}: {outcome.why}.", style), soft_wrap=True)
    return EXIT_FAILS if outcome.fails else EXIT_CONFORMS


def _reproduce_every(path: Path, url: str | None, given: dict[str, Any]) -> int:
    """Reproduce all findings of a run, and print the outcome of each and their numbers."""
    results = read_results(path)
    records = [recorded(results, entry.id) for entry in results.requirements if entry.verdict in FINDINGS]
    if not records:
        raise Problem("The run has no findings.", "See its report.")
    outcomes = _reproduced(records, (url or records[0].finding.base).rstrip("/"), given)
    for name, outcome in outcomes.items():
        text, style = WORDS[outcome.state]
        out.print(Text.assemble((name, "bold"), (f"  {text}: {outcome.why}.", style)), soft_wrap=True)
    counts = Counter(outcome.state for outcome in outcomes.values())
    out.print(", ".join(f"{counts[state]:,} {word}" for state, word in COUNTED.items()))
    return EXIT_CONFORMS if set(counts) == {"fixed"} else EXIT_FAILS


def _reproduced(records: Sequence[Recorded], base: str, given: dict[str, Any]) -> dict[str, Reproduced]:
    settings = settings_for(records[0], base, given)
    if not records[0].settings.get("read_only"):  # the steps of a read-only run only read
        check_may_write(settings, "the run of this finding")
    with showing():
        return reproduce_all(records, settings)


def _print_steps(steps: Sequence[Step], exchanges: Sequence[Exchange]) -> None:
    """Print the requests and responses, with the recorded status if it differs, and the actions beside HTTP."""
    left = iter(exchanges)
    for number, step in enumerate(steps, 1):
        if step.beside:
            out.print(Text(f"  {number}. {step_lines(step)[0]}", "dim"), soft_wrap=True)
            continue
        if (exchange := next(left, None)) is None:
            return
        sent, came = step_lines(exchange.to_step())
        before = step.response.status
        differs = f"  (recorded: {before or step.response.failure})" if before != exchange.status else ""
        out.print(Text(f"  {number}. {sent}\n     → {came}", "dim").append(differs, "bold"), soft_wrap=True)
