"""A finding in plain text, for pytest: its message, its steps, and the commands that reproduce it."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.replay.commands import again, repro, retest
from conformance.report.pretty import step_lines
from conformance.values.settings import Settings
from conformance.values.verdict import Result
from conformance.values.visible import visible

MOST_STEPS = 6


def card(result: Result, settings: Settings) -> str:
    """Return a finding of a run with these settings; its first line has the id and the message."""
    return visible("\n".join(_lines(result, settings)))


def _lines(result: Result, settings: Settings) -> Iterator[str]:
    seen, _, more = result.text.partition("\n")
    yield f"{result.id}: {seen}"
    yield from more.splitlines()
    yield f"{result.level}  {result.statement}"
    left_out = max(len(result.steps) - MOST_STEPS, 0)
    if left_out:
        yield f"… {left_out} earlier step{'s' * (left_out > 1)}"
    for number, step in enumerate(result.steps[left_out:], left_out + 1):
        sent, came = step_lines(step)
        yield f"{number}. {sent}"
        yield f"   → {came}"
    yield f"again: {retest(again(settings), result)}"
    yield f"steps: {repro(result.id, {'report': settings.report})}"
