"""Times in responses: read from text, and compared with the clock of the run."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from conformance.author.checks import at_most, text
from conformance.values.json_values import shown
from conformance.values.outcomes import Violation

CLOCKS_DIFFER = 3600  # seconds


def moment(value: object, what: str) -> float:
    """Return a date-time, in UTC if it has no offset, in seconds since 1970. Raises Violation for any other value."""
    try:
        read = datetime.fromisoformat(text(value, what))
    except ValueError:
        raise Violation(what, relation="equal", expected="a date-time", actual=shown(value)) from None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def check_recent(seconds: float, what: str) -> None:
    """Check that a time, in seconds since 1970, is near the present."""
    at_most(abs(seconds - time.time()), CLOCKS_DIFFER, f"the seconds between {what} and the present")
