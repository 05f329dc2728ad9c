"""Command `lakeproof repro`: the steps of a finding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from conformance.after.reading import read_results
from conformance.after.reproduction import as_pytest, as_shell, recorded, reproduce, settings_for
from conformance.report.pretty import step_lines
from conformance.values.exchange import Exchange, Step
from conformance.values.exit_codes import EXIT_CONFORMS, EXIT_FAILS
from conformance.values.settings import DEFAULT_REPORT
from lakeproof.commands.settings_options import ACCESS, settings_options
from lakeproof.console import out
from lakeproof.options import OneOf, checked
from lakeproof.progress import showing

EPILOG = """\b
Examples:
  lakeproof repro lance.namespace.create.conflict
  lakeproof repro ID http://localhost:2333 --token "$TOKEN"
  lakeproof repro ID --results reports/my-server-1.2 http://localhost:2333
  lakeproof repro ID --as pytest > test_it.py  a test that fails until it is fixed
  lakeproof repro ID --as curl | sh            the steps as curl commands

Without URL, the steps go to the server of the run. They are sent with new names, and with
the ids that the server returns now. If the responses do not decide, the requirement is
tested again. Exit codes: 0 fixed, 1 still fails, 4 unknown finding or unreachable server.
"""


@click.command("repro", epilog=EPILOG)
@click.argument("requirement_id", metavar="REQUIREMENT")
@click.argument("url", required=False)
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=DEFAULT_REPORT,
    show_default=True,
    help="Results file or its folder.",
)
@click.option("--as", "form", type=OneOf(["curl", "pytest"]), help="Print the steps in this form, and send nothing.")
@settings_options(**ACCESS, header="Header to send instead of the recorded ones; repeatable.")
@checked
def repro_command(requirement_id: str, url: str | None, results: Path, form: str | None, **given: Any) -> int:
    """Send the steps of a finding again and report whether it still fails."""
    record = recorded(read_results(results), requirement_id)
    base = (url or record.finding.base).rstrip("/")
    if form:
        click.echo((as_shell if form == "curl" else as_pytest)(record, base))
        return EXIT_CONFORMS
    with showing():
        outcome = reproduce(record, settings_for(record, base, given))
    out.print(Text.assemble((requirement_id, "bold"), f"  {record.statement}"), soft_wrap=True)
    out.print(Text(f"recorded: {record.due}", "dim"), soft_wrap=True)
    _print_steps(record.finding.steps, outcome.exchanges)
    text, style = ("It still fails", "bold red") if outcome.fails else ("It is fixed", "bold green")
    out.print(Text(f"{text}: {outcome.why}.", style), soft_wrap=True)
    return EXIT_FAILS if outcome.fails else EXIT_CONFORMS


def _print_steps(steps: Sequence[Step], exchanges: Sequence[Exchange]) -> None:
    """Print the requests and responses, with the recorded status if it differs."""
    for number, (step, exchange) in enumerate(zip(steps, exchanges, strict=False), 1):
        sent, came = step_lines(exchange.to_step())
        before = step.response.status
        differs = f"  (recorded: {before or step.response.failure})" if before != exchange.status else ""
        out.print(Text(f"  {number}. {sent}\n     → {came}", "dim").append(differs, "bold"), soft_wrap=True)
