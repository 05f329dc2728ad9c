"""What every API family brings to the server: a document, handlers, a context and an error body."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping
from concurrent.futures import Executor
from inspect import iscoroutinefunction
from types import ModuleType
from typing import Any, Protocol

import orjson

from reference_server.context import Reply, Request, json_reply
from reference_server.errors import CatalogError, InvalidInput
from reference_server.routing import Routing
from specs.openapi import JSON_TYPE, Document, Operation
from specs.validation import Validators

Handler = Callable[[Any], Awaitable[Any]]
Prepare = Callable[[Operation, Any], None]


class Wing(Protocol):
    """One API family, mounted on the server."""

    api: str
    document: Document
    public: frozenset[str]
    """The paths below the mount that need no credentials."""

    @property
    def router(self) -> Routing:
        """What finds the operation of a path."""

    async def start(self) -> None:
        """Finish what a killed server left; called once, before the first request."""

    def state(self) -> Hashable:
        """Return a value that changes whenever the answer to a read may change."""

    async def answer(
        self, request: Request, operation: Operation, path: Mapping[str, str], executor: Executor
    ) -> Reply:
        """Check the request, run its handler and return the answer. Raises CatalogError."""

    def render(self, error: CatalogError, request: Request) -> Reply:
        """Return an error in the family's error body."""

    def close(self) -> None:
        """Give everything back."""


def find_handlers(document: Document, modules: Collection[ModuleType]) -> dict[str, Handler]:
    """Return the handler of each operation: the coroutine function with its name that one of the modules defines.

    What a module imports is not its own. Raises ValueError for an operation with two handlers.
    """
    found: dict[str, Handler] = {}
    for operation in document.operations.values():
        defining = [module for module in modules if _defines_handler(module, operation.name)]
        if len(defining) > 1:
            names = " and ".join(module.__name__ for module in defining)
            raise ValueError(f"{operation.id} has two handlers: {names}")
        if defining:
            found[operation.id] = getattr(defining[0], operation.name)
    return found


def _defines_handler(module: ModuleType, name: str) -> bool:
    found = getattr(module, name, None)
    return iscoroutinefunction(found) and found.__module__ == module.__name__


def read_json_body(
    request: Request, operation: Operation, validators: Validators, prepare: Prepare | None = None
) -> Any:
    """Return the JSON body of a request, checked against the document; None when there is none.

    Raises InvalidInput for a missing or wrong content type, for what is not JSON, and for what does
    not match the schema. An operation that declares no body may still be sent one: older clients do.
    `prepare` changes a body in place before it is checked.
    """
    declared = operation.request
    if declared is not None and JSON_TYPE not in declared.content:
        return None
    kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if declared is None:
        return _parse(request.body) if request.body and kind == JSON_TYPE else None
    if kind != JSON_TYPE:
        raise InvalidInput(f"The request needs a JSON body with Content-Type {JSON_TYPE}, not {kind or 'none'}.")
    value = _parse(request.body)
    if prepare:
        prepare(operation, value)
    for finding in validators.request_findings(operation.id, value):
        raise InvalidInput(f"The request body is wrong at {finding.pointer or 'its top'}: {finding.message}.")
    return value


def _parse(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"The request body is not JSON: {error}.") from None


def to_reply(value: Any) -> Reply:
    """Turn what a handler returned into an answer: a Reply as it is, None into an empty 200, else JSON."""
    if isinstance(value, Reply):
        return value
    return Reply() if value is None else json_reply(value)
