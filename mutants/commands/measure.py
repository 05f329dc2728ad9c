"""Command `measure`: the requirements that notice each fault."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from zlib import crc32

import click

from conformance.apis import requirements
from lakeproof.console import err, out, table_of
from lakeproof.options import OneOf, checked
from mutants.measuring import ALL, FIRST, KNOWN, Measuring
from mutants.noticed import (
    Excused,
    compress,
    excuse,
    matching,
    noticed_file,
    read_noticed,
    write_noticed,
)
from mutants.scores import OURS, Keeper, Mutant, counted, survivors
from mutants.to_notice import excused_of, written_faults
from mutants.worlds_page import keeper_of_worlds
from reference_server.derived_faults import derived_faults
from reference_server.faults import Fault
from reference_server.faults_in_worlds import world_faults
from specs.apis import apis, default_api
from specs.problems import Problem
from specs.profiles import Profile, find_profile
from specs.writing import check_writable, written

MOST_NAMES = 3
BESIDE = {"measure": {"only_list": ("write", "jobs", "keep", "as_json")}}
WITHOUT = {"measure": {"sample": ("seed",)}}
EPILOG = """\b
Examples:
  python -m mutants measure --api lance --list          list the written faults
  python -m mutants measure --api lance --fault 'tag*'  measure some of them
  python -m mutants measure --api lance --fault tags-move --write
  python -m mutants measure --api iceberg --derived --sample 10
  python -m mutants measure --api iceberg --worlds --fault '*:loadTable:state=*'
  python -m mutants measure --api iceberg --jobs 2 --keep mutants/results

