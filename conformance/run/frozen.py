"""Requirement sets that were frozen at a date: `<api>/suites/2026-11.txt` has the ids of an API's requirements then.

A run with `--suite 2026-11` treats every newer requirement as a MAY: it warns and fails no gate. `python -m
tests.conformance.ids --freeze 2026-12` writes the sets of another date; a published set never changes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from conformance.apis import PACKAGE, place_of
from conformance.values.requirement import Requirement
from conformance.values.settings import Settings
from specs.apis import apis

FOLDER = "suites"


def set_file(api: str, date: str) -> Path:
    """Return the file of an API's set."""
    return place_of(f"{PACKAGE}.{api}") / FOLDER / f"{date}.txt"


@cache
def frozen(api: str, date: str) -> frozenset[str]:
    """Return the ids of an API's set; none for an API that came later."""
    path = set_file(api, date)
    return frozenset(path.read_text(encoding="utf-8").split()) if path.exists() else frozenset()


def is_newer(requirement: Requirement, settings: Settings) -> bool:
    """True when the run has a set, and the requirement joined its API's suite later; views have no sets."""
    suite = requirement.suite
    return bool(settings.suite) and suite in apis() and requirement.id not in frozen(suite, settings.suite)


def weighed(requirement: Requirement, settings: Settings) -> Requirement:
    """Return a requirement with the level that it has in the run."""
    return replace(requirement, level="MAY") if is_newer(requirement, settings) else requirement
