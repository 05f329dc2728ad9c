"""The current activity of this process: phases set it, and progress displays read it.

    with doing("sending findings again") as tell:
        tell(f"sending findings again, {number} of {count}")

A text may also be a function that returns one, for text that changes by itself. One thread sets phases; any thread may
read the current one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Text = str | Callable[[], str]

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
