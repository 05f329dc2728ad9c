"""Running the suite from Python: the same run as `pytest --pyargs conformance --lakeproof-server URL`."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pytest

from conformance.after.comparing.reference_answers import Reference, add_reference_answers
from conformance.apis import PACKAGE, place_of
from conformance.author.requirement import REQUIREMENTS
from conformance.run.plugin import Listener, SuitePlugin
from conformance.run.session import Session
from conformance.target.target import Target
from conformance.values.activity import doing
from conformance.values.kinds import FUZZ
from conformance.values.results import Results
from conformance.values.settings import Settings
from specs.extras import require_extra
from specs.profiles import Profile

log = logging.getLogger("lakeproof.suite")
HERE = Path(__file__).parent
USER_OPTIONS = "PYTEST_ADDOPTS"
LEFT_OUT = ("terminal", "capture", "cacheprovider", "schemathesis", "logging", "unraisableexception", "threadexception")
QUIET = tuple(word for plugin in LEFT_OUT for word in ("-p", f"no:{plugin}"))


def run(
    settings: Settings,
    listener: Listener | None = None,
    *,
    command: str = "",
    ids: Collection[str] | None = None,
    package: str = "",
    plugins: Sequence[object] = (),
    known: Target | None = None,
    reference: Reference | None = None,
) -> tuple[Results, int]:
    """Test a target and return the results and the exit code.

    `ids` limits the run to these requirements, `package` names those of another suite, `plugins` go to pytest
    with the suite's own, `known` is the target, if the caller has met it already, `reference` starts the server whose
    answers to the steps of findings the results are to have. Nothing is printed; `listener` hears how it goes.
    Raises Problem when the target cannot be tested.
    """
    if FUZZ in settings.kinds:
        require_extra(FUZZ)
    session = Session(settings, command, ids, known, own=not package and FUZZ not in settings.kinds)
    plugin = SuitePlugin(session, listener)
    suites = [package] if package else packages_of(settings, session.target.profile)
    with doing("collecting requirements"):
        code = run_pytest(places(suites, ids), [plugin, *plugins])
    for error in session.kit_errors:
        log.error("the kit failed outside of a requirement:\n%s", error)
    results = session.results()
    if reference:
        add_reference_answers(results, session.target, reference)
    return results, code


def packages_of(settings: Settings, profile: Profile) -> list[str]:
    """Return the packages whose requirements a run on servers of a profile may be about."""
    fuzz = [f"{PACKAGE}.{FUZZ}"] if FUZZ in settings.kinds else []
    return [f"{PACKAGE}.{suite}" for suite in profile.suites] + fuzz


def run_pytest(arguments: Sequence[str], plugins: Sequence[object]) -> int:
    """Run pytest as the suite wants it, whatever the user's own tests want, and return its exit code."""
    options = ("-c", str(HERE / "pytest.ini"), "--rootdir", str(HERE.parent), *QUIET)
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
