"""What the reference server answers to the steps of findings, for a report that shows both answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress

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
    """Send a reference server the steps of the findings of a run on a target, and add its answers to the results.

    `reference` starts the server that fits the settings of the run. The examples of causes come first; after
    MOST_SECONDS, or an interruption, the rest is left out. What cannot be sent again as it was has no answer, nor has
    what names files that only the run wrote. None has one where the reference server cannot be started or asked, or
    where the run was given a namespace or a place of its server, which another has not.
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
            answers = [exchange.to_step().response for exchange in replayed.exchanges]
            result.reference = answers[: _parted(result.steps, answers)]


def _parted(steps: Sequence[Step], answers: Sequence[StepResponse]) -> int:
    """Return after how many steps one server has done what the other refused: what follows says nothing."""
    pairs = enumerate(zip(steps, answers, strict=False), 1)
    both = ((number, step.response.status, answer.status) for number, (step, answer) in pairs)
    return next((n for n, status, other in both if (status < ERROR_STATUS) != (other < ERROR_STATUS)), len(answers))
