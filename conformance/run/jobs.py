"""Requirements tested at the same time: each of several processes tests one after another.

The workers go on with what the run found out about the server. What must be alone is tested by the run itself
afterwards: races, what shows what others do, and what is checked over the answers of the whole run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

import pytest

from conformance.apis import SuitePart, suite_part
from conformance.author.requirement import requirement_of
from conformance.http.transport import CLEAN_UP_SECONDS
from conformance.http.wire import Seen
from conformance.run.crew import Crew, Process
from conformance.run.job_messages import News, Rest, Start, Task
from conformance.run.waiting import Waiting
from conformance.values.activity import doing
from conformance.values.requirement import Requirement
from conformance.values.results import Result
from conformance.values.settings import Settings

if TYPE_CHECKING:
    from conformance.run.crew import AnyPipe
    from conformance.run.plugin import SuitePlugin

ALONE = ("race", "wire", "scenario")
LONG = ("model",)  # kinds that are given out first: else all wait in the end for one that began late


@dataclass
class Jobs:
    """The plugin that has requirements tested by workers; see the module."""

    plugin: SuitePlugin
    crew: Crew = field(init=False)
    first_seen: dict[Any, int] = field(default_factory=dict)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Have workers test what need not be alone, then test the rest; leave it to pytest where that is all."""
        if session.testsfailed or session.config.option.collectonly or self.plugin.session.client.traffic.stopped:
            return None
        items = {requirement.id: item for item in session.items if (requirement := requirement_of(item))}
        requirements = {name: requirement_of(item) for name, item in items.items()}
        alone = apart(
            [requirement for requirement in requirements.values() if requirement],
            self._crowded(),
            self.plugin.session.replayed,
            self._sharing(items),
        )
        together = {name: item for name, item in items.items() if name not in alone}
        count = min(self.plugin.session.settings.jobs, len(together))
        if count < 2:
            return None
        tested = self._share_out(together, count)
        self.plugin.session.target.share_names(count, count + 1)  # what workers made may still be there
        _check(session)
        rest = [item for name, item in items.items() if name not in tested]
        for item, following in zip_longest(rest, rest[1:]):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            _check(session)
        return True

    def _parts(self) -> list[SuitePart]:
        return [suite_part(profile.api) for profile in self.plugin.session.target.profile.tested_by()]

    def _crowded(self) -> set[str]:
        return {operation for part in self._parts() for operation in part.crowded}

    def _sharing(self, items: Mapping[str, pytest.Item]) -> dict[str, str]:
        """Return the requirements that use a fixture which the run makes once, and which one."""
        fixtures = {fixture for part in self._parts() for fixture in part.shared}
        names = {name: fixtures & set(getattr(item, "fixturenames", ())) for name, item in items.items()}
        return {name: min(used) for name, used in names.items() if used}

    def _share_out(self, items: Mapping[str, pytest.Item], count: int) -> set[str]:
        """Have the requirements of these items tested; return which of them were."""
        own = self.plugin.session
        settings = _of_worker(own.settings)
        state, ends = own.target.found(), own.client.traffic.ends
        self.crew = Crew.start(Start(settings, state, count, list(items), ends))
        try:
            with doing("starting workers") as tell:
                tested = set(self._test(items, tell))
                tell("cleaning up")
                self._dismiss()
        except BaseException:
            self._interrupt()
            raise
        finally:
            self.crew.close()
        return tested

    def _test(self, items: Mapping[str, pytest.Item], tell: Callable[[str], None]) -> Iterator[str]:
        """Give out the requirements, each when what it needs is tested; yield those that are, tell which these are."""
        requirements = filter(None, map(requirement_of, items.values()))
        long_first = sorted(requirements, key=lambda requirement: requirement.kind not in LONG)
        needs = {requirement.id: set(requirement.needs) & items.keys() for requirement in long_first}
        waiting = Waiting(needs, self._sharing(items))
        session = next(iter(items.values())).session
        while True:
            over = session.shouldstop or session.shouldfail
            workers = [worker.number for worker in self.crew.workers]
            for worker in self.crew.workers:
                if not worker.busy and not over and (name := waiting.take(worker.number, workers)):
                    self._hand_out(worker, name, needs[name])
            busy = {worker.pipe: worker for worker in self.crew.workers if worker.busy}
            if not busy:
                return
            tell(f"testing {', '.join(worker.busy for worker in busy.values())}")
            self.plugin.session.client.traffic.check_interrupted()
            for pipe in _ready(busy, 1.0):
                name = self._hear(busy[pipe], items)
                waiting.tested(name)
                yield name

    def _hand_out(self, worker: Process, name: str, needs: Collection[str]) -> None:
        own = self.plugin.session
        verdicts = {needed: verdict for needed in needs if (verdict := own.verdict(needed))}
        worker.busy = name
        worker.tell(Task(name, verdicts, frozenset(own.client.known.done)))

    def _hear(self, worker: Process, items: Mapping[str, pytest.Item]) -> str:
        """Take what a worker says of the requirement that it was given, and return that requirement's id."""
        name, worker.busy = worker.busy, ""
        item = items[name]
        try:
            news: News | Rest = worker.pipe.recv()
        except (EOFError, OSError):
            self.crew.workers.remove(worker)
            message = f"the process that tested it ended with code {self.crew.code(worker)}"
            requirement = requirement_of(item)
            self._add(item, Result.of(requirement, "error", message) if requirement else None)
            return name
        if isinstance(news, Rest):  # it was interrupted
            self.crew.workers.remove(worker)
            self._take_rest(news)
            return name
        self._take(news)
        if news.end:
            stopped = self.plugin.session.client.traffic.stopped = news.end.stopped()
            item.session.shouldstop = str(stopped.msg)
        else:
            self._add(item, news.result)
            if self.plugin.session.log.problem:
                item.session.shouldstop = self.plugin.session.log.problem.message
        return name

    def _add(self, item: pytest.Item, result: Result | None) -> None:
        """Add a verdict to those of the run, and tell who listens, pytest included."""
        if result is None:
            return
        result = self.plugin.session.as_expected(result)
        self.plugin.session.add(result)
        self.plugin.tell(item, result)
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for when in ("call", "teardown"):
            item.ihook.pytest_runtest_logreport(report=self._report(item, result, when))
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _report(self, item: pytest.Item, result: Result, when: str) -> pytest.TestReport:
        """Return a verdict as pytest tells it."""
        verdict = result.verdict if when == "call" else "pass"
        strict = self.plugin.session.settings.strict and result.level == "SHOULD"
        failed = verdict in ("fail", "error") or (verdict == "warn" and strict)
        outcome = "passed" if verdict == "pass" else "failed" if failed else "skipped"
        path, line, _ = item.location
        report = pytest.TestReport(
            item.nodeid,
            item.location,
            dict.fromkeys(item.keywords, 1),
            outcome,  # type: ignore[arg-type]
            self.plugin.failure(result) if failed else (path, line or 0, result.message) if verdict != "pass" else None,
            when,  # type: ignore[arg-type]
            duration=result.seconds if when == "call" else 0.0,
        )
        if verdict in ("warn", "known") and not failed:
            report.wasxfail = result.message
        return report

    def _take(self, news: News) -> None:
        """Take over what a worker has seen, as if the run had."""
        own = self.plugin.session
        client = own.client
        own.log_lines(news.lines)
        client.requests += news.requests
        client.traffic.absorb(*news.traffic)
        client.known.done.update(news.done)
        if news.lacking:
            self.plugin.lacking[news.id] = news.lacking
        client.wire.absorb(self._earliest(news.wire, own.place(news.id)))

    def _earliest(self, seen: Seen, place: int) -> Seen:
        """Make way for the findings of an earlier requirement, which are those that a run of one job has."""
        log = self.plugin.session.client.wire
        pairs: Any = ((log.findings, seen.findings), (log.extra_findings, seen.extra_findings))
        for mine, others in pairs:
            for key in [key for key in others if self.first_seen.setdefault(key, place) > place]:
                self.first_seen[key] = place
                mine.pop(key, None)
        return seen

    def _take_rest(self, rest: Rest) -> None:
        own = self.plugin.session
        sandbox = own.target.sandbox
        self._take(rest.news)
        own.cells.absorb(rest.cells, rest.looks)
        sandbox.doubtful.update(rest.doubtful)
        sandbox.registrations |= rest.registrations
        own.kit_errors += rest.errors

    def _dismiss(self) -> None:
        """Tell the workers that they are done, and hear the rest; who does not answer is left behind."""
        ends = time.monotonic() + CLEAN_UP_SECONDS + self.plugin.session.settings.timeout
        for worker in self.crew.workers:
            worker.tell(None)
        left = {worker.pipe for worker in self.crew.workers}
        while left and time.monotonic() < ends:
            for pipe in _ready(left, 1.0):
                try:
                    message: News | Rest = pipe.recv()
                except (EOFError, OSError):
                    left.remove(pipe)
                    continue
                if isinstance(message, Rest):
                    self._take_rest(message)
                    left.remove(pipe)
                else:  # of the requirement that was interrupted
                    self._take(message)

    def _interrupt(self) -> None:
        """Interrupt what the workers do, and let them clean up."""
        self.crew.interrupt()
        self._dismiss()


