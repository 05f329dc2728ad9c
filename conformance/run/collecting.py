"""Collecting requirements with pytest: which packages, which modules, and the options of pytest that a run wants."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pytest

from conformance.apis import PACKAGE, place_of
from conformance.author.requirement import REQUIREMENTS
from conformance.values.kinds import FUZZ
from conformance.values.settings import Settings
from specs.profiles import Profile

ROOT = Path(__file__).parents[1]
USER_OPTIONS = "PYTEST_ADDOPTS"
LEFT_OUT = ("terminal", "capture", "cacheprovider", "schemathesis", "logging", "unraisableexception", "threadexception")
QUIET = tuple(word for plugin in LEFT_OUT for word in ("-p", f"no:{plugin}"))


def packages_of(settings: Settings, profile: Profile) -> list[str]:
    """Return the packages whose requirements a run on servers of a profile may be about."""
    fuzz = [f"{PACKAGE}.{FUZZ}"] if FUZZ in settings.kinds else []
    return [f"{PACKAGE}.{suite}" for suite in profile.suites] + fuzz


def run_pytest(arguments: Sequence[str], plugins: Sequence[object]) -> int:
    """Run pytest as the suite wants it, whatever the user's own tests want, and return its exit code."""
    options = ("-c", str(ROOT / "pytest.ini"), "--rootdir", str(ROOT.parent), *QUIET)
    with _without_user_options():
        return int(pytest.main([*options, *arguments], plugins=list(plugins)))


@contextlib.contextmanager
def _without_user_options() -> Iterator[None]:
    """Hide PYTEST_ADDOPTS: it is meant for the user's own tests, and what it names may not be here."""
    given = os.environ.pop(USER_OPTIONS, None)
    try:
        yield
    finally:
        if given is not None:
            os.environ[USER_OPTIONS] = given


def places(packages: Collection[str], ids: Collection[str] | None) -> list[str]:
    """Return where requirements are collected: whole packages, or less of them where `ids` are known to be."""
    modules = set(packages)
    if ids and all(name in REQUIREMENTS for name in ids):
        modules = {REQUIREMENTS[name].where.partition(":")[0] for name in ids}
    return [str(place_of(module)) for module in sorted(modules)]
