"""Trials of the grouping of findings: faults by a seeded draw, and the requirements that each is shown to.

The findings of a fault alone are labelled with it. A finding of several faults at once has the labels of those under
which its requirement fails alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from zlib import crc32

import msgspec

from conformance.values.settings import Settings
from conformance.values.verdict import FINDINGS, Result
from mutants.mutation import Plan, judging, near, show
from mutants.noticed import excuse, matching, noticed_file, read_excused, read_noticed
from reference_server.faults import FAMILIES
from specs.profiles import find_profile
from specs.writing import append, written

AT_ONCE = 4
SEPARATOR = ","  # of the faults of one request
KINDS_ASKED = ("behaviour", "error", "data", "hostile", "auth", "pagination", "wire")
"""Kinds of requirement that are asked: those that take a run of their own are not."""
MOST_KNOWN, MOST_NEAR, MOST_OTHERS = 120, 60, 20
"""Requirements that a fault is shown to: of those that noticed it, of its operations, and of all others."""
DERIVED = 3  # one fault in so many follows from the document
SUFFIX = ".trials.jsonl"


class Trial(msgspec.Struct, kw_only=True):
    """Results under some faults of the requirements that were asked.

    `connected` is false where the run could not even connect to the server.
    """

    faults: list[str]
    asked: list[str]
    seconds: float
    results: list[Result]
    connected: bool = True

    @property
    def findings(self) -> list[Result]:
        """The results that are findings."""
        return [result for result in self.results if result.verdict in FINDINGS]


@dataclass(frozen=True)
class TrialFile:
    """File with the trials of an API, a line each."""

    path: Path

    @classmethod
    def of(cls, folder: Path, api: str) -> TrialFile:
        """Return the file in a folder."""
        return cls(folder / f"{api}{SUFFIX}")

    def read(self) -> dict[str, Trial]:
        """Return the trials by the names of their faults; none where there is no file."""
        trials = msgspec.json.Decoder(Trial).decode_lines(self.path.read_bytes()) if self.path.exists() else []
        return {SEPARATOR.join(trial.faults): trial for trial in trials}

    def add(self, trial: Trial) -> None:
        """Add a trial. Raises NotWritten when that is impossible."""
        with written(self.path, "Give another folder."):
            append(self.path, msgspec.json.encode(trial) + b"\n")


@dataclass(frozen=True)
class Choice:
    """Faults of an API that are shown alone and several at once, drawn with a seed; `operations` by fault."""

    api: str
    operations: Mapping[str, frozenset[str]]
    draws: Sequence[tuple[str, ...]]
    seed: int

    @property
    def alone(self) -> Sequence[str]:
        """The faults."""
        return tuple(self.operations)


def noticeable(api: str) -> list[str]:
    """Return the names of the faults that requirements of the asked kinds notice, without the excused ones."""
    known, asked = read_noticed(noticed_file(api)), _asked_kinds(api)
    excused = {pattern: why for suite in find_profile(api).suites for pattern, why in read_excused(suite).items()}
    return [name for name, patterns in known.items() if matching(patterns, asked) and not excuse(name, excused)]


def choose(api: str, operations: Mapping[str, frozenset[str]], *, alone: int, draws: int, seed: int) -> Choice:
    """Return a seeded choice of faults, one in three derived from the document, and draws of four of them.

    `operations` are those of each fault to choose from, none for a fault of all operations. A choice of more faults
    has those of a smaller one.
    """
    mixed = _mixed(seed, api)(operations)
    derived = [name for name in mixed if name.partition(":")[0] in FAMILIES][: alone // DERIVED]
    written_ones = [name for name in mixed if name.partition(":")[0] not in FAMILIES]
    chosen = [*written_ones[: alone - len(derived)], *derived]
    chance = Random(f"{seed} {api} {alone}")  # noqa: S311 - the same draws for the same seed
    several = [tuple(chance.sample(chosen, min(AT_ONCE, len(chosen)))) for _ in range(draws)] if chosen[1:] else []
    return Choice(api, {name: operations[name] for name in chosen}, several, seed)


def asked_alone(choice: Choice, fault: str, *, whole: bool = False) -> list[str]:
    """Return the requirements that a fault is shown to: a seeded sample, or the whole suite."""
    everybody = _asked_kinds(choice.api)
    if whole:
        return sorted(everybody)
    known = matching(read_noticed(noticed_file(choice.api)).get(fault, ()), everybody)
    close = (near(choice.api, choice.operations[fault]) & everybody) - known
    mixed = _mixed(choice.seed, fault)
    return [
        *mixed(known)[:MOST_KNOWN],
        *mixed(close)[:MOST_NEAR],
        *mixed(everybody - known - close)[:MOST_OTHERS],
    ]


def asked_of_several(choice: Choice, faults: Sequence[str], alone: Mapping[str, Trial]) -> list[str]:
    """Return the requirements that several faults are shown to: those that one of them breaks, and some others."""
    broken = {result.id for fault in faults for result in alone[fault].findings}
    others = _asked_kinds(choice.api) - broken
    return [*sorted(broken), *_mixed(choice.seed, SEPARATOR.join(faults))(others)[:MOST_OTHERS]]


def try_all(settings: Settings, plan: Plan) -> Iterator[Trial]:
    """Yield a trial of each entry of a plan: faults, and the requirements that they are shown to."""
    for shown in show(settings, plan):
        yield Trial(
            faults=shown.fault.split(SEPARATOR),
            asked=list(shown.asked),
            seconds=shown.seconds,
            connected=shown.results is not None,
            results=sorted(shown.results or (), key=lambda result: result.id),
        )


def _asked_kinds(api: str) -> set[str]:
    return {name for name, requirement in judging(api).items() if requirement.kind in KINDS_ASKED}


def _mixed(seed: int, subject: str) -> Callable[[Collection[str]], list[str]]:
    return lambda names: sorted(names, key=lambda name: (crc32(f"{seed} {subject} {name}".encode()), name))
