"""How much the suite notices: its requirements, judged by a server that misbehaves on request.

Nothing here knows what a fault does: its name goes to the server in a header.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

import pytest

from conformance.apis import requirements
from conformance.requirement import Requirement
from conformance.results import Result
from conformance.runner import run
from conformance.settings import Settings
from conformance.verdict import FINDINGS
from specs.problems import Problem

HEADER = "X-Lakeproof-Fault"
SLOW = ("model", "race")  # kinds of requirements that are asked last


@dataclass
class First:
    """Ends a run as soon as one requirement notices something."""

    session: pytest.Session | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """See pytest."""
        self.session = session

    def selected(self, requirements: list[Requirement]) -> None:
        """See Listener."""

    def tested(self, result: Result) -> None:
        """See Listener."""
        if result.verdict in FINDINGS and self.session is not None:
            self.session.shouldstop = "the fault was noticed"

    def sent_again(self, number: int, of: int) -> None:
        """See Listener."""


def near(api: str, operations: Collection[str]) -> set[str]:
    """Return the requirements that have one of these operations among their subjects; all, where none is given."""
    known = requirements(api)
    return {
        name for name, requirement in known.items() if not operations or set(requirement.operations) & set(operations)
    }


def noticed_by(settings: Settings, fault: str, ids: Iterable[str], *, first: bool = False) -> dict[str, int]:
    """Return those of the requirements that fail on a fault, each with the number of requests that show it.

    With `first`, the run ends where one does. A server that cannot even be looked at is noticed by all.
    """
    results = judged_by(settings, fault, wanted := set(ids), first=first)
    return dict.fromkeys(wanted, 1) if results is None else of_findings(results)


def of_findings(results: Iterable[Result]) -> dict[str, int]:
    """Return the requirements that are not met, each with the number of requests that show it."""
    return {entry.id: len(entry.steps) for entry in results if entry.verdict in FINDINGS}


def judged_by(settings: Settings, fault: str, ids: Collection[str], *, first: bool = False) -> list[Result] | None:
    """Return what requirements say of a server with a fault, None where it cannot even be looked at."""
    stop = First() if first else None
    if not ids:
        return []
    with tempfile.TemporaryDirectory() as folder:
        settings = replace(settings, header=(*settings.header, f"{HEADER}: {fault}"), report=folder)
        try:
            return run(settings, stop, ids=ids, plugins=[stop] if stop else [])[0].requirements
        except Problem:
            return None


def first_to_notice(
    settings: Settings, fault: str, ids: set[str], reached: Callable[[], bool], likely: Collection[str] = ()
) -> dict[str, int]:
    """Return the first requirement that fails on a fault, as `noticed_by` does, none where all pass.

    `reached` tells whether the fault changed anything so far. Asked are, of the requirements about the fault's
    operations, those of the tests in `likely` unless they judge what others exchange, then one of each test, then the
    others; where the fault changed something those that are slow, and at last all of the suite, since an answer may be
    used by requirements about another operation.
    """
    known = requirements(settings.api)
    quick = {name for name in ids if known[name].kind not in SLOW}
    familiar = {name for name in quick if known[name].where in likely and known[name].kind != "wire"}
    one_of_each = set({known[name].where: name for name in sorted(quick - familiar, reverse=True)}.values())
    rest = quick - familiar - one_of_each

    def noticing(*stages: set[str]) -> dict[str, int]:
        noticed = (noticed_by(settings, fault, some, first=True) for some in stages)
        return next(filter(None, noticed), {})

    return noticing(familiar, one_of_each, rest) or (noticing(ids - quick, known.keys() - ids) if reached() else {})
