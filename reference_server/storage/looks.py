"""When to look at what other processes may have changed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class OnceATurn(Generic[T]):
    """Calls a function once in a turn of the event loop: whoever asks later in the turn gets what it returned.

    A request that comes after a change of others is read in a later turn. Threads have no turns: for them it is called
    each time, and what it returns is their own.
    """

    def __init__(self, look: Callable[[], T]) -> None:
        self._look = look
        self._seen: list[T] = []
        self._seen_in = 0  # the thread of the loop, while its turn lasts

    def __call__(self) -> T:
        """Return what is so in this turn. Raises what the function raises."""
        if self._seen_in == threading.get_ident():
            return self._seen[0]
        value = self._look()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return value
        loop.call_soon(self._end)
        self._seen, self._seen_in = [value], threading.get_ident()
        return value

    def _end(self) -> None:
        self._seen, self._seen_in = [], 0
