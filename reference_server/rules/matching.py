"""Requests that a rule is for: the values of their parts, compared with the patterns of its conditions."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

import orjson

from reference_server.answer_fields import values_at
from reference_server.faults import Call
from reference_server.rules.rule import BODY, HEADER, QUERY, Rule


def meets(rule: Rule, call: Call) -> bool:
    """Return whether a request of the operation has what a rule is for."""
    return all(_fits(_values(name, call), pattern) for name, pattern in rule.where.items())


def _fits(values: Sequence[Any], pattern: str | None) -> bool:
    if pattern is None:
        return not values
    return any(fnmatchcase(_text(value), pattern) or _equals(value, pattern) for value in values)


def _equals(value: Any, pattern: str) -> bool:
    """Return whether a pattern is the JSON text of an object or a list."""
    try:
        return isinstance(value, dict | list) and bool(orjson.loads(pattern) == value)
    except orjson.JSONDecodeError:
        return False


def _values(name: str, call: Call) -> Sequence[Any]:
    """Return the values of a part of a request, an empty list where it lacks the part."""
    if name.startswith(HEADER):
        value = call.request.headers.get(name.removeprefix(HEADER))
        return [] if value is None else [value]
    if name.startswith(QUERY):
        return call.request.query.get(name.removeprefix(QUERY), [])
    if name.startswith(BODY):
        return _of_body(call.request.body, name.removeprefix(BODY))
    objects = call.api.objects(call.operation, call.path)
    return [objects[name]] if name in objects else []


def _of_body(body: bytes, place: str) -> Sequence[Any]:
    try:
        return values_at(orjson.loads(body), place) if body else []
    except orjson.JSONDecodeError:
        return []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
