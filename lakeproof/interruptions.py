"""Interruptions of a command by SIGINT and SIGTERM: handlers, and blocks in which they wait or are ignored.

Who starts a command with SIGINT ignored (`nohup`, a script that puts it in the background) wants Ctrl-C to pass it by:
SIGINT stays ignored then, and SIGTERM ends the command in good order.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM)
Handler = Callable[[int, FrameType | None], object]


def handle(handler: Handler) -> None:
    """Install a handler of interruptions, in the main thread; a SIGINT that is ignored from outside stays ignored."""
    if threading.current_thread() is threading.main_thread():
        for number in INTERRUPTIONS:
            if number != signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)


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
def _handled(handler: Handler) -> Iterator[None]:
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
