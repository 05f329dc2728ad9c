"""The verdict pipeline: one pure function from the facts about a requirement to its verdict and the reason.

Facts are weighed in this order; nothing else decides:

1. cleaning up   an earlier verdict stays, unless the kit itself broke afterwards and the requirement had passed
2. the kit       a bug of the kit is `error`; it says nothing about the server
3. offers        a rejection as unsupported is no excuse if the operation succeeds in the same run: its own requirement
                 is a finding then, and those that only needed the operation are tested once more
4. outcome       passed, violated, blocked, unoffered, skipped
5. expectations  a finding that equals the stored one is `known`; if the test passes, the stored counterexample decides
6. the crowd     what failed beside other requirements with a server error, 409 or 429 is tested once more, alone
7. replay        a finding whose steps get the expected answer on replay is flaky; where no replay can do its steps, the
                 requirement is tested again instead. Where the expectations say that the server is unsteady, a flaky
                 finding is `known`, and so is any failure where the stored finding is flaky; an entry whose
                 requirement fails when it is tested again is not stale

Expectations come after offers, since they apply to findings, and replay comes last, since only findings are replayed.
The order of 1 and 2 matters: a bug of the kit must not hide a finding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hypothesis.errors import Flaky

from conformance.replay.expectations import Expected
from conformance.replay.replaying import State as Replay
from conformance.values.outcomes import Blocked, NotTested, Skipped, Unoffered, Violation
from conformance.values.requirement import Level
from conformance.values.verdict import FAILED, GOOD, ExpectationState, Verdict

Outcome = Literal["passed", "violated", "blocked", "unoffered", "skipped", "broken"]
FAILING: dict[Level, Verdict] = {"MUST": "fail", "SHOULD": "warn", "MAY": "warn"}
BASE: dict[Outcome, Verdict] = {
    "passed": "pass",
    "blocked": "blocked",
    "unoffered": "unoffered",
    "skipped": "skipped",
    "broken": "error",
}
OUTCOMES: dict[type[NotTested], Outcome] = {Blocked: "blocked", Unoffered: "unoffered", Skipped: "skipped"}


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts that a verdict depends on.

    `before` is the verdict that existed when the outcome occurred during clean-up. `succeeded` means that the seemingly
    missing operation has succeeded in this run, `violates` that its rejection is a finding in that case, `tried` that
    the requirement was tested once more. `flaky` means that its own examples got different answers, `sent_again` is the
    outcome of its replay after the run. `died` means that the server died: a failure at any level. `unsteady` means
    that findings which come and go are expected. `crowded` is the answer that other requests of the run, at the same
    time, may have brought about; `alone` that its request, sent alone, got another.
    """

    outcome: Outcome
    level: Level
    before: Verdict | None = None
    succeeded: bool = False
    violates: bool = False
    tried: bool = False
    flaky: bool = False
    expected: Expected | None = None
    sent_again: Replay | None = None
    died: bool = False
    unsteady: bool = False
    crowded: str = ""
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict with its reason, which is one of the steps of the pipeline.

    `again` means that the requirement has to be tested once more, `state` is that of its expectation, `flaky` means
    that the finding comes and goes.
    """

    verdict: Verdict
    reason: Literal["cleaning up", "the kit", "offers", "outcome", "expectations"]
    again: bool = False
    state: ExpectationState | None = None
    flaky: bool = False


def decide(facts: Facts) -> Decision:
    """Return the verdict that follows from facts; see the module for the order."""
    if facts.before is not None and not (facts.outcome == "broken" and facts.before in GOOD):
        return Decision(facts.before, "cleaning up")
    if facts.outcome == "broken":
        return Decision("error", "the kit")
    offered = facts.outcome == "unoffered" and facts.succeeded and facts.violates
    failing: Verdict = "fail" if facts.died else FAILING[facts.level]
    outcome = "passed" if facts.outcome == "violated" and facts.crowded and facts.alone else facts.outcome
    verdict = failing if offered or outcome == "violated" else BASE[outcome]
    again = facts.outcome == "unoffered" and facts.succeeded and not (facts.violates or facts.tried)
    flaky = verdict in FAILED and (facts.flaky or facts.sent_again == "fixed")
    if facts.expected is None:
        if flaky and facts.unsteady:
            return Decision("known", "expectations", again, flaky=True)
        return Decision(verdict, "offers" if offered or again else "outcome", again, flaky=flaky)
    state = state_of(verdict, facts.expected)
    if facts.unsteady and (state == "different" or (state == "stale" and verdict not in FAILED)):
        varies = facts.expected.flaky if state == "different" else verdict == "unoffered"
        comes_and_goes = flaky or varies or (verdict == "pass" and facts.sent_again == "changed")
        state = "unseen" if comes_and_goes else state
    if state == "known" or (state == "unseen" and verdict in FAILED):
        return Decision("known", "expectations", again, state, flaky)
    return Decision(verdict, "offers" if offered or again else "outcome", again, state, flaky)


def state_of(verdict: Verdict, expected: Expected) -> ExpectationState:
    """Return the state of an expectation: its finding occurred as stored, in another way, or not at all.

    Less thorough runs, races without a conflict, and one pass of a flaky requirement decide nothing. A requirement that
    was blocked in the run of the file is neither a finding nor stale in a run without the blocking requirement. A run
    that lacks what the requirement needs does not see its finding.
    """
    if verdict == "skipped":
        return "unseen"
    if verdict in FAILED:
        state: ExpectationState = "expired" if expected.expired else "known" if expected.same else "different"
    elif verdict == "pass" and not expected.flaky and expected.replayed not in (None, "impossible"):
        state = "known" if expected.replayed == "same" else "stale"
    else:
        state = "unseen" if expected.unsure and verdict == "pass" else "stale"
    return "unseen" if expected.left_out and state in ("different", "stale") else state


def outcome_of(error: BaseException | None, *, called: bool) -> Outcome:
    """Return the outcome of a test; `called` is false for errors before and after it."""
    if error is None:
        return "passed"
    for kind, outcome in OUTCOMES.items():
        if isinstance(error, kind):
            return outcome
    return "violated" if called and isinstance(error, Violation | AssertionError | Flaky) else "broken"
