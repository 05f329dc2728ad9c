"""Thrift's compact protocol, for the footers and page headers of Parquet files: values as their type and bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum

Value = tuple[int, bytes]
MOST_IN_HEADER = 14  # elements of a list whose number is in its first byte


class Type(IntEnum):
    """Types of the protocol, by their numbers on the wire."""

    TRUE = 1
    FALSE = 2
    I32 = 5
    I64 = 6
    BINARY = 8
    LIST = 9
    STRUCT = 12


def varint(number: int) -> bytes:
    """Return a number that is not negative in groups of seven bits, the lowest first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def i32(number: int) -> Value:
    """Return a 32-bit number that is not negative."""
    return Type.I32, varint(number << 1)


def i64(number: int) -> Value:
    """Return a 64-bit number that is not negative."""
    return Type.I64, varint(number << 1)


def text(value: str) -> Value:
    """Return a text."""
    data = value.encode()
    return Type.BINARY, varint(len(data)) + data


def boolean(value: bool) -> Value:
    """Return a boolean as a field of a struct."""
    return (Type.TRUE if value else Type.FALSE), b""


def listing(values: Sequence[Value]) -> Value:
    """Return a list of values of one type; there must be at least one."""
    ((kind, _), *_), size = values, len(values)
    short = size <= MOST_IN_HEADER
    head = bytes([(size if short else 15) << 4 | kind]) + (b"" if short else varint(size))
    return Type.LIST, head + b"".join(data for _, data in values)


def struct(fields: Mapping[int, Value | None]) -> Value:
    """Return a struct of fields by their ids, without those that are None."""
    out, last = bytearray(), 0
    for id, field in sorted(fields.items()):
        if field is not None:
            out += bytes([(id - last) << 4 | field[0]]) + field[1]
            last = id
    return Type.STRUCT, bytes(out) + b"\0"
