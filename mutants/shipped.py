"""Bugs that real servers have had and their users reported, each as a fault, and deviations that only look like bugs.

`shipped.toml` has an entry for each, in our own words and without names. It is an independent measure of the suite:
every fault was written from a report, before anybody looked whether a requirement notices it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

FILE = Path(__file__).parent / "shipped.toml"
At = Literal["MUST", "SHOULD", "MAY", "none"]


class Bug(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reported bug: its fault, its kind, and how a client meets it.

    `requirement` is the strongest one that notices the fault, `level` its level. `at_first` is the strongest level of a
    requirement that noticed the fault when it was written.
    """

    api: str
    fault: str
    kind: str
    client: str
    requirement: str
    level: At
    at_first: At


class Permitted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A deviation that users reported and that the document permits: its fault, and the reason."""

    api: str
    fault: str
    client: str
    why: str


class Shipped(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The entries of the file."""

    bug: tuple[Bug, ...]
    permitted: tuple[Permitted, ...]


@cache
def read_shipped() -> Shipped:
    """Return the entries of shipped.toml. Raises msgspec.ValidationError for an entry with other fields."""
    return msgspec.convert(tomllib.loads(FILE.read_text()), Shipped)


def count(levels: Iterable[str]) -> str:
    """Count some levels, and return the counts as text: the strongest first."""
    counted, texts = list(levels), []
    for level, words in {"MUST": "a MUST", "SHOULD": "a SHOULD", "MAY": "a MAY", "none": "nothing"}.items():
        if number := counted.count(level):
            texts.append(f"{number} by {words}")
    return ", ".join(texts)
