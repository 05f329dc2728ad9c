"""Values of primitive types in three forms: Python, bytes and JSON.

In Python a value is an object of the matching type (`Decimal`, `date`, `UUID`, `bytes`, ...). Bounds in manifests
are bytes, values in requests and responses are JSON. Times are in microseconds.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from conformance.values.outcomes import Violation

EPOCH_DAY = date(1970, 1, 1)
EPOCH = datetime(1970, 1, 1)
EPOCH_UTC = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
PARAMETERS = re.compile(r"\d+")


def days(value: date) -> int:
    """Return the number of days since 1970-01-01."""
    return (value - EPOCH_DAY).days


def micros(value: datetime | time) -> int:
    """Return the microseconds since 1970, or since midnight for a time."""
    if isinstance(value, time):
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
    return (value - (EPOCH_UTC if value.tzinfo else EPOCH)) // MICROSECOND


def base(type: str) -> str:
    """Return a type without its parameters: `decimal` of `decimal(9, 2)`."""
    return re.split(r"[(\[]", type)[0]


def parameters(type: str) -> list[int]:
    """Return the parameters of a type or transform: [9, 2] of `decimal(9, 2)`."""
    return [int(digits) for digits in PARAMETERS.findall(type)]


def unscaled(value: Decimal) -> int:
    """Return the unscaled integer of a decimal."""
    sign, digits, _ = value.as_tuple()
    number = int("".join(map(str, digits)))
    return -number if sign else number


def signed_bytes(number: int) -> bytes:
    """Return the shortest two's complement of a number, highest byte first."""
    length = (number if number >= 0 else ~number).bit_length() // 8 + 1
    return number.to_bytes(length, "big", signed=True)


def is_nan(value: Any) -> bool:
    """True for NaN."""
    return isinstance(value, float) and math.isnan(value)


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


@dataclass(frozen=True, slots=True)
class Form:
    """Conversions of a type's values: `packed` to bounds, `shown` to JSON, `read` from JSON."""

    packed: Callable[[Any], bytes]
    shown: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


def _number(letter: str, read: Callable[[Any], Any]) -> Form:
    return Form(lambda value: struct.pack(f"<{letter}", value), _same, read)


_MICROS = Form(lambda value: struct.pack("<q", micros(value)), lambda value: value.isoformat("T", MICRO), _instant)
_BYTES = Form(bytes, lambda value: value.hex().upper(), bytes.fromhex)
MICRO = "microseconds"
FORMS: dict[str, Form] = {
    "boolean": Form(lambda value: b"\1" if value else b"\0", _same, _same),
    "int": _number("i", int),
    "long": _number("q", int),
    "float": _number("f", float),
    "double": _number("d", float),
    "decimal": Form(lambda value: signed_bytes(unscaled(value)), lambda value: format(value, "f"), Decimal),
    "date": Form(lambda value: struct.pack("<i", days(value)), date.isoformat, date.fromisoformat),
    "time": Form(
        lambda value: struct.pack("<q", micros(value)), lambda value: value.isoformat(MICRO), time.fromisoformat
    ),
    "timestamp": _MICROS,
    "timestamptz": _MICROS,
    "string": Form(str.encode, _same, str),
    "uuid": Form(lambda value: value.bytes, str, UUID),
    "fixed": _BYTES,
    "binary": _BYTES,
}


def packed(type: str, value: Any) -> bytes:
    """Return a value in the form of bounds in manifests."""
    return FORMS[base(type)].packed(value)


def shown(type: str, value: Any) -> Any:
    """Return a value in the document's JSON form; None is null.

    Raises Violation for a value of another type: then the server has changed the type of the column.
    """
    try:
        return None if value is None else FORMS[base(type)].shown(value)
    except (AttributeError, TypeError, ValueError):
        raise Violation(
            f"the metadata of the table name the type {type} for values that had another one before"
        ) from None


def read(type: str, value: Any) -> Any:
    """Return the Python value of a JSON value. Raises ValueError or TypeError when it does not fit the type."""
    return None if value is None else FORMS[base(type)].read(value)


# Values of every type, in ascending order. Times use all digits down to the microsecond.
SAMPLES: dict[str, tuple[Any, ...]] = {
    "boolean": (False, True),
    "int": (-2147483648, -7, 0, 34, 2147483647),
    "long": (-9223372036854775808, -7, 0, 34, 9007199254740993),
    "float": (-2.5, 0.0, 0.25, 1024.5),
    "double": (-1e300, -0.1, 0.0, 3.141592653589793),
    "decimal(9, 2)": (Decimal("-1234.50"), Decimal("0.00"), Decimal("0.07"), Decimal("14.20")),
    "date": (date(1969, 12, 31), date(1970, 1, 1), date(2017, 11, 16), date(2026, 8, 31)),
    "time": (time(0, 0, 0, 1), time(10, 15, 30, 123456), time(22, 31, 8, 999999)),
    "timestamp": (
        datetime(1969, 12, 31, 23, 59, 59, 999999),
        datetime(2017, 11, 16, 22, 31, 8, 123456),
        datetime(2026, 8, 31, 0, 0, 0, 1),
    ),
    "timestamptz": (
        datetime(1969, 12, 31, 23, 59, 59, 999999, UTC),
        datetime(2017, 11, 16, 22, 31, 8, 123456, UTC),
        datetime(2026, 8, 31, 0, 0, 0, 1, UTC),
    ),
    "string": ("", "Iceberg", "iceberg", "iceberg in the water", "ünïcode ✓"),
    "uuid": (UUID("0f79c3e0-6bc7-4b5a-8b1e-000000000001"), UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")),
    "fixed[3]": (b"\x00\x01\x02", b"xyz", b"\xff\xab\x00"),
    "binary": (b"\x00", b"\x00\x01\x02\x03", b"xyz", b"\xff\xab"),
}
