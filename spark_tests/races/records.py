"""Records of a race: one for each operation of a client, returned by the executors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from conformance.history import UNKNOWN, Event, Key, outcome


@dataclass(frozen=True, slots=True)
class Record:
    """Operation of a client.

    `start` and `end` are seconds on the driver's clock, exact to `slack` seconds. `status` is the status of the
    response, 0 if there was none. `value` is the value to write, `result` the value in the response.
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
        """Outcome of the operation: done, refused or unknown."""
        return outcome(self.status)

    def event(self) -> Event:
        """Return the event for the judges: an interval that certainly contains the operation.

        The server may execute an operation without a response at any time after it was sent.
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
