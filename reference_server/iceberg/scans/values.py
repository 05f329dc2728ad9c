"""Values of columns: one internal form for comparison, and external forms for reading and writing.

Internal: numbers, text and truth values as themselves; a decimal as its unscaled integer; dates, times and timestamps
as integers (days, micro- or nanoseconds); uuid, fixed and binary as bytes. So every type has Python's own order.
External: JSON (literals, bounds, partition values), bytes (bounds in manifests), Avro (partition values there).
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any
from uuid import UUID

from reference_server.iceberg.metadata.reading import is_int
from reference_server.iceberg.metadata.types import LONGEST_DECIMAL, type_name, type_numbers
from reference_server.iceberg.scans import moments

MICROS, NANOS = 1_000_000, 1_000_000_000
DAY_SECONDS = moments.DAY_SECONDS
DECIMAL_TEXT = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?", re.ASCII)
LARGEST_FLOAT = 3.4028234663852886e38
NOT_FINITE = {math.inf: "Infinity", -math.inf: "-Infinity"}


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class ValueFormat:
    """External forms of a type's values.

    `read` parses JSON and raises ValueError; `show` makes JSON; `decode` reads the bytes of a bound; `take` converts
    Avro's values.
    """

    read: Callable[[Any], Any]
    show: Callable[[Any], Any] = _same
    decode: Callable[[bytes], Any] = _same
    take: Callable[[Any], Any] = _same


@cache
def kind_of(column_type: str) -> ValueFormat | None:
    """Return the format of a primitive type; None for a type whose values are never compared."""
    if type_name(column_type) == "decimal":
        return _decimal_kind(type_numbers(column_type)[1])
    if type_name(column_type) == "fixed":
        return KINDS["binary"]
    return KINDS.get(column_type)


def is_float(column_type: Any) -> bool:
    """Return whether a type has NaN."""
    return column_type in ("float", "double")


def is_nan(value: Any) -> bool:
    """Return whether a value is NaN."""
    return isinstance(value, float) and math.isnan(value)


def show_value(column_type: Any, value: Any) -> Any:
    """Return a value as JSON; null for None, and bytes of an unknown type in hexadecimal."""
    kind = kind_of(column_type) if isinstance(column_type, str) else None
    if value is None or kind is None:
        return value.hex().upper() if isinstance(value, bytes) else value
    return kind.show(value)


def decoded(column_type: Any, data: bytes | None) -> Any:
    """Return the value of a bound; None for an absent or unreadable one and for NaN."""
    kind = kind_of(column_type) if isinstance(column_type, str) else None
    if data is None or kind is None:
        return None
    try:
        value = kind.decode(data)
    except (ValueError, struct.error):
        return None
    return None if is_nan(value) else value


def _read_boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r:.100} is neither true nor false")
    return value


def _read_integer(value: Any, bits: int = 64) -> int:
    """Return an integer; one of more than 64 bits could not be serialized again."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise ValueError(f"{value!r:.100} is not an integer")
    if not is_int(int(value), bits):
        raise ValueError(f"{value!r:.100} has more than {bits} bits")
    return int(value)


def _read_double(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r:.100} is not a number")
    return float(value)


def _read_float(value: Any) -> float:
    """Return the nearest number of 32 bits; beyond their range the number itself, which compares equally."""
    number = _read_double(value)
    return float(struct.unpack("<f", struct.pack("<f", number))[0]) if abs(number) <= LARGEST_FLOAT else number


def _show_float(value: float) -> Any:
    return "NaN" if math.isnan(value) else NOT_FINITE.get(value, value)


def _read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.100} is not text")
    return value


def _read_bytes(value: Any) -> bytes:
    try:
        return bytes.fromhex(_read_text(value))
    except ValueError:
        raise ValueError(f"{value!r:.100} is not hexadecimal") from None


def _read_uuid(value: Any) -> bytes:
    try:
        return UUID(_read_text(value)).bytes
    except ValueError:
        raise ValueError(f"{value!r:.100} is not a UUID") from None


def _counted(read: Callable[[str], int], bits: int = 64) -> Callable[[Any], int]:
    """Return a reader that also accepts the number behind the text: PyIceberg sends times in this form."""
    return lambda value: read(value) if isinstance(value, str) else _read_integer(value, bits)


