"""Requests of the journal in Python, and how they differ from what a test expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import orjson

from reference_server.control.note_kinds import Note

LONGEST = 200
SHOWN = 10
"""Number of differences, and of fitting requests, that a failed assertion shows."""


@dataclass(frozen=True)
class RecordedRequest:
    """A request that the server answered, without secrets; see docs/mock-server.md for the fields.

    `operation` is None for a request that matches none, `status` 0 for a connection that the server cut. The names of
    `headers` are in lower case. `body` and `answer` are JSON values, or None; `bytes` and `answer_bytes` their lengths.
    `rules` are the names of the rules and faults that were applied, `notes` what a careful server would say
    about it, see control/note_kinds.py.
    """

    id: str
    time: str
    method: str
    path: str
    operation: str | None
    parameters: Mapping[str, str]
    query: Mapping[str, Any]
    headers: Mapping[str, str]
    body: Any
    bytes: int
    status: int
    answer: Any
    answer_bytes: int
    answer_headers: Mapping[str, str]
    rules: Sequence[str]
    ms: float
    notes: Sequence[Note]

    def __str__(self) -> str:
        query = "&".join(f"{name}={value}" for name, value in self.query.items())
        return f"{self.method} {self.path}{'?' if query else ''}{query} -> {self.status or 'connection cut'}"

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> RecordedRequest:
        """Return the request of a journal entry; fields of newer servers are left out."""
        known = {field.name: entry[field.name] for field in fields(cls)}
        return cls(**{**known, "notes": [Note(**note) for note in known["notes"]]})


@dataclass(frozen=True)
class Difference:
    """A part of a request that differs: its place, the expected and the actual value, None for an absent one."""

    place: str
    expected: Any
    actual: Any

    def __str__(self) -> str:
        return f"{self.place}\n        expected  {_shown(self.expected)}\n      > sent      {_shown(self.actual)}"


@dataclass(frozen=True)
class ExpectedRequest:
    """Parts of a request that a test expects. A value None means that the part must be absent.

    A `body` fits one that contains it: an object may have further fields, and a list further items in any order. An
    `exact` one has to be equal.
    """

    parameters: Mapping[str, str | None]
    query: Mapping[str, Any]
    headers: Mapping[str, str | None]
    body: Any = None
    exact: bool = False

    def differences(self, request: RecordedRequest) -> list[Difference]:
        """Return the expected parts that a request does not have."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        parts = [
            ("parameter", self.parameters, request.parameters),
            ("query", {name: _text(value) for name, value in self.query.items()}, request.query),
            ("header", headers, request.headers),
        ]
        named = [
            Difference(f"{kind} {name}", value, actual.get(name))
            for kind, expected, actual in parts
            for name, value in expected.items()
            if actual.get(name) != value
        ]
        return named + ([] if self.body is None else _body_differences(self.body, request.body, "", self.exact))


def failure(operation: str, times: int | None, expected: ExpectedRequest, requests: Sequence[RecordedRequest]) -> str:
    """Return the message of a failed verification, "" if `requests` of the operation are as expected.

    `times` is the number of fitting requests, None for at least one.
    """
    compared = sorted(((expected.differences(request), request) for request in requests), key=lambda pair: len(pair[0]))
    fitting = [request for differences, request in compared if not differences]
    if len(fitting) == times or (times is None and fitting):
        return ""
    wanted = "at least once" if times is None else _times(times)
    conditions = any((expected.parameters, expected.query, expected.headers, expected.body is not None))
    such = " as described" if conditions else ""
    count = f"requested {_times(len(fitting))}" if fitting else "never requested"
    lines = [f"{operation} was {count}{such}; expected: {wanted}."]
    if not compared:
        return f"{lines[0]}\nNo request of {operation} arrived."
    lines += [f"  {request}" for request in fitting[:SHOWN]]
    others = [pair for pair in compared if pair[0]]
    if others and len(fitting) < (times or 1):
        differences, nearest = others[0]
        among = "The other request differs" if len(others) == 1 else f"The nearest of {len(others)} others differs"
        lines += [f"{among}:", f"  {nearest}", *(f"      {each}" for each in differences[:SHOWN])]
    return "\n".join(lines)


def _times(number: int) -> str:
    return {0: "never", 1: "once"}.get(number, f"{number} times")


def _text(value: Any) -> Any:
    """Return a value as a query has it: true and false in lower case, numbers as text."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


def _body_differences(expected: Any, actual: Any, place: str, exact: bool) -> list[Difference]:
    """Return the differences of a body from the expected one, each with its JSON pointer."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        names = [*expected, *(name for name in actual if exact and name not in expected)]
        pairs = [(f"{place}/{name}", expected.get(name), actual.get(name)) for name in names]
        return [each for at, one, other in pairs for each in _body_differences(one, other, at, exact)]
    if isinstance(expected, list) and isinstance(actual, list) and actual:
        if not exact:
            return [each for item in expected for each in _nearest_item(item, actual, place)]
        if len(expected) == len(actual):
            pairs = [(f"{place}/{index}", one, actual[index]) for index, one in enumerate(expected)]
            return [each for at, one, other in pairs for each in _body_differences(one, other, at, exact)]
    return [] if expected == actual else [Difference(f"body {place or '/'}", expected, actual)]


def _nearest_item(expected: Any, actual: Sequence[Any], place: str) -> list[Difference]:
    """Return the differences of the item of a list that has the fewest."""
    compared = (_body_differences(expected, item, f"{place}/{index}", exact=False) for index, item in enumerate(actual))
    return min(compared, key=len)


def _shown(value: Any) -> str:
    text = "absent" if value is None else orjson.dumps(value).decode()
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
