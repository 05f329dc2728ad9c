"""The list of faults that `lakeproof serve --list-faults` shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.table import Table

from lakeproof.terminal import out
from reference_server.client_faults import EXAMPLES, GROUPS
from reference_server.derived_faults import FAMILIES_OF_DOCUMENTS, derived_faults
from reference_server.faults import FAULTS, Fault
from specs.apis import apis
from specs.profiles import find_profile

COLUMNS = ("fault", "operations", "what is wrong")
MOST = 2  # names of operations that fit beside each other


def print_faults() -> None:
    """Print the faults for clients by group, those that follow from the documents, and examples."""
    for title, names in GROUPS.items():
        _print(title, [(name, _where(FAULTS[name]), FAULTS[name].breaks) for name in names], *COLUMNS)
    shown = [
        (fault.name, fault.breaks)
        for fault in (family.fault("OPERATION", family.kind) for family in FAMILIES_OF_DOCUMENTS)
    ]
    _print("For every operation of the document", shown, COLUMNS[0], COLUMNS[-1])
    _print("Examples", EXAMPLES, "option", "")
    count = len(FAULTS) + sum(1 for api in apis() for _ in derived_faults(find_profile(api).document()))
    out.print(f"{count} faults in all, most of them made to measure test suites: `lakeproof mutants --list`.")


def _where(fault: Fault) -> str:
    names = sorted(fault.operations)
    if not names:
        return "all"
    return ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")


def _print(title: str, rows: Iterable[Sequence[str]], *columns: str) -> None:
    table = Table(*columns, title=title, title_justify="left", box=None, header_style="dim", pad_edge=False)
    for row in rows:
        table.add_row(*row)
    out.print(table)
    out.print()
