"""Partition transforms: their results, and the source values of a result."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mmh3

from reference_server.iceberg.metadata.types import type_name
from reference_server.iceberg.scans.moments import DAY_SECONDS, date_of, days_of
from reference_server.iceberg.scans.values import NANOS, TICKS

WRITTEN = re.compile(r"(\w+)(?:\[(\d{1,10})\])?", re.ASCII)
WITH_WIDTH = frozenset({"bucket", "truncate"})
IDENTITY, VOID, BUCKET, TRUNCATE = "identity", "void", "bucket", "truncate"
TIME_UNITS = ("year", "month", "day", "hour")
NAMES = frozenset({IDENTITY, VOID, BUCKET, TRUNCATE, *TIME_UNITS})
HASH_MASK = 0x7FFFFFFF
HOUR_SECONDS = 3600
LARGEST = {"int": (1 << 31) - 1, "long": (1 << 63) - 1}
Range = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class Transform:
    """A transform of a column of a primitive type; `width` is the width of bucket and truncate."""

    name: str
    source: str
    width: int = 0

    @property
    def result(self) -> str:
        """The type of its values."""
        if self.name in (IDENTITY, VOID, TRUNCATE):
            return self.source
        return "date" if self.name == "day" else "int"

    @property
    def text(self) -> str:
        """The transform in its stored form."""
        return f"{self.name}[{self.width}]" if self.name in WITH_WIDTH else self.name

    @property
    def keeps_order(self) -> bool:
        """Whether a larger value never has a smaller result."""
        return self.name not in (BUCKET, VOID)

    def apply(self, value: Any) -> Any:
        """Return the result for a value; null for null."""
        if value is None or self.name == VOID:
            return None
        if self.name == IDENTITY:
            return value
        if self.name == BUCKET:
            return (mmh3.hash(_hashed(self.source, value)) & HASH_MASK) % self.width
        if self.name == TRUNCATE:
            return value[: self.width] if isinstance(value, str | bytes) else value - value % self.width
        return _units(self, value)

    def has_wrapped(self, value: Any) -> bool:
        """Return whether a result may be that of a very small integer that overflowed.

        Writers compute in as many bits as the integer has, so such a result wraps around to the largest numbers;
        `value` is the greatest of several results, or the only one.
        """
        wraps = self.name == TRUNCATE and self.source in LARGEST
        return wraps and any(largest - self.width < value <= largest for largest in LARGEST.values())

    def sources(self, value: Any) -> Range:
        """Return the least and the greatest source value of a result; for transforms of numbers and times.

        Some writers once rounded times before 1970 towards zero, and such files still exist: results up to 0 may be one
        too high, except for days of dates, which need no rounding.
        """
        if self.name == TRUNCATE:
            return value, value + self.width - 1
        rounded = value <= 0 and (self.name, self.source) != ("day", "date")
        return _begin(self, value - rounded), _begin(self, value + 1) - 1


def read_transform(written: str, source: str) -> Transform | None:
    """Return a transform of a type, None for an unknown one."""
    match = WRITTEN.fullmatch(written)
    if match is None or match[1].lower() not in NAMES or (match[1].lower() in WITH_WIDTH) != bool(match[2]):
        return None
    width = int(match[2] or 0)
    return None if match[2] and not width else Transform(match[1].lower(), source, width)


def _hashed(source: str, value: Any) -> bytes:
    """Return the bytes of a value that are hashed."""
    hasher = _HASHED.get(type_name(source))
    if hasher is not None:
        return hasher(value)
    number = value // 1000 if TICKS.get(source) == NANOS else value
    return int(number).to_bytes(8, "little", signed=True)


def _twos_complement(number: int) -> bytes:
    """Return an integer in the fewest bytes that represent it with its sign."""
    bits = (~number if number < 0 else number).bit_length() + 1
    return number.to_bytes((bits + 7) // 8, "big", signed=True)


_HASHED: dict[str, Callable[[Any], bytes]] = {
    "string": lambda value: value.encode("utf-8", "surrogatepass"),
    "decimal": _twos_complement,
    "uuid": bytes,
    "fixed": bytes,
    "binary": bytes,
}


def _units(transform: Transform, value: int) -> int:
    """Return the years, months, days or hours since 1970 of a date or timestamp."""
    ticks = TICKS.get(transform.source)
    if transform.name == "hour":
        return value // (HOUR_SECONDS * (ticks or 1))
    days = value // (DAY_SECONDS * ticks) if ticks else value
    if transform.name == "day":
        return days
    year, month, _ = date_of(days)
    return year - 1970 if transform.name == "year" else (year - 1970) * 12 + month - 1


def _begin(transform: Transform, units: int) -> int:
    """Return the first value of a year, month, day or hour."""
    ticks = TICKS.get(transform.source)
    if transform.name == "hour":
        return units * HOUR_SECONDS * (ticks or 1)
    days = units
    if transform.name == "year":
        days = days_of(1970 + units, 1, 1)
    elif transform.name == "month":
        days = days_of(1970 + units // 12, units % 12 + 1, 1)
    return days * DAY_SECONDS * ticks if ticks else days
