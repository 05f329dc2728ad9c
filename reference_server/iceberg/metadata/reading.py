"""Typed access to the values of JSON objects.

Every function takes an object and a key, and raises InvalidMetadata for a missing value or one of another type.
Integers are JSON integers: neither true nor 1.0 is one. An `int` has 32 bits and a `long` has 64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from reference_server.iceberg.metadata.errors import InvalidMetadata

Json = dict[str, Any]
T = TypeVar("T")
Reader = Callable[[Json, str], T]


def is_int(value: Any, bits: int = 32) -> bool:
    """Return whether a JSON value is an integer that fits in `bits` bits."""
    return isinstance(value, int) and not isinstance(value, bool) and -(1 << bits - 1) <= value < 1 << bits - 1


def is_long(value: Any) -> bool:
    """Return whether a JSON value is an integer of 64 bits."""
    return is_int(value, 64)


def integer(node: Json, key: str) -> int:
    """Return an integer of 32 bits."""
    return int(_checked(node, key, is_int, "an integer of 32 bits"))


def long(node: Json, key: str) -> int:
    """Return an integer of 64 bits."""
    return int(_checked(node, key, is_long, "an integer of 64 bits"))


def text(node: Json, key: str) -> str:
    """Return a string."""
    return str(_checked(node, key, _is_text, "a string"))


def boolean(node: Json, key: str) -> bool:
    """Return true or false."""
    return bool(_checked(node, key, lambda value: isinstance(value, bool), "true or false"))


def obj(node: Json, key: str) -> Json:
    """Return an object."""
    child: Json = _checked(node, key, lambda value: isinstance(value, dict), "an object")
    return child


def objects(node: Json, key: str) -> list[Json]:
    """Return a list of objects."""
    return _list(node, key, lambda value: isinstance(value, dict), "objects")


def texts(node: Json, key: str) -> list[str]:
    """Return a list of strings."""
    return _list(node, key, _is_text, "strings")


def integers(node: Json, key: str) -> list[int]:
    """Return a list of integers of 32 bits."""
    return _list(node, key, is_int, "integers of 32 bits")


def longs(node: Json, key: str) -> list[int]:
    """Return a list of integers of 64 bits."""
    return _list(node, key, is_long, "integers of 64 bits")


def text_map(node: Json, key: str) -> dict[str, str]:
    """Return an object whose values are strings."""
    texts = obj(node, key)
    for name, value in texts.items():
        if not _is_text(value):
            raise InvalidMetadata(f"{key}: the value of {name!r} must be a string, not {value!r:.100}.")
    return texts


def optional(reader: Reader[T], node: Json, key: str) -> T | None:
    """Return the result of a reader, None for a missing key or null."""
    return None if node.get(key) is None else reader(node, key)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _checked(node: Json, key: str, check: Callable[[Any], bool], expected: str) -> Any:
    if key not in node:
        raise InvalidMetadata(f"{key} is missing; it must be {expected}.")
    if not check(node[key]):
        raise InvalidMetadata(f"{key} must be {expected}, not {node[key]!r:.100}.")
    return node[key]


def _list(node: Json, key: str, check: Callable[[Any], bool], expected: str) -> list[Any]:
    items: list[Any] = _checked(node, key, lambda value: isinstance(value, list), f"a list of {expected}")
    for item in items:
        if not check(item):
            raise InvalidMetadata(f"{key} must be a list of {expected}; {item!r:.100} is not.")
    return items
