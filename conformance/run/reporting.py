"""Immediate reports of verdicts: to the listener of a run, and to pytest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import pytest

from conformance.values.requirement import Requirement
from conformance.values.results import Result
from conformance.values.settings import Settings
from conformance.values.verdict import FINDINGS

Card = Callable[[Result, Settings], str]


class Listener(Protocol):
    """An observer of a run: a progress bar, for example."""

    def selected(self, requirements: list[Requirement]) -> None:
        """Receive the requirements of the run, before the first test."""

    def tested(self, result: Result) -> None:
        """Receive the result of a requirement, right after its test."""


@dataclass
class Reporter:
    """Reports the verdicts of a run with these settings.

    `card` formats a finding for pytest's terminal. `ended` is true when `fail_fast` ended the run.
    """

    settings: Settings
    listener: Listener | None = None
    card: Card | None = None
    ended: bool = False

    def report(self, item: pytest.Item, result: Result) -> None:
        """Report a verdict; with `fail_fast`, end the run at the first one that fails the gate."""
        if self.listener:
            self.listener.tested(result)
        if self.settings.fail_fast and result.fails_gate(strict=self.settings.strict):
            self.ended = True
            item.session.shouldstop = f"{result.id} is not met"

    def publish(self, item: pytest.Item, result: Result) -> None:
        """Report the verdict on a requirement that was tested elsewhere, to pytest too."""
        self.report(item, result)
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for when in ("call", "teardown"):
            item.ihook.pytest_runtest_logreport(report=self.report_of(item, result, when))
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def fails(self, result: Result) -> bool:
        """True for a verdict that is a failure in pytest: a warning is one in strict runs only."""
        strict = self.settings.strict and result.level == "SHOULD"
        return result.verdict in ("fail", "error") or (result.verdict == "warn" and strict)

    def failure(self, result: Result) -> Any:
        """Return the text that pytest shows for a verdict: a finding has no traceback through the kit."""
        if not self.card or result.verdict not in FINDINGS:
            return result.message
        try:
            raise AssertionError(self.card(result, self.settings))
        except AssertionError as told:
            return pytest.ExceptionInfo.from_exception(told).getrepr(style="value")

    def report_of(self, item: pytest.Item, result: Result, when: str) -> pytest.TestReport:
        """Return a verdict as a pytest report."""
        verdict = result.verdict if when == "call" else "pass"
        failed = verdict != "pass" and self.fails(result)
        path, line, _ = item.location
        report = pytest.TestReport(
            item.nodeid,
            item.location,
            dict.fromkeys(item.keywords, 1),
            "passed" if verdict == "pass" else "failed" if failed else "skipped",
            self.failure(result) if failed else (path, line or 0, result.message) if verdict != "pass" else None,
            when,  # type: ignore[arg-type]
            duration=result.seconds if when == "call" else 0.0,
        )
        if verdict in ("warn", "known") and not failed:
            report.wasxfail = result.message
        return report
