"""Page and badge about the faults that judges notice, made from the measurements in a folder."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from conformance.apis import requirements
from conformance.values.kinds import KINDS
from mutants import clustering_page, shipped_page, worlds_page
from mutants.clustering_page import read_measured
from mutants.noticed import compress, matching, noticed_file, read_noticed
from mutants.scores import (
    AT_ONCE,
    FEWEST,
    NOBODY,
    OURS,
    Mutant,
    by_requirement,
    counted,
    difficulty_of,
    judges_of,
    kind_of,
    survivors,
)
from mutants.shipped import read_shipped
from specs.problems import Problem
from specs.writing import write_file, written

PAGE, BADGE = "README.md", "badge.json"
HEAD = """\
# What notices which fault

The reference server can misbehave in ways that are known: faults. `mutants/<api>/noticed.toml` says which
requirements notice each of the written ones, and tests hold the suite to it; the page of an API has them both ways.
For this page a sample (one fault in N, by a checksum of its name and a seed) was shown to the suite again, to count
requests, and then to other judges: plain Schemathesis, which knows what there is on the server and gets the operations
that a fault touches, and `java`, the whole compatibility kit of an API's own project, where there is one. A fault is
noticed when a judge finds something on the server with it that it does not find on the server without it. A fault that
changed no answer does not count. Schemathesis compares single answers with the document, and the kit in Java is about
what a client does: neither is made to notice all of these.

