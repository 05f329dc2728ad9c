"""Runs of the suite against a reference server with faults.

Nothing here knows what a fault does: its name goes to the server in a header.
"""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from conformance.after.runner import run
from conformance.apis import requirements
from conformance.author.requirement import REQUIREMENTS, requirement_of
from conformance.http.exchange_log import ExchangeBuffer
from conformance.run.collecting import packages_of, places, run_pytest
from conformance.run.plugin import SuitePlugin
from conformance.run.reporting import Listener
from conformance.run.session import Session
from conformance.target.target import connect
from conformance.values.requirement import Requirement
from conformance.values.results import Result, Results, RunRecord
from conformance.values.settings import Settings
from conformance.values.verdict import FINDINGS
from conformance.values.worlds import World
from specs.problems import Problem
from specs.profiles import find_profile

HEADER = "X-Lakeproof-Fault"
# Faults, and the requirements that each is shown to, in stages: a later one is for what the earlier do not notice.
Plan = Mapping[str, Sequence[Collection[str]]]
LATE = {"wire": 1, "model": 2, "race": 3}  # kinds that judge what others exchange, or take long, are asked last


@dataclass(frozen=True)
class Shown:
    """Results of the requirements that ran against a server with a fault.

    `results` is None where it could not even be looked at: so all of them notice. `run` is the record of their run.
    """

    fault: str
    asked: Sequence[str]
    results: list[Result] | None
    seconds: float
    run: RunRecord | None = None

    @property
    def noticed_by(self) -> dict[str, int]:
        """The requirements that are not met, each with the number of requests that show it."""
        if self.results is None:
            return dict.fromkeys(self.asked, 1)
        return {entry.id: len(entry.steps) for entry in self.results if entry.verdict in FINDINGS}


def judging(api: str) -> dict[str, Requirement]:
    """Return the requirements that judge servers of an API: those of its own suite and of the suites that it shares."""
    return {name: entry for suite in find_profile(api).suites for name, entry in requirements(suite).items()}


def near(api: str, operations: Collection[str]) -> set[str]:
    """Return the requirements that have one of these operations among their subjects; all, where none is given."""
    return {name for name, entry in judging(api).items() if not operations or set(entry.operations) & set(operations)}


@dataclass(frozen=True)
class Likely:
    """Tests that noticed a fault of a kind; they run first under the next fault of that kind."""

    noticing: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def order(self, fault: str, ids: Collection[str]) -> list[str]:
        """Return requirements as they are asked: those of such tests, one of each other test, then the rest."""
        likely, met = self.noticing[_kind(fault)], set[str]()

        def rank(name: str) -> tuple[int, bool, bool]:
            where = REQUIREMENTS[name].where
            again = where in met
            met.add(where)
            return LATE.get(REQUIREMENTS[name].kind, 0), where not in likely, again

        ranked = {name: rank(name) for name in ids}
        return sorted(ids, key=ranked.__getitem__)

    def learn(self, shown: Shown) -> None:
        """Remember the tests that noticed a fault."""
        self.noticing[_kind(shown.fault)].update(REQUIREMENTS[name].where for name in shown.noticed_by)


def _kind(fault: str) -> str:
    return fault.partition(":")[0]


def _elsewhere(fault: str) -> Callable[[World], bool]:
    """Return a check that a world is none of those that a fault is in: true of all, if it is in no certain world."""
    dimension, _, value = fault.rpartition(":")[2].partition("=")
    return lambda world: world.get(dimension) != value


@dataclass
class Clean:
    """Listener of a run without a fault: the requirements that pass, their seconds and the faults that each reaches."""

    take: Callable[[], set[str]]
    listener: Listener | None
    seconds: dict[str, float] = field(default_factory=dict)
    reached: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def selected(self, requirements: list[Requirement]) -> None:
        """Forget the operations that were reached before the first requirement."""
        self.take()
        if self.listener:
            self.listener.selected(requirements)

    def tested(self, result: Result) -> None:
        """Note the operations that a requirement reached."""
        reached = self.take()
        if result.verdict == "pass":
            self.seconds[result.id] = result.seconds
            for fault in reached:
                self.reached[fault].append(result.id)
        if self.listener:
            self.listener.tested(result)


