"""Amount that the tests try: by default a part that shows most in little time, with `pytest --thorough` all.

Which part it is follows from names alone, so it is the same in every run. `--seeds FIRST-LAST` has tests that draw by
a seed draw with these, the last one included.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar
from zlib import crc32

import pytest

T = TypeVar("T")


@dataclass
class Amount:
    """Amount that the command line asks for."""

    thorough: bool = False
    seeds: range | None = None


AMOUNT = Amount()


def add_options(parser: pytest.Parser) -> None:
    """Add the options to those of pytest."""
    parser.addoption("--thorough", action="store_true", help="try everything of which a part is tried otherwise")
    parser.addoption("--seeds", type=_range, metavar="FIRST-LAST", help="what tests draw by, such as 0-39")


def take_options(config: pytest.Config) -> None:
    """Take over what the command line says, before any test is imported."""
    AMOUNT.thorough, AMOUNT.seeds = config.option.thorough, config.option.seeds


def _range(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def seeds(usual: Iterable[int] = (0,)) -> Iterable[int]:
    """The seeds to draw by."""
    return usual if AMOUNT.seeds is None else AMOUNT.seeds


def amount(usual: T, thorough: T) -> T:
    """One of two amounts of the same."""
    return thorough if AMOUNT.thorough else usual


def tried(name: str, one_in: int) -> bool:
    """Whether the part of one in so many has this name."""
    return AMOUNT.thorough or crc32(name.encode()) % one_in == 0
