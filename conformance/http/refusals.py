"""Prerequisites that the server refuses each time: after some refusals they are sent rarely."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.values.outcomes import Blocked

MOST_REFUSALS = 8


@dataclass
class Refusals:
    """Refused prerequisites by operation: the last status, and the calls that had or would have had this answer."""

    seen: dict[str, tuple[int, int]] = field(default_factory=dict)

    def note(self, operation: str, status: int) -> None:
        """Count a refused prerequisite; another status starts the count again."""
        before, calls = self.seen.get(operation, (status, 0))
        self.seen[operation] = (status, calls + 1 if status == before else 1)

    def check(self, operation: str) -> None:
        """Raise Blocked for a prerequisite that was refused with the same status MOST_REFUSALS times.

        The intervals between its further calls double: the server may have changed, and other forms of a request may
        be accepted.
        """
        status, calls = self.seen.get(operation, (0, 0))
        if calls >= MOST_REFUSALS and (calls + 1) & calls:
            self.seen[operation] = (status, calls + 1)
            raise Blocked(f"{operation} returned {status} for every earlier request of the run: not sent", operation)
