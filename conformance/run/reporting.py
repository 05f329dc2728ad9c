"""Reporting of verdicts as they fall: to the listener of a run, and to pytest."""

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
    """A watcher of a run: a progress bar, for example."""

    def selected(self, requirements: list[Requirement]) -> None:
        """Hear which requirements will be tested, before the first one."""

    def tested(self, result: Result) -> None:
        """Hear of each verdict as it falls."""


@dataclass
class Reporter:
    """Reports the verdicts of a run with these settings.

    `card` makes the text of a finding for readers of pytest's terminal. `ended` says that the run ends at the finding
    at which it was to end.
    """

    settings: Settings
    listener: Listener | None = None
    card: Card | None = None
    ended: bool = False

    def report(self, item: pytest.Item, result: Result) -> None:
        """Report a verdict, and end a run that is to end at the first one that breaks the gate."""
        if self.listener:
            self.listener.tested(result)
        if self.settings.fail_fast and result.fails_gate(strict=self.settings.strict):
            self.ended = True
            item.session.shouldstop = f"{result.id} is not met"

    def fails(self, result: Result) -> bool:
        """True for a verdict that is a failure of pytest's: a warning is one only where the run is strict."""
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
        """Return a verdict as a report of pytest's."""
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
