"""Interruptions: they wait where they would do harm, and take nothing away that was found before."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from conformance.after.comparing import reference_answers
from conformance.report import write_reports
from lakeproof import check, checking, serve
from lakeproof.interruptions import handle, held_back, ignored

CONFLICT = "lance.namespace.create.conflict"


def test_an_interruption_waits_until_a_message_is_read(interruptible):
    heard = []
    with pytest.raises(KeyboardInterrupt), held_back():
        signal.raise_signal(signal.SIGINT)
        heard.append("the rest of it")
    assert heard == ["the rest of it"]


def test_nothing_is_handled_in_another_thread():
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(handler_within).result() is signal.getsignal(signal.SIGINT)


def handler_within():
    with held_back(), ignored():
        return signal.getsignal(signal.SIGINT)


def test_an_ignored_sigint_stays_ignored(interruptible):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN), signal.getsignal(signal.SIGTERM)
    try:
        handle(print)
        assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == (signal.SIG_IGN, print)
    finally:
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)


def test_what_was_found_is_written_whatever_comes(interruptible, monkeypatch, tmp_path):
    def interrupted(*arguments):
        signal.raise_signal(signal.SIGINT)
        write_reports(*arguments)

    monkeypatch.setattr(checking, "write_reports", interrupted)
    results, code = check(api="lance", storage="memory:pure", select=CONFLICT, report=str(tmp_path / "out"))
    assert (len(results.requirements), code) == (1, 0)
    assert (tmp_path / "out" / "report.html").exists()


def test_what_the_reference_server_answers_can_be_left_out(interruptible, monkeypatch, tmp_path):
    monkeypatch.setattr(reference_answers, "replay", lambda *_: signal.raise_signal(signal.SIGINT))
    with serve("lance", storage="memory:pure", faults=["conflict-as-400"]) as faulty:
        settings: dict[str, Any] = {"select": CONFLICT, "report": str(tmp_path / "out")}
        results, code = check(faulty.url, **settings)
    assert (results.totals["fail"], code) == (1, 1)
    assert (tmp_path / "out" / "report.html").exists()
