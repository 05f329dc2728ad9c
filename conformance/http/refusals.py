"""Prerequisites that the server refuses each time: after some refusals they are sent rarely."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.values.exchange import Exchange

MOST_REFUSALS = 8


@dataclass
class Refusals:
    """Refused prerequisites by operation: the last one, and the calls that had or would have had its status."""

    seen: dict[str, tuple[Exchange, int]] = field(default_factory=dict)

    def note(self, refused: Exchange) -> None:
        """Count a refused prerequisite; another status starts the count again."""
        before, calls = self.seen.get(refused.operation, (refused, 0))
        self.seen[refused.operation] = (refused, calls + 1 if before.status == refused.status else 1)

    def stand_in(self, operation: str) -> Exchange | None:
        """Return the refusal that stands for another call of an operation, None if the call has to be sent.

        The intervals between its calls double after MOST_REFUSALS: the server may have changed, and other forms of a
        request may be accepted.
        """
        if operation not in self.seen:
            return None
        refused, calls = self.seen[operation]
        if calls < MOST_REFUSALS or not (calls + 1) & calls:
            return None
        self.seen[operation] = (refused, calls + 1)
        return refused
