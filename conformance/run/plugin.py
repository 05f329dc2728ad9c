"""The pytest side of the suite: selection, fixtures, verdicts. One runner, no second one.

It patches nothing and does nothing unless a run has a target.
"""

from __future__ import annotations

import gc
import logging
import signal
import threading
import time
import traceback
from collections.abc import Generator
from types import CodeType, FrameType, FunctionType
from typing import Any, Protocol

import pytest
from hypothesis.errors import Flaky

from conformance.author import fixtures
from conformance.author.requirement import requirement_of
from conformance.author.shrinking import shrinking_notes
from conformance.replay.flaky import IN_EXAMPLES
from conformance.replay.issued import to_steps
from conformance.report.card import card
from conformance.run.jobs import Jobs
from conformance.run.ordering import ranks
from conformance.run.second_try import SecondTry
from conformance.run.session import Session
from conformance.values.activity import doing
from conformance.values.exit_codes import EXIT_BROKEN, EXIT_FAILS, EXIT_USAGE
from conformance.values.outcomes import Blocked, Unoffered, Violation
from conformance.values.requirement import Requirement
from conformance.values.results import Result, Verdict
from conformance.values.verdict import FINDINGS, GOOD

log = logging.getLogger("lakeproof.suite")
# An exception in one of them leaves the lock taken, and whoever wants it next waits for ever.
TAKING_LOCKS = {threading.Condition.__enter__.__code__, threading.Condition.__exit__.__code__}
FAILING: dict[str, Verdict] = {"MUST": "fail", "SHOULD": "warn", "MAY": "warn"}
MESSAGE_LINES = 12


def _collecting() -> set[CodeType]:
    """Return the code that runs around a garbage collection: an exception in it is printed and lost."""
    return {callback.__code__ for callback in gc.callbacks if isinstance(callback, FunctionType)}


class Listener(Protocol):
    """What wants to know how a run goes: a progress bar, for example."""

    def selected(self, requirements: list[Requirement]) -> None:
        """Hear which requirements will be tested, before the first one."""

    def tested(self, result: Result) -> None:
        """Hear of each verdict as it falls."""


