"""`lakeproof list`."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.text import Text

from conformance.apis import requirements
from conformance.exit_codes import EXIT_CONFORMS, EXIT_NOTHING
from conformance.requirement import Requirement
from conformance.selection import Scope, selection_of
from conformance.settings import load_settings
from lakeproof.commands.selection_options import selection_options
from lakeproof.terminal import out
from specs.apis import apis, default_api
from specs.profiles import find_profile

EPILOG = """\b
Examples:
  lakeproof list                                     all requirements of the default API
  lakeproof list --api iceberg --kinds race
  lakeproof list --operation RenameTable --clause rename-moves
  lakeproof list -k 'lance.table and not rename' --json | jq -r '.[].id'

\b
`lakeproof check` takes the same options and tests what is listed, but for what the
server does not offer. `lakeproof explain ID` says more of one requirement.
"""


@click.command("list", epilog=EPILOG)
@click.option("--api", type=click.Choice([*apis()]), help=f"The API to list.  [default: {default_api()}]")
@click.option("--profile", help="A revision of the API, such as lance/2026-03. Default: the newest.")
@selection_options
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON, with their statements.")
def list_command(as_json: bool, **given: Any) -> int:
    """List requirements: id, level, kind, operations and clause."""
    settings = load_settings({name: value if value != () else None for name, value in given.items()})
    profile = find_profile(settings.profile or settings.api)
    document = profile.document()
    known = {name: one for suite in profile.suites for name, one in requirements(suite).items()}
    scope, selection = Scope.of(profile, document), selection_of(settings, document, profile.judged_by())
    there = [one for _, one in sorted(known.items()) if scope.has(one)]
    found = [one for one in there if selection.takes(one)]
    if as_json:
        click.echo(json.dumps(list(map(_entry, found)), indent=2))
    else:
        _print(found)
        out.print(f"\n{len(found):,} of {len(there):,} requirements of {profile.name}")
    return EXIT_CONFORMS if found else EXIT_NOTHING


def _entry(one: Requirement) -> dict[str, Any]:
    return {
        "id": one.id,
        "level": one.level,
        "kind": one.kind,
        "operations": list(one.operations),
        "clause": one.clause,
        "statement": one.statement,
    }


def _print(found: list[Requirement]) -> None:
    """Print a line for each requirement; a line stays one in whatever width, so that it can be searched."""
    rows = [(one.id, one.level, one.kind, _few(one.operations), one.clause) for one in found]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        name, *rest = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        out.print(Text.assemble(name, ("  " + "  ".join(rest).rstrip(), "dim")), soft_wrap=True)


def _few(names: tuple[str, ...], most: int = 2) -> str:
    """Return the first names of some, and how many more there are."""
    more = f" +{len(names) - most}" if len(names) > most else ""
    return ", ".join(names[:most]) + more
