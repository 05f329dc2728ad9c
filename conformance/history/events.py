"""Events of a history, and the findings of judges.

An event has the time at which its request was sent and at which its answer arrived. Two events are ordered only when
one ended before the other started; overlapping events may have taken effect in either order. A rejected write had no
effect, and one without an answer may take effect at any time after it was sent, or never.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from conformance.values.exchange import Exchange, is_success

OK, REFUSED, UNKNOWN = "ok", "refused", "unknown"
READ = "read"
EXISTS, MISSING = "exists", "missing"
"""Results of rejected operations: the object to create exists already, the object to use does not exist."""
Key = tuple[Hashable, ...]
"""The object of an operation: its kind, its number, and further distinguishing parts."""


@dataclass(frozen=True, slots=True)
class Event:
    """One operation of one client: `start` and `end` are seconds on one clock.

    `key` is the object, `value` the written value, `result` the value that a read returned.
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
    """A message about events that no order explains, and these events.

    `statuses` are the expected ones of the last event, if its status is the defect.
    """

    message: str
    events: tuple[Event, ...]
    statuses: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Undecided:
    """An abandoned search of orders: after `explained` of `operations`, with more than `limit` orders at once."""

    operations: int
    explained: int
    limit: int

    def __str__(self) -> str:
        return (
            f"undecided: after {self.explained:,} of {self.operations:,} operations more than {self.limit:,} orders "
            "were possible"
        )


def outcome(status: int) -> str:
    """Return the outcome of an operation by the status of its answer; 0 means no answer."""
    return OK if is_success(status) else REFUSED if 400 <= status < 500 else UNKNOWN
