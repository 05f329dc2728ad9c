"""Estimated time left of a run: by kind of requirement, since a model takes as long as thirty others."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from statistics import median

USUAL = {"wire": 0.01, "hostile": 0.5, "auth": 0.5, "data": 1.5, "race": 2.5, "pagination": 5.0, "model": 30.0}
"""Duration of a kind as a multiple of the average, from the runs in reports/; 1 for other kinds."""
OF_UNTESTED = 0.07
BELIEF = 20.0  # requirements of a kind until its own durations count as much as the usual ones
OUTLIER = 10.0  # times the median: a longer test, such as one that shrinks a finding, predicts no others


class TimeLeft:
    """The time left: the work left at the pace so far.

    The work of a requirement is the usual one of its kind, corrected by how long those of its kind took in this run.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._selected: Counter[str] = Counter()
        self._tested: dict[str, tuple[str, float, float]] = {}  # kind, seconds and usual work, by id

    def expect(self, kinds: Iterable[str]) -> None:
        """Add requirements of these kinds."""
        if not self._selected:
            self._started = self._clock()
        self._selected.update(kinds)

    def note(self, id: str, kind: str, seconds: float, *, tested: bool) -> None:
        """Note a requirement that has its verdict; one that was not tested cost little."""
        self._tested[id] = kind, seconds, USUAL.get(kind, 1.0) if tested else OF_UNTESTED

    def seconds(self) -> float | None:
        """Return the estimated seconds left, None before the first verdict."""
        tested = list(self._tested.values())
        total = sum(seconds for _, seconds, _ in tested)
        if not total:
            return None
        most = OUTLIER * median(seconds / work for _, seconds, work in tested) or total
        spent, count = defaultdict[str, float](float), Counter[str]()
        for kind, seconds, work in tested:
            spent[kind] += min(seconds, most * work)
            count[kind] += 1
        unit = sum(spent.values()) / sum(work for _, _, work in tested)
        left = 0.0
        for kind, selected in self._selected.items():
            each = (spent[kind] + BELIEF * USUAL.get(kind, 1.0) * unit) / (count[kind] + BELIEF)
            left += each * max(0, selected - count[kind])
        return left * (self._clock() - self._started) / total
