"""Requests of the journal in Python, and how they differ from what a test expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from reference_server.control.note_kinds import Note

NEAREST = 3
"""Number of requests that a failed assertion shows."""
LONGEST = 200


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
class ExpectedRequest:
    """Parts of a request that a test expects. A value None means that the part must be absent.

    `body` fits a body that contains it: an object may have further fields. Everything else is compared as a whole.
    """

    parameters: Mapping[str, str | None]
    query: Mapping[str, Any]
    headers: Mapping[str, str | None]
    body: Any = None

    def differences(self, request: RecordedRequest) -> list[str]:
        """Return a sentence for each expected part that a request does not have."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        parts = [
            ("parameter", self.parameters, request.parameters),
            ("query", {name: _text(value) for name, value in self.query.items()}, request.query),
            ("header", headers, request.headers),
        ]
        named = [
            f"{kind} {name} is {_shown(actual.get(name))}, expected {_shown(value)}"
            for kind, expected, actual in parts
            for name, value in expected.items()
            if actual.get(name) != value
        ]
        return named + ([] if self.body is None else list(_body_differences(self.body, request.body, "")))


def failure(operation: str, times: int | None, expected: ExpectedRequest, requests: Sequence[RecordedRequest]) -> str:
    """Return the message of a failed assertion, "" if `requests` of the operation are as expected.

    `times` is the number of fitting requests, None for at least one.
    """
    compared = sorted(((expected.differences(request), request) for request in requests), key=lambda pair: len(pair[0]))
    fitting = [request for differences, request in compared if not differences]
    if len(fitting) == times or (times is None and fitting):
        return ""
    wanted = "at least once" if times is None else _times(times)
    lines = [f"{operation} was requested {_times(len(fitting))} as expected, which should be {wanted}."]
    if not compared:
        lines.append(f"No request of {operation} arrived.")
    for differences, request in compared[:NEAREST]:
        lines += [f"  {request}", *(f"      {difference}" for difference in differences)]
    if len(compared) > NEAREST:
        lines.append(f"  and {len(compared) - NEAREST} more")
    return "\n".join(lines)


def _times(number: int) -> str:
    return {0: "never", 1: "once"}.get(number, f"{number} times")


def _text(value: Any) -> Any:
    """Return a value as a query has it: true and false in lower case, numbers as text."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


def _body_differences(expected: Any, actual: Any, place: str) -> list[str]:
    """Return the differences of a body from what it should contain, each with its JSON pointer."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return [
            difference
            for name, value in expected.items()
            for difference in _body_differences(value, actual.get(name), f"{place}/{name}")
        ]
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return [
            difference
            for index, value in enumerate(expected)
            for difference in _body_differences(value, actual[index], f"{place}/{index}")
        ]
    return [] if expected == actual else [f"body {place or '/'} is {_shown(actual)}, expected {_shown(expected)}"]


def _shown(value: Any) -> str:
    text = "absent" if value is None else repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
