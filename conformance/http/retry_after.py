"""Retry-After: the time of the next attempt, in seconds or as a date (RFC 9110, section 10.2.3)."""

from __future__ import annotations

import time
from datetime import datetime
from email.utils import parsedate_to_datetime

from conformance.values.exchange import Exchange

THROTTLED = (429, 503)
RETRY_AFTER = "Retry-After"
MOST_SECONDS = 60.0  # limit of the wait for one answer
# The form that servers write, and the two older ones that clients read.
DATES = ("%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y")


def seconds_to_wait(exchange: Exchange) -> float | None:
    """Return the seconds that an answer asks the client to wait, at most MOST_SECONDS; None for other answers."""
    value = exchange.response_headers.get(RETRY_AFTER, "") if exchange.status in THROTTLED else ""
    if value.isdecimal():
        return min(float(value), MOST_SECONDS)
    try:
        moment = parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError):
        return None
    return min(max(moment - time.time(), 0.0), MOST_SECONDS)


def says_when(value: str) -> bool:
    """True for a valid value of the header: whole seconds, or an HTTP date."""
    return (value.isascii() and value.isdigit()) or any(_is_date(value, form) for form in DATES)


def _is_date(value: str, form: str) -> bool:
    try:
        datetime.strptime(value, form)
    except ValueError:
        return False
    return True
