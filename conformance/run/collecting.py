"""Collection of requirements with pytest: packages, modules, and the pytest options of a run."""

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
    """Return the packages whose requirements may apply to servers of a profile."""
    fuzz = [f"{PACKAGE}.{FUZZ}"] if FUZZ in settings.kinds else []
    return [f"{PACKAGE}.{suite}" for suite in profile.suites] + fuzz


def run_pytest(arguments: Sequence[str], plugins: Sequence[object]) -> int:
    """Run pytest with the suite's configuration, independent of the user's, and return its exit code."""
    options = ("-c", str(ROOT / "pytest.ini"), "--rootdir", str(ROOT.parent), *QUIET)
    with _without_user_options():
        return int(pytest.main([*options, *arguments], plugins=list(plugins)))


@contextlib.contextmanager
def _without_user_options() -> Iterator[None]:
    """Hide PYTEST_ADDOPTS: it configures the user's own tests, and may name plugins that are not installed here."""
    given = os.environ.pop(USER_OPTIONS, None)
    try:
        yield
    finally:
        if given is not None:
            os.environ[USER_OPTIONS] = given


def places(packages: Collection[str], ids: Collection[str] | None) -> list[str]:
    """Return the paths to collect: whole packages, or only the modules of `ids` if these are known.

    Pytest needs half a second for all modules of an API: much for a run of a few requirements.
    """
    modules = set(packages)
    if ids and all(name in REQUIREMENTS for name in ids):
        modules = {REQUIREMENTS[name].where.partition(":")[0] for name in ids}
    return [str(place_of(module)) for module in sorted(modules)]
