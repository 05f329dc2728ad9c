"""The verdict pipeline, over all combinations of facts; and the evidence that it and causes rest on."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis.errors import Flaky

from conformance.replay.expectations import Expected
from conformance.replay.replaying import State as Replay
from conformance.run.verdicts import Facts, Outcome, decide, outcome_of, state_of
from conformance.values.outcomes import Blocked, Skipped, Unoffered, Violation
from conformance.values.requirement import Level
from conformance.values.verdict import FAILED, GOOD, VERDICTS

FLAGS = (False, True)
LEVELS: tuple[Level, ...] = ("MUST", "SHOULD", "MAY")
OUTCOMES: tuple[Outcome, ...] = ("passed", "violated", "blocked", "unoffered", "skipped", "broken")
REPLAYS: tuple[Replay | None, ...] = (None, "same", "fixed", "changed", "impossible")
ROWS: list[Any] = list(product(*[FLAGS] * 5, REPLAYS))
EXPECTED = [None, *(Expected(*row) for row in ROWS)]
TABLE: list[Any] = list(
    product(OUTCOMES, LEVELS, (None, *VERDICTS), FLAGS, FLAGS, FLAGS, FLAGS, (None,), (None, "same", "fixed"))
)
ALL = [Facts(*facts) for facts in TABLE]

SAME = ("blocked", "unoffered", "skipped")  # outcomes that are verdicts


def base(facts):
    """The verdict on an outcome alone, as a table."""
    table = {"passed": "pass", "broken": "error", **dict.fromkeys(SAME, facts.outcome)}
    return table.get(facts.outcome) or ("fail" if facts.level == "MUST" else "warn")


def test_every_combination_has_the_verdict_of_the_first_step_that_decides():
    for facts in ALL:
        decision = decide(facts)
        seemed = facts.outcome == "unoffered" and facts.succeeded and facts.violates
        if facts.before is not None and not (facts.outcome == "broken" and facts.before in GOOD):
            wanted = facts.before, "cleaning up"
        elif facts.outcome == "broken":
            wanted = "error", "the kit"
        elif seemed:
            wanted = "fail" if facts.level == "MUST" else "warn", "offers"
        else:
            wanted = base(facts), "offers" if only_needed(facts) and not facts.tried else "outcome"
        assert (decision.verdict, decision.reason) == wanted, facts


def only_needed(facts):
    """True for a requirement that only needed an operation which has succeeded since."""
    return facts.outcome == "unoffered" and facts.succeeded and not facts.violates


def test_only_what_needed_an_operation_that_succeeded_is_tested_again_and_once():
    again = {facts for facts in ALL if decide(facts).again}
    assert again == {facts for facts in ALL if only_needed(facts) and not facts.tried and facts.before is None}


def test_only_failures_are_flaky():
    for facts in ALL:
        decision = decide(facts)
        unsure = facts.flaky or facts.sent_again == "fixed"
        assert decision.flaky == (unsure and decision.verdict in FAILED and decision.reason != "cleaning up"), facts


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_on_an_unsteady_server_what_comes_and_goes_fails_no_gate(outcome):
    for expected, again, flaky in product(EXPECTED, REPLAYS, FLAGS):
        facts = Facts(outcome, "MUST", expected=expected, flaky=flaky, sent_again=again, unsteady=True)
        decision, steady = decide(facts), decide(replace(facts, unsteady=False))
        comes_and_goes = flaky or again == "fixed"
        if outcome in ("violated", "blocked") and comes_and_goes and steady.state in (None, "different"):
            assert (decision.verdict, decision.flaky) == ("known", True), facts
        elif expected and expected.flaky and steady.state == "different":
            assert (decision.verdict, decision.state) == ("known", "unseen"), facts
        elif steady.state == "stale" and (outcome == "unoffered" or (outcome == "passed" and again == "changed")):
            assert (decision.verdict, decision.state) == (steady.verdict, "unseen"), facts
        else:
            assert decision == steady, facts


def test_an_error_of_the_kit_takes_no_other_verdict():
    for facts in ALL:
        if decide(facts).verdict == "error" and facts.before != "error":
            assert facts.outcome == "broken"
            assert facts.before in (None, *GOOD)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_expectation_with_every_outcome(outcome):
    for expected, level in product(EXPECTED[1:], LEVELS):
        facts = Facts(outcome, level, expected=expected)
        decision, plain = decide(facts), decide(replace(facts, expected=None))
        if outcome == "broken":
            assert (decision.verdict, decision.state) == ("error", None)
            continue
        failed = plain.verdict in FAILED
        assert decision.state == state(expected, plain.verdict), facts
        known = decision.state == "known" or (decision.state == "unseen" and failed)
        assert decision.verdict == ("known" if known else plain.verdict), facts


def state(expected, verdict):
    """The state of an expectation, as a table of what is written in the document on expectations."""
    failed = verdict in FAILED
    rows = [
        ("unseen", verdict == "skipped"),
        ("expired", failed and expected.expired),
        ("known", failed and expected.same),
        ("unseen", expected.left_out and failed),
        ("different", failed),
        ("known", verdict == "pass" and not expected.flaky and expected.replayed == "same"),
        ("unseen", expected.left_out),
        ("stale", verdict == "pass" and not expected.flaky and expected.replayed in ("fixed", "changed")),
        ("unseen", verdict == "pass" and expected.unsure),
        ("stale", True),
    ]
    return next(name for name, holds in rows if holds)


def test_the_stored_counterexample_decides_where_the_test_passes():
    passed = Facts("passed", "MUST", expected=Expected(replayed="same"))
    assert (decide(passed).verdict, decide(passed).state) == ("known", "known")
    assert state_of("pass", Expected(replayed="fixed")) == "stale"
    assert state_of("pass", Expected(replayed="impossible")) == "stale"


def test_outcomes_of_errors():
    errors = {
        None: "passed",
        Violation("x"): "violated",
        AssertionError(): "violated",
        Flaky("x"): "violated",
        Blocked("x", "y"): "blocked",
        Unoffered("x"): "unoffered",
        Skipped("x"): "skipped",
        ValueError(): "broken",
    }
    assert [outcome_of(error, called=True) for error in errors] == list(errors.values())
    assert [outcome_of(error, called=False) for error in errors if isinstance(error, AssertionError)] == ["broken"] * 2
