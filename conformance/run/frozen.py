"""Requirement sets that were frozen at a date: `<api>/suites/2026-11.txt` has the ids of an API's requirements then.

Behind each id stands the level that the requirement had. A run with `--suite 2026-11` uses these levels, and treats
every newer requirement as a MAY: it warns and fails no gate. `python -m tests.conformance.ids --freeze 2026-12` writes
the sets of another date; a published set never changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import get_args

from conformance.apis import PACKAGE, place_of
from conformance.former_ids import present_ids
from conformance.values.requirement import Level, Requirement
from conformance.values.settings import Settings
from specs.apis import apis

FOLDER = "suites"
LEVELS: Mapping[str, Level] = {level: level for level in get_args(Level)}


def set_file(api: str, date: str) -> Path:
    """Return the file of an API's set."""
    return place_of(f"{PACKAGE}.{api}") / FOLDER / f"{date}.txt"


@cache
def frozen(api: str, date: str) -> Mapping[str, Level]:
    """Return the present ids of an API's set with their levels; none for an API that came later."""
    path = set_file(api, date)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found: dict[str, Level] = {}
    for former, level in map(str.split, lines):
        for id in present_ids(former):  # of several former levels the strongest
            found[id] = min(LEVELS[level], found.get(id, "MAY"), key=list(LEVELS).index)
    return found


def is_newer(requirement: Requirement, settings: Settings) -> bool:
    """True when the run has a set, and the requirement joined its API's suite later; views have no sets."""
    suite = requirement.suite
    return bool(settings.suite) and suite in apis() and requirement.id not in frozen(suite, settings.suite)


def weighed(requirement: Requirement, settings: Settings) -> Requirement:
    """Return a requirement with the level that it has in the run."""
    if is_newer(requirement, settings):
        return replace(requirement, level="MAY")
    known = frozen(requirement.suite, settings.suite) if settings.suite else {}
    return replace(requirement, level=known.get(requirement.id, requirement.level))
