"""Requests, replies and handler contexts, independent of any HTTP library."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ParamSpec, TypeVar
from urllib.parse import parse_qs

import orjson

from reference_server import limits
from reference_server.auth import ANONYMOUS, Principal
from reference_server.errors import InvalidInput, ServiceUnavailable
from specs.openapi import JSON_TYPE, Operation

P = ParamSpec("P")
T = TypeVar("T")
BOOLEANS = {"true": True, "false": False}


class Request:
    """A request as received: only the body's transfer coding is decoded.

    `target` is the path with its query, percent-encoded as it was sent; `principal` is the caller. `applied` are the
    names of the faults that were applied to the request. `scheme` is https for a request over TLS.
    """

    __slots__ = ("_query", "applied", "body", "headers", "id", "method", "principal", "scheme", "target")

    def __init__(self, id: str, method: str, target: str, headers: Mapping[str, str], body: bytes = b"") -> None:
        self.id = id
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.principal: Principal = ANONYMOUS
        self.applied: list[str] = []
        self.scheme = "http"
        self._query: Mapping[str, list[str]] | None = None

    @property
    def path(self) -> str:
        """The path without the query."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> Mapping[str, list[str]]:
        """The values of the query by name, decoded."""
        if self._query is None:
            self._query = _read_query(self.target.partition("?")[2])
        return self._query

    def altered(
        self,
        *,
        query: Mapping[str, list[str]] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Request:
        """Return a copy of the request with another query, body or headers; faults use it."""
        new_headers = self.headers if headers is None else headers
        other = Request(self.id, self.method, self.target, new_headers, self.body if body is None else body)
        other.principal, other.applied = self.principal, self.applied
        other._query = self.query if query is None else query
        return other


@dataclass(slots=True)
class Reply:
    """An answer: status, body bytes and headers.

    `half`: the connection is closed in the middle of the answer.
    `reusable`: the answer depends on the catalog alone and holds until the catalog changes. Where it also depends on
    something outside, `still_valid` returns whether that is unchanged.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = JSON_TYPE
    headers: dict[str, str] = field(default_factory=dict)
    reusable: bool = False
    still_valid: Callable[[], bool] | None = None
    half: bool = False


def json_reply(value: Any, status: int = 200) -> Reply:
    """Return an answer whose body is `value` as JSON."""
    return Reply(status, orjson.dumps(value))


@dataclass(slots=True)
class Context:
    """A routed and validated request, bound to its operation.

    A handler sets `reusable` and `still_valid` (see Reply) when its answer may be cached.
    """

    request: Request
    operation: Operation
    path: Mapping[str, str]
    body: Any
    executor: Executor
    reusable: bool = field(default=False, init=False)
    still_valid: Callable[[], bool] | None = field(default=None, init=False)

    @property
    def principal(self) -> Principal:
        """The caller."""
        return self.request.principal

    def query(self, name: str) -> Any:
        """Return a query parameter in its declared type, or None when it is absent.

        Raises InvalidInput for a value of another type. Parameters that the document does not
        declare are strings.
        """
        values = self.request.query.get(name)
        if not values:
            return None
        declared = next((parameter for parameter in self.operation.query_parameters() if parameter.name == name), None)
        kinds = declared.schema.get("type") if declared else None
        return _coerce(name, values[-1], [kinds] if isinstance(kinds, str) else kinds or [])

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run blocking work in a thread, so that other requests go on. Raises ServiceUnavailable; see run_in_thread."""
        return await run_in_thread(self.executor, partial(function, *args, **kwargs))

    async def compute(self, size: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run work whose cost grows with the body and `size` further bytes: in a thread, unless there are few bytes."""
        if len(self.request.body) + size <= limits.INLINE:
            return function(*args, **kwargs)
        return await self.run(function, *args, **kwargs)


async def run_in_thread(executor: Executor, work: Callable[[], T]) -> T:
    """Run work in a thread and return its result.

    Raises ServiceUnavailable when it takes longer than `limits.DEADLINE`; the thread is then abandoned.
    """
    try:
        async with asyncio.timeout(limits.DEADLINE) as deadline:
            return await asyncio.get_running_loop().run_in_executor(executor, work)
    except TimeoutError:
        if not deadline.expired():
            raise
        message = (
            f"The request took longer than {limits.DEADLINE:.0f} s and was abandoned; its work may still complete."
        )
        raise ServiceUnavailable(message) from None


def _read_query(text: str) -> dict[str, list[str]]:
    """Return the values of a query by name. Most queries need no decoding, which then takes a quarter of the time."""
    if "%" in text or "+" in text:
        return parse_qs(text, keep_blank_values=True)
    values: dict[str, list[str]] = {}
    for pair in filter(None, text.split("&")):
        name, _, value = pair.partition("=")
        values.setdefault(name, []).append(value)
    return values


def _coerce(name: str, text: str, kinds: list[str]) -> Any:
    if "boolean" in kinds:
        if text.lower() not in BOOLEANS:
            raise InvalidInput(f"The query parameter {name} must be true or false, not {text!r:.100}.")
        return BOOLEANS[text.lower()]
    if "integer" in kinds:
        if not text.removeprefix("-").isascii() or not text.removeprefix("-").isdigit():
            raise InvalidInput(f"The query parameter {name} must be an integer, not {text!r:.100}.")
        if len(text) > limits.DIGITS:
            raise InvalidInput(f"The query parameter {name} has more than {limits.DIGITS} digits.")
        return int(text)
    return text
