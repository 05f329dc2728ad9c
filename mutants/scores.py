"""Counts of the faults that a judge notices, and the files of measurements.

A folder has a file for each API and judge, `iceberg.lakeproof.jsonl`, with a line for each fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from conformance.author.requirement import REQUIREMENTS
from specs.writing import append, written

SUFFIX = ".jsonl"
OURS = "lakeproof"
NOBODY = "nobody"
FEWEST = {3: "up to 3 requests", 6: "4 to 6", 10**6: "more"}
AT_ONCE = "clients at the same time"


class Mutant(msgspec.Struct, kw_only=True):
    """One fault as one judge saw it.

    `noticed_by` are its requirements, checks or tests that fail, each with the number of requests that show it, 0 where
    the judge does not say. `reached` tells whether the fault changed an answer at all, `how` what the judge was given.
    `met_by` are requirements of its operation, of our own, that a surviving fault reached.
    """

    fault: str
    breaks: str
    noticed_by: dict[str, int]
    reached: bool = True
    seconds: float = 0.0
    how: str = ""
    met_by: list[str] = []


@dataclass(frozen=True)
class Keeper:
    """The file of one API and judge."""

    path: Path

    @classmethod
    def of(cls, folder: Path, api: str, judge: str) -> Keeper:
        """Return the file in a folder."""
        return cls(folder / f"{api}.{judge}{SUFFIX}")

    def read(self) -> dict[str, Mutant]:
        """Return the measurements by fault; an empty dict where there is no file."""
        if not self.path.exists():
            return {}
        mutants = msgspec.json.Decoder(Mutant).decode_lines(self.path.read_bytes())
        return {mutant.fault: mutant for mutant in mutants}

    def add(self, mutant: Mutant) -> None:
        """Add a measurement. Raises Problem when that is impossible."""
        with written(self.path, "Give another folder."):
            append(self.path, msgspec.json.encode(mutant) + b"\n")


def judges_of(folder: Path) -> dict[str, dict[str, dict[str, Mutant]]]:
    """Return the measurements in a folder by API, judge and fault; our own judge comes first."""
    judges: dict[str, dict[str, dict[str, Mutant]]] = {}
    for path in sorted(folder.glob(f"*.*{SUFFIX}"), key=lambda path: (OURS not in path.name, path.name)):
        api, _, judge = path.name.removesuffix(SUFFIX).partition(".")
        judges.setdefault(api, {})[judge] = Keeper(path).read()
    return dict(sorted(judges.items()))


def counted(mutants: Iterable[Mutant]) -> list[Mutant]:
    """Return the measurements that count: those of faults that changed an answer."""
    return [mutant for mutant in mutants if mutant.reached or mutant.noticed_by]


def survivors(mutants: Iterable[Mutant]) -> list[Mutant]:
    """Return the faults that nobody noticed."""
    return [mutant for mutant in counted(mutants) if not mutant.noticed_by]


def kind_of(mutant: Mutant) -> str:
    """Return the kind of the requirement that shows a fault with the fewest requests."""
    return min(((count, _kind(name)) for name, count in mutant.noticed_by.items()), default=(0, NOBODY))[1]


def difficulty_of(mutant: Mutant) -> str:
    """Return the effort that shows a fault: a number of requests, or concurrent clients."""
    if not mutant.noticed_by:
        return NOBODY
    if all(_kind(name) == "race" for name in mutant.noticed_by):
        return AT_ONCE
    fewest = min(mutant.noticed_by.values())
    return next(words for most, words in FEWEST.items() if fewest <= most)


def by_requirement(mutants: Iterable[Mutant]) -> Mapping[str, list[str]]:
    """Return the faults that each requirement notices."""
    faults: dict[str, list[str]] = {}
    for name, fault in sorted(_pairs(mutants)):
        faults.setdefault(name, []).append(fault)
    return faults


def _pairs(mutants: Iterable[Mutant]) -> Iterator[tuple[str, str]]:
    yield from ((name, mutant.fault) for mutant in mutants for name in mutant.noticed_by)


def _kind(name: str) -> str:
    return REQUIREMENTS[name].kind if name in REQUIREMENTS else ""
