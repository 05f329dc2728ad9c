"""`lakeproof mutants`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from zlib import crc32

import click

from conformance.apis import requirements
from lakeproof.closed_sets import OneOf
from lakeproof.commands.useless import checked
from lakeproof.console import err, out, table_of
from lakeproof.mutant_jobs import ALL, FIRST, KNOWN, Measuring
from mutants.faults import FAULTS
from mutants.noticed import (
    Excused,
    compress,
    excuse,
    matching,
    noticed_file,
    read_excused,
    read_noticed,
    write_noticed,
)
from mutants.page import publish_mutants
from mutants.scores import OURS, Keeper, Mutant, counted, survivors
from reference_server.derived_faults import derived_faults
from reference_server.faults import Fault, find_fault
from specs.apis import apis, default_api
from specs.problems import Problem
from specs.profiles import find_profile
from specs.writing import check_writable, written

MOST_NAMES = 3
EPILOG = """\b
Examples:
  lakeproof mutants --api lance --list                 how many there are
  lakeproof mutants --api lance --fault 'tag*'         who notices these
  lakeproof mutants --api iceberg --derived --sample 10
                                                       one in ten of those that follow from the document,
                                                       each until one requirement notices it
  lakeproof mutants --api iceberg --derived            all of them: half an hour, less with --jobs 2
  lakeproof mutants --api lance --fault tags-move --write
                                                       keeps what was measured in noticed.toml
  lakeproof mutants --api iceberg --jobs 2 --keep mutants/results
                                                       all written faults, each shown to those that are known to
                                                       notice it; what the folder has already is not measured again
  lakeproof mutants --publish mutants/results  makes the page and the badge of what is kept there
"""


@click.command("mutants", epilog=EPILOG)
@click.option("--api", type=OneOf(list(apis())), default=default_api(), show_default=True, help="The API to measure.")
@click.option("--derived", is_flag=True, help="Faults that follow from the document instead of the written ones.")
@click.option("--fault", "patterns", multiple=True, metavar="PATTERN", help="Only faults with such names; repeatable.")
@click.option("--sample", type=click.IntRange(1), default=1, metavar="N", help="Only one fault in N.")
@click.option("--seed", default=0, help="Another seed is another sample.")
@click.option(
    "--write", is_flag=True, help="Ask every requirement of the operations, and add those that notice to noticed.toml."
)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Measure so many at the same time.")
@click.option("--keep", type=click.Path(path_type=Path), metavar="DIR", help="Keep measurements here, and continue.")
@click.option("--publish", "published", type=click.Path(path_type=Path), metavar="DIR", help="Make the page of a DIR.")
@click.option("--list", "only_list", is_flag=True, help="Show which faults these are and exit.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each fault.")
@checked
def mutants_command(
    api: str,
    derived: bool,
    patterns: tuple[str, ...],
    sample: int,
    seed: int,
    write: bool,
    jobs: int,
    keep: Path | None,
    published: Path | None,
    only_list: bool,
    as_json: bool,
) -> None:
    """Measure which requirements notice which fault of the embedded reference server.

    Under each fault those requirements run that are about its operations, and under one that follows from the document
    those that meet it in a run without faults. What fails without a fault notices none. A fault that changed something
    and that nobody notices is a gap of the suite, unless excused.toml says why nobody can: such faults are left out.
    """
    if published:
        out.print("\n".join(map(str, publish_mutants(published, _to_notice()))), soft_wrap=True)
        return
    faults = [
        fault
        for fault in (derived_faults(find_profile(api).document()) if derived else _written(api))
        if (not patterns or any(fnmatchcase(fault.name, pattern) for pattern in patterns))
        and crc32(f"{seed} {fault.name}".encode()) % sample == 0
    ]
    if not faults:
        raise Problem(f"There is no such fault of {api}.", "`lakeproof mutants --list` shows them.")
    excused = _excused(api)
    if only_list:
        _list(faults, excused)
        return
    kept = Keeper.of(keep, api, OURS) if keep else None
    known = kept.read() if kept else {}
    _check_writable(kept.path if kept else None, noticed_file(api) if write else None)
    needed = [fault.name for fault in faults if not excuse(fault.name, excused)]
    wanted = [name for name in needed if name not in known]
    measured: list[Mutant] = []
    measuring = Measuring(api, ALL if write else KNOWN if keep else FIRST, jobs)
    for mutant in measuring.measure(wanted):
        mutant.how = f"one fault in {sample}, seed {seed}"
        measured.append(mutant)
        _print(mutant, as_json=as_json)
        if kept:
            kept.add(mutant)
    if write:
        _keep(api, {mutant.fault: set(mutant.noticed_by) for mutant in measured if mutant.noticed_by})
    changed, left = counted(measured), survivors(measured)
    if measuring.failing:
        err.print(f"failing without a fault, so shown none: {', '.join(sorted(measuring.failing))}", soft_wrap=True)
    err.print(
        f"{len(measured)} faults: {len(changed) - len(left)} noticed, {len(left)} survive, "
        f"{len(measured) - len(changed)} changed nothing, {len(faults) - len(needed)} are excused"
    )


def _check_writable(*files: Path | None) -> None:
    """Look whether measurements can be written before any is made. Raises NotWritten where they cannot."""
    for path in filter(None, files):
        with written(path, "Give another folder."):
            check_writable(path.parent, [path.name])


def _keep(api: str, measured: dict[str, set[str]]) -> None:
    """Add to the file of an API what was measured. What stood there stays: a test says where it does not hold."""
    path, known = noticed_file(api), requirements(api)
    before = read_noticed(path)
    new = {
        fault: tuple(compress(ids | matching(before.get(fault, ()), known), known)) for fault, ids in measured.items()
    }
    write_noticed(path, before | new)


def _to_notice() -> dict[str, dict[str, str]]:
    """Return the written faults of all APIs that somebody has to notice, with what is wrong."""
    excused = {api: _excused(api) for api in apis()}
    return {
        api: {fault.name: fault.breaks for fault in _written(api) if not excuse(fault.name, excused[api])}
        for api in apis()
    }


def _excused(api: str) -> Excused:
    """Return why nobody has to notice some faults of an API: also what the suites that it shares say."""
    return {pattern: why for suite in find_profile(api).suites for pattern, why in read_excused(suite).items()}


def _written(api: str) -> Iterator[Fault]:
    """Return the written faults that touch an operation that the API's own suite tests, and others that it notices.

    Some are noticed by their name on one operation: on all of them nothing could be prepared.
    """
    profile = find_profile(api)
    operations = {operation for operation in profile.document().operations if profile.suite_of(operation) == api}
    known = read_noticed(noticed_file(api))
    yield from (fault for fault in FAULTS.values() if fault.operations & operations or fault.name in known)
    narrowed = (name for name in known if name not in FAULTS and name.partition(":")[0] in FAULTS)
    yield from (replace(find_fault(name), name=name) for name in narrowed)


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
    table = table_of("fault", "what is wrong", "why nobody has to notice")
    for fault in faults:
        table.add_row(fault.name, fault.breaks, excuse(fault.name, excused))
    out.print(table)
    out.print(f"\n{len(faults)} faults")
