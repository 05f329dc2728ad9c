"""Page about faults that occur in one world alone, made from the measurements in a folder."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from mutants.noticed import excuse, read_excused
from mutants.scores import OURS, Keeper, Mutant, judges_of
from reference_server.faults_in_worlds import world_faults
from specs.profiles import find_profile

PAGE, FOLDER = "worlds.md", "worlds"
HEAD = """\
# Faults in one world

A fault in one world is a damage with a condition: a request returns 404 for a renamed table, a list has no entry for a
name with a dot. Each is derived from the conditions of an API, which have the values of the suite's dimensions,
and shown to the suite at gate depth with seed 0: every requirement in the plain world and in the drawn one.

- **noticed**: a requirement fails with the fault that passes without it
- **not noticed**: a requirement of the operation meets the condition, and passes all the same
- **beside**: only requirements of other operations meet it, while they prepare something
- **not reached**: no requirement sends a request under the condition

Excused faults are left out: `mutants/<api>/excused.toml` has the reasons, and
`python -m mutants measure --api API --worlds --list` lists them.

`python -m mutants measure --api API --worlds --keep mutants/results` measures all of them again, which takes hours, and
`python -m mutants publish mutants/results` makes this page. The measurements are not in the repository.
"""
OUTCOMES = ("noticed", "not noticed", "beside", "not reached")


def worlds_folder(folder: Path) -> Path:
    """Return the folder of the measurements of faults in worlds."""
    return folder / FOLDER


def read_worlds(folder: Path) -> dict[str, dict[str, Mutant]]:
    """Return the measurements by API and fault; none where there is no folder."""
    return {api: judges[OURS] for api, judges in judges_of(worlds_folder(folder)).items() if OURS in judges}


def keeper_of_worlds(folder: Path, api: str) -> Keeper:
    """Return the file of an API's measurements."""
    return Keeper.of(worlds_folder(folder), api, OURS)


def outcome(mutant: Mutant) -> str:
    """Return whether a fault was noticed, and if not, how far the suite came."""
    if mutant.noticed_by:
        return "noticed"
    if not mutant.reached:
        return "not reached"
    return "not noticed" if mutant.met_by else "beside"


def worlds_page(measured: Mapping[str, Mapping[str, Mutant]]) -> str:
    """Return the page."""
    return "\n".join([HEAD, *(line for api, faults in measured.items() for line in _section(api, faults.values()))])


def _section(api: str, faults: Iterable[Mutant]) -> Iterator[str]:
    known = list(faults)
    how = sorted({mutant.how for mutant in known if mutant.how})
    seconds = sum(mutant.seconds for mutant in known)
    excused, derived = _excused(api)
    yield f"\n## {api}\n\n{len(known):,} faults ({'; '.join(how)}), in {seconds:,.0f} s of all processes."
    yield f"Of {derived:,} derived faults {excused:,} are excused.\n"
    yield from _table("damage", known, 0)
    yield from _table("dimension", known, 2)
    for kind in OUTCOMES[1:]:
        some = [mutant for mutant in known if outcome(mutant) == kind]
        if some:
            yield f"### {kind[0].upper()}{kind[1:]}\n"
            yield from _grouped(some)
            yield ""


def _excused(api: str) -> tuple[int, int]:
    """Return the numbers of excused faults and of all faults in worlds of the operations that an API tests itself."""
    profile = find_profile(api)
    document, reasons = profile.document(), read_excused(api)
    faults = [fault for fault in world_faults(document) if {api} == set(map(profile.suite_of, fault.operations))]
    return sum(bool(excuse(fault.name, reasons)) for fault in faults), len(faults)


def _table(title: str, faults: Iterable[Mutant], part: int) -> Iterator[str]:
    """Yield the outcomes by a part of the names: the damage, or the dimension of the condition."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for mutant in faults:
        name = mutant.fault.split(":")[part].partition("=")[0].removesuffix("-in-world")
        counts[name][outcome(mutant)] += 1
    yield f"| {title} | faults | {' | '.join(OUTCOMES)} | noticed of those reached |"
    yield f"|---|{'--:|' * (len(OUTCOMES) + 2)}"
    for name, row in [*counts.items(), ("all", sum(counts.values(), Counter[str]()))]:
        reached = row.total() - row["not reached"]
        share = f"{row['noticed'] / reached:.0%}" if reached else ""
        yield f"| {name} | {row.total()} | {' | '.join(str(row[kind]) for kind in OUTCOMES)} | {share} |"
    yield ""


def _grouped(faults: Iterable[Mutant]) -> Iterator[str]:
    """Yield the operations of unnoticed faults, by condition, each with its damages and a requirement that met it."""
    groups: defaultdict[str, defaultdict[str, list[Mutant]]] = defaultdict(lambda: defaultdict(list))
    for mutant in faults:
        _, operation, condition = mutant.fault.split(":")
        groups[condition][operation].append(mutant)
    for condition, operations in sorted(groups.items()):
        entries = [_entry(operation, mutants) for operation, mutants in sorted(operations.items())]
        yield f"- `{condition}`: {'; '.join(entries)}"


def _entry(operation: str, mutants: Iterable[Mutant]) -> str:
    damages = ", ".join(mutant.fault.partition("-in-world")[0] for mutant in mutants)
    met_by = next((mutant.met_by[0] for mutant in mutants if mutant.met_by), "")
    return f"{operation} ({damages}{f'; met by {met_by}' if met_by else ''})"