def who_meets(
    settings: Settings, ids: Collection[str], take: Callable[[], set[str]], listener: Listener | None = None
) -> dict[str, list[str]]:
    """Return for each fault the requirements that meet it, the quickest first: nothing else can notice it.

    `take` tells which faults would have changed something since the last time. What judges the exchanges of others
    meets every fault.
    """
    with tempfile.TemporaryDirectory() as folder:
        clean = Clean(take, listener)
        run(replace(settings, report=folder), clean, ids=ids)
    judges = [name for name in clean.seconds if REQUIREMENTS[name].kind == "wire"]
    return {
        fault: sorted(dict.fromkeys([*names, *judges]), key=clean.seconds.__getitem__)
        for fault, names in clean.reached.items()
    }


def failing(settings: Settings, ids: Collection[str], listener: Listener | None = None) -> set[str]:
    """Return the requirements that fail on the server without a fault: of a fault they say nothing."""
    if not ids:
        return set()
    with tempfile.TemporaryDirectory() as folder:
        results, _ = run(replace(settings, report=folder), listener, ids=ids)
    return {result.id for result in results.requirements if result.verdict in FINDINGS}


def show(settings: Settings, plan: Plan, likely: Likely | None = None, *, first: bool = False) -> list[Shown]:
    """Show each fault of a plan to its requirements, as long as none of them notices it where the `first` is enough.

    All are shown in one run of pytest, as collecting the requirements takes longer than testing some. For each fault
    the server is met anew, as it misbehaves.
    """
    asked = {name for stages in plan.values() for ids in stages for name in ids}
    if not asked:
        return [Shown(fault, (), [], 0.0) for fault in plan]
    plugin = Showing(settings, plan, asked, likely or Likely(), first)
    run_pytest(places(packages_of(settings, plugin.session.target.profile), asked), [plugin])
    return plugin.shown


class Showing(SuitePlugin):
    """The suite's own plugin, with a session for each fault. Of the first session the requirements alone are chosen."""

    def __init__(self, settings: Settings, plan: Plan, asked: set[str], likely: Likely, first: bool) -> None:
        super().__init__(Session(settings, ids=asked, known=connect(settings), log=ExchangeBuffer()))
        self._settings = settings
        self._plan = plan
        self._likely = likely
        self._first = first
        self._worlds: Mapping[str, list[World]] = {}
        self.shown: list[Shown] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Show the faults, one after another."""
        items = {requirement.id: item for item in session.items if (requirement := requirement_of(item))}
        self._worlds = self.session.suite.wandering.drawn
        for fault, stages in self._plan.items():
            started = time.perf_counter()
            asked = [name for ids in stages for name in self._order(fault, ids) if name in items]
            judged = self._judged(fault, [items[name] for name in asked])
            results, record = (judged.requirements, judged.run) if judged else (None, None)
            self.shown.append(Shown(fault, asked, results, round(time.perf_counter() - started, 2), record))
            self._likely.learn(self.shown[-1])
        session.shouldstop = "every fault was shown"
        return True

    def _order(self, fault: str, ids: Collection[str]) -> list[str]:
        """Return requirements as they are asked: under a fault in one world first those that were drawn into it."""
        likely, elsewhere = self._likely.order(fault, ids), _elsewhere(fault)
        return sorted(likely, key=lambda name: all(map(elsewhere, self._worlds.get(name, ()))))

    def _drawn(self, fault: str) -> dict[str, list[World]]:
        """Return the worlds of requirements, those that a fault is in first: a twin has many."""
        return {name: sorted(worlds, key=_elsewhere(fault)) for name, worlds in self._worlds.items()}

    def _judged(self, fault: str, asked: Sequence[pytest.Item]) -> Results | None:
        """Return the results under a fault, None where the run could not connect to the server."""
        settings = replace(self._settings, header=(*self._settings.header, f"{HEADER}: {fault}"))
        self.session.finish()
        try:
            self.session = Session(settings, log=ExchangeBuffer())
        except Problem:
            return None
        wandering = self.session.suite.wandering
        wandering.drawn, wandering.narrows = self._drawn(fault), not self._first
        self._test(asked)
        self.session.target.sandbox.sweep()
        self.session.ledger.reconsider()
        return self.session.results()

    def _test(self, asked: Sequence[pytest.Item]) -> None:
        for item in asked:
            # All is torn down, also what a whole run shares: it was made on a server with this fault.
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            noticed = self.last is not None and self.last.verdict in FINDINGS
            if (noticed and self._first) or self.session.client.traffic.stopped:
                return

    def finish(self, session: pytest.Session, exitstatus: int) -> None:
        """Close the last session: each has been cleaned up after."""
        self.session.finish()
