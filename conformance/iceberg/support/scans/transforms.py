"""Partition transforms of the table specification, on Python values."""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import mmh3

from conformance.iceberg.support.scans.values import EPOCH_DAY, base, days, micros, parameters, signed_bytes, unscaled


def transformed(transform: str, value: Any) -> Any:
    """Return the partition value of a value, None for None."""
    return None if value is None else TRANSFORMS[base(transform)](value, *parameters(transform))


def result_type(transform: str, type: str) -> str:
    """Return the type of a transform's partition values for a column type."""
    if base(transform) in ("identity", "truncate", "void"):
        return type
    return "date" if transform == "day" else "int"


def _truncated(value: Any, width: int) -> Any:
    if isinstance(value, Decimal):
        number = unscaled(value)
        return Decimal(number - number % width).scaleb(int(value.as_tuple().exponent))
    return value - value % width if isinstance(value, int) else value[:width]


def _bucket(value: Any, count: int) -> int:
    return (mmh3.hash(hashed_bytes(value)) & 0x7FFFFFFF) % count


def _day(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value


def _hour(value: datetime) -> int:
    return micros(value) // 3_600_000_000


TRANSFORMS: dict[str, Callable[..., Any]] = {
    "identity": lambda value: value,
    "void": lambda value: None,
    "bucket": _bucket,
    "truncate": _truncated,
    "year": lambda value: value.year - EPOCH_DAY.year,
    "month": lambda value: (value.year - EPOCH_DAY.year) * 12 + value.month - 1,
    "day": _day,
    "hour": _hour,
}


def hashed_bytes(value: Any) -> bytes:
    """Return the bytes of a value that the bucket transform hashes: 8 for int and long alike."""
    if isinstance(value, datetime | time):
        return struct.pack("<q", micros(value))
    if isinstance(value, date):
        return struct.pack("<q", days(value))
    forms: dict[type, Callable[[Any], bytes]] = {
        int: lambda number: struct.pack("<q", number),
        Decimal: lambda number: signed_bytes(unscaled(number)),
        str: str.encode,
        UUID: lambda uuid: uuid.bytes,
        bytes: bytes,
    }
    return forms[type(value)](value)
