"""A finding in plain text, for pytest: its message, its steps, and the commands that reproduce it."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.replay.commands import again, repro, retest
from conformance.report.pretty import left_out, more_steps, shown_steps, step_lines
from conformance.values.settings import Settings
from conformance.values.verdict import Result
from conformance.values.visible import visible


def card(result: Result, settings: Settings) -> str:
    """Return a finding of a run with these settings; its first line has the id and the message."""
    return visible("\n".join(_lines(result, settings)))


def _lines(result: Result, settings: Settings) -> Iterator[str]:
    seen, _, more = result.text.partition("\n")
    yield f"{result.id}: {seen}"
    yield from more.splitlines()
    yield f"{result.level}  {result.statement}"
    for missing, place in left_out(shown_steps(result), len(result.steps)):
        if missing:
            yield more_steps(missing)
        if place is not None:
            sent, came = step_lines(result.steps[place])
            yield f"{place + 1}. {sent}"
            yield f"   → {came}"
    yield f"again: {retest(again(settings), result)}"
    yield f"steps: {repro(result.id, {'report': settings.report})}"
