"""The current activity of this process: phases set it, and progress displays read it.

    with doing("sending findings again") as tell:
        tell(f"sending findings again, {number} of {count}")

A text may also be a function that returns one, for text that changes by itself, or a step of several. One thread sets
phases; any thread may read the current one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

Text = str | Callable[[], str]


@dataclass(frozen=True, slots=True)
class Step:
    """Text of an activity that is a step of several: `done` of `total` are over before it."""

    text: str
    done: int
    total: int

    def __call__(self) -> str:
        """Return the text, with the number of the step."""
        return f"{self.text}, step {self.done + 1} of {self.total}"


@dataclass(slots=True)
class Portion:
    """Text of an activity of which `done` of `total` things are done, with the time left at this pace."""

    text: str
    things: str
    total: int
    done: int = 0
    clock: Callable[[], float] = time.monotonic
    _began: float = 0.0

    def __post_init__(self) -> None:
        """Start the clock."""
        self._began = self.clock()

    def __call__(self) -> str:
        """Return the text, the numbers, and the time left if it is a second or more."""
        left = (self.clock() - self._began) / self.done * (self.total - self.done) if self.done else 0
        about = f", about {left:.0f} s left" if left >= 1 else ""
        return f"{self.text}: {self.done:,} of {self.total:,} {self.things}{about}"


_phases: list[Text] = []  # the innermost last


@contextmanager
def doing(text: Text) -> Iterator[Callable[[Text], None]]:
    """Set the activity of a `with` block; yield a function that replaces it."""
    place = len(_phases)

    def tell(new: Text) -> None:
        _phases[place:] = [new]

    tell(text)
    try:
        yield tell
    finally:
        del _phases[place:]


def present() -> str:
    """Return the current activity: the text of the innermost phase with one, "" without any."""
    texts = (text if isinstance(text, str) else text() for text in reversed(_phases))
    return next(filter(None, texts), "")


def present_step() -> Step | Portion | None:
    """Return the current activity if it is a step of several, or a portion of a number of things."""
    return step if _phases and isinstance(step := _phases[-1], Step | Portion) else None
