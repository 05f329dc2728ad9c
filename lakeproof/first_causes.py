"""The strongest causes of the findings that a run has so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from rich.text import Text

from conformance.after.causes import find_causes
from conformance.values.causes import Cause
from conformance.values.results import Result
from conformance.values.verdict import FINDINGS
from lakeproof.terminal import mark

MOST_SHOWN = 3
PAUSE_SECONDS = 2.0  # between two groupings: grouping 400 findings takes 0.07 s


class FirstCauses:
    """The findings of a run so far, grouped by cause; one thread adds them, another one reads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._findings: dict[str, Result] = {}  # a requirement may be tested twice
        self._causes: list[Cause] = []
        self._grouped: tuple[float, int] | None = None
        self._changes = 0
        self._printed: set[str] = set()
        self._strongest: tuple[int, ...] = ()

    def add(self, result: Result) -> None:
        """Add the result of a requirement; only findings have a cause."""
        if result.verdict in FINDINGS:
            self._findings[result.id] = result
        elif not self._findings.pop(result.id, None):
            return
        self._changes += 1

    def strongest(self) -> list[Cause]:
        """Return the strongest causes so far."""
        now = self._clock()
        due = self._grouped is None or now - self._grouped[0] >= PAUSE_SECONDS
        if due and self._changes != (self._grouped[1] if self._grouped else 0):
            self._grouped = now, self._changes
            self._causes = find_causes(list(self._findings.values()))
        return self._causes[:MOST_SHOWN]

    def lines(self) -> Iterator[Text]:
        """Yield the strongest causes so far, a line each."""
        yield from map(_line, self.strongest())

    def new_lines(self) -> list[Text]:
        """Return lines of causes that no earlier call returned: the first ones, then only stronger ones."""
        lines = []
        for cause in self.strongest():
            strength = (cause.rank, cause.level != "MUST")
            seen = self._printed & {*cause.findings}
            if not seen and (len(self._printed) < MOST_SHOWN or strength < self._strongest):
                self._strongest = min(filter(None, (self._strongest, strength)))
                lines.append(_line(cause))
                self._printed.add(cause.example)
        return lines


def _line(cause: Cause) -> Text:
    return mark(cause.verdict, f"{cause.weight}  {cause.sentence} ({cause.size} so far)")
