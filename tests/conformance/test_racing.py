"""Verdicts of a race requirement for the three outcomes of its history."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from conformance.author.racing import fail_without_order, note_moments, race
from conformance.common.races import refused_otherwise
from conformance.history import OK, REFUSED, UNKNOWN, Event
from conformance.lance.support.rows import by_row
from conformance.report.timeline import timeline_of
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Blocked, Violation

TABLE = ("warehouse", "t")


def suite():
    touched = []
    return SimpleNamespace(client=SimpleNamespace(steps=[], touch=lambda *step: touched.append(step), touched=touched))


def read(total, start, end):
    exchange = Exchange("QueryTable", "POST", "http://h:1/v1/x", {}, b"", 200, {}, b"")
    return Event(1, "read", ("sum", *TABLE), None, start, end, OK, total, (exchange,))


def add(amount, start, end, outcome=OK):
    return Event(2, "increment", ("sum", *TABLE), amount, start, math.inf if outcome == UNKNOWN else end, outcome)


def test_consistent_history_passes():
    fail_without_order(suite(), [add(1, 0, 1), read(1, 2, 3)])


def test_contradiction_fails_with_the_requests_that_show_it():
    judged = suite()
    with pytest.raises(Violation, match="the counter is 0 after 1 was added"):
        fail_without_order(judged, [add(1, 0, 1), read(0, 2, 3)])
    assert [step.operation for step in judged.client.steps] == ["QueryTable"]


def test_the_steps_of_a_race_say_who_sent_them_when():
    events = [replace(add(1, 5, 6), exchanges=read(0, 5, 6).exchanges), read(0, 7, 8)]
    note_moments(events)
    steps = [exchange.to_step() for event in events for exchange in event.exchanges]
    assert [(step.moment.client, step.moment.start) for step in steps] == [(2, 0), (1, 2)]
    table = timeline_of(steps)
    assert table.count("<rect") == table.count("QueryTable: 200") == 2
    assert not timeline_of([msgspec.structs.replace(step, moment=None) for step in steps])


def test_undecided_history_blocks():
    lost = [add(amount, 0, 1, UNKNOWN) for amount in (1, 2, 3, 4)]
    with pytest.raises(
        Blocked, match=r"sum warehouse t is undecided: after \d of 5 operations more than 1 orders"
    ) as end:
        fail_without_order(suite(), [*lost, read(5, 2, 3)], 1)
    assert end.value.by == "history"
    fail_without_order(suite(), [*lost, read(5, 2, 3)])


@pytest.mark.parametrize(("status", "judged"), [(404, 0), (429, 0), (503, 0), (409, 1), (500, 1)])
def test_who_lost_is_told_so_or_nothing(status, judged):
    exchange = Exchange("DropTable", "POST", "http://h:1/v1/x", {}, b"", status, {}, b"")
    lost = Event(1, "act", ("all",), None, 0, 1, REFUSED, exchanges=(exchange,))
    assert len(refused_otherwise([lost], 404)) == judged


def test_operations_on_a_table_are_split_by_row():
    rows = {0: [2], -1: [7], -2: [0], 5: [0]}
    parts = {part.key: part.result for part in by_row(Event(1, "read", TABLE, None, 0, 1, OK, rows))}
    assert parts == {
        ("set", *TABLE): {5},
        ("sum", *TABLE): 2,
        ("register", *TABLE, "-1"): 7,
        ("register", *TABLE, "-2"): None,
    }
    (put,) = by_row(Event(1, "put -1", TABLE, 7, 0, 1, OK))
    assert (put.key, put.action, put.value) == (("register", *TABLE, "-1"), "set", 7)


# Waiting for a change


def raced(suite_client, *programs):
    judged: Any = SimpleNamespace(client=suite_client, settings=SimpleNamespace(timeout=60.0))
    return race(judged, programs)


class Answering:
    """A client whose slowest answer took so many seconds."""

    def __init__(self, seconds):
        self.steps = [Exchange("look", "GET", "http://h:1", {}, status=200, seconds=seconds)]

    def fork(self, _):
        return Answering(self.steps[0].seconds)

    def join(self, other):
        pass


def test_a_wait_for_a_change_that_never_comes_ends_in_the_pace_of_the_server():
    """Answers take a millisecond: two minutes would be waited for nothing."""
    looks = []

    def reader(racer):
        looks.extend(racer.looks())

    raced(Answering(0.001), reader, reader, lambda _: None)
    assert len(looks) > 1


def test_a_wait_lasts_while_another_client_works():
    """The writer ends when each reader has looked often; with these answers a reader would give up at once."""
    looked, over = threading.Barrier(3, timeout=60), []

    def reader(racer):
        for number, _ in enumerate(racer.looks()):
            if number == 99:
                looked.wait()
                return
        over.append(racer.number)

    raced(Answering(0.0), reader, reader, lambda _: looked.wait())
    assert over == []


def test_an_error_of_the_writer_ends_the_wait_of_the_readers():
    def writer(_):
        raise Violation("commitTransaction: expected 204, got 500")

    with pytest.raises(Violation, match="expected 204"):
        raced(Answering(0.001), lambda racer: list(racer.looks()), writer)


def test_an_interruption_ends_the_clients_of_a_race(monkeypatch):
    """A client that goes on would create objects after the clean-up."""
    ended, waiting = threading.Event(), threading.Event()

    class Endless(Answering):
        def fork(self, _):
            return Endless(0.0)

        def end(self):
            ended.set()

    def program(_):
        waiting.set()
        assert ended.wait(60)

    def interrupted(thread, seconds):
        if not ended.is_set():
            assert waiting.wait(60)
            raise KeyboardInterrupt
        join(thread, seconds)

    join = threading.Thread.join
    monkeypatch.setattr(threading.Thread, "join", interrupted)
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        raced(Endless(0.0), program, program)
    assert threading.active_count() == before
