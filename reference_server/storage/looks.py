"""When to look at what other processes may have changed."""

from __future__ import annotations

import asyncio
import contextlib
import threading


class Looks:
    """Whether somebody has looked in this turn of the event loop: whoever asks later in it need not look again.

    A request that comes after a change of others is read in a later turn. Threads have no turns and always look.
    """

    def __init__(self) -> None:
        self._fresh_in = 0  # the thread of the loop, while its turn lasts

    def is_fresh(self) -> bool:
        """Return whether somebody has looked in this turn; who gets False looks now."""
        thread = threading.get_ident()
        if self._fresh_in == thread:
            return True
        with contextlib.suppress(RuntimeError):  # there is no loop in this thread
            asyncio.get_running_loop().call_soon(self._end)
            self._fresh_in = thread
        return False

    def _end(self) -> None:
        self._fresh_in = 0
