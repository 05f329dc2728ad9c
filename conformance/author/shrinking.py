"""Limits of shrinking a counterexample: a number of requests, and a time for slow servers.

Hypothesis shrinks for up to five minutes, while the run stands still. Here an example that would begin when the
requests are spent ends the run of Hypothesis instead: it passes on the exception that skips a test. The smallest
failure so far is raised then, with the steps that showed it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from unittest import SkipTest

from hypothesis.errors import HypothesisException

from conformance.http.client import Client
from conformance.values.activity import doing
from conformance.values.exchange import Exchange
from conformance.values.verdict import SHRINKING_STOPPED

MOST_REQUESTS = {"smoke": 300, "gate": 1_000, "deep": 10_000}  # for one counterexample, by the depth of the run
MOST_SECONDS = 120.0  # so a counterexample depends on the speed of slow servers alone


class _Spent(SkipTest):
    """Ends the run of Hypothesis: the requests or the time for shrinking are spent."""


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
    _spent: str = ""  # what was spent when shrinking was stopped

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Limit what the examples of a `with` block cost from the first failure on.

        The exception of a counterexample that may not be the shortest has a note that says so: see `shrinking_notes`.
        """
        try:
            with doing(self._activity):
                yield
        except (_Spent, HypothesisException):  # an example that ends before it draws may pass for a flaky one
            if self._failure is None or not self._spent:
                raise
            self.client.recording.steps = self._steps
            self._failure.add_note(f"{SHRINKING_STOPPED}{self._spent}; the steps may not be the shortest")
            raise self._failure from None

    @contextmanager
    def example(self) -> Iterator[None]:
        """Run an example in a `with` block, if there is anything left to spend."""
        self.begin()
        try:
            yield
        except Exception as error:
            self.note(error)
            raise

    def begin(self) -> None:
        """Begin an example. Raises what ends the search when its requests or its time are spent."""
        if self._failure is None:
            return
        if self._sent() >= MOST_REQUESTS[self.depth]:
            self._spent = f"{MOST_REQUESTS[self.depth]:,} requests"
        elif time.monotonic() - self._started >= MOST_SECONDS:
            self._spent = f"{MOST_SECONDS:.0f} seconds"
        if self._spent:
            raise _Spent(self._spent)

    def note(self, error: BaseException | None) -> None:
        """Keep the failure of an example, unless a smaller one is known; what Hypothesis itself raises is none."""
        if not isinstance(error, Exception) or isinstance(error, HypothesisException):
            return
        steps = self.client.recording.steps
        if self._failure is None:
            self._requests, self._started = self.client.requests, time.monotonic()
        elif len(steps) > len(self._steps):
            return
        self._failure, self._steps = error, steps

    def _sent(self) -> int:
        return self.client.requests - self._requests

    def _activity(self) -> str:
        if self._failure is None:
            return ""
        return f"shrinking {self.subject}, {self._sent():,} of {MOST_REQUESTS[self.depth]:,} requests"


def shrinking_notes(error: BaseException) -> list[str]:
    """Return the notes of a counterexample on its shrinking, without those of Hypothesis."""
    return [note for note in getattr(error, "__notes__", ()) if note.startswith(SHRINKING_STOPPED)]
