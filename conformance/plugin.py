"""The pytest side of the suite: selection, fixtures, verdicts. One runner, no second one.

It patches nothing and does nothing unless a run has a target.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Protocol

import pytest
from hypothesis.errors import Flaky

from conformance import fixtures
from conformance.exit_codes import EXIT_BROKEN
from conformance.outcomes import Blocked, Unoffered, Violation
from conformance.requirement import MARK, Requirement
from conformance.results import Result
from conformance.session import Session

FAILING = {"MUST": "fail", "SHOULD": "warn", "MAY": "warn"}
FIRST = ".offered."
MESSAGE_LINES = 12


class Listener(Protocol):
    """What wants to know how a run goes: a progress bar, for example."""

    def selected(self, requirements: list[Requirement]) -> None:
        """Hear which requirements will be judged, before the first one."""

    def judged(self, result: Result) -> None:
        """Hear of each verdict as it falls."""


class SuitePlugin:
    """Registered with pytest for the length of a run."""

    def __init__(self, session: Session, listener: Listener | None = None) -> None:
        self.__name__ = fixtures.PLUGIN  # under which pytest registers it
        self.session = session
        self.listener = listener
        self._started = 0.0
        self._requests = 0

    # Selection

    def pytest_configure(self, config: pytest.Config) -> None:
        """Bring the fixtures."""
        config.pluginmanager.register(fixtures)

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Let -k match requirement ids."""
        requirement = requirement_of(item)
        if requirement:
            item.extra_keyword_matches.add(requirement.id)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep what this run is about; what others depend on first, what sums up last."""
        kept = [item for item in items if self.session.wants(requirement_of(item))]
        dropped = [item for item in items if item not in set(kept)]
        if dropped:
            config.hook.pytest_deselected(items=dropped)
        items[:] = sorted(kept, key=_rank)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Tell the listener what is to come."""
        if self.listener:
            self.listener.selected([one for item in session.items if (one := requirement_of(item))])

    # Verdicts

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Start a requirement."""
        requirement = requirement_of(item)
        if requirement:
            self._started = time.perf_counter()
            self._requests = self.session.client.requests
            self.session.client.begin(requirement.operations)
            for needed in requirement.needs:
                if self.session.verdict(needed) not in (None, "pass", "unoffered"):
                    raise Blocked(f"{needed} is not met", needed)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn what happened into a verdict, and a warning into no failure of pytest's."""
        report = yield
        requirement = requirement_of(item)
        failed_elsewhere = call.when != "call" and call.excinfo is not None
        if requirement is None or not (call.when == "call" or failed_elsewhere):
            return report
        error = call.excinfo.value if call.excinfo else None
        result = self._result(requirement, error, call.when)
        self.session.add(result)
        if self.listener:
            self.listener.judged(result)
        if result.verdict == "warn" and not (self.session.settings.strict and requirement.level == "SHOULD"):
            report.outcome, report.wasxfail = "skipped", result.message
        return report

    def _result(self, requirement: Requirement, error: BaseException | None, when: str) -> Result:
        client = self.session.client
        verdict, blocked_by = _verdict(requirement, error, when)
        steps = [step.to_json() for step in client.steps] if verdict not in ("pass", "unoffered") else []
        return Result(
            requirement,
            verdict,
            _message(error),
            time.perf_counter() - self._started,
            client.requests - self._requests,
            steps,
            sorted(client.reached),
            blocked_by,
        )

    # The end

    def pytest_keyboard_interrupt(self) -> None:
        """Remember that the run was cut short."""
        self.session.interrupted = True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A requirement module that cannot be imported is the kit's own fault."""
        if report.failed:
            self.session.kit_errors.append(str(report.longrepr))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Decide the exit code: pytest's own, but for blocked requirements and errors of the kit."""
        self.session.suite.clean_up()
        results = self.session.results()
        if self.session.kit_errors or exitstatus == pytest.ExitCode.INTERNAL_ERROR:
            session.exitstatus = EXIT_BROKEN
        elif exitstatus != pytest.ExitCode.USAGE_ERROR:
            session.exitstatus = results.exit_code(strict=self.session.settings.strict)
        self.session.finish()


def requirement_of(item: pytest.Item) -> Requirement | None:
    """Return the requirement that an item judges, None for any other test."""
    marker = item.get_closest_marker(MARK)
    return marker.args[0] if marker else None


def _rank(item: pytest.Item) -> tuple[int, int]:
    """Order what is offered first, what sums the run up last, and needs before those who need them."""
    requirement = requirement_of(item)
    if requirement is None or FIRST in requirement.id:
        return 0, 0
    return 2 if requirement.kind == "wire" else 1, bool(requirement.needs)


def _verdict(requirement: Requirement, error: BaseException | None, when: str) -> tuple[str, str]:
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


def _message(error: BaseException | None) -> str:
    if error is None:
        return ""
    if isinstance(error, Flaky):
        return "the target answered differently when asked the same again"
    text = getattr(error, "msg", None) or str(error)
    kind = "" if isinstance(error, AssertionError | Blocked | Unoffered) else f"{type(error).__name__}: "
    lines = [line for line in str(text).splitlines() if line.strip() and "Use -v" not in line]
    return kind + "\n".join(lines[:MESSAGE_LINES])
