"""What an executor sends back: one record for each operation of a client."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from conformance.history import UNKNOWN, Event, Key, outcome


@dataclass(frozen=True, slots=True)
class Record:
    """One operation of one client.

    `start` and `end` are seconds on the driver's clock, right to `slack` seconds. `status` is that of the
    answer, 0 where none came. `value` is what was to be written, `result` what the answer says.
    """

    host: str
    client: int
    action: str
    key: Key
    value: Any
    result: Any
    start: float
    end: float
    slack: float
    status: int

    @property
    def outcome(self) -> str:
        """Whether it was done or refused, or is unknown."""
        return outcome(self.status)

    def event(self) -> Event:
        """Return what the judges see: an interval in which the operation surely lies.

        What was not answered may be carried out at any time after it was sent.
        """
        end = math.inf if self.outcome == UNKNOWN else self.end + self.slack
        return Event(
            self.client,
            self.action,
            self.key,
            self.value,
            self.start - self.slack,
            end,
            self.outcome,
            self.result,
        )
