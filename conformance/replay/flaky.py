"""Findings that come and go: the same steps are answered in two ways."""

from __future__ import annotations

import msgspec

from conformance.replay.replaying import Replayed
from conformance.values.verdict import Result

FLAKY = "flaky: "
IN_EXAMPLES = f"{FLAKY}the target answered differently when asked the same again"
SENT_AGAIN = ("behaviour", "error", "pagination", "data", "hostile")  # kinds whose steps alone show a finding


def is_flaky(message: str) -> bool:
    """True for the message of a finding that came and went in its run."""
    return any(line.startswith(FLAKY) for line in message.splitlines())


def as_flaky(result: Result, replayed: Replayed) -> Result:
    """Return a finding whose steps were answered as they should be when they were sent again, with that answer, too."""
    again = replayed.exchanges[-1].to_step()
    answered = f"{FLAKY}sent again, the same steps end with {again.response.status or again.response.failure}"
    steps = [*result.steps, msgspec.structs.replace(again, mark="")]
    return msgspec.structs.replace(result, message=f"{result.message}\n{answered}", steps=steps)
