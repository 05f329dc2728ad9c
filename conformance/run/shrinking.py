"""How far a counterexample is shrunk: with so many requests, whatever time they take.

Hypothesis stops shrinking after five minutes, so that the counterexample depends on the speed of a server, and a run
stands still meanwhile. By the clock that it has here, its time is over when the requests are spent.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import Any
from unittest.mock import patch

from hypothesis.internal.conjecture import engine
from hypothesis.internal.conjecture.shrinker import Shrinker

from conformance.activity import doing
from conformance.verdict import SHRINKING_STOPPED

MOST_REQUESTS = {"smoke": 300, "gate": 1_000, "deep": 10_000}  # for one counterexample, by the depth of the run


@dataclass
class Budget:
    """The requests that shrinking may cost, as a clock for Hypothesis's engine: it stands still until they are spent.

    `requests` counts those of the run.
    """

    most: int
    requests: Callable[[], int]
    _begun: float = inf

    def begin(self) -> None:
        """Count from here."""
        self._begun = self.requests()

    @property
    def spent(self) -> float:
        """The requests sent since the beginning."""
        return self.requests() - self._begun

    def perf_counter(self) -> float:
        """Return how many requests too many were sent."""
        return max(0, self.spent - self.most)

    def __getattr__(self, name: str) -> Any:
        """Return what else the module `time` has."""
        return getattr(time, name)


@contextmanager
def limited(depth: str, requests: Callable[[], int], subject: str) -> Iterator[None]:
    """Limit what shrinking a counterexample of a subject costs; `requests` counts those of the run.

    The exception of a counterexample that may not be the shortest has a note that says so: see `shrinking_notes`.
    """
    budget, shrink, stopped = Budget(MOST_REQUESTS[depth], requests), Shrinker.shrink, False

    def counted(shrinker: Shrinker) -> None:
        nonlocal stopped
        budget.begin()
        try:
            with doing(lambda: f"shrinking {subject}, {budget.spent:,} of {budget.most:,} requests"):
                shrink(shrinker)
        finally:
            stopped = budget.perf_counter() > 0

    # No number of successful steps is a limit of its own: what stops shrinking is said.
    limits: dict[str, Any] = {"time": budget, "MAX_SHRINKING_SECONDS": 0, "MAX_SHRINKS": sys.maxsize}
    with patch.multiple(engine, **limits), patch.object(Shrinker, "shrink", counted):
        try:
            yield
        except BaseException as error:
            if stopped:
                error.add_note(f"{SHRINKING_STOPPED}{budget.most:,} requests; the steps may not be the shortest")
            raise


def shrinking_notes(error: BaseException) -> list[str]:
    """Return what a counterexample says of how it was shrunk; other notes are Hypothesis's."""
    return [note for note in getattr(error, "__notes__", ()) if note.startswith(SHRINKING_STOPPED)]
