"""Dates and times as numbers and as text, for every year that 64 bits can express.

A date is days since 1970-01-01; a time of day and a timestamp are ticks (micro- or nanoseconds). Python's own dates end
with the year 9999; columns do not.
"""

from __future__ import annotations

import re

DAY_SECONDS = 86_400
DIGITS = {1_000_000: 6, 1_000_000_000: 9}
"""Digits of the fraction, by ticks per second."""
YEARS_IN_ERA, DAYS_IN_ERA = 400, 146_097
EPOCH = 719_468  # days from 0000-03-01 to 1970-01-01
LONGEST_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

DATE = r"([+-]?\d{4,9})-(\d{2})-(\d{2})"
TIME = r"(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?"
DATE_TEXT = re.compile(DATE, re.ASCII)
TIME_TEXT = re.compile(TIME, re.ASCII)
STAMP_TEXT = re.compile(rf"{DATE}T{TIME}(Z|[+-]\d{{2}}:\d{{2}})?", re.ASCII)


def days_of(year: int, month: int, day: int) -> int:
    """Return the days since 1970-01-01 of a date of the Gregorian calendar."""
    year -= month <= 2
    era, year_of_era = divmod(year, YEARS_IN_ERA)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * DAYS_IN_ERA + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - EPOCH


def date_of(days: int) -> tuple[int, int, int]:
    """Return year, month and day of days since 1970-01-01."""
    era, day_of_era = divmod(days + EPOCH, DAYS_IN_ERA)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    return era * YEARS_IN_ERA + year_of_era + (month <= 2), month, day


def show_date(days: int) -> str:
    """Return a date as text; years beyond four digits have a sign, as ISO 8601 requires."""
    year, month, day = date_of(days)
    year_text = f"{year:04d}" if 0 <= year <= 9999 else f"{year:+05d}"
    return f"{year_text}-{month:02d}-{day:02d}"


def show_time(ticks: int, per_second: int = 1_000_000) -> str:
    """Return a time of day as text, with all digits of its fraction."""
    seconds, fraction = divmod(ticks, per_second)
    minutes, second = divmod(seconds, 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}.{fraction:0{DIGITS[per_second]}d}"


def show_stamp(ticks: int, per_second: int, *, zoned: bool) -> str:
    """Return a timestamp as text, in UTC if it has a zone."""
    days, rest = divmod(ticks, DAY_SECONDS * per_second)
    return f"{show_date(days)}T{show_time(rest, per_second)}{'+00:00' if zoned else ''}"


def read_date(text: str) -> int:
    """Return the days of a date. Raises ValueError."""
    match = DATE_TEXT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r:.100} is not a date such as 2026-08-31")
    return _days(*match.groups())


def read_time(text: str, per_second: int = 1_000_000) -> int:
    """Return the ticks of a time of day. Raises ValueError."""
    match = TIME_TEXT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r:.100} is not a time of day such as 22:31:08.123456")
    return _ticks(match.groups(), per_second)


def read_stamp(text: str, per_second: int, *, zoned: bool) -> int:
    """Return the ticks of a timestamp, in UTC.

    In a type with a zone, a text without one is UTC: PyIceberg leaves it out. Raises ValueError, also for a zone in a
    type without one.
    """
    match = STAMP_TEXT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r:.100} is not a timestamp such as 2026-08-31T22:31:08.123456")
    *_, zone = match.groups()
    if zone and not zoned:
        raise ValueError(f"{text!r:.100} has a zone, the type has none")
    groups = match.groups()
    seconds = _days(*groups[:3]) * DAY_SECONDS - _offset(zone)
    return seconds * per_second + _ticks(groups[3:7], per_second)


def _days(year: str, month: str, day: str) -> int:
    days = days_of(int(year), int(month), int(day)) if 1 <= int(month) <= 12 else 0
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= LONGEST_MONTHS[int(month) - 1]) or date_of(days)[2] != int(day):
        raise ValueError(f"there is no date {year}-{month}-{day}")
    return days


def _ticks(groups: tuple[str | None, ...], per_second: int) -> int:
    hour, minute, second = (int(part or 0) for part in groups[:3])
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(f"there is no time {hour:02d}:{minute:02d}:{second:02d}")
    digits = DIGITS[per_second]
    fraction = (groups[3] or "").ljust(digits, "0")
    if fraction[digits:].strip("0"):
        raise ValueError(f"the time has more than {digits} digits after the second")
    return (hour * 3600 + minute * 60 + second) * per_second + int(fraction[:digits])


def _offset(zone: str | None) -> int:
    """Return the seconds that a zone is ahead of UTC."""
    if not zone or zone == "Z":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[4:])
    if hours > 18 or minutes > 59:
        raise ValueError(f"there is no zone {zone}")
    return (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)