With --keep, a written fault is shown to the requirements in noticed.toml, which are known to
notice it. Measuring every derived fault of an API takes half an hour.
"""


@click.command("measure", epilog=EPILOG)
@click.option("--api", type=OneOf(list(apis())), default=default_api(), show_default=True, help="API to measure.")
@click.option("--profile", metavar="NAME", help="Revision of the API to measure, see `lakeproof spec list`.")
@click.option("--derived", is_flag=True, help="Faults derived from the document, instead of written ones.")
@click.option("--worlds", is_flag=True, help="Faults in one place, state or form alone, instead of written ones.")
@click.option(
    "--fault",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Only faults whose names match, such as 'tag*'; repeatable.",
)
@click.option("--sample", type=click.IntRange(1), default=1, metavar="N", help="Measure only one fault in N.")
@click.option("--seed", default=0, help="Random seed of the sample.")
@click.option(
    "--write", is_flag=True, help="Run every requirement of the operations; add those that notice to noticed.toml."
)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Number of processes.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Save measurements here; skip faults measured before.",
)
@click.option("--list", "only_list", is_flag=True, help="List the faults and exit.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per fault.")
@partial(checked, beside=BESIDE, without=WITHOUT)
def measure_command(
    api: str,
    profile: str | None,
    derived: bool,
    worlds: bool,
    patterns: tuple[str, ...],
    sample: int,
    seed: int,
    write: bool,
    jobs: int,
    keep: Path | None,
    only_list: bool,
    as_json: bool,
) -> None:
    """Measure which requirements notice which fault of the embedded reference server.

    A requirement notices a fault if it passes on the server without faults and fails with the fault. A written fault
    is shown to the requirements on its operations, a derived fault to the requirements that reach it in a run without
    faults. A fault that changes a response and that no requirement notices is a gap of the suite. Faults in
    excused.toml, which gives the reasons, are left out.
    """
    chosen = find_profile(profile or api)
    api = chosen.api
    faults = [
        fault
        for fault in _faults(chosen, derived=derived, worlds=worlds)
        if (not patterns or any(fnmatchcase(fault.name, pattern) for pattern in patterns))
        and crc32(f"{seed} {fault.name}".encode()) % sample == 0
    ]
    _check_some(faults, api)
    excused = excused_of(api)
    if only_list:
        _list(faults, excused)
        return
    kept = (keeper_of_worlds(keep, api) if worlds else Keeper.of(keep, api, OURS)) if keep else None
    known = kept.read() if kept else {}
    _check_writable(kept.path if kept else None, noticed_file(api) if write else None)
    needed = [fault.name for fault in faults if not excuse(fault.name, excused)]
    wanted = [name for name in needed if name not in known]
    measured: list[Mutant] = []
    measuring = Measuring(chosen.name, ALL if write else KNOWN if keep else FIRST, jobs)
    for mutant in measuring.measure(wanted):
        mutant.how = _choice(patterns, sample, seed)
        measured.append(mutant)
        _print(mutant, as_json=as_json)
        if kept:
            kept.add(mutant)
    if write:
        _keep(api, {mutant.fault: set(mutant.noticed_by) for mutant in measured if mutant.noticed_by})
    changed, left = counted(measured), survivors(measured)
    if measuring.failing:
        err.print(f"left out, they fail without a fault: {', '.join(sorted(measuring.failing))}", soft_wrap=True)
    err.print(
        f"{len(measured)} faults: {len(changed) - len(left)} noticed, {len(left)} survive, "
        f"{len(measured) - len(changed)} changed nothing, {len(faults) - len(needed)} excused"
    )


def _choice(patterns: Sequence[str], sample: int, seed: int) -> str:
    """Return in words which faults were measured."""
    among = f" of {', '.join(patterns)}" if patterns else ""
    return f"one fault in {sample}{among}, seed {seed}" if sample > 1 else f"all faults{among}"


def _faults(profile: Profile, *, derived: bool, worlds: bool) -> Iterator[Fault]:
    """Yield the faults of these kinds, the written ones where none is chosen."""
    document = profile.document()
    if derived:
        yield from derived_faults(document)
    if worlds:
        own = {operation for operation in document.operations if profile.suite_of(operation) == profile.api}
        yield from (fault for fault in world_faults(document) if fault.operations & own)
    if not (derived or worlds):
        yield from written_faults(profile)


def _check_some(faults: list[Fault], api: str) -> None:
    """Check that the options leave a fault to measure. Raises Problem if they do not."""
    if not faults:
        raise Problem(
            f"No fault of {api} matches these options.",
            f"`python -m mutants measure --api {api} --list` shows them.",
        )


def _check_writable(*files: Path | None) -> None:
    """Check that measurements can be written, before any is made. Raises NotWritten if they cannot."""
    for path in filter(None, files):
        with written(path, "Give another folder."):
            check_writable(path.parent, [path.name])


def _keep(api: str, measured: dict[str, set[str]]) -> None:
    """Add measurements to the file of an API. Earlier entries stay: a test checks them."""
    path, known = noticed_file(api), requirements(api)
    before = read_noticed(path)
    new = {
        fault: tuple(compress(ids | matching(before.get(fault, ()), known), known)) for fault, ids in measured.items()
    }
    write_noticed(path, before | new)


def _print(mutant: Mutant, *, as_json: bool) -> None:
    noticing = sorted(mutant.noticed_by)
    if as_json:
        entry = {"fault": mutant.fault, "noticed_by": noticing, "reached": mutant.reached, "seconds": mutant.seconds}
        click.echo(json.dumps(entry))
        return
    style = "green" if noticing else "red" if mutant.reached else "dim"
    more = f" and {len(noticing) - MOST_NAMES} more" if len(noticing) > MOST_NAMES else ""
    words = (
        f"noticed by {', '.join(noticing[:MOST_NAMES])}{more}"
        if noticing
        else "survives"
        if mutant.reached
        else "changed nothing"
    )
    out.print(f"[{style}]{mutant.fault}[/] {words} ({mutant.seconds} s)", soft_wrap=True)


def _list(faults: list[Fault], excused: Excused) -> None:
    table = table_of("fault", "misbehavior", "reason if excused")
    for fault in faults:
        table.add_row(fault.name, fault.breaks, excuse(fault.name, excused))
    out.print(table)
    out.print(f"\n{len(faults)} faults")
