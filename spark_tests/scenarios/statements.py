"""SQL statements as steps of a requirement, with their rows or their errors."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.values.exchange import Exchange, Step, body_to_json
from conformance.values.json_values import shown as as_json
from conformance.values.outcomes import Violation

if TYPE_CHECKING:
    from conformance.http.client import Client

SECONDS = 120.0
PATIENCE = 8.0
MOST_ROWS = 50
MOST_CAUSES = 20


@dataclass(slots=True)
class Statement(Exchange):
    """Statement, or step of a job, with its result. `error` is the exception of Spark."""

    rows: list[Any] = field(default_factory=list)
    error: BaseException | None = None

    def to_step(self) -> Step:
        """Return the step for reports: the text in place of a request, the rows in place of a response."""
        step = Exchange.to_step(self)
        step.request.curl = self.url
        rows = "\n".join(as_json(row, limit=0) for row in self.rows[:MOST_ROWS])
        step.response.body = body_to_json(rows.encode()) if self.rows else None
        return step


class Console:
    """Runner of statements, one at a time, that records them as the steps of a requirement.

    `seconds` is the time limit of a statement; `interrupt_deadlocks` is called once if a
    statement takes very long.
    """

    def __init__(self, client: Client, seconds: float = SECONDS, interrupt_deadlocks: Callable[[], int] = int) -> None:
        self.client = client
        self.seconds = seconds
        self._interrupt_deadlocks = interrupt_deadlocks

    def run(self, text: str, action: Callable[[], list[Any]], kind: str = "SQL") -> Statement:
        """Run an action with a time limit and return it as a step. Raises Violation if it does not end."""
        step = Statement("", kind, text, {})
        self.client.steps.append(step)
        self.client.requests += 1
        self.client.reach_subject()
        self.client.touch(step, "body:")
        started = time.perf_counter()
        ended = self._call(step, action)
        step.seconds = time.perf_counter() - started
        if not ended:
            step.failure = f"did not end within {self.seconds:.0f} s"
            raise Violation(f"{_short(text)}: {step.failure}")
        if step.error:
            step.failure = failure_reason(step.error)
        return step

    def _call(self, step: Statement, action: Callable[[], list[Any]]) -> bool:
        """Run the action in a thread, since some calls into Java never end; return True if it ended in time."""

        def work() -> None:
            try:
                step.rows = action()
            except BaseException as error:
                step.error = error

        thread = threading.Thread(target=work, daemon=True, name="statement")
        thread.start()
        thread.join(PATIENCE)
        end = time.monotonic() + self.seconds - PATIENCE
        while thread.is_alive() and time.monotonic() < end:
            self._interrupt_deadlocks()
            thread.join(1)
        return not thread.is_alive()


def names(error: BaseException) -> list[str]:
    """Return the names of an error of Spark: its condition, and the classes of all its causes in Java."""
    from py4j.protocol import Py4JError  # noqa: PLC0415 - optional

    condition = getattr(error, "getCondition", None) or getattr(error, "getErrorClass", None)
    names: list[str] = []
    with contextlib.suppress(OSError, Py4JError):
        names += [str(condition())] if condition and condition() else []
    return [*names, *(name.rpartition(".")[2] for name, _ in _causes(error)), type(error).__name__]


def failure_reason(error: BaseException) -> str:
    """Return the innermost cause with a message, on one line, with its class in Java."""
    causes = _causes(error)
    if causes:
        name, message = next((cause for cause in reversed(causes) if cause[1]), causes[-1])
        return f"{name.rpartition('.')[2]}: {message.splitlines()[0] if message else 'no message'}"[:500]
    return (f"{type(error).__name__}: " + (str(error).splitlines() or [""])[0])[:500]


def _causes(error: BaseException) -> list[tuple[str, str]]:
    """Return class and message of the Java exceptions behind an error, the outermost first."""
    from py4j.protocol import Py4JError  # noqa: PLC0415 - optional

    exception = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    causes: list[tuple[str, str]] = []
    with contextlib.suppress(OSError, Py4JError):  # the process of Java may have died
        while exception is not None and len(causes) < MOST_CAUSES:
            causes.append((str(exception.getClass().getName()), str(exception.getMessage() or "")))
            exception = exception.getCause()
    return causes


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"
