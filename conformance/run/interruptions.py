"""Interruptions of a run by signals: the first one ends the tests, a further one the clean-up.

The results so far are written before the clean-up begins: no signal takes a verdict away.
"""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType

from conformance.http.transport import Traffic

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# An exception in one of them leaves the lock taken: the next thread that needs it waits for ever.
TAKING_LOCKS = {threading.Condition.__enter__.__code__, threading.Condition.__exit__.__code__}


class Interruptions:
    """The signal handlers of a run. `count` is the number of interruptions so far.

    After the last test, `tests_over`, the first interruption leaves a clean-up alone: its objects belong to the run.
    Until the results so far are written, further ones only count.
    """

    def __init__(self, traffic: Traffic) -> None:
        self.count = 0
        self.tests_over = False
        self._traffic = traffic
        self._saved = False
        self._held = False
        self._handled: list[int] = []

    def take(self) -> None:
        """Handle the signals that interrupt this process as Python's own handler of SIGINT does."""
        if threading.current_thread() is threading.main_thread():
            self._handled = [name for name in SIGNALS if signal.getsignal(name) is signal.default_int_handler]
            for name in self._handled:
                signal.signal(name, self.interrupt)

    def give_back(self) -> None:
        """Restore the previous handlers."""
        for name in self._handled:
            signal.signal(name, signal.default_int_handler)

    def interrupt(self, _signal: int, frame: FrameType | None) -> None:
        """End the tests or the clean-up: now, or at the next request if an exception now would be lost or keep a lock.

        Raises KeyboardInterrupt.
        """
        self.count += 1
        traffic, first = self._traffic, self.count == 1
        traffic.interrupted |= first
        traffic.abandoned |= self._saved and not first
        goes_on = self.tests_over and traffic.cleaning if first else not self._saved
        if not (self._held or goes_on) and (frame is None or frame.f_code not in TAKING_LOCKS | _collecting()):
            raise KeyboardInterrupt

    @contextmanager
    def saving(self) -> Iterator[None]:
        """Write the results so far within the block, which no interruption ends."""
        self.hold()
        try:
            yield
        finally:
            self._saved, self._held = True, False

    def hold(self) -> None:
        """Only count interruptions from now on."""
        self._held = True


def _collecting() -> set[CodeType]:
    """Return the code that runs around a garbage collection: Python prints and drops an exception raised in it."""
    return {callback.__code__ for callback in gc.callbacks if isinstance(callback, FunctionType)}
