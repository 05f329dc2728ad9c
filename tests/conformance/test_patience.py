"""Waits for work in the background: as long as something changes, and in the server's own pace."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from conformance.author import patience
from conformance.author.patience import LATE_ANSWERS, LEAST_SECONDS, MOST_SECONDS, wait_for
from conformance.target.pace import Pace

SECONDS = 10.0


class Server:
    """A server with a clock of its own: each look takes `answer` seconds and shows what is due at that time."""

    def __init__(self, monkeypatch, answer, shows):
        self.now, self.answer, self.shows = 0.0, answer, shows
        self.client: Any = SimpleNamespace(steps=[])
        monkeypatch.setattr(patience, "time", SimpleNamespace(monotonic=lambda: self.now, sleep=self.sleep))

    def sleep(self, seconds):
        self.now += seconds

    def look(self):
        self.now += self.answer
        shown = self.shows(self.now)
        self.client.steps.append(SimpleNamespace(seconds=self.answer, response_body=shown))
        return shown

    def wait(self, pace, seconds=SECONDS):
        return wait_for(self.client, pace, self.look, lambda shown: shown == "done", seconds=seconds)


@pytest.mark.parametrize(
    ("answer", "shows"),
    [
        (0.001, lambda now: "done" if now > 9 else "busy"),
        (0.001, lambda now: "done" if now > 100 else f"{now // 8} files left"),  # slow, and it makes progress
        (2.0, lambda now: "done" if now > 35 else "busy"),  # slow in all that it does
    ],
)
def test_a_server_that_is_slow_or_makes_progress_is_waited_for(answer, shows, monkeypatch):
    pace = Pace()
    server = Server(monkeypatch, answer, shows)
    assert server.wait(pace) == "done"
    assert not pace.vain
    assert pace.longest == pytest.approx(server.now)


def test_a_wait_ends_when_nothing_changes_any_more(monkeypatch):
    server, pace = Server(monkeypatch, 0.001, lambda now: f"{min(now, 30.0) // 8} files left"), Pace()
    assert server.wait(pace).endswith("left")
    assert pace.vain
    assert 24 + SECONDS <= server.now < 24 + SECONDS + 1
    server.now, server.shows = 0.0, lambda now: "busy"
    server.wait(pace)  # the next wait of this kind is short
    assert server.now < 2 * LEAST_SECONDS + 1


def test_a_wait_in_vain_does_not_shorten_the_pace_that_was_seen(monkeypatch):
    pace = Pace(longest=1.0, vain=True)
    server = Server(monkeypatch, 0.001, lambda now: "done" if now > LATE_ANSWERS - 1 else "busy")
    assert server.wait(pace) == "done"


def test_what_changes_for_ever_is_left(monkeypatch):
    server = Server(monkeypatch, 0.001, str)
    server.wait(Pace())
    assert MOST_SECONDS < server.now < MOST_SECONDS + 1
