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
from specs.problems import Problem

HEADER = "X-Lakeproof-Fault"
NOTICES = ("fail", "warn")
PATIENCE = 40  # requirements after which a fault that changed nothing is given up


@dataclass
class First:
    """Ends a run as soon as one requirement notices something, or many have not even made the fault do something."""

    reached: Callable[[], bool]
    session: pytest.Session | None = None
    asked: int = 0

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """See pytest."""
        self.session = session

    def selected(self, requirements: list[Requirement]) -> None:
        """See Listener."""

    def judged(self, result: Result) -> None:
        """See Listener."""
        self.asked += 1
        if self.session is None:
            return
        if result.verdict in NOTICES:
            self.session.shouldstop = "the fault was noticed"
        elif self.asked >= PATIENCE and not self.reached():
            self.session.shouldstop = "the fault changes nothing"


def near(api: str, operations: Collection[str]) -> set[str]:
    """Return the requirements that have one of these operations among their subjects; all, where none is given."""
    known = requirements(api)
    return {name for name, one in known.items() if not operations or set(one.operations) & set(operations)}


def noticed_by(
    settings: Settings, fault: str, ids: Iterable[str], *, reached: Callable[[], bool] | None = None
) -> set[str]:
    """Return those of the requirements that fail on a fault.

    With `reached`, which tells whether the fault changed anything so far, the run ends where one fails, or where many
    were judged and nothing was changed. A server that cannot even be looked at is noticed by all.
    """
    wanted, stop = set(ids), First(reached) if reached else None
    if not wanted:
        return set()
    with tempfile.TemporaryDirectory() as folder:
        headers = (*settings.headers, f"{HEADER}: {fault}")
        settings = replace(settings, headers=headers, report=folder)
        try:
            results, _ = run(settings, stop, ids=wanted, plugins=[stop] if stop else [])
        except Problem:
            return wanted
    return {entry["id"] for entry in results.requirements if entry["verdict"] in NOTICES}