class SuitePlugin:
    """Registered with pytest for the length of a run."""

    def __init__(self, session: Session, listener: Listener | None = None) -> None:
        self.__name__ = fixtures.PLUGIN  # under which pytest registers it
        self.session = session
        self.listener = listener
        self._started = 0.0
        self._requests = 0
        self._collected: list[Requirement] = []
        self._seen = False  # what pytest reports
        self._ended = False  # at the first finding, as was asked for
        self._signals: list[int] = []  # that interrupt the run
        self._verdict: Result | None = None  # the verdict on the requirement under way
        # What is blocked (None) or unoffered (the finding otherwise) as long as an operation never succeeds.
        self.lacking: dict[str, tuple[str, Result | None]] = {}

    # Selection

    def pytest_configure(self, config: pytest.Config) -> None:
        """Bring the fixtures. Tracebacks that nobody sees are told in the cheap way: others cost 85 ms a finding.

        Who reports to a terminal is registered later than this: it is asked for by the plugin that brings it.
        """
        config.pluginmanager.register(fixtures)
        config.pluginmanager.register(SecondTry(self))
        if self.session.settings.jobs > 1:
            config.pluginmanager.register(Jobs(self))
        self._seen = config.pluginmanager.has_plugin("terminal")
        if not self._seen:
            config.option.tbstyle = "native"
        self._take_signals()

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Let -k match requirement ids."""
        requirement = requirement_of(item)
        if requirement:
            item.extra_keyword_matches.add(requirement.id)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep what this run is about, in the order of `ranks`."""
        requirements = {item: requirement for item in items if (requirement := requirement_of(item))}
        order = ranks(requirements.values())
        kept = [item for item, requirement in requirements.items() if self.session.wants(requirement)]
        dropped = [item for item in items if item not in set(kept)]
        self._collected = list(requirements.values())
        if dropped:
            config.hook.pytest_deselected(items=dropped)
        items[:] = sorted(kept, key=lambda item: order[requirements[item].id])

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the requirements of the run, and let the listener know them."""
        selected = [requirement for item in session.items if (requirement := requirement_of(item))]
        self.session.begin([requirement.id for requirement in selected], self._collected)
        if self.listener:
            self.listener.selected(selected)

    # Verdicts

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Say which requirement is tested."""
        client, before = self.session.client, self.session.client.requests
        name = requirement.id if (requirement := requirement_of(item)) else item.name
        self.session.suite.subject = name
        with doing(lambda: f"testing {name}, {client.requests - before:,} requests"):
            return (yield)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Start a requirement."""
        requirement = requirement_of(item)
        if requirement:
            self._verdict = None
            self._started = time.perf_counter()
            self._requests = self.session.client.requests
            self.session.replay_known(requirement)
            self.session.client.begin(requirement.operations)
            for needed in requirement.needs:
                if self.session.verdict(needed) not in (None, *GOOD):
                    raise Blocked(f"{needed} is not met", needed)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn what happened into a verdict, which is told when the requirement has been cleaned up after."""
        report = yield
        requirement = requirement_of(item)
        if requirement is None:
            return report
        if call.when == "call" or call.excinfo is not None:
            self._keep(item, requirement, call, report)
        if call.when == "teardown" and self._verdict:
            self.tell(item, self._verdict)
        return report

    def tell(self, item: pytest.Item, result: Result) -> None:
        """Let the listener know a verdict, and end a run that is to end at the first that breaks the gate."""
        if self.listener:
            self.listener.tested(result)
        settings = self.session.settings
        if settings.fail_fast and result.fails_gate(strict=settings.strict):
            self._ended = True
            item.session.shouldstop = f"{result.id} is not met"

    def _keep(
        self, item: pytest.Item, requirement: Requirement, call: pytest.CallInfo[None], report: pytest.TestReport
    ) -> None:
        """Keep the verdict on what happened, and make a warning no failure of pytest's."""
        if stopped := self.session.client.traffic.stopped:
            item.session.shouldstop = str(stopped.msg)  # nothing is said of what was under way
            report.outcome = "skipped"
            return
        error = call.excinfo.value if call.excinfo else None
        result = self.session.as_expected(self._result(requirement, error, call.when))
        if isinstance(error, Unoffered) and error.otherwise:
            finding = self._result(requirement, Violation(error.otherwise), call.when)
            self.lacking[requirement.id] = error.operation, finding
        elif isinstance(error, Blocked) and error.lacks:
            self.lacking[requirement.id] = error.lacks, None
        if self._verdict and not _spoils(result, self._verdict):
            log.warning("after %s was tested, cleaning up ended with: %s", requirement.id, result.message)
            return
        self._verdict = result
        self.session.add(result)
        warns = result.verdict == "warn" and not (self.session.settings.strict and requirement.level == "SHOULD")
        if report.failed and (warns or result.verdict == "known"):
            report.outcome, report.wasxfail = "skipped", result.message
        elif report.failed and result.verdict in FINDINGS:
            report.longrepr = self.failure(result)

    def failure(self, result: Result) -> Any:
        """Return the text that pytest shows for a verdict: a finding has no traceback through the kit."""
        if not self._seen or result.verdict not in FINDINGS:
            return result.message
        try:
            raise AssertionError(card(result, self.session.settings))
        except AssertionError as told:
            return pytest.ExceptionInfo.from_exception(told).getrepr(style="value")

    def _result(self, requirement: Requirement, error: BaseException | None, when: str) -> Result:
        client, target = self.session.client, self.session.target
        own = {*client.headers.values(), *target.managing.values()}
        verdict, blocked_by = _verdict(requirement, error, when)
        return Result.of(
            requirement,
            verdict,
            _message(error),
            seconds=time.perf_counter() - self._started,
            requests=client.requests - self._requests,
            steps=to_steps(client.steps, target.preparation, own) if verdict not in GOOD else [],
            reached=sorted(client.reached),
            blocked_by=blocked_by,
        )

    def _reconsider(self) -> None:
        """Count as findings what seemed unoffered, where the operation that was refused has succeeded after all."""
        for name, (operation, finding) in self.lacking.items():
            if finding and operation in self.session.client.known.done and self.session.verdict(name) == "unoffered":
                self.session.add(self.session.as_expected(finding))

    # The end

    def _take_signals(self) -> None:
        """Have what interrupts Python interrupt the run."""
        if threading.current_thread() is not threading.main_thread():
            return
        for name in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(name) is signal.default_int_handler:
                signal.signal(name, self.interrupt)
                self._signals.append(name)

    def interrupt(self, _signal: int, frame: FrameType | None) -> None:
        """End the run: now, or with its next request where now does harm, or code loses the exception.

        Raises KeyboardInterrupt.
        """
        self.session.client.traffic.interrupted = True
        if frame is None or frame.f_code not in TAKING_LOCKS | _collecting():
            raise KeyboardInterrupt

    def pytest_keyboard_interrupt(self) -> None:
        """Remember that the run was cut short, unless it ended itself."""
        self.session.client.traffic.interrupted = False
        self.session.interrupted = self.session.client.traffic.stopped is None and not self._ended

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A requirement module that cannot be imported is the kit's own fault."""
        if report.failed:
            self.session.kit_errors.append(str(report.longrepr))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Decide the exit code: pytest's own, but for blocked requirements and errors of the kit."""
        try:
            if not (self.session.interrupted or self._ended):
                self.session.look_again()
            self.session.target.sandbox.sweep()
        except Exception:  # a bug of the kit, which takes no verdict away
            self.session.kit_errors.append(traceback.format_exc())
        self._reconsider()
        results = self.session.results()
        code = results.exit_code(strict=self.session.settings.strict)
        broken = self.session.kit_errors or exitstatus == pytest.ExitCode.INTERNAL_ERROR
        if broken and code != EXIT_FAILS:
            session.exitstatus = EXIT_BROKEN
        elif exitstatus != pytest.ExitCode.USAGE_ERROR:
            session.exitstatus = code
        self.session.finish()
        if self.session.log.problem:
            session.exitstatus = EXIT_USAGE

    def pytest_unconfigure(self) -> None:
        """Give back what interrupts the run."""
        for name in self._signals:
            signal.signal(name, signal.default_int_handler)


def _verdict(requirement: Requirement, error: BaseException | None, when: str) -> tuple[Verdict, str]:
    """Return the verdict and, for a blocked requirement, what blocked it."""
    if error is None:
        return "pass", ""
    if isinstance(error, Blocked):
        return "blocked", error.by
    if isinstance(error, Unoffered):
        return "unoffered", ""
    if isinstance(error, Violation | AssertionError | Flaky) and when == "call":
        return FAILING[requirement.level], ""
    return "error", ""


def _spoils(late: Result, verdict: Result) -> bool:
    """True when what came of cleaning up counts more than the verdict: an error of the kit where all was well."""
    return late.verdict == "error" and verdict.verdict in GOOD


def _message(error: BaseException | None) -> str:
    if error is None:
        return ""
    if isinstance(error, Flaky):
        return IN_EXAMPLES
    text = getattr(error, "msg", None) or str(error)
    kind = "" if isinstance(error, AssertionError | Blocked | Unoffered) else f"{type(error).__name__}: "
    lines = [line for line in str(text).splitlines() if line.strip() and "Use -v" not in line]
    return kind + "\n".join([*lines[:MESSAGE_LINES], *shrinking_notes(error)])