def _decode_integer(data: bytes) -> int:
    """Return an integer of 4 or 8 bytes: a column may have been an int before it was a long."""
    return int.from_bytes(data, "little", signed=True)


def _decode_stamp(data: bytes, per_second: int) -> int:
    """Return a timestamp; 4 bytes are days of a column that was a date before."""
    number = _decode_integer(data)
    return number * DAY_SECONDS * per_second if len(data) == 4 else number


def _decode_float(data: bytes) -> float:
    return float(struct.unpack("<f" if len(data) == 4 else "<d", data)[0])


def _unscaled(data: bytes) -> int:
    return int.from_bytes(data, "big", signed=True)


def _read_decimal(value: Any, scale: int) -> int:
    """Return the unscaled integer of a number, in text or JSON, with at most `scale` fraction digits."""
    text = str(value)
    match = DECIMAL_TEXT.fullmatch(text) if not isinstance(value, bool) else None
    if match is None or not (match[2] or match[3]):
        raise ValueError(f"{value!r:.100} is not a decimal")
    digits = int((match[2] or "") + (match[3] or ""))
    shift = scale - len(match[3] or "") + int(match[4] or 0)
    up, down = int(10 ** max(shift, 0)), int(10 ** max(-shift, 0))
    number, rest = divmod(digits * up, down)
    if rest:
        raise ValueError(f"{value!r:.100} has more than {scale} digits after the point")
    if number >= 10**LONGEST_DECIMAL:
        raise ValueError(f"{value!r:.100} has more than {LONGEST_DECIMAL} digits")
    return -number if match[1] == "-" else number


def _show_decimal(value: int, scale: int) -> str:
    digits = str(abs(value)).rjust(scale + 1, "0")
    integer, fraction = digits[: len(digits) - scale], digits[len(digits) - scale :]
    return f"{'-' if value < 0 else ''}{integer}{'.' if scale else ''}{fraction}"


def _decimal_kind(scale: int) -> ValueFormat:
    return ValueFormat(
        partial(_read_decimal, scale=scale), partial(_show_decimal, scale=scale), _unscaled, _take_decimal
    )


def _take_decimal(value: Any) -> int:
    return _unscaled(value) if isinstance(value, bytes) else int(value)


def _show_bytes(value: bytes) -> str:
    return value.hex().upper()


def _take_uuid(value: Any) -> bytes:
    return UUID(value).bytes if isinstance(value, str) else bytes(value)


def _stamp_kind(per_second: int, *, zoned: bool) -> ValueFormat:
    return ValueFormat(
        _counted(partial(moments.read_stamp, per_second=per_second, zoned=zoned)),
        partial(moments.show_stamp, per_second=per_second, zoned=zoned),
        partial(_decode_stamp, per_second=per_second),
    )


_INTEGER = ValueFormat(_read_integer, decode=_decode_integer)
KINDS: dict[str, ValueFormat] = {
    "boolean": ValueFormat(_read_boolean, decode=lambda data: data != b"\0"),
    "int": _INTEGER,
    "long": _INTEGER,
    "float": ValueFormat(_read_float, _show_float, _decode_float),
    "double": ValueFormat(_read_double, _show_float, _decode_float),
    "string": ValueFormat(_read_text, decode=lambda data: data.decode("utf-8")),
    "uuid": ValueFormat(_read_uuid, lambda value: str(UUID(bytes=value)), take=_take_uuid),
    "binary": ValueFormat(_read_bytes, _show_bytes),
    "date": ValueFormat(_counted(moments.read_date, 32), moments.show_date, _decode_integer),
    "time": ValueFormat(_counted(moments.read_time), moments.show_time, _decode_integer),
    "timestamp": _stamp_kind(MICROS, zoned=False),
    "timestamptz": _stamp_kind(MICROS, zoned=True),
    "timestamp_ns": _stamp_kind(NANOS, zoned=False),
    "timestamptz_ns": _stamp_kind(NANOS, zoned=True),
}
TICKS = {"timestamp": MICROS, "timestamptz": MICROS, "timestamp_ns": NANOS, "timestamptz_ns": NANOS}
"""Ticks per second, by type."""
