"""Column types: their spelling, and the format version that introduced them.

A type without fields of its own is a string (`long`, `decimal(9, 2)`, `variant`), any other an object with `type`
struct, list or map.
"""

from __future__ import annotations

import re
from typing import Any

from reference_server.iceberg.metadata.errors import InvalidMetadata

TEMPORAL = ("date", "time", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns")
NUMERIC = ("int", "long", "float", "double")
SPATIAL = ("geometry", "geography")
PLAIN = frozenset({"boolean", "string", "uuid", "binary", "unknown", "variant", *NUMERIC, *TEMPORAL, *SPATIAL})
NESTED = ("struct", "list", "map")
SINCE_VERSION = dict.fromkeys(("timestamp_ns", "timestamptz_ns", "variant", "unknown", "geometry", "geography"), 3)

LONGEST_DECIMAL = 38
FIXED = re.compile(r"fixed\[\s*(\d{1,9})\s*\]", re.ASCII)
DECIMAL = re.compile(r"decimal\(\s*(\d{1,9})\s*,\s*(\d{1,9})\s*\)", re.ASCII)
DIGITS = re.compile(r"\d+", re.ASCII)
GEOMETRY = re.compile(r"geometry\s*\(([^)]*)\)", re.IGNORECASE)
GEOGRAPHY = re.compile(r"geography\s*\(([^,)]*)(?:,([^,)]*))?\)", re.IGNORECASE)
DEFAULT_CRS = "OGC:CRS84"
EDGES = frozenset({"spherical", "vincenty", "thomas", "andoyer", "karney"})


def type_name(column_type: Any) -> str:
    """Return a type's name without its parameters: `decimal` of `decimal(9, 2)`, `list` of a list."""
    if isinstance(column_type, dict):
        return str(column_type["type"])
    return re.split(r"[\[(]", column_type, maxsplit=1)[0].strip()


def type_numbers(column_type: str) -> list[int]:
    """Return the numbers of a type in its stored spelling: 9 and 2 of `decimal(9, 2)`, 16 of `fixed[16]`."""
    return [int(digits) for digits in DIGITS.findall(column_type)]


def is_primitive(column_type: Any) -> bool:
    """Return whether a type has neither fields nor, like a variant, a structure of its own."""
    return isinstance(column_type, str) and column_type != "variant"


def canonical_type(written: str) -> str:
    """Return a type in its stored spelling, whatever its spaces and capitals.

    Raises InvalidMetadata for an unknown type.
    """
    lower = written.lower()
    if lower in PLAIN:
        return lower
    if match := FIXED.fullmatch(lower):
        return f"fixed[{int(match[1])}]"
    if match := DECIMAL.fullmatch(lower):
        return _decimal(int(match[1]), int(match[2]))
    if match := GEOMETRY.fullmatch(written):
        return _geometry(match[1].strip())
    if match := GEOGRAPHY.fullmatch(written):
        return _geography(match[1].strip(), match[2] and match[2].strip())
    raise InvalidMetadata(f"{written!r:.100} is not a type.")


def _decimal(precision: int, scale: int) -> str:
    if precision > LONGEST_DECIMAL:
        raise InvalidMetadata(f"A decimal has at most {LONGEST_DECIMAL} digits, not {precision}.")
    return f"decimal({precision}, {scale})"


def _geometry(crs: str) -> str:
    if not crs:
        raise InvalidMetadata("The reference system of a geometry must not be empty.")
    return "geometry" if crs.upper() == DEFAULT_CRS else f"geometry({crs})"


def _geography(crs: str, edges: str | None) -> str:
    if not crs:
        raise InvalidMetadata("The reference system of a geography must not be empty.")
    is_default = crs.upper() == DEFAULT_CRS
    if edges is None:
        return "geography" if is_default else f"geography({crs})"
    if edges.lower() not in EDGES:
        raise InvalidMetadata(f"Unknown edge interpolation of a geography: {edges!r:.100}.")
    return f"geography({DEFAULT_CRS if is_default else crs}, {edges.lower()})"
