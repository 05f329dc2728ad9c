"""Command `lakeproof list`: the requirements of a profile."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.text import Text

from conformance.run.requirement_index import index_of
from conformance.run.selection import Scope, selection_of
from conformance.target.documents import named_profile
from conformance.values.exit_codes import EXIT_CONFORMS, EXIT_NOTHING
from conformance.values.kinds import FUZZ
from conformance.values.requirement import Requirement
from conformance.values.settings import Settings, load_settings
from lakeproof.commands.settings_options import SELECTION, settings_options
from lakeproof.console import out

EPILOG = """\b
Examples:
  lakeproof list                       all requirements of the default API
  lakeproof list --api iceberg --kinds race
  lakeproof list --operation RenameTable --clause rename-moves
  lakeproof list -k 'lance.table and not rename' --json | jq -r '.[].id'

`lakeproof check` with the same options tests the listed requirements, except those on
operations that the server does not offer. `lakeproof explain ID` shows one requirement.
"""


@click.command("list", epilog=EPILOG)
@settings_options("api", "profile", *SELECTION)
@click.option("--json", "as_json", is_flag=True, help="Print only the requirements, with their statements, as JSON.")
def list_command(as_json: bool, **given: Any) -> int:
    """List requirements: id, level, kind, operations and clause."""
    settings = load_settings(given)
    profile = named_profile(settings)
    document = profile.document()
    suites = (*profile.suites, *_asked_for(settings))
    known = {
        name: entry.requirement for suite in suites for name, entry in index_of(f"conformance.{suite}", suite).items()
    }
    scope, selection = Scope.of(profile, document), selection_of(settings, document, profile.tested_by())
    there = [requirement for _, requirement in sorted(known.items()) if scope.has(requirement)]
    chosen = [requirement for requirement in there if selection.takes(requirement)]
    if as_json:
        click.echo(json.dumps(list(map(_entry, chosen)), indent=2))
    else:
        _print(chosen)
        out.print(f"\n{len(chosen):,} of {len(there):,} requirements of {profile.name}")
    return EXIT_CONFORMS if chosen else EXIT_NOTHING


def _asked_for(settings: Settings) -> list[str]:
    """Return the suites that run only if their kind is named. Raises Problem if a package that they need is missing."""
    if FUZZ not in settings.kinds:
        return []
    from specs.extras import require_extra  # noqa: PLC0415 - rarely needed

    require_extra(FUZZ)
    return [FUZZ]


def _entry(requirement: Requirement) -> dict[str, Any]:
    return {
        "id": requirement.id,
        "level": requirement.level,
        "kind": requirement.kind,
        "operations": list(requirement.operations),
        "clause": requirement.clause,
        "statement": requirement.statement,
    }


def _print(chosen: list[Requirement]) -> None:
    """Print a line for each requirement; lines are not wrapped, so that grep finds whole requirements."""
    rows = [
        (requirement.id, requirement.level, requirement.kind, _few(requirement.operations), requirement.clause)
        for requirement in chosen
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = Text()
    for row in rows:
        name, *rest = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append(name).append("  " + "  ".join(rest).rstrip() + "\n", "dim")
    out.print(lines, soft_wrap=True, end="")


def _few(names: tuple[str, ...], most: int = 2) -> str:
    """Return the first names, and the number of further ones."""
    more = f" +{len(names) - most}" if len(names) > most else ""
    return ", ".join(names[:most]) + more
