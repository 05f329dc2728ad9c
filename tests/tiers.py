"""Tiers of the tests: tests/tiers.toml has the tier of each file, tox.ini the purpose of each tier."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parent.parent
TIERS: dict[str, list[str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
_TIER_OF_ENTRY = {entry: tier for tier, entries in TIERS.items() for entry in entries}


def add_option(parser: pytest.Parser) -> None:
    """Add the option that names tiers."""
    parser.addoption("--tier", action="append", choices=list(TIERS), help="collect the files of a tier (repeatable)")


def is_left_out(path: Path, chosen: Collection[str] | None) -> bool:
    """True for a test module of a tier that is not among the chosen ones. Without a choice no tier is left out."""
    return bool(chosen) and is_test_module(path) and tier_of(path) not in chosen


def is_test_module(path: Path) -> bool:
    """True for a file whose tests pytest collects."""
    return path.match("test_*.py") and path.is_relative_to(ROOT)


def tier_of(path: Path) -> str:
    """Return the tier of a test module of this repository."""
    file = PurePosixPath(path.relative_to(ROOT).as_posix())
    places = [str(place) for place in (file, *file.parents)]
    return next(_TIER_OF_ENTRY[place] for place in places if place in _TIER_OF_ENTRY)
