"""Limits of shrinking a counterexample: a number of requests, and a time for slow servers.

Hypothesis shrinks for up to five minutes, while the run stands still. Here an example that would begin after the
requests are spent raises the exception that skips a test, which Hypothesis does not handle: its search ends. Then the
smallest failure so far is raised, with its steps.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from unittest import SkipTest

from hypothesis.errors import Flaky, HypothesisException

from conformance.http.client import Client
from conformance.values.activity import doing
from conformance.values.exchange import Exchange

MOST_REQUESTS = {"smoke": 300, "gate": 1_000, "deep": 10_000}  # for one counterexample, by the depth of the run
SHRINKING_STOPPED = "shrinking stopped after "  # prefix of a counterexample's notes
UNSTEADY = "the server answered the same requests differently when they were sent again"
IN_EXAMPLES = f"flaky: {UNSTEADY}"
MOST_SECONDS = 120.0  # high, so that only slow servers change a counterexample


class _Spent(SkipTest):
    """Ends the search of Hypothesis: the requests or the time for shrinking are spent."""


@dataclass
class Shrinking:
    """The search for a small counterexample of a requirement, whose requests go through `client`."""

    subject: str
    depth: str
    client: Client
    _failure: Exception | None = None
    _steps: list[Exchange] = field(default_factory=list)
    _requests: int = 0
    _started: float = 0.0
    _spent: str = ""  # the spent limit, in words

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Limit the cost of the examples in a `with` block from the first failure on.

        Notes on the exception say when the counterexample may not be the shortest, and when the same example passed
        afterwards: see `shrinking_notes`. The steps of a flaky one have the first answer, and the other one.
        """
        try:
            with doing(self._activity):
                yield
        except (_Spent, HypothesisException) as error:  # an example that ends before it draws may pass for a flaky one
            if self._failure is None or not (self._spent or isinstance(error, Flaky)):
                raise
            if self._spent:
                self._failure.add_note(f"{SHRINKING_STOPPED}{self._spent}; the steps may not be the shortest")
                self.client.recording.steps = self._steps
            else:
                self._failure.add_note(IN_EXAMPLES)
                self.client.recording.steps = [*self._steps, *self._other_answer()]
            raise self._failure from None

    @contextmanager
    def example(self) -> Iterator[None]:
        """Run an example in a `with` block, within the limits."""
        self.begin()
        try:
            yield
        except Exception as error:
            self.note(error)
            raise

    def begin(self) -> None:
        """Begin an example. Raises the end of the search when its requests or its time are spent."""
        if self._failure is None:
            return
        if self._sent() >= MOST_REQUESTS[self.depth]:
            self._spent = f"{MOST_REQUESTS[self.depth]:,} requests"
        elif time.monotonic() - self._started >= MOST_SECONDS:
            self._spent = f"{MOST_SECONDS:.0f} seconds"
        if self._spent:
            raise _Spent(self._spent)

    def note(self, error: BaseException | None) -> None:
        """Store the failure of an example, unless a smaller one is known; exceptions of Hypothesis do not count."""
        if not isinstance(error, Exception) or isinstance(error, HypothesisException):
            return
        steps = self.client.recording.steps
        if self._failure is None:
            self._requests, self._started = self.client.requests, time.monotonic()
        elif len(steps) > len(self._steps):
            return
        self._failure, self._steps = error, steps

    def _other_answer(self) -> list[Exchange]:
        """Return the step of the latest example at the place of the smallest failure, none if it ended before."""
        place = next((place for place, step in enumerate(self._steps) if step.mark), len(self._steps) - 1)
        return [replace(step, mark="") for step in self.client.recording.steps[place : place + 1]]

    def _sent(self) -> int:
        return self.client.requests - self._requests

    def _activity(self) -> str:
        if self._failure is None:
            return ""
        return f"shrinking {self.subject}, {self._sent():,} of {MOST_REQUESTS[self.depth]:,} requests"


def shrinking_notes(error: BaseException) -> list[str]:
    """Return the notes of a counterexample on its shrinking, without those of Hypothesis."""
    return [note for note in getattr(error, "__notes__", ()) if note.startswith((SHRINKING_STOPPED, IN_EXAMPLES))]
