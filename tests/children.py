"""Child processes of tests, whatever this process has inherited."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

PATIENCE = 300  # seconds for what takes a moment on an idle machine


def start(command: Sequence[str], *, sigint_ignored: bool = False, **options: Any) -> subprocess.Popen[Any]:
    """Start a child that SIGINT interrupts, or that has SIGINT ignored as `nohup` and scripts have it.

    A child inherits that SIGINT is ignored: without this, the test would depend on how the tests were started.
    """
    with _sigint(signal.SIG_IGN if sigint_ignored else signal.default_int_handler):
        return subprocess.Popen(command, **options)


@contextlib.contextmanager
def _sigint(handler: Any) -> Iterator[None]:
    """Handle SIGINT so for a `with` block; in a child, any handler becomes the default."""
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until a condition holds. Fails at the line that waits."""
    __tracebackhide__ = True
    deadline = time.monotonic() + PATIENCE
    while not (last := condition()):
        if time.monotonic() > deadline:
            pytest.fail(f"After {PATIENCE} s this does not hold: it is {last!r}.")
        time.sleep(0.02)
