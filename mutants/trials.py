"""Trials of the causes of findings: faults by a seeded draw, each shown to the whole suite.

The findings of a fault alone are labelled with it. A finding of several faults at once has the labels of those under
which its requirement fails alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from zlib import crc32

import msgspec

from conformance.values.settings import Settings
from conformance.values.verdict import FINDINGS, Result
from mutants.mutation import Plan, judging, show
from mutants.noticed import excuse, matching, noticed_file, read_excused, read_noticed
from specs.profiles import find_profile
from specs.writing import append, written

AT_ONCE = 3
SEPARATOR = ","  # of the faults of one request
FEWEST = 10  # requirements that notice a broad fault: it breaks a rule in many operations, or what many rest on
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


def broad(api: str) -> list[str]:
    """Return the names of the faults that many requirements are known to notice, without the excused ones."""
    known, ids = read_noticed(noticed_file(api)), judging(api)
    excused = {pattern: why for suite in find_profile(api).suites for pattern, why in read_excused(suite).items()}
    many = (name for name, patterns in known.items() if len(matching(patterns, ids)) >= FEWEST)
    return [name for name in many if not excuse(name, excused)]


def choose(api: str, operations: Mapping[str, frozenset[str]], *, alone: int, draws: int, seed: int) -> Choice:
    """Return a seeded choice of faults, and draws of three of them.

    `operations` are those of each fault to choose from, none for a fault of all operations. A choice of more faults
    has those of a smaller one.
    """
    chosen = sorted(operations, key=lambda name: (crc32(f"{seed} {api} {name}".encode()), name))[:alone]
    chance = Random(f"{seed} {api} {alone}")  # noqa: S311 - the same draws for the same seed
    several = [tuple(chance.sample(chosen, min(AT_ONCE, len(chosen)))) for _ in range(draws)] if chosen[1:] else []
    return Choice(api, {name: operations[name] for name in chosen}, several, seed)


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
