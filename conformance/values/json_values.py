"""JSON values of answers: reading a missing field or item raises Violation; messages show values as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from datetime import date, datetime, time
from functools import partial
from typing import Any, NoReturn, SupportsIndex

import orjson

from conformance.values.outcomes import Violation

LIMIT = 300
ALL_BELOW = "/*"  # the path of all fields of an object
Look = Callable[[str], None]


class Fields(dict[Any, Any]):
    """A JSON object of an answer: reading a missing field raises Violation, at any depth."""

    __slots__ = ()

    def __missing__(self, name: object) -> NoReturn:
        what = f"the field {shown(name)} of an object in the answer"
        raise Violation(what, relation="present", field=str(name))


class Keyed(Fields):
    """Objects of an answer by a value of theirs: one that is missing is no missing field."""

    __slots__ = ()

    def __missing__(self, name: object) -> NoReturn:
        raise Violation(f"the field {shown(name)} of an object in the answer", relation="present")


class Watched(Fields):
    """A JSON object of an answer that reports which fields are read; all of them when it is used as a whole."""

    __slots__ = ("_look", "_path")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, fields: Mapping[str, Any], look: Look, path: str) -> None:
        super().__init__(fields)
        self._look, self._path = look, path

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the constructor of copies, which report nothing."""
        self._look(self._path + ALL_BELOW)
        return strict, (dict(super().items()),)

    def __getitem__(self, name: Any) -> Any:
        self._look(f"{self._path}/{name}")
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._look(f"{self._path}/{name}")
        return super().__contains__(name)

    def get(self, name: Any, default: Any = None) -> Any:
        """Return a field, or the default."""
        self._look(f"{self._path}/{name}")
        return super().get(name, default)

    def __eq__(self, other: object) -> bool:
        self._look(self._path + ALL_BELOW)
        if isinstance(other, Watched):
            other._look(other._path + ALL_BELOW)
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def items(self) -> Any:
        """Return all fields with their names."""
        self._look(self._path + ALL_BELOW)
        return super().items()

    def values(self) -> Any:
        """Return the values of all fields."""
        self._look(self._path + ALL_BELOW)
        return super().values()


class Items(list[Any]):
    """A JSON array of an answer: reading an item beyond the end raises Violation."""

    __slots__ = ()

    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        """Return an item or a slice. Raises Violation beyond the end."""
        try:
            return super().__getitem__(place)
        except IndexError:
            raise Violation(
                "an item of a list in the answer", relation="present", expected=str(place), actual=f"{len(self)} items"
            ) from None


def watched(value: Any, look: Look, path: str = "") -> Any:
    """Return a JSON value as `strict` does; its objects report which fields are read, by their paths from `path` on."""
    if isinstance(value, dict):
        return Watched({name: watched(item, look, f"{path}/{name}") for name, item in value.items()}, look, path)
    return Items([watched(item, look, f"{path}[]") for item in value]) if isinstance(value, list) else value


def read_json(body: bytes) -> Any:
    """Return a body as JSON, None where it is empty or not JSON."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def read_object(body: bytes) -> dict[str, Any]:
    """Return a body that is a JSON object, an empty object for any other."""
    value = read_json(body)
    return value if isinstance(value, dict) else {}


def strict(value: Any) -> Any:
    """Return a JSON value whose objects are Fields and whose arrays are Items, at any depth."""
    if isinstance(value, dict):
        return Fields({name: strict(item) for name, item in value.items()})
    return Items(map(strict, value)) if isinstance(value, list) else value


def shown(value: Any, limit: int = LIMIT) -> str:
    """Return a value for a message: as JSON, truncated to the limit (0: whole); "nothing" for None."""
    text = "nothing" if value is None else orjson.dumps(_plain(value), option=orjson.OPT_NON_STR_KEYS).decode()
    return text if not limit or len(text) <= limit else text[: limit - 1] + "…"


def canonical(value: Any) -> bytes:
    """Return a value as JSON that is the same for equal values, in any order of their fields."""
    return orjson.dumps(_plain(value, exact=True), option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS)


def _plain(value: Any, *, exact: bool = False) -> Any:
    """Return a value that JSON can hold: others become words, bytes become their size, or hex digits if `exact`."""
    plain = partial(_plain, exact=exact)
    if isinstance(value, Mapping):
        return {_name(key): plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted(map(plain, value), key=orjson.dumps)
    if isinstance(value, list | tuple | Iterator):
        return [plain(item) for item in value]
    if isinstance(value, bytes | bytearray | memoryview):
        return value.hex() if exact else f"{len(value)} bytes"
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, int) and value.bit_length() > 63:  # more than JSON's writer takes
        return str(value)
    return value if value is None or isinstance(value, str | int | float) else _words(value)


def _name(key: Any) -> str:
    return key if isinstance(key, str) else ".".join(map(_name, key)) if isinstance(key, tuple) else str(key)


def _words(value: Any) -> str:
    """Return a value without a JSON form in words: Arrow tables by their size, others by `str`."""
    rows, names = getattr(value, "num_rows", None), getattr(value, "column_names", None)
    return f"{rows} rows of {', '.join(names)}" if rows is not None and names is not None else str(value)
