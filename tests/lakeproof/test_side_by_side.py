"""Runs at the same time: an interruption leaves what they say whole."""

from __future__ import annotations

import signal

import pytest

from lakeproof.side_by_side import _interrupted_later


def test_an_interruption_waits_until_a_message_is_read():
    heard = []
    with pytest.raises(KeyboardInterrupt), _interrupted_later():
        signal.raise_signal(signal.SIGINT)
        heard.append("the rest of it")
    assert heard == ["the rest of it"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
