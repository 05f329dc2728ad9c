"""Parallel tests of requirements: each of several processes tests one after another.

The workers start with the detected properties of the server. Afterwards the run itself tests the requirements that must
run alone: races, requirements whose answers show concurrent requirements, and checks over the answers of the whole run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from multiprocessing.connection import wait
from typing import Any

import pytest

from conformance.apis import SuitePart, suite_part
from conformance.author.requirement import requirement_of
from conformance.http.transport import CLEAN_UP_SECONDS
from conformance.http.wire import Seen
from conformance.run.crew import Crew, Process
from conformance.run.job_messages import AnyPipe, News, Rest, Start, Task
from conformance.run.ledger import Judged
from conformance.run.reporting import Reporter
from conformance.run.session import Session
from conformance.run.suspects import Suspects
from conformance.run.verdicts import Facts
from conformance.run.waiting import Waiting
from conformance.values.activity import doing
from conformance.values.requirement import Requirement
from conformance.values.results import Result
from conformance.values.settings import Settings

ALONE = ("race", "wire", "scenario")
LONG = ("model",)  # kinds that start first: a late start would delay the end of the run


@dataclass
class Jobs:
    """The plugin that distributes requirements to workers; see the module. `save` writes the results so far."""

    session: Session
    reporter: Reporter
    suspects: Suspects
    save: Callable[[], None]
    crew: Crew = field(init=False)
    first_seen: dict[Any, int] = field(default_factory=dict)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Test in parallel, then the rest alone; leave a run with fewer than two parallel tests to pytest."""
        if session.testsfailed or session.config.option.collectonly or self.session.client.traffic.stopped:
            return None
        items = {requirement.id: item for item in session.items if (requirement := requirement_of(item))}
        requirements = {name: requirement_of(item) for name, item in items.items()}
        alone = apart(
            [requirement for requirement in requirements.values() if requirement],
            self._crowded(),
            self.session.replayed,
            self._sharing(items),
        )
        together = {name: item for name, item in items.items() if name not in alone}
        count = min(self.session.settings.jobs, len(together))
        if count < 2:
            return None
        tested = self._share_out(together, count)
        self.session.target.share_names(count, count + 1)  # objects of workers may still exist
        _check(session)
        rest = [item for name, item in items.items() if name not in tested]
        for item, following in zip_longest(rest, rest[1:]):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            _check(session)
        return True

    def _parts(self) -> list[SuitePart]:
        return [suite_part(profile.api) for profile in self.session.target.profile.tested_by()]

    def _crowded(self) -> set[str]:
        return {operation for part in self._parts() for operation in part.crowded}

    def _sharing(self, items: Mapping[str, pytest.Item]) -> dict[str, str]:
        """Return the requirements that use a fixture which the run creates once, with that fixture."""
        fixtures = {fixture for part in self._parts() for fixture in part.shared}
        names = {name: fixtures & set(getattr(item, "fixturenames", ())) for name, item in items.items()}
        return {name: min(used) for name, used in names.items() if used}

    def _share_out(self, items: Mapping[str, pytest.Item], count: int) -> set[str]:
        """Distribute the requirements of these items; return those that were tested."""
        settings = _of_worker(self.session.settings)
        state, ends = self.session.target.found(), self.session.client.traffic.ends
        self.crew = Crew.start(Start(settings, state, count, list(items), ends))
        try:
            with doing("starting workers") as tell:
                tested = set(self._test(items, tell))
                tell("cleaning up")
                self._dismiss()
        except KeyboardInterrupt:
            self.session.interrupted = self.session.client.traffic.stopped is None
            self.save()  # the workers may take long to clean up
            self._interrupt()
            raise
        except BaseException:
            self._interrupt()
            raise
        finally:
            self.crew.close()
        return tested

    def _test(self, items: Mapping[str, pytest.Item], tell: Callable[[str], None]) -> Iterator[str]:
        """Distribute the requirements, each after its needs; yield the tested ones, and `tell` those under way."""
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
            self.session.client.traffic.check_interrupted()
            for pipe in _ready(busy, 1.0):
                name = self._hear(busy[pipe], items)
                waiting.tested(name)
                yield name

    def _hand_out(self, worker: Process, name: str, needs: Collection[str]) -> None:
        verdicts = {needed: verdict for needed in needs if (verdict := self.session.ledger.verdict(needed))}
        worker.busy = name
        worker.tell(Task(name, verdicts, frozenset(self.session.client.known.done)))

    def _hear(self, worker: Process, items: Mapping[str, pytest.Item]) -> str:
        """Process the message of a worker about its requirement, and return that requirement's id."""
        name, worker.busy = worker.busy, ""
        item = items[name]
        try:
            news: News | Rest = worker.pipe.recv()
        except (EOFError, OSError):
            self.crew.workers.remove(worker)
            message = f"its worker process ended with code {self.crew.code(worker)}"
            requirement = requirement_of(item)
            if requirement:
                facts, result = Facts("broken", requirement.level), Result.of(requirement, "error", message)
                self._add(item, Judged(facts, result))
            return name
        if isinstance(news, Rest):  # it was interrupted
            self.crew.workers.remove(worker)
            self._take_rest(news)
            return name
        self._take(news)
        if news.end:
            traffic = self.session.client.traffic
            traffic.stopped = traffic.stopped or news.end.stopped()
        else:
            self._add(item, news.judged)
            if self.session.log.problem:
                item.session.shouldstop = self.session.log.problem.message
        item.session.shouldstop = self.suspects.end or item.session.shouldstop
        return name

    def _add(self, item: pytest.Item, judged: Judged | None) -> None:
        """Store the facts of a test, and report the result, to pytest too."""
        if judged:
            self.reporter.publish(item, self.session.ledger.take(judged))

    def _take(self, news: News) -> None:
        """Merge the observations of a worker into those of the run."""
        client = self.session.client
        self.session.log_lines(news.lines)
        self.suspects.spans[news.id] = news.span
        self.suspects.disturbed.update(news.disturbed)
        for suspicion in news.suspicions:
            self.suspects.take(suspicion)
        client.requests += news.requests
        client.recording.purposes += news.purposes
        client.traffic.absorb(*news.traffic)
        client.known.done.update(news.done)
        client.wire.absorb(self._earliest(news.wire, self.session.place(news.id)))

    def _earliest(self, seen: Seen, place: int) -> Seen:
        """Remove wire findings of later requirements, so that the earliest one is kept, as in a run of one job.

        Those of workers may be of the crowd: one that does not come again alone is none.
        """
        log = self.session.client.wire
        pairs: Any = ((log.findings, seen.findings), (log.extra_findings, seen.extra_findings))
        for mine, others in pairs:
            for key in [key for key in others if self.first_seen.setdefault(key, place) > place]:
                self.first_seen[key] = place
                mine.pop(key, None)
            others.update({key: finding.beside_others() for key, finding in others.items()})
        return seen

    def _take_rest(self, rest: Rest) -> None:
        sandbox = self.session.target.sandbox
        self._take(rest.news)
        self.session.cells.absorb(rest.cells, rest.looks)
        sandbox.doubtful.update(rest.doubtful)
        sandbox.registrations |= rest.registrations
        sandbox.restricts |= rest.restricts
        self.session.kit_errors += rest.errors

    def _dismiss(self) -> None:
        """Dismiss the workers and receive their last messages; a worker that does not reply in time is abandoned."""
        ends = time.monotonic() + CLEAN_UP_SECONDS + self.session.settings.timeout
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
        """Interrupt the workers, and let them clean up."""
        self.crew.interrupt()
        self._dismiss()


def apart(
    requirements: Iterable[Requirement],
    crowded: Collection[str],
    replayed: Collection[str] = (),
    sharing: Collection[str] = (),
) -> set[str]:
    """Return the requirements that are tested alone, including those that need one of them.

    The objects of a stored counterexample are dropped by listing all objects of the run: those requirements are alone
    too. A requirement `sharing` a fixture may use crowded operations beside others: it has the fixture's own objects,
    and one worker.
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
    """Return the settings of a worker: the run selects the requirements, and decides on verdicts."""
    chosen = replace(settings, operation=(), clause=(), select="", last_failed=False)
    return replace(chosen, jobs=1, fail_fast=False, expect="")


def _check(session: pytest.Session) -> None:
    """Stop the loop in the same cases as pytest's own."""
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)


def _ready(pipes: Iterable[AnyPipe], seconds: float) -> list[AnyPipe]:
    """Return the pipes with a message, waiting at most `seconds`."""
    ready: Any = wait(list(pipes), seconds)
    return list(ready)
