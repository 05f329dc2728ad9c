"""The present activity of this process: phases set it, and progress displays read it.

    with doing("sending findings again") as tell:
        tell(f"sending findings again, {number} of {count}")

A text may also be a function that returns it, for what changes by itself. Phases are those of one thread; any other may
ask for the present one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Text = str | Callable[[], str]

_phases: list[Text] = []  # the innermost last


@contextmanager
def doing(text: Text) -> Iterator[Callable[[Text], None]]:
    """Name what a `with` block does; yield what names it anew."""
    place = len(_phases)

    def tell(new: Text) -> None:
        _phases[place:] = [new]

    tell(text)
    try:
        yield tell
    finally:
        del _phases[place:]


def present() -> str:
    """Return the present activity: the text of the innermost phase that has one, "" without any."""
    texts = (text if isinstance(text, str) else text() for text in reversed(_phases))
    return next(filter(None, texts), "")
