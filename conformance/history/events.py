"""The operations of a history, and what judges say of them.

An event knows when its request was sent and when its answer came. Two events are ordered only when one ended
before the other started; overlapping events may have taken effect in either order. A write that was refused did
nothing, and one whose answer was lost may take effect at any time after it was sent, or never.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from conformance.values.exchange import Exchange

OK, REFUSED, UNKNOWN = "ok", "refused", "unknown"
READ = "read"
EXISTS, MISSING = "exists", "missing"
"""Results of refused operations: what was to be made is there already, what was to be used is not there."""
Key = tuple[Hashable, ...]
"""The object that an operation is about: its kind, its number, and what else tells it from others."""


@dataclass(frozen=True, slots=True)
class Event:
    """One operation of one client: `start` and `end` are seconds on one clock.

    `key` is the object, `value` what was to be written, `result` what a read returned.
    """

    client: int
    action: str
    key: Key
    value: Any
    start: float
    end: float
    outcome: str
    result: Any = None
    exchanges: tuple[Exchange, ...] = ()

    def before(self, other: Event) -> bool:
        """True when this event was over before the other began."""
        return self.end < other.start

    def __str__(self) -> str:
        value = "" if self.value is None else f" {self.value}"
        return f"client {self.client}: {self.action} {' '.join(map(str, self.key))}{value}: {self.outcome}"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What no order of the events can explain, and the events that show it."""

    message: str
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Undecided:
    """Where a search of orders was given up: after `explained` of `operations`, at more than `limit` orders at once."""

    operations: int
    explained: int
    limit: int

    def __str__(self) -> str:
        return (
            f"undecided: after {self.explained:,} of {self.operations:,} operations more than {self.limit:,} orders "
            "were possible"
        )


def outcome(status: int) -> str:
    """Return what the status of an answer says about its operation; 0 stands for no answer."""
    return OK if 200 <= status < 300 else REFUSED if 400 <= status < 500 else UNKNOWN
