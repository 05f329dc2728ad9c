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

    def judged(self, result: Result) -> None:
        """See Listener."""
        if result.verdict in FINDINGS and self.session is not None:
            self.session.shouldstop = "the fault was noticed"


def near(api: str, operations: Collection[str]) -> set[str]:
    """Return the requirements that have one of these operations among their subjects; all, where none is given."""
    known = requirements(api)
    return {name for name, one in known.items() if not operations or set(one.operations) & set(operations)}


def noticed_by(settings: Settings, fault: str, ids: Iterable[str], *, first: bool = False) -> set[str]:
    """Return those of the requirements that fail on a fault; with `first`, the run ends where one does.

    A server that cannot even be looked at is noticed by all.
    """
    wanted, stop = set(ids), First() if first else None
    if not wanted:
        return set()
    with tempfile.TemporaryDirectory() as folder:
        headers = (*settings.headers, f"{HEADER}: {fault}")
        settings = replace(settings, headers=headers, report=folder)
        try:
            results, _ = run(settings, stop, ids=wanted, plugins=[stop] if stop else [])
        except Problem:
            return wanted
    return {entry.id for entry in results.requirements if entry.verdict in FINDINGS}


def first_to_notice(settings: Settings, fault: str, ids: set[str], reached: Callable[[], bool]) -> set[str]:
    """Return the first requirement that fails on a fault, none where all pass.

    `reached` tells whether the fault changed anything so far. Asked are one requirement of each test about the fault's
    operations, where the fault changed something the others, those that are slow, and at last all of the suite, since
    an answer may be used by requirements about another operation.
    """
    known = requirements(settings.api)
    quick = {name for name in ids if known[name].kind not in SLOW}
    one_of_each = set({known[name].where: name for name in sorted(quick, reverse=True)}.values())
    for some in (one_of_each, quick - one_of_each, ids - quick, known.keys() - ids):
        if some is not one_of_each and not reached():
            return set()
        if noticing := noticed_by(settings, fault, some, first=True):
            return noticing
    return set()
