"""List of faults for `lakeproof serve --list-faults`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby

import click
from rich.text import Text

from lakeproof.console import out, table_of
from lakeproof.packages import suite_faults
from reference_server.client_faults import ClientFault, client_faults
from reference_server.derived_faults import FAMILIES_OF_DOCUMENTS, Family, derived_faults
from reference_server.faults import Fault
from reference_server.faults_in_worlds import FAMILIES_IN_WORLDS, FamilyInWorlds
from reference_server.options import flags
from reference_server.presets import presets_of
from reference_server.serve import options_of
from specs.profiles import Profile

FAULT, WRONG = "fault", "what is wrong"
MOST = 2  # names of operations in a row
EXAMPLES = (
    ("--fault slow:2.5", "delays every response by 2.5 seconds"),
    ("--fault throttled:{operation}", "affects one operation"),
    ("--fault slow:{operation}:2.5", "delays one operation by 2.5 seconds"),
    ("--fault slow --fault plain-text-errors", "combines faults"),
    ("--fault {derived}", "a fault derived from the document"),
    ("--allow-faults", "a request chooses its faults: X-Lakeproof-Fault: slow:2.5, plain-text-errors"),
)


def print_faults(served: Sequence[Profile]) -> None:
    """Print the client faults of some profiles by group, the faults derived from their documents, and examples."""
    columns = (FAULT, *(["API"] if len(served) > 1 else []), "operations", WRONG)
    for group, some in groupby(client_faults(served), lambda entry: entry.group):
        _print(group, [_row(entry, served) for entry in some], *columns)
    derived = [(fault.name, fault.breaks) for fault in _families()]
    _print("Derived for every operation of the document", derived, FAULT, WRONG)
    document = served[0].document()
    names = {"operation": next(iter(document.operations)), "derived": next(derived_faults(document)).name}
    _print("Examples", [tuple(text.format(**names) for text in row) for row in EXAMPLES], "option", "")
    if suite_faults():
        out.print("`python -m mutants measure --list` shows further faults, which measure the suite.")


def print_presets(served: Sequence[Profile]) -> None:
    """Print the presets of some profiles, each with the options that mean the same, and the groups of operations."""
    for profile in served:
        names = {name: option.flag for name, _, option in flags(options_of(profile.api))}
        rows = [(each.name, each.about, "\n".join(each.options(names))) for each in presets_of(profile.api).values()]
        _print(f"{profile.facts.title}: lakeproof serve --like PRESET", rows, "preset", "catalog", "options")
        groups = [(name, ", ".join(sorted(ids))) for name, ids in profile.groups().items()]
        _print(f"{profile.facts.title}: lakeproof serve --without GROUP", groups, "group", "operations")


def print_faults_as_json(served: Sequence[Profile]) -> None:
    """Print the client faults and derived faults of some profiles as one JSON object."""
    written = [
        {
            "name": entry.fault.name,
            "form": entry.fault.form,
            "group": entry.group,
            "apis": entry.apis,
            "operations": entry.operations,
            "breaks": entry.fault.breaks,
        }
        for entry in client_faults(served)
    ]
    derived = [{"form": fault.name, "breaks": fault.breaks} for fault in _families()]
    click.echo(json.dumps({"faults": written, "derived": derived}))


def _families() -> list[Fault]:
    families: list[Family | FamilyInWorlds] = [*FAMILIES_OF_DOCUMENTS, *FAMILIES_IN_WORLDS]
    return [family.fault("OPERATION", family.kind) for family in families]


def _row(entry: ClientFault, served: Sequence[Profile]) -> tuple[str, ...]:
    """Return the cells of a fault's row in a table; with several APIs, also its API."""
    owners = "all" if len(entry.apis) == len(served) else ", ".join(entry.apis)
    apis = [owners] if len(served) > 1 else []
    shown = ", ".join(entry.operations[:MOST]) or "all"
    more = f" and {len(entry.operations) - MOST} more" if len(entry.operations) > MOST else ""
    return (entry.fault.form, *apis, shown + more, entry.fault.breaks)


def _print(title: str, rows: Iterable[Sequence[str]], *columns: str) -> None:
    table = table_of(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*map(Text, row))
    out.print(table)
    out.print()
