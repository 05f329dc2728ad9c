"""Interruptions: they wait where they would do harm."""

from __future__ import annotations

import signal

import pytest

from lakeproof.interruptions import held_back


def test_an_interruption_waits_until_a_message_is_read(interruptible):
    heard = []
    with pytest.raises(KeyboardInterrupt), held_back():
        signal.raise_signal(signal.SIGINT)
        heard.append("the rest of it")
    assert heard == ["the rest of it"]