`python -m mutants measure --api API --sample N --jobs 2 --keep mutants/results` measures what is not measured yet,
`python -m peers.judges JUDGE --api API --keep mutants/results` asks another judge about the same faults, and
`python -m mutants publish mutants/results` makes this page. Whether one fault makes one cause in a report, and one
cause is one fault, is in [causes.md](causes.md). Bugs that servers have shipped and users reported are in
[shipped.md](shipped.md).
"""
Judges = Mapping[str, Mapping[str, Mutant]]


def publish_mutants(folder: Path, faults_by_api: Mapping[str, Mapping[str, str]]) -> list[Path]:
    """Write the page, a page for each API and the badge into a folder of measurements; return their paths.

    `faults_by_api` describes each fault that must be noticed. Raises Problem for a folder without measurements, and for
    one that cannot be written.
    """
    apis = judges_of(folder)
    if not any(OURS in judges for judges in apis.values()):
        raise Problem(f"{folder} has no measurements.", "`python -m mutants measure --keep DIR` makes some.")
    known = {api: _known(api, faults) for api, faults in faults_by_api.items()}
    texts = {PAGE: "\n".join(_page(apis, known)), BADGE: _badge(apis)}
    if causes := read_measured(folder):
        texts[clustering_page.PAGE] = clustering_page.clustering_page(causes)
    if in_worlds := worlds_page.read_worlds(folder):
        texts[worlds_page.PAGE] = worlds_page.worlds_page(in_worlds)
    if in_worlds or (folder / worlds_page.PAGE).exists():
        texts[PAGE] += f"\nFaults that occur in one world alone have [a page of their own]({worlds_page.PAGE}).\n"
    texts |= {f"{api}.md": "\n".join(_both_ways(api, faults)) for api, faults in known.items()}
    texts[shipped_page.PAGE] = shipped_page.shipped_page(read_shipped())
    with written(folder, "Give another folder."):
        for name, text in texts.items():
            write_file(folder / name, text.rstrip() + "\n")
    return [folder / name for name in texts]


def _known(api: str, written: Mapping[str, str]) -> dict[str, Mutant]:
    """Return the written faults of an API with the requirements that notice them, according to the files."""
    noticed, ids = read_noticed(noticed_file(api)), requirements(api)
    shipped = {bug.fault: (bug.requirement,) for bug in read_shipped().bug if bug.api == api}
    patterns = {fault: (*noticed.get(fault, ()), *shipped.get(fault, ())) for fault in written}
    return {
        fault: Mutant(fault=fault, breaks=breaks, noticed_by=dict.fromkeys(sorted(matching(patterns[fault], ids)), 0))
        for fault, breaks in written.items()
    }


def _page(apis: Mapping[str, Judges], known: Mapping[str, Mapping[str, Mutant]]) -> Iterator[str]:
    yield HEAD
    yield "| API | written faults | known to be seen | shown again | noticed then | requirements that notice a fault |"
    yield "|---|--:|--:|--:|--:|--:|"
    for api, faults in known.items():
        ours, noticing = counted(_ours(apis, api)), by_requirement(faults.values())
        cells = [
            str(len(faults)),
            _share(sum(bool(mutant.noticed_by) for mutant in faults.values()), len(faults)),
            str(len(ours)),
            _share(len(ours) - len(survivors(ours)), len(ours)),
            _share(len(noticing), len(requirements(api))),
        ]
        yield f"| [{api}]({api}.md) | {' | '.join(cells)} |"
    yield "\nOthers are noticed by Spark scenarios, in tests of their own, or by nobody."
    for api, judges in apis.items():
        if ours := counted(_ours(apis, api)):
            seconds = sum(mutant.seconds for mutant in ours)
            yield f"\n## {api}\n\nShown again: {len(ours)} faults{_how(ours)}, in {seconds:,.0f} s of all processes.\n"
            yield from _survivors("Survivors", ours)
            yield from _kinds(ours)
            yield from _judges(judges)


def _ours(apis: Mapping[str, Judges], api: str) -> Iterable[Mutant]:
    return apis.get(api, {}).get(OURS, {}).values()


def _kinds(ours: list[Mutant]) -> Iterator[str]:
    """Yield the score of the suite: the kind of requirement that shows a fault soonest, and the requests needed."""
    levels = [*FEWEST.values(), AT_ONCE, NOBODY]
    yield f"What shows a fault with the fewest requests, and how many it takes:\n\n| kind | {' | '.join(levels)} |"
    yield "|---|" + "--:|" * len(levels)
    for kind in [*KINDS, NOBODY]:
        some = [difficulty_of(mutant) for mutant in ours if kind_of(mutant) == kind]
        if some:
            yield f"| {kind} | {' | '.join(str(some.count(level) or '') for level in levels)} |"
    yield ""


def _judges(judges: Judges) -> Iterator[str]:
    """Yield the scores of all judges, each for the faults that it was shown, beside ours for the same faults."""
    others = [name for name in judges if name != OURS]
    if not others:
        return
    yield (
        "The same faults, shown to other judges:\n\n| judge | faults shown | it notices | this kit notices | of those "
        + ("that take one request | 2 or 3 | more |\n|---|--:|--:|--:|--:|--:|--:|")
    )
    for name in others:
        shown = {fault: mutant for fault, mutant in judges[name].items() if fault in judges[OURS]}
        ours = {mutant.fault: mutant for mutant in counted(judges[OURS][fault] for fault in shown)}
        seen = [fault for fault in ours if shown[fault].noticed_by]
        met = sum(bool(mutant.noticed_by) for mutant in ours.values())
        levels = []
        for level in FEWEST.values():
            some = [fault for fault, mutant in ours.items() if difficulty_of(mutant) == level]
            levels.append(_share(sum(fault in seen for fault in some), len(some)))
        scores = [_share(len(seen), len(ours)), _share(met, len(ours)), *levels]
        yield f"| {name}{_how(shown.values())} | {len(ours)} | {' | '.join(scores)} |"
    yield "\n| fault | this kit | " + " | ".join(others) + " |\n|---|---|" + "---|" * len(others)
    for fault in sorted({fault for name in others for fault in judges[name]} & judges[OURS].keys()):
        cells = [_cell(judges[name].get(fault)) for name in (OURS, *others)]
        yield f"| {fault}: {judges[OURS][fault].breaks} | {' | '.join(cells)} |"
    yield ""


def _how(shown: Iterable[Mutant]) -> str:
    """Return the conditions of a measurement in brackets, "" where they were not stored."""
    given = sorted({mutant.how for mutant in shown if mutant.how})
    return f" ({'; '.join(given)})" if given else ""


def _cell(mutant: Mutant | None) -> str:
    if mutant is None:
        return "not shown"
    names = list(mutant.noticed_by)
    return f"noticed: {names[0]}{f' and {len(names) - 1} more' if names[1:] else ''}" if names else "not noticed"


def _survivors(title: str, faults: Iterable[Mutant]) -> Iterator[str]:
    if left := survivors(faults):
        yield f"{title}:\n"
        yield from (f"- `{mutant.fault}`: {mutant.breaks}" for mutant in left)
        yield ""


def _both_ways(api: str, ours: Mapping[str, Mutant]) -> Iterator[str]:
    """Yield the page of an API: requirements by the fault that they notice, and faults by requirement."""
    known = requirements(api)
    yield f"# {api}: faults and requirements\n\n[All APIs and judges](README.md)\n\n## By fault\n"
    for mutant in sorted(ours.values(), key=lambda mutant: mutant.fault):
        yield f"- `{mutant.fault}`: {mutant.breaks} {_listed(mutant, known)}"
    yield "\n## By requirement\n"
    for name, faults in by_requirement(ours.values()).items():
        yield f"- `{name}`: {', '.join(faults)}"


def _listed(mutant: Mutant, known: Collection[str]) -> str:
    """Return the requirements that notice a fault; a whole group is shown as a prefix of their ids."""
    if not mutant.noticed_by:
        return "(not in noticed.toml)"
    count, names = len(mutant.noticed_by), ", ".join(f"`{name}`" for name in compress(mutant.noticed_by, known))
    return f"Noticed by {count} requirement{'s' * (count > 1)}: {names}."


def _share(some: int, of: int) -> str:
    return f"{some} ({some / of:.0%})" if of else "0"


def _badge(apis: Mapping[str, Judges]) -> str:
    """Return the badge: the share of repeated faults that were noticed."""
    faults = [mutant for api in apis for mutant in counted(_ours(apis, api))]
    met = len(faults) - len(survivors(faults))
    colour = "brightgreen" if met == len(faults) else "yellow"
    badge = {"schemaVersion": 1, "label": "faults noticed", "message": f"{met}/{len(faults)}", "color": colour}
    return json.dumps(badge)
