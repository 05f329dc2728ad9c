"""Command `lakeproof coverage`: the statuses, clauses and cells that the requirements reach."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from conformance.after.cell_coverage import CellCoverage, cell_coverage, gap_groups, held_line
from conformance.after.reading import read_results
from conformance.after.status_coverage import (
    COVERED,
    EXCLUDED,
    GAP,
    UNSERVED,
    ClauseCoverage,
    StatusCoverage,
    clause_coverage,
    status_coverage,
)
from conformance.target.documents import named_profile
from conformance.values.exit_codes import EXIT_CONFORMS, EXIT_FAILS, EXIT_INTERRUPTED
from conformance.values.results import Results
from conformance.values.settings import Settings, load_settings
from lakeproof.checking import check
from lakeproof.commands.settings_options import settings_options
from lakeproof.console import err, out, table_of
from lakeproof.options import checked
from lakeproof.progress import ProgressListener
from specs.profiles import find_profile

STYLES = {COVERED: ("✓", "green"), EXCLUDED: ("–", "dim"), UNSERVED: ("○", "dim"), GAP: ("✗", "bold red")}
MOST_NAMES = 3
EPILOG = """\b
Examples:
  lakeproof coverage                         test the embedded server, then count
  lakeproof coverage --api iceberg           the same for another API
  lakeproof coverage --profile iceberg/1.6   the same for an older revision
  lakeproof coverage lakeproof-report        count for an earlier run
  lakeproof coverage --cells                 list the cells that nothing covers
  lakeproof coverage --json | jq '.statuses[] | select(.state == "gap")'

A cell is one case of an operation: a request field with a usual value, with each
declared value, absent, null, of a wrong type, or with a number just outside its
bounds; a response field that a requirement checks; one object or many objects.
"""


@click.command("coverage", epilog=EPILOG)
@click.argument("results", required=False, type=click.Path(path_type=Path))
@settings_options("api", "profile", "storage")
@click.option("--cells", "with_cells", is_flag=True, help="Print only the cells that nothing covers.")
@click.option("--json", "as_json", is_flag=True, help="Print only the statuses, clauses and cells, as JSON.")
@checked
def coverage_command(results: Path | None, with_cells: bool, as_json: bool, **given: Any) -> int:
    """Count the declared statuses, clauses and cells that the requirements reach; exit 1 if there is a gap.

    RESULTS is a results file or its folder. Uncovered cells count as gaps if a run of the default profile leaves more
    of them than `coverage.toml` allows.
    """
    settings = load_settings(given)
    run = read_results(results) if results else _run(settings)
    if not results and run.run.interrupted:
        return EXIT_INTERRUPTED
    profile = find_profile(run.target.profile)
    statuses = status_coverage(run, profile.document())
    clauses = [entry for suite in profile.suites for entry in clause_coverage(suite)]
    cells = cell_coverage(run) if run.cells or with_cells else []
    problems = [] if results or settings.revision else held_line(cells, settings.api)
    gaps = GAP in {entry.state for entry in statuses} | {entry.state for entry in clauses}
    if as_json:
        listed: dict[str, Sequence[Any]] = {"statuses": statuses, "clauses": clauses, "cells": cells}
        click.echo(json.dumps({name: [asdict(entry) for entry in entries] for name, entries in listed.items()}))
    elif with_cells:
        _print_cells(cells)
    else:
        _print(run, statuses, clauses, cells)
    for problem in problems:
        err.print(problem, style="bold red", soft_wrap=True)
    return EXIT_FAILS if gaps or problems else EXIT_CONFORMS


def _run(settings: Settings) -> Results:
    profile = named_profile(settings)
    with ProgressListener() as listener, tempfile.TemporaryDirectory() as folder:
        given: dict[str, Any] = {"api": profile.api, "profile": profile.name, "storage": settings.storage}
        return check("", listener=listener, report=folder, **given)[0]


def _print(
    results: Results, statuses: list[StatusCoverage], clauses: list[ClauseCoverage], cells: list[CellCoverage]
) -> None:
    columns = sorted({entry.status for entry in statuses})
    table = table_of("operation", *columns)
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
    for name, entries in (("statuses", statuses), ("clauses", clauses), ("cells", cells)):
        counts = Counter(entry.state for entry in entries)
        summary = ", ".join(f"{counts[state]:,} {state}" for state in STYLES if counts[state])
        out.print(f"{name}: {summary or 'not in these results, an older lakeproof wrote them'}")


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


def _print_cells(cells: list[CellCoverage]) -> None:
    """Print the gaps by kind, with their operations and fields, and the reasons of excluded cells."""
    for part, groups in groupby(gap_groups(cells), key=lambda group: group.part):
        gaps = list(groups)
        out.print(f"\n[bold]{part}[/]: {sum(group.count for group in gaps):,} gaps")
        for group in gaps:
            few = ", ".join(group.operations[:MOST_NAMES])
            more = f" and {len(group.operations) - MOST_NAMES} more" if len(group.operations) > MOST_NAMES else ""
            text = Text.assemble((f"{group.count:5} ", "dim"), ", ".join(group.kinds), (f"  {few}{more}", "cyan"))
            fields = ", ".join(name for name in group.fields if name)
            out.print(text.append(f"\n      {fields}", "dim") if fields else text, soft_wrap=True)
    reasons = Counter(entry.why for entry in cells if entry.state == EXCLUDED)
    out.print()
    for why, count in reasons.most_common():
        out.print(Text.assemble((f"{count:5} excluded: ", "bold"), why), soft_wrap=True)
    counts = Counter(entry.state for entry in cells)
    out.print("cells: " + ", ".join(f"{counts[state]:,} {state}" for state in STYLES if counts[state]))
