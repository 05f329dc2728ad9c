"""Interruptions of a command by SIGINT, SIGTERM and SIGHUP: handlers, and blocks that delay or ignore them.

A command that was started with SIGINT or SIGHUP ignored (`nohup`, a background job of a script) keeps ignoring it:
Ctrl-C, or the end of the terminal, is not meant for it. SIGTERM still ends the command cleanly.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
Handler = Callable[[int, FrameType | None], object]


def handle(handler: Handler) -> None:
    """Install a handler of interruptions, in the main thread; signals that were ignored at the start stay ignored."""
    if threading.current_thread() is threading.main_thread():
        for number in INTERRUPTIONS:
            if number == signal.SIGTERM or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)


@contextmanager
def held_back() -> Iterator[None]:
    """Delay interruptions to the end of a `with` block."""
    came: list[int] = []
    try:
        with _handled(lambda number, _: came.append(number)):
            yield
    finally:
        for missed in came:
            signal.raise_signal(missed)


@contextmanager
def ignored() -> Iterator[None]:
    """Ignore interruptions in a `with` block."""
    with _handled(lambda *_: None):
        yield


@contextmanager
def _handled(handler: Handler) -> Iterator[None]:
    """Install a handler of interruptions for a `with` block, in the main thread: Python interrupts no other thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in INTERRUPTIONS}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
