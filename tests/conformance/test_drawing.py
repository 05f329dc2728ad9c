"""Draws follow from the seed, whatever else a process has loaded."""

from __future__ import annotations

import importlib
import itertools
import time
from unittest.mock import MagicMock

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from conformance.author.shrinking import IN_EXAMPLES, MOST_REQUESTS, shrinking_notes
from conformance.author.suite import Suite
from conformance.run.plugin import _message
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Violation
from conformance.values.settings import Settings


def no_server():
    """A target that is sent nothing."""
    target = MagicMock()
    target.client.recording.only_prepared = False
    target.client.traffic.broken = target.client.requests = 0
    return target


def test_the_same_seed_draws_the_same_whatever_is_loaded(tmp_path, monkeypatch):
    suite = Suite(Settings(depth="deep", seed=7), target=no_server())

    def drawn():
        seen = []

        def example(number):
            seen.append(number)

        suite.run(example, {}, {"number": st.integers()})
        return seen

    first = drawn()
    (tmp_path / "numbers_of_others.py").write_text(f"NUMBERS = {[n * 7919 for n in range(1, 500)]}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.import_module("numbers_of_others")
    assert len(first) > 100
    assert drawn() == first


def test_a_machine_follows_the_seed():
    class Machine(RuleBasedStateMachine):
        seen: list[int]

        @rule(number=st.integers())
        def draw(self, number):
            self.seen.append(number)

    def drawn(seed, depth="deep"):
        seen = []
        Suite(Settings(depth=depth, seed=seed), no_server()).run_machine(Machine, seen=seen)
        return seen

    assert len(drawn(7)) > 100
    assert drawn(7) == drawn(7)
    assert drawn(7) != drawn(8)
    assert drawn(7, "gate") == drawn(8, "gate")


@pytest.mark.parametrize(("no_shrink", "smallest"), [(False, True), (True, False)])
def test_a_counterexample_is_made_small_unless_that_is_not_wanted(no_shrink, smallest):
    suite, last = Suite(Settings(no_shrink=no_shrink), no_server()), []

    def example(numbers):
        last[:] = numbers
        if len(numbers) > 1:
            raise Violation("too many numbers")

    with pytest.raises(Violation):
        suite.run(example, {}, {"numbers": st.lists(st.integers(), max_size=50)})
    assert (last == [0, 0]) is smallest


def shrunk(each, depth="gate"):
    """A counterexample whose every attempt costs so many requests: its error, the requests, and its steps."""
    target = no_server()
    recording = target.client.recording

    class Machine(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            recording.steps = []
            target.client.requests += each

        @rule(numbers=st.lists(st.integers(), max_size=20))
        def draw(self, numbers):
            recording.steps.extend(numbers)
            if sum(map(abs, recording.steps)) > 1_000:
                raise Violation("too much")

    with pytest.raises(Violation) as caught:
        Suite(Settings(depth=depth), target).run_machine(Machine)
    return caught.value, target.client.requests, recording.steps


def test_shrinking_ends_when_its_requests_are_spent_and_says_so():
    error, requests, steps = shrunk(each=40)
    assert MOST_REQUESTS["gate"] < requests < 2 * MOST_REQUESTS["gate"]
    assert _message(error) == "too much"
    assert shrinking_notes(error) == ["shrinking stopped after 1,000 requests; the steps may not be the shortest"]
    assert sum(map(abs, steps)) > 1_000, "the steps of a failure, not those of the attempt that was stopped"
    assert shrunk(each=40)[1:] == (requests, steps)


def test_shrinking_that_came_to_its_end_says_nothing():
    error, requests, steps = shrunk(each=1)
    assert steps == [1_001]
    assert requests < MOST_REQUESTS["gate"]
    assert _message(error) == "too much"
    assert shrinking_notes(error) == []


def test_shrinking_on_a_slow_server_ends_when_its_time_is_over_and_says_so(monkeypatch):
    passing = itertools.count(0, 10.0)
    monkeypatch.setattr(time, "monotonic", lambda: next(passing))
    error, requests, steps = shrunk(each=1)
    assert requests < MOST_REQUESTS["gate"]
    assert sum(map(abs, steps)) > 1_000
    assert shrinking_notes(error) == ["shrinking stopped after 120 seconds; the steps may not be the shortest"]


def test_drawn_arguments_have_the_same_limit():
    target = no_server()
    suite, recording = Suite(Settings(), target), target.client.recording

    def example(numbers):
        recording.steps = numbers
        target.client.requests += 100
        if sum(map(abs, numbers)) > 1_000:
            raise Violation("too much")

    with pytest.raises(Violation) as caught:
        suite.run(example, {}, {"numbers": st.lists(st.integers(), max_size=20)})
    assert shrinking_notes(caught.value) == [
        "shrinking stopped after 1,000 requests; the steps may not be the shortest"
    ]
    assert sum(map(abs, recording.steps)) > 1_000


def test_a_deep_run_shrinks_further():
    _, gate, steps = shrunk(each=40)
    _, deep, fewer = shrunk(each=40, depth="deep")
    assert deep > gate
    assert steps != fewer == [1_001]


def test_a_counterexample_that_passes_when_it_is_sent_again_shows_both_answers():
    target = no_server()
    recording, statuses = target.client.recording, itertools.chain([500], itertools.repeat(200))

    def example(number):
        answer = Exchange("loadTable", "GET", "http://h/t", {}, b"", next(statuses) if number > 10 else 200)
        recording.steps = [answer]
        if answer.status == 500:
            answer.mark = "status"
            raise Violation("expected 200, got 500")

    with pytest.raises(Violation, match="got 500") as caught:
        Suite(Settings(), target).run(example, {}, {"number": st.integers(0, 100)})
    assert shrinking_notes(caught.value) == [IN_EXAMPLES]
    assert [(step.status, step.mark) for step in recording.steps] == [(500, "status"), (200, "")]
