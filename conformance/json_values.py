"""Values of answers: read so that what is not there is a Violation, and shown as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from datetime import date, datetime, time
from functools import partial
from typing import Any, NoReturn, SupportsIndex

import orjson

from conformance.outcomes import Violation

LIMIT = 300


class Fields(dict[Any, Any]):
    """A JSON object of an answer: to ask for a field that it lacks is a Violation, at any depth."""

    __slots__ = ()

    def __missing__(self, name: object) -> NoReturn:
        raise Violation(f"the answer lacks the field {shown(name)} of an object", "body:")


class Items(list[Any]):
    """A JSON array of an answer: to ask for an item that it lacks is a Violation."""

    __slots__ = ()

    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        """Return an item or a slice. Raises Violation behind the end."""
        try:
            return super().__getitem__(place)
        except IndexError:
            raise Violation(f"the answer lacks an item of a list, which has {len(self)}", "body:") from None


def strict(value: Any) -> Any:
    """Return a JSON value whose objects are Fields and whose arrays are Items, at any depth."""
    if isinstance(value, dict):
        return Fields({name: strict(one) for name, one in value.items()})
    return Items(map(strict, value)) if isinstance(value, list) else value


def shown(value: Any, limit: int = LIMIT) -> str:
    """Return a value as a message shows it: as JSON, cut at the limit (0: whole); "nothing" for None."""
    text = "nothing" if value is None else orjson.dumps(_plain(value), option=orjson.OPT_NON_STR_KEYS).decode()
    return text if not limit or len(text) <= limit else text[: limit - 1] + "…"


def canonical(value: Any) -> bytes:
    """Return a value as JSON that is the same for equal values, in whatever order their fields came."""
    return orjson.dumps(_plain(value, exact=True), option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS)


def _plain(value: Any, *, exact: bool = False) -> Any:
    """Return what JSON can hold in place of a value; what it cannot is put in words, bytes in digits if `exact`."""
    plain = partial(_plain, exact=exact)
    if isinstance(value, Mapping):
        return {_name(key): plain(one) for key, one in value.items()}
    if isinstance(value, Set):
        return sorted(map(plain, value), key=orjson.dumps)
    if isinstance(value, list | tuple | Iterator):
        return [plain(one) for one in value]
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
    """Return something that JSON has no form for in words: Arrow tables by their size, others as they say."""
    rows, names = getattr(value, "num_rows", None), getattr(value, "column_names", None)
    return f"{rows} rows of {', '.join(names)}" if rows is not None and names is not None else str(value)
