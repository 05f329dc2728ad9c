"""Answers of the reference server to the steps of findings, for reports that show both."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import takewhile

from conformance.after.comparing.mirror import names_between
from conformance.replay.chosen import names_files
from conformance.replay.replaying import Finding, replay
from conformance.run.session import met
from conformance.target.target import Target
from conformance.values.activity import doing
from conformance.values.exchange import ERROR_STATUS, Step, StepResponse
from conformance.values.outcomes import Blocked, Stopped
from conformance.values.results import Results
from conformance.values.settings import Settings
from conformance.values.verdict import FINDINGS
from specs.problems import Problem

MOST_SECONDS = 30.0
Reference = Callable[[Settings], AbstractContextManager[Settings]]


def add_reference_answers(results: Results, first: Target, reference: Reference) -> None:
    """Send the steps of a run's findings to a reference server, and add its answers to the results.

    `reference` starts the server that fits the settings of the run. The examples of causes come first; the rest is
    skipped after MOST_SECONDS, or after an interruption. Steps that cannot be replayed have no answer, nor have steps
    that name files of the run. No finding has one if the reference server fails to start, or if the run was given a
    namespace or a location of its own server.
    """
    examples = {cause.example for cause in results.causes}
    findings = [
        finding
        for finding in results.requirements
        if finding.verdict in (*FINDINGS, "known") and finding.steps and not names_files(finding.steps)
    ]
    if not findings or first.settings.namespace or first.settings.location:
        return
    with (
        suppress(Problem, Stopped, Blocked, KeyboardInterrupt),
        doing("starting the reference server, which is sent the findings, too") as tell,
        reference(first.settings) as settings,
        met(settings) as second,
    ):
        names = names_between(first, second)
        second.client.traffic.ends = time.monotonic() + MOST_SECONDS
        ordered = sorted(findings, key=lambda finding: finding.id not in examples)
        for number, result in enumerate(ordered, 1):
            tell(f"sending findings to the reference server, {number:,} of {len(ordered):,}")
            replayed = replay(Finding.of(result, results), second, names)
            answers = _aligned(result.steps, [exchange.to_step().response for exchange in replayed.exchanges])
            result.reference = answers[: _parted(result.steps, answers)]


def _aligned(steps: Sequence[Step], answers: Sequence[StepResponse]) -> list[StepResponse]:
    """Return an answer for each step: for an action beside HTTP, its own empty one."""
    left = iter(answers)
    aligned = (step.response if step.beside else next(left, None) for step in steps)
    return [answer for answer in takewhile(lambda answer: answer is not None, aligned) if answer]


def _parted(steps: Sequence[Step], answers: Sequence[StepResponse]) -> int:
    """Return the number of steps until one server accepts what the other rejects: later answers are not comparable."""
    pairs = enumerate(zip(steps, answers, strict=False), 1)
    both = ((number, step.response.status, answer.status) for number, (step, answer) in pairs)
    return next((n for n, status, other in both if (status < ERROR_STATUS) != (other < ERROR_STATUS)), len(answers))
