"""Waits for work that a server does in the background: they end when nothing changes any more, in the server's pace."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from conformance.http.client import Client
from conformance.target.pace import Pace

LATE_ANSWERS = 20  # answers, the slowest of a client, or waits of a kind, in which a change may still come
LEAST_SECONDS = 0.2  # patience with a server that showed no change in an earlier wait of the kind
MOST_SECONDS = 120.0  # of a wait in which something changes all the time
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.002, 0.2

T = TypeVar("T")


def slowest_answer(client: Client) -> float:
    """Return the seconds of the slowest answer in the current example."""
    return max((step.seconds for step in client.steps), default=0.0)


def wait_for(
    client: Client,
    pace: Pace,
    look: Callable[[], T],
    done: Callable[[T], bool],
    *,
    seconds: float,
    progress: Callable[[T], object] | None = None,
) -> T:
    """Repeat `look` until its value is `done`, and return its last value.

    The wait ends without that after `seconds` in which nothing changed, or after LATE_ANSWERS times the pace of the
    server where that is longer: its slowest answer, or the longest of the earlier waits that `pace` has. After a wait
    in vain the pace alone counts. A change is another answer, or another value of `progress`.
    """
    started = changed = time.monotonic()
    pause, before = FIRST_PAUSE_SECONDS, None
    while True:
        value = look()
        now = time.monotonic()
        if done(value):
            pace.longest = max(pace.longest, now - started)
            return value
        shown = progress(value) if progress else client.steps[-1].response_body
        changed, before = (now, shown) if shown != before else (changed, before)
        slow = LATE_ANSWERS * max(slowest_answer(client), pace.longest)
        if now - changed > max(slow, LEAST_SECONDS if pace.vain else seconds) or now - started > MOST_SECONDS:
            pace.vain = True
            return value
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
