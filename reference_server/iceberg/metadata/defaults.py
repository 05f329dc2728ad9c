"""Default values of columns: the JSON form of each type."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, time
from typing import Any
from uuid import UUID

from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import is_int, is_long
from reference_server.iceberg.metadata.types import FIXED, type_name, type_numbers

DATE = r"(\d{4}-\d{2}-\d{2})"
TIME = r"(\d{2}:\d{2}(?::\d{2})?)(?:\.\d{1,%d})?"
UTC = r"(?:Z|[+-]00:00)"
HEX = re.compile(r"(?:[0-9a-fA-F]{2})*")
DECIMAL = re.compile(r"[+-]?\d+(?:\.(\d+))?", re.ASCII)


def check_default(column_type: Any, value: Any, subject: str) -> None:
    """Raise InvalidMetadata unless a JSON value, null excepted, is a valid default of a type.

    `subject` names the default in the message.
    """
    check = CHECKS.get(type_name(column_type))
    if check is None:
        raise InvalidMetadata(f"{subject}: a column of type {type_name(column_type)} has no default but null.")
    if not check(value, column_type):
        raise InvalidMetadata(f"{subject}: {value!r:.100} is not a value of type {column_type}.")


def _decimal(value: Any, column_type: str) -> bool:
    match = DECIMAL.fullmatch(value) if isinstance(value, str) else None
    scale = type_numbers(column_type)[1]
    return match is not None and len(match[1] or "") == scale


def _uuid(value: Any, _: Any) -> bool:
    return isinstance(value, str) and len(value) == 36 and _parses(UUID, value)


def _binary(value: Any, _: Any) -> bool:
    return isinstance(value, str) and HEX.fullmatch(value) is not None


def _fixed(value: Any, column_type: str) -> bool:
    length = FIXED.fullmatch(column_type)
    return _binary(value, column_type) and length is not None and len(value) == 2 * int(length[1])


def _moment(pattern: str) -> Callable[[Any, Any], bool]:
    """Return a check for dates, times and timestamps of one form."""
    compiled = re.compile(pattern, re.ASCII)

    def check(value: Any, _: Any) -> bool:
        match = compiled.fullmatch(value) if isinstance(value, str) else None
        return match is not None and all(_parses(_READ[len(part) == 10], part) for part in match.groups())

    return check


_READ: dict[bool, Callable[[str], Any]] = {True: date.fromisoformat, False: time.fromisoformat}


def _parses(read: Callable[[str], Any], value: str) -> bool:
    try:
        read(value)
    except ValueError:
        return False
    return True


CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "boolean": lambda value, _: isinstance(value, bool),
    "int": lambda value, _: is_int(value),
    "long": lambda value, _: is_long(value),
    "float": lambda value, _: isinstance(value, float),
    "double": lambda value, _: isinstance(value, float),
    "decimal": _decimal,
    "string": lambda value, _: isinstance(value, str),
    "uuid": _uuid,
    "fixed": _fixed,
    "binary": _binary,
    "date": _moment(DATE),
    "time": _moment(TIME % 6),
    "timestamp": _moment(f"{DATE}T{TIME % 6}"),
    "timestamptz": _moment(f"{DATE}T{TIME % 6}{UTC}"),
    "timestamp_ns": _moment(f"{DATE}T{TIME % 9}"),
    "timestamptz_ns": _moment(f"{DATE}T{TIME % 9}{UTC}"),
}
