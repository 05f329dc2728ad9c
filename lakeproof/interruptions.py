"""What interrupts a command, SIGINT and SIGTERM, and where it has to wait or comes too late."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def held_back() -> Iterator[None]:
    """Let interruptions wait until a `with` block is left."""
    came: list[int] = []
    try:
        with _handled(lambda number, _: came.append(number)):
            yield
    finally:
        for missed in came:
            signal.raise_signal(missed)


@contextmanager
def ignored() -> Iterator[None]:
    """Ignore interruptions until a `with` block is left."""
    with _handled(lambda *_: None):
        yield


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Have interruptions handled so until a `with` block is left, in the main thread: no other is interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in INTERRUPTIONS}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
