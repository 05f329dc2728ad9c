"""What interrupts a command, SIGINT and SIGTERM, and where it has to wait."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def held_back() -> Iterator[None]:
    """Let interruptions wait until a `with` block is left. Only the main thread can enter one."""
    came: list[int] = []
    handlers = {number: signal.signal(number, lambda number, _: came.append(number)) for number in INTERRUPTIONS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for missed in came:
            signal.raise_signal(missed)
