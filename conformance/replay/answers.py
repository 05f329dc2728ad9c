"""Comparison of two answers to the same request.

Values that servers choose are no difference: ids, times, locations, and the order of lists unless the document defines
it. Errors are compared by status and by the fields that clients read, not by their messages; null equals an absent
field.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from conformance.replay.renaming import SMALLEST, Renaming
from conformance.values.arrow_lines import arrow_lines
from conformance.values.exchange import ERROR_STATUS, Exchange, body_to_json
from conformance.values.json_values import read_json
from specs.errors import ErrorBody
from specs.openapi import media_type_of

DifferenceKind = Literal["only A", "only B", "another", "another type", "another order", "other items"]
STATUS, ERROR, MEDIA_TYPE, BODY = "status", "error", "header:Content-Type", "body:"
ALL_ROWS = 10**6
VOLATILE = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-][\d:]+)?|\d{6,}|[0-9a-f]{16,}"
)
LOCATION = re.compile(r"/|file:|\w+://")


@dataclass(frozen=True, slots=True)
class Spot:
    """One difference of two answers: its place as a mark of Exchange, with `*` for items and for names of the run."""

    place: str
    kind: DifferenceKind
    one: Any
    other: Any


@dataclass(frozen=True)
class Reader:
    """Comparer of the answers of one API.

    `ordered` are names of lists whose order the document defines, `chosen` of fields whose values servers choose.
    """

    errors: ErrorBody
    ordered: Collection[str] = ()
    chosen: Collection[str] = ()

    def spots(self, answer: Exchange, other: Exchange, names: Renaming) -> list[Spot]:
        """Return the differences of two answers. `names` translates the first server's values into the second's."""
        if answer.status != other.status:
            return [Spot(STATUS, "another", answer.status or answer.failure, other.status or other.failure)]
        if answer.status >= ERROR_STATUS:
            return list(self._of_errors(answer, other))
        if not answer.response_body and not other.response_body:
            return []
        if (kind := _media_type(answer)) != (other_kind := _media_type(other)):
            return [Spot(MEDIA_TYPE, "another", kind, other_kind)]
        bodies = [body_to_json(exchange.response_body) or {} for exchange in (answer, other)]
        if any("base64" in body for body in bodies):
            return _of_rows(*(base64.b64decode(body.get("base64", "")) for body in bodies))
        return list(self._walk(names.value(read_json(answer.response_body)), read_json(other.response_body), "", names))

    def _of_errors(self, answer: Exchange, other: Exchange) -> Iterator[Spot]:
        for name in ("code", "type"):
            first, second = (self.errors.read(name, exchange.json()) for exchange in (answer, other))
            if first != second:
                yield Spot(f"{ERROR}:{name}", "another", first, second)

    def _walk(self, value: Any, other: Any, place: str, names: Renaming) -> Iterator[Spot]:
        if isinstance(value, dict) and isinstance(other, dict):
            for key in sorted({*value, *other}):
                below = f"{place}/{'*' if any(name in key for name in names.names.values()) else key}"
                if value.get(key) is None and other.get(key) is not None:
                    yield Spot(BODY + below, "only B", None, other[key])
                elif value.get(key) is not None and other.get(key) is None:
                    yield Spot(BODY + below, "only A", value[key], None)
                elif key not in self.chosen or type(value.get(key)) is not type(other.get(key)):
                    yield from self._walk(value.get(key), other.get(key), below, names)
        elif isinstance(value, list) and isinstance(other, list):
            yield from self._lists(value, other, place, names)
        elif type(value) is not type(other):
            yield Spot(BODY + place, "another type", value, other)
        elif not (alike(value, other) or _are_locations(value, other)):
            yield Spot(BODY + place, "another", value, other)

    def _lists(self, items: list[Any], other: list[Any], place: str, names: Renaming) -> Iterator[Spot]:
        def differs(first: Any, second: Any) -> bool:
            return next(self._walk(first, second, "", names), None) is not None

        if len(items) == len(other) and not any(map(differs, items, other)):
            return
        items, other = _of_run(items, names.names.values()), _of_run(other, names.names.values())
        left, right = list(items), list(other)
        for item in items:
            if (counterpart := next((twin for twin in right if not differs(item, twin)), None)) is not None:
                left.remove(item)
                right.remove(counterpart)
        if not left and not right:
            if place.rpartition("/")[2] in self.ordered:
                yield Spot(BODY + place, "another order", items, other)
        elif len(left) == len(right) and all(isinstance(item, dict | list) for item in [*left, *right]):
            for item, twin in zip(left, right, strict=True):
                yield from self._walk(item, twin, f"{place}/*", names)
        else:
            yield Spot(BODY + place, "other items", items, other)


def alike(value: Any, other: Any) -> bool:
    """True for equal texts and numbers; ids, times and similar values in them are ignored."""
    if isinstance(value, str) and isinstance(other, str):
        return VOLATILE.sub("", value) == VOLATILE.sub("", other)
    if isinstance(value, int) and isinstance(other, int):
        return value == other or min(value, other) >= SMALLEST
    return bool(value == other)


def all_alike(value: Any, other: Any) -> bool:
    """True for equal JSON values; ids, times and similar values are ignored."""
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(all_alike(value[name], other[name]) for name in value)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(all_alike, value, other))
    return alike(value, other)


def _of_run(items: list[Any], names: Collection[str]) -> list[Any]:
    """Return the items with names of the run, all items if none has: other objects of a server are not compared."""
    ours = [item for item in items if any(name in str(item) for name in names)]
    return ours or items


def _are_locations(value: Any, other: Any) -> bool:
    return all(isinstance(text, str) and LOCATION.match(text) for text in (value, other))


def _of_rows(rows: bytes, other: bytes) -> list[Spot]:
    """Return the differences of two Arrow streams: columns, and rows in any order."""
    first, second = (arrow_lines(content, ALL_ROWS) for content in (rows, other))
    if Counter(first) == Counter(second):
        return []
    return [Spot(BODY, "other items", _lacking(first, second), _lacking(second, first))]


def _lacking(lines: Sequence[str], others: Sequence[str]) -> list[str]:
    return list((Counter(lines) - Counter(others)).elements())


def _media_type(exchange: Exchange) -> str:
    return media_type_of(exchange.response_headers.get("Content-Type", ""))