def apart(
    requirements: Iterable[Requirement],
    crowded: Collection[str],
    replayed: Collection[str] = (),
    sharing: Collection[str] = (),
) -> set[str]:
    """Return which requirements are tested alone: also those that need one of them.

    What a stored counterexample makes is dropped by looking for all that the run has: those are alone too. What is
    `sharing` a fixture meets no others in crowded operations: it has the things of the fixture, and one worker.
    """
    known = {requirement.id: requirement for requirement in requirements}
    alone = {
        requirement.id
        for requirement in known.values()
        if requirement.kind in ALONE
        or requirement.id in replayed
        or (set(requirement.operations) & set(crowded) and requirement.id not in sharing)
    }
    while more := {
        requirement.id
        for requirement in known.values()
        if requirement.id not in alone and alone & set(requirement.needs)
    }:
        alone |= more
    return alone


def _of_worker(settings: Settings) -> Settings:
    """Return the settings of a worker: the run has chosen what is tested, and decides what its verdicts mean."""
    chosen = replace(settings, operation=(), clause=(), select="", last_failed=False)
    return replace(chosen, jobs=1, fail_fast=False, expect="")


def _check(session: pytest.Session) -> None:
    """End the loop where pytest's own would."""
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)


def _ready(pipes: Iterable[AnyPipe], seconds: float) -> list[AnyPipe]:
    """Return the pipes that have something to say, at the latest after so many seconds."""
    ready: Any = wait(list(pipes), seconds)
    return list(ready)
