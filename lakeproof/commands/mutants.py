"""`lakeproof mutants`."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import partial
from zlib import crc32

import click
from rich.table import Table

from conformance.apis import requirements
from conformance.mutation import first_to_notice, near, noticed_by
from conformance.noticed import (
    Excused,
    compress,
    excuse,
    matching,
    noticed_file,
    read_excused,
    read_noticed,
    write_noticed,
)
from conformance.settings import Settings
from lakeproof.checking import target_of
from lakeproof.terminal import err, out
from reference_server.derived_faults import derived_faults
from reference_server.faults import FAULTS, Fault
from reference_server.serve import Server
from specs.apis import apis, default_api
from specs.problems import Problem
from specs.profiles import find_profile

WAREHOUSE = "default"  # a run that names it sees what becomes of clients that name none
EPILOG = """\b
Examples:
  lakeproof mutants --api lance --list                 how many there are
  lakeproof mutants --api lance --fault 'tag*'         who notices these
  lakeproof mutants --api iceberg --derived --sample 10
                                                       one in ten of those that follow from the document,
                                                       each until one requirement notices it
  lakeproof mutants --api iceberg --derived            all of them: hours
  lakeproof mutants --api lance --fault tags-move --write
                                                       keeps what was measured in noticed.toml
"""


@click.command("mutants", epilog=EPILOG)
@click.option(
    "--api", type=click.Choice(list(apis())), default=default_api(), show_default=True, help="The API to measure."
)
@click.option("--derived", is_flag=True, help="Faults that follow from the document instead of the written ones.")
@click.option("--fault", "patterns", multiple=True, metavar="PATTERN", help="Only faults with such names; repeatable.")
@click.option("--sample", type=click.IntRange(1), default=1, metavar="N", help="Only one fault in N.")
@click.option("--seed", default=0, help="Another seed is another sample.")
@click.option(
    "--write", is_flag=True, help="Ask every requirement of the operations, and add those that notice to noticed.toml."
)
@click.option("--list", "only_list", is_flag=True, help="Show which faults these are and exit.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each fault.")
def mutants_command(
    api: str,
    derived: bool,
    patterns: tuple[str, ...],
    sample: int,
    seed: int,
    write: bool,
    only_list: bool,
    as_json: bool,
) -> None:
    """Measure which requirements notice which fault of the embedded reference server.

    Under each fault those requirements run that are about its operations. A fault that changed something and that
    nobody notices is a gap of the suite, unless excused.toml says why nobody can: such faults are left out.
    """
    faults = [
        one
        for one in (derived_faults(find_profile(api).document()) if derived else _written(api))
        if (not patterns or any(fnmatchcase(one.name, pattern) for pattern in patterns))
        and crc32(f"{seed} {one.name}".encode()) % sample == 0
    ]
    if not faults:
        raise Problem(f"There is no such fault of {api}.", "`lakeproof mutants --list` shows them.")
    excused = read_excused(api)
    if only_list:
        _list(faults, excused)
        return
    looked_at = [one for one in faults if not excuse(one.name, excused)]
    with target_of(Settings(api=api, warehouse=WAREHOUSE)) as (target, server):
        measured = list(_measured(looked_at, target, server, write=write, as_json=as_json)) if server else []
    if write:
        _keep(api, {fault: ids for fault, ids, _ in measured if ids})
    unnoticed = [(fault, reached) for fault, ids, reached in measured if not ids]
    survivors = [fault for fault, reached in unnoticed if reached]
    err.print(
        f"{len(measured)} faults: {len(measured) - len(unnoticed)} noticed, {len(survivors)} survive, "
        f"{len(unnoticed) - len(survivors)} changed nothing, {len(faults) - len(looked_at)} are excused"
    )


def _keep(api: str, measured: dict[str, set[str]]) -> None:
    """Add to the file of an API what was measured. What stood there stays: a test says where it does not hold."""
    path, known = noticed_file(api), requirements(api)
    before = read_noticed(path)
    new = {
        fault: tuple(compress(ids | matching(before.get(fault, ()), known), known)) for fault, ids in measured.items()
    }
    write_noticed(path, before | new)


def _written(api: str) -> Iterator[Fault]:
    """Return the written faults that touch an operation of an API, or all operations."""
    operations = set(find_profile(api).document().operations)
    known = read_noticed(noticed_file(api))
    return (one for one in FAULTS.values() if one.operations & operations or (not one.operations and one.name in known))


def _measured(
    faults: list[Fault], target: Settings, server: Server, *, write: bool, as_json: bool
) -> Iterator[tuple[str, set[str], bool]]:
    """Yield each fault, who notices it, and whether it changed anything: a written one counts as if it did."""
    for fault in faults:
        started = time.perf_counter()
        ids, reached = near(target.api, fault.operations), partial(_reached, server, fault.name)
        noticing = noticed_by(target, fault.name, ids) if write else first_to_notice(target, fault.name, ids, reached)
        seconds = round(time.perf_counter() - started, 1)
        _print(fault.name, noticing, reached(), seconds, as_json=as_json)
        yield fault.name, noticing, reached()


def _reached(server: Server, fault: str) -> bool:
    return fault in FAULTS or fault in server.reached


def _print(fault: str, noticing: set[str], reached: bool, seconds: float, *, as_json: bool) -> None:
    if as_json:
        entry = {"fault": fault, "noticed_by": sorted(noticing), "reached": reached, "seconds": seconds}
        click.echo(json.dumps(entry))
        return
    style = "green" if noticing else "red" if reached else "dim"
    words = (
        f"noticed by {', '.join(sorted(noticing)[:3])}" if noticing else "survives" if reached else "changed nothing"
    )
    out.print(f"[{style}]{fault}[/] {words} ({seconds} s)", soft_wrap=True)


def _list(faults: list[Fault], excused: Excused) -> None:
    table = Table("fault", "what is wrong", "why nobody has to notice", box=None, header_style="dim", pad_edge=False)
    for fault in faults:
        table.add_row(fault.name, fault.breaks, excuse(fault.name, excused))
    out.print(table)
    out.print(f"\n{len(faults)} faults")
