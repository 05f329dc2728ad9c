"""The pytest side of the suite: selection, fixtures, verdicts. There is no second runner.

It patches nothing and does nothing unless a run has a target.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis.errors import Flaky

from conformance.author import fixtures
from conformance.author.requirement import requirement_of
from conformance.author.shrinking import IN_EXAMPLES, shrinking_notes
from conformance.author.suite import VARYING
from conformance.http.gate import reads_of
from conformance.replay.issued import to_steps
from conformance.run.crowding import crowded
from conformance.run.evidence import evidence_of
from conformance.run.experiments import Experiments
from conformance.run.frozen import weighed
from conformance.run.interruptions import Interruptions
from conformance.run.jobs import Jobs
from conformance.run.ledger import Judged
from conformance.run.ordering import ranks
from conformance.run.remedies import remedy_for
from conformance.run.reporting import Card, Listener, Reporter
from conformance.run.second_try import LastLook, SecondTry
from conformance.run.session import Session
from conformance.run.suspects import Suspects, Suspicion, suspicions
from conformance.run.verdicts import Facts, decide, outcome_of
from conformance.values.activity import doing
from conformance.values.exit_codes import EXIT_BROKEN, EXIT_FAILS, EXIT_USAGE
from conformance.values.kinds import MODEL, WIRE
from conformance.values.outcomes import Blocked, NotTested, Skipped, Stopped, Unoffered
from conformance.values.requirement import Requirement
from conformance.values.results import Result
from conformance.values.verdict import FINDINGS
from conformance.values.worlds import PLAIN_WORLD, only_in

log = logging.getLogger("lakeproof.suite")
MESSAGE_LINES = 12
UNREPEATED = ("race",)  # kinds in which other clients change what a read shows


class SuitePlugin:
    """The pytest plugin of one run."""

    def __init__(self, session: Session, listener: Listener | None = None, card: Card | None = None) -> None:
        """Create the plugin of a run. `card` formats a finding for pytest's terminal.

        `beside_others` is true in a process that tests requirements while others do.
        """
        self.__name__ = fixtures.PLUGIN  # the name of its registration in pytest
        self.session = session
        self.reporter = Reporter(session.settings, listener, card)
        self.suspects = Suspects(session, self.reporter)
        self.last: Result | None = None  # the result of the requirement under way
        self._started = 0.0
        self._requests = 0
        target = session.target
        self._experiments = Experiments(reads_of(target.document, target.profile.reading()))
        self._collected: list[Requirement] = []
        self.beside_others = False
        self.interruptions = Interruptions(session.client.traffic)

    # Selection

    def pytest_configure(self, config: pytest.Config) -> None:
        """Register the fixtures. Tracebacks that nobody sees are formatted cheaply: others cost 85 ms per finding.

        Terminal reporters are registered later: this asks for the plugin that provides them.
        """
        config.pluginmanager.register(fixtures)
        config.pluginmanager.register(self.suspects)
        for plugin in self.tests_again():
            config.pluginmanager.register(plugin)
        if self.session.settings.jobs > 1:
            config.pluginmanager.register(Jobs(self.session, self.reporter, self.suspects, self.save))
        if not config.pluginmanager.has_plugin("terminal"):
            self.reporter.card = None
            config.option.tbstyle = "native"
        self.interruptions.take()

    def tests_again(self) -> Sequence[object]:
        """Return the plugins that test requirements again after all others."""
        ledger = self.session.ledger
        return SecondTry(ledger, lambda: self.session.target.prefix), LastLook(ledger, self._look_again)

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Let -k match requirement ids."""
        requirement = requirement_of(item)
        if requirement:
            item.extra_keyword_matches.add(requirement.id)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep the requirements of this run, in the order of `ranks`."""
        requirements = {item: requirement for item in items if (requirement := requirement_of(item))}
        order = ranks(requirements.values())
        kept = [item for item, requirement in requirements.items() if self.session.wants(requirement)]
        dropped = [item for item in items if item not in set(kept)]
        self._collected = list(requirements.values())
        if dropped:
            config.hook.pytest_deselected(items=dropped)
        items[:] = sorted(kept, key=lambda item: order[requirements[item].id])

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the requirements of the run, and pass them to the listener."""
        selected = [requirement for item in session.items if (requirement := requirement_of(item))]
        self.session.begin([requirement.id for requirement in selected], self._collected)
        if self.reporter.listener:
            self.reporter.listener.selected(selected)

    # Verdicts

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Show the tested requirement as the current activity."""
        client, before = self.session.client, self.session.client.requests
        name = requirement.id if (requirement := requirement_of(item)) else item.name
        self.session.suite.subject = client.traffic.deaths.subject = name
        try:
            with doing(lambda: f"testing {name}, {client.requests - before:,} requests"):
                return (yield)
        finally:
            client.traffic.deaths.subject = ""

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Start a requirement."""
        requirement = requirement_of(item)
        if requirement:
            self.last = None
            self.session.suite.wandering.begin(twin=requirement.twin)
            self._started = time.perf_counter()
            self._requests = self.session.client.requests
            if why := self.session.unread(requirement):
                raise Skipped(why)
            self.session.replay_known(requirement)
            self.session.client.begin(requirement.operations)
            unmet = self.session.ledger.unmet(requirement.needs)
            self.session.suite.unmet = frozenset(unmet)
            if unmet and requirement.kind != MODEL:
                raise Blocked(f"{unmet[0]} is not met", unmet[0])
            if requirement.kind != WIRE:  # the others judge probes and all answers of the run
                self.session.client.require_any(requirement.operations)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn the outcome of a test into a verdict, which is reported after the requirement's clean-up."""
        report = yield
        requirement = requirement_of(item)
        if requirement is None:
            return report
        suspicion, disturbed = self._note_deaths(requirement)
        if suspicion or (disturbed and call.when != "teardown"):
            self._keep_suspect(item, suspicion, report)
        elif call.when == "call" or call.excinfo is not None:
            self._keep(item, requirement, call, report)
        if call.when == "teardown" and self.last:
            self.reporter.report(item, self.last)
        return report

    def _keep(
        self, item: pytest.Item, requirement: Requirement, call: pytest.CallInfo[None], report: pytest.TestReport
    ) -> None:
        """Store the outcome, and report a warning as skipped to pytest."""
        if stopped := self.session.client.traffic.stopped:
            item.session.shouldstop = str(stopped.msg)  # the interrupted requirement gets no verdict
            report.outcome = "skipped"
            return
        judged = self._judge(requirement, call.excinfo.value if call.excinfo else None, call.when)
        result = self.take(judged)
        if result is self.last:
            log.warning("clean-up after %s failed: %s", requirement.id, judged.result.message)
            return
        self.last = result
        if not report.failed:
            return
        if not self.reporter.fails(result):
            report.outcome, report.wasxfail = "skipped", result.message
        elif result.verdict in FINDINGS:
            report.longrepr = self.reporter.failure(result)

    def _note_deaths(self, requirement: Requirement) -> tuple[Suspicion | None, bool]:
        """Note the requirements during which the server died; return the suspicion of this one, and if it did then."""
        suspects, disturbed = self.session.client.traffic.deaths.take()
        found = {suspicion.id: suspicion for suspicion in suspicions(self.session, self._collected, suspects)}
        for suspicion in found.values():
            self.suspects.take(suspicion)
        self.suspects.disturbed.update({name: at for name, at in disturbed.items() if name})
        return found.get(requirement.id), requirement.id in disturbed

    def _keep_suspect(self, item: pytest.Item, suspicion: Suspicion | None, report: pytest.TestReport) -> None:
        """Put a requirement off, to be tested alone; when it is, the server's death is a finding about a suspect."""
        item.session.shouldstop = self.suspects.end or item.session.shouldstop
        if suspicion and self.suspects.alone:
            self.last = self.take(suspicion.judged)
            report.outcome, report.longrepr = "failed", self.reporter.failure(self.last)
        else:
            self.put_off()
            report.outcome = "skipped"

    def put_off(self) -> None:
        """Keep no verdict on a suspect: it is tested again."""
        self.last = None

    def take(self, judged: Judged) -> Result:
        """Store the facts of a test, and return the result."""
        return self.session.ledger.take(judged, self.session.client.steps)

    def _judge(self, requirement: Requirement, error: BaseException | None, when: str) -> Judged:
        """Return the facts about a requirement after its test."""
        requirement = weighed(requirement, self.session.settings)
        error = self._by_offers(requirement, error)
        outcome = outcome_of(error, called=when == "call")
        before = self.last.verdict if self.last else None
        answer = crowded(self.session.client, error, beside_others=self.beside_others)
        facts = Facts(outcome, requirement.level, before, flaky=_comes_and_goes(error), crowded=answer)
        result = self._result(requirement, facts, error)
        if isinstance(error, Unoffered) and error.otherwise:
            finding = self._result(requirement, replace(facts, outcome="violated"), error.otherwise)
            return Judged(replace(facts, violates=True), result, finding)
        return Judged(facts, result)

    def _by_offers(self, requirement: Requirement, error: BaseException | None) -> BaseException | None:
        """Return Unoffered where a lack of the server explains the outcome, else the error.

        A blocked requirement hid nothing if the server offers none of its operations. One that passed without one of
        its operations shows nothing about it.
        """
        client = self.session.client
        operations, lacks = requirement.operations, client.lacks
        if isinstance(error, Blocked) and not isinstance(error, Stopped) and operations and all(map(lacks, operations)):
            return Unoffered(f"the server does not offer {operations[0]}", operations[0])
        if error is None and requirement.kind != WIRE and (untested := client.untested(operations)):
            return Unoffered(f"this tests {untested[0]}, too, which the server does not offer", untested[0])
        return error

    def _result(self, requirement: Requirement, facts: Facts, error: BaseException | None) -> Result:
        client, target = self.session.client, self.session.target
        own = {*client.headers.values(), *target.managing.values()}
        shown = None if isinstance(error, Unoffered | Skipped) else error  # these violate nothing
        steps = to_steps(client.steps, target.preparation, own) if shown else []
        world = self.session.suite.wandering.failed if shown else PLAIN_WORLD
        only = only_in(world, self.session.suite.wandering.dimensions) if world else ""
        evidence = evidence_of(shown, requirement, steps, world, only) if shown else None
        if evidence and facts.outcome == "violated" and requirement.kind not in UNREPEATED:
            evidence = self._experiments.on(client, evidence)
        return Result.of(
            requirement,
            decide(facts).verdict,
            _message(error) + (f" ({only})" if only else ""),
            seconds=time.perf_counter() - self._started,
            requests=client.requests - self._requests,
            steps=steps,
            reached=sorted(client.reached),
            blocked_by=error.by if isinstance(error, Blocked) else "",
            lacks=error.operation if isinstance(error, Unoffered) else "",
            option=remedy_for(error, self.session.settings, target.profile),
            evidence=evidence,
            notes=shrinking_notes(shown) if shown else [],
            worlds=self.session.suite.wandering.tested,
        )

    # The end

    def save(self) -> None:
        """Write the results so far: whatever ends the run after this takes no verdict away."""
        with self.interruptions.saving():
            self.session.save()

    def pytest_keyboard_interrupt(self) -> None:
        """Note that the run was interrupted, unless it ended itself, and write the results."""
        self.session.client.traffic.interrupted = False
        self.session.interrupted = self.session.client.traffic.stopped is None and not self.reporter.ended
        self.save()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a requirement module that cannot be imported as an error of the kit."""
        if report.failed:
            self.session.kit_errors.append(str(report.longrepr))

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Generator[None, object, object]:
        """Write the results, clean up, and decide the exit code."""
        self.interruptions.tests_over = True
        self.save()
        try:
            return (yield)  # fixtures drop their objects
        except KeyboardInterrupt:
            return None
        finally:
            self.finish(session, exitstatus)

    def finish(self, session: pytest.Session, exitstatus: int) -> None:
        """Clean up, and set the exit code."""
        self._clean_up()
        session.exitstatus = self._exit_code(session.exitstatus, exitstatus)

    def _look_again(self) -> None:
        """Write the results so far, and replay the findings."""
        self.save()
        self.session.look_again()

    def _clean_up(self) -> None:
        """Drop the objects of the run, unless it was interrupted once more."""
        sandbox, traffic = self.session.target.sandbox, self.session.client.traffic
        try:
            with suppress(Stopped):  # the server is gone: the next call notes what may be left on it
                sandbox.sweep()
            if self.session.client.gone:
                sandbox.clean_up()
        except KeyboardInterrupt:
            pass
        except Exception:  # a bug of the kit, which changes no verdict
            self.session.kit_errors.append(traceback.format_exc())
        self.interruptions.hold()
        if traffic.abandoned:
            sandbox.abandon()
        self.session.ledger.reconsider()

    def _exit_code(self, present: int | pytest.ExitCode, exitstatus: int) -> int | pytest.ExitCode:
        """Return the exit code: pytest's own, except for blocked requirements and errors of the kit."""
        results = self.session.results()
        code = results.exit_code(strict=self.session.settings.strict)
        broken = self.session.kit_errors or exitstatus == pytest.ExitCode.INTERNAL_ERROR
        self.session.finish()
        if self.session.log.problem:
            return EXIT_USAGE
        if broken and code != EXIT_FAILS:
            return EXIT_BROKEN
        return present if exitstatus == pytest.ExitCode.USAGE_ERROR else code

    def pytest_unconfigure(self) -> None:
        """Restore the previous signal handlers."""
        self.interruptions.give_back()


def _comes_and_goes(error: BaseException | None) -> bool:
    """True for an error that says itself that equal requests were answered differently."""
    said = IN_EXAMPLES in getattr(error, "__notes__", ())
    return said or isinstance(error, Flaky) or (isinstance(error, Blocked) and error.by == VARYING)


def _message(error: BaseException | None) -> str:
    if error is None:
        return ""
    if isinstance(error, Flaky):
        return IN_EXAMPLES
    text = getattr(error, "msg", None) or str(error)
    kind = "" if isinstance(error, AssertionError | NotTested) else f"{type(error).__name__}: "
    lines = [line for line in str(text).splitlines() if line.strip() and "Use -v" not in line]
    return kind + "\n".join(lines[:MESSAGE_LINES])
