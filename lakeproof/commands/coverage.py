"""`lakeproof coverage`."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from conformance.coverage import (
    COVERED,
    EXCLUDED,
    GAP,
    UNSERVED,
    ClauseCoverage,
    StatusCoverage,
    clause_coverage,
    status_coverage,
)
from conformance.exit_codes import EXIT_CONFORMS, EXIT_FAILS
from conformance.results import Results, read_results
from lakeproof.checking import EMBEDDED_STORAGE, check
from lakeproof.terminal import ProgressListener, out
from specs.apis import apis, default_api
from specs.profiles import find_profile

STYLES = {COVERED: ("✓", "green"), EXCLUDED: ("–", "dim"), UNSERVED: ("○", "dim"), GAP: ("✗", "bold red")}
EPILOG = """\b
Examples:
  lakeproof coverage                      judge the embedded server, then count
  lakeproof coverage --api iceberg        the same for another API
  lakeproof coverage lakeproof-report     count what that run reached
  lakeproof coverage --json | jq '.statuses[] | select(.state == "gap")'
"""


@click.command("coverage", epilog=EPILOG)
@click.argument("results", required=False, type=click.Path(path_type=Path))
@click.option("--api", type=click.Choice([*apis()]), default=default_api(), show_default=True, help="The API to count.")
@click.option("--storage", default=EMBEDDED_STORAGE, show_default=True, help="Storage of the embedded server.")
@click.option("--json", "as_json", is_flag=True, help="Print every status and clause as JSON.")
def coverage_command(results: Path | None, api: str, storage: str, as_json: bool) -> int:
    """Count which declared statuses and clauses the requirements reach; exit 1 if there is a gap."""
    found = read_results(results) if results else _run(api, storage)
    profile = find_profile(found.target.profile)
    statuses = status_coverage(found, profile.document())
    clauses = [entry for suite in profile.suites for entry in clause_coverage(suite)]
    gaps = GAP in {entry.state for entry in statuses} | {entry.state for entry in clauses}
    if as_json:
        click.echo(
            json.dumps({"statuses": [asdict(one) for one in statuses], "clauses": [asdict(one) for one in clauses]})
        )
    else:
        _print(found, statuses, clauses)
    return EXIT_FAILS if gaps else EXIT_CONFORMS


def _run(api: str, storage: str) -> Results:
    with ProgressListener() as listener, tempfile.TemporaryDirectory() as folder:
        return check(None, api=api, storage=storage, listener=listener, report=folder)[0]


def _print(results: Results, statuses: list[StatusCoverage], clauses: list[ClauseCoverage]) -> None:
    columns = sorted({entry.status for entry in statuses})
    table = Table("operation", *columns, box=None, header_style="dim", pad_edge=False)
    for operation in dict.fromkeys(entry.operation for entry in statuses):
        states = {entry.status: entry.state for entry in statuses if entry.operation == operation}
        table.add_row(
            operation,
            *(Text(*STYLES[states[status]]) if status in states else Text("") for status in columns),
        )
    out.print(table)
    out.print("✓ reached by a requirement  – excluded  ○ not served  ✗ gap", style="dim")
    _print_reasons(statuses, clauses)
    served = [entry.id for entry in results.target.operations if entry.state == "offered"]
    out.print(f"\noperations: {len(served)} of {len(results.target.operations)} served")
    for name, entries in (("statuses", statuses), ("clauses", clauses)):
        counts = Counter(entry.state for entry in entries)
        out.print(f"{name}: " + ", ".join(f"{counts[state]} {state}" for state in STYLES if counts[state]))


def _print_reasons(statuses: list[StatusCoverage], clauses: list[ClauseCoverage]) -> None:
    reasons: dict[str, list[str]] = {}
    for status in statuses:
        if status.state in (EXCLUDED, GAP):
            reasons.setdefault(f"{status.state}: {status.why}", []).append(f"{status.operation} {status.status}")
    for clause in clauses:
        if clause.state != COVERED:
            reasons.setdefault(f"{clause.state}: {clause.why}", []).append(f"clause {clause.clause}")
    for reason, names in reasons.items():
        shown = ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"
        out.print(f"[bold]{reason}[/]\n  {shown}", style="red" if reason.startswith(GAP) else "")
