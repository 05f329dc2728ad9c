"""Flaky findings: the same steps get different answers."""

from __future__ import annotations

import msgspec

from conformance.replay.replaying import Replayed
from conformance.values.verdict import Result

ON_REPLAY = "flaky: on replay, the same steps end with"
TESTED_AGAIN = "flaky: the requirement passed when it was tested again"
FAILED_OTHERWISE = "flaky: the requirement failed in another way when it was tested again"
FAILED_AGAIN = "the requirement failed when it was tested again"
SENT_AGAIN = ("behaviour", "error", "pagination", "data", "hostile", "wire")  # kinds whose steps alone show a finding


def as_flaky(result: Result, replayed: Replayed) -> Result:
    """Return a finding whose replay got the expected answer, with a note and that answer."""
    if not replayed.exchanges:
        return msgspec.structs.replace(result, flaky=True, notes=[*result.notes, replayed.why])
    again = replayed.exchanges[-1].to_step()
    answer = again.response.status or again.response.failure
    tested = replayed.why in (TESTED_AGAIN, FAILED_OTHERWISE)
    note = f"{replayed.why}: {again.operation} returned {answer}" if tested else f"{ON_REPLAY} {answer}"
    steps = [*result.steps, msgspec.structs.replace(again, mark="")]
    return msgspec.structs.replace(result, flaky=True, notes=[*result.notes, note], steps=steps)
