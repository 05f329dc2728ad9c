"""Planting of seeds: the part of each API becomes steps, and every step calls operations of the API.

All parts are read before the first step, with their rows: only a request that the server refuses leaves a seed half
planted.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson

from reference_server.auth import Principal
from reference_server.context import Reply, Request, run_in_thread
from reference_server.errors import CatalogError, Conflict
from reference_server.seeding.nodes import Node
from specs.openapi import JSON_TYPE, Document, Operation

Answer = Callable[[Request, Operation, Mapping[str, str], Executor], Awaitable[Reply]]


@dataclass
class Planter:
    """Calls operations for a seed, as a principal who may do everything.

    `credentials` are those that the steps have created, by the names of their owners; `notes` is their memory.
    """

    document: Document
    principal: Principal
    answer: Answer
    executor: Executor
    credentials: dict[str, Any] = field(default_factory=dict)
    notes: dict[Any, Any] = field(default_factory=dict)

    async def call(
        self, node: Node, operation: str, path: Mapping[str, str] | None = None, body: Any = None, **query: str
    ) -> Any:
        """Call an operation for a place of the seed and return the value of its answer.

        Raises Problem with the place for an operation that the API lacks, and for a refused request.
        """
        try:
            return await self.attempt(node, operation, path, body, **query)
        except CatalogError as error:
            raise node.problem(error.message) from None

    async def call_unless_exists(
        self, node: Node, operation: str, path: Mapping[str, str] | None = None, body: Any = None
    ) -> None:
        """Call an operation that creates something, unless it exists. Raises the errors of `call`."""
        try:
            await self.attempt(node, operation, path, body)
        except Conflict:
            return
        except CatalogError as error:
            raise node.problem(error.message) from None

    async def attempt(
        self, node: Node, operation: str, path: Mapping[str, str] | None = None, body: Any = None, **query: str
    ) -> Any:
        """Call an operation; see `call`. Raises the CatalogError of a refusal."""
        found = self.document.operations.get(operation)
        if found is None:
            raise node.problem(f"the API has no {operation} in this revision")
        kind = next(iter(found.request.content), JSON_TYPE) if found.request and isinstance(body, bytes) else JSON_TYPE
        content = body if isinstance(body, bytes) else b"" if body is None else orjson.dumps(body)
        request = Request("seed", found.method, f"/?{urlencode(query)}", {"Content-Type": kind}, content)
        request.principal = self.principal
        reply = await self.answer(request, found, path or {}, self.executor)
        return orjson.loads(reply.body) if reply.body else None

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run blocking work in a thread."""
        return await run_in_thread(self.executor, partial(function, *arguments))


class Step(NamedTuple):
    """A step of a seed: its place, and the function that carries it out."""

    node: Node
    plant: Callable[[Planter], Awaitable[None]]
