"""What is drawn follows from the seed, whatever else a process has loaded."""

from __future__ import annotations

import importlib
from unittest.mock import MagicMock

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from conformance.outcomes import Violation
from conformance.settings import Settings
from conformance.suite import Suite


def test_the_same_seed_draws_the_same_whatever_is_loaded(tmp_path, monkeypatch):
    suite = Suite(Settings(depth="deep", seed=7), target=MagicMock())

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
        @rule(number=st.integers())
        def draw(self, number):
            self.seen.append(number)

    def drawn(seed, depth="deep"):
        seen = []
        Suite(Settings(depth=depth, seed=seed), target=MagicMock()).run_machine(Machine, seen=seen)
        return seen

    assert len(drawn(7)) > 100
    assert drawn(7) == drawn(7)
    assert drawn(7) != drawn(8)
    assert drawn(7, "gate") == drawn(8, "gate")


@pytest.mark.parametrize(("no_shrink", "smallest"), [(False, True), (True, False)])
def test_a_counterexample_is_made_small_unless_that_is_not_wanted(no_shrink, smallest):
    target = MagicMock()
    target.client.recording.only_prepared = False
    target.client.traffic.broken = 0
    suite, last = Suite(Settings(no_shrink=no_shrink), target), []

    def example(numbers):
        last[:] = numbers
        if len(numbers) > 1:
            raise Violation("too many numbers")

    with pytest.raises(Violation):
        suite.run(example, {}, {"numbers": st.lists(st.integers(), max_size=50)})
    assert (last == [0, 0]) is smallest
