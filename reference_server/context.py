"""What a handler is given and what it may return: no HTTP library in sight."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

import orjson

from reference_server.errors import InvalidInput
from specs.openapi import JSON_TYPE, Operation

P = ParamSpec("P")
T = TypeVar("T")
BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came: nothing decoded but the body's transfer coding."""

    id: str
    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class Reply:
    """One answer: status, body bytes and headers."""

    status: int = 200
    body: bytes = b""
    content_type: str = JSON_TYPE
    headers: dict[str, str] = field(default_factory=dict)


def json_reply(value: Any, status: int = 200) -> Reply:
    """Return an answer whose body is `value` as JSON."""
    return Reply(status, orjson.dumps(value))


@dataclass(slots=True)
class Context:
    """A request after routing and checking, bound to its operation."""

    request: Request
    operation: Operation
    path: Mapping[str, str]
    body: Any
    executor: Executor

    def query(self, name: str) -> Any:
        """Return a query parameter in its declared type, or None when it is absent.

        Raises InvalidInput for a value of another type. Parameters that the document does not
        declare are strings.
        """
        values = self.request.query.get(name)
        if not values:
            return None
        declared = next((one for one in self.operation.query_parameters() if one.name == name), None)
        kinds = declared.schema.get("type") if declared else None
        return _coerce(name, values[-1], [kinds] if isinstance(kinds, str) else kinds or [])

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run blocking work in a thread, so that other requests go on."""
        return await asyncio.get_running_loop().run_in_executor(self.executor, lambda: function(*args, **kwargs))


def _coerce(name: str, text: str, kinds: list[str]) -> Any:
    if "boolean" in kinds:
        if text.lower() not in BOOLEANS:
            raise InvalidInput(f"The query parameter {name} must be true or false, not {text!r}.")
        return BOOLEANS[text.lower()]
    if "integer" in kinds:
        if not text.removeprefix("-").isascii() or not text.removeprefix("-").isdigit():
            raise InvalidInput(f"The query parameter {name} must be an integer, not {text!r}.")
        return int(text)
    return text
