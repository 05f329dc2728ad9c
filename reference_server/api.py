"""Base class of an API: a document, handlers, a context, an error body, and authorization."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from inspect import iscoroutinefunction
from types import ModuleType
from typing import Any, ClassVar

import orjson

from reference_server import limits
from reference_server.auth import ANONYMOUS, Auth, Principal
from reference_server.backends import Backend
from reference_server.body_fields import NULL, drop_nulls
from reference_server.context import Context, Reply, Request, json_reply, run_in_thread
from reference_server.errors import (
    BodyTooLarge,
    CatalogError,
    InvalidInput,
    Unsupported,
    error_kind,
    invalid_at,
)
from reference_server.json_text import parse
from reference_server.options import Options
from reference_server.routing import Router, Routing
from reference_server.seeding.nodes import Node
from reference_server.seeding.planting import Step
from reference_server.selectors import refuse_selectors
from reference_server.shared_parts import SharedParts
from specs.apis import find_api
from specs.identifiers import UNIT_SEPARATOR, IdentifierError, decode_segment
from specs.openapi import JSON_TYPE, Document, Operation, media_type_of
from specs.profiles import Profile
from specs.validation import Mismatch, Validators

Handler = Callable[[Any], Awaitable[Any]]
Prepare = Callable[[Operation, Any], None]
InvalidBody = Callable[[Operation, Mismatch], CatalogError]


@dataclass(frozen=True, slots=True)
class Setup:
    """Arguments of every API: its profile and document, its storage, its authentication.

    `page_size` is the largest page of a listing. `shared` are the parts that the tenants have in common, and `tenant`
    is the id of the tenant, "" for the main one.
    """

    profile: Profile
    document: Document
    backend: Backend
    auth: Auth
    page_size: int
    shared: SharedParts = field(default_factory=SharedParts)
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class RequestTarget:
    """Path parameters and checked body of a request, for authorization."""

    path: Mapping[str, str]
    body: Any
    request: Request


class Api(ABC):
    """One API, mounted on the server. The package `reference_server.<api>` exports its class as `API`.

    Class attributes: the `handler_modules`; the `options` of its server; the faults for developers of clients
    (`client_faults`, names by group); whether clients read files themselves (`needs_files`); the headers, beside the
    content type, on which answers depend (`varying`); the paths below the mount that need no credentials (`public`);
    and the operations whose rejected bodies contain secrets and are never quoted (`secretive`).
    """

    handler_modules: ClassVar[Collection[ModuleType]] = ()
    options: ClassVar[type[Options]] = Options
    client_faults: ClassVar[Mapping[str, Sequence[str]]] = {}
    needs_files: ClassVar[bool] = False
    varying: ClassVar[tuple[str, ...]] = ()
    public: frozenset[str] = frozenset()
    secretive: ClassVar[frozenset[str]] = frozenset()
    router: Routing

    def __init__(self, setup: Setup, _options: Any) -> None:
        """Assemble the API from options of the class `options`. Raises Problem for options that cannot be served."""
        self.name = setup.profile.api
        self.document = setup.document
        self.backend = setup.backend
        self.auth = setup.auth
        self._profile = setup.profile
        document, shared = setup.document, setup.shared
        self.handlers = shared.once("handlers", lambda: find_handlers(document, self.handler_modules))
        self.router = shared.once("router", lambda: Router(document))
        self._validators = shared.once("validators", lambda: Validators(document))
        self._selectors = find_api(setup.profile.api).selectors

    async def start(self) -> None:  # noqa: B027 - not every API has something to do
        """Complete the unfinished work of a killed server; called once, before the first request."""

    def state(self) -> Hashable:
        """Return a value that changes whenever the answer to a read may change."""
        return self.backend.storage.version()

    def authenticate(self, headers: Mapping[str, str]) -> Principal:
        """Return the caller. Raises Unauthenticated."""
        return self.auth.authenticate(headers)

    @property
    def mount(self) -> str:
        """The mount of the API on a server of several APIs."""
        return self._profile.mount

    @property
    def issues_tokens(self) -> bool:
        """Whether the server issues the tokens of its callers, which may expire."""
        return self.auth.client is not None

    def authorize(self, principal: Principal, operation: Operation, target: RequestTarget) -> None:  # noqa: B027
        """Authorize a principal for an operation, or raise PermissionDenied.

        Cached answers must not outlive a change of rights. By default every principal may do everything.
        """

    def invalid_body(self, _operation: Operation, mismatch: Mismatch) -> CatalogError:
        """Return the error for a JSON body that violates the schema of its operation."""
        return InvalidInput(invalid_at(mismatch.pointer, mismatch.message))

    def prepare(self, operation: Operation, body: Any) -> None:  # noqa: B027 - not every API has something to do
        """Change a JSON body in place before validation, where clients are known to send another form."""

    def route(self, method: str, path: str) -> tuple[Operation, dict[str, str]]:
        """Return the operation of a path below the mount, and its decoded path parameters.

        Leading slashes are ignored: clients with a base URL that ends in a slash send two. Raises CatalogError.
        """
        try:
            segments = [decode_segment(part) if "%" in part else part for part in path.lstrip("/").split("/")]
        except IdentifierError as error:
            raise InvalidInput(f"The path cannot be read: {error}.") from None
        return self.router.match(method, segments)

    @property
    def seeder(self) -> Principal:
        """The principal that plants seeds, who may do everything."""
        return ANONYMOUS

    def read_seed(self, seed: Node) -> list[Step]:
        """Return the steps that plant a seed. Raises Problem for a seed that the API cannot have."""
        raise seed.problem(f"there are no seeds for {self.name}")

    @abstractmethod
    def context(
        self, request: Request, operation: Operation, path: Mapping[str, str], body: Any, executor: Executor
    ) -> Context:
        """Return the context that the handler of an operation receives. Raises CatalogError."""

    async def answer(
        self, request: Request, operation: Operation, path: Mapping[str, str], executor: Executor
    ) -> Reply:
        """Validate the request, run its handler and return the answer. Raises CatalogError."""
        handler = self.handlers.get(operation.id)
        if handler is None:
            raise Unsupported(f"This server does not implement {operation.id}.")
        body = await self._read_body(request, operation, executor)
        self.authorize(request.principal, operation, RequestTarget(path, body, request))
        if self._selectors.names:
            refuse_selectors(self._selectors, self.document, operation, request.query, body)
        context = self.context(request, operation, path, body, executor)
        reply = await self.run(handler, context)
        reply.reusable, reply.still_valid = context.reusable, context.still_valid
        return reply

    async def _read_body(self, request: Request, operation: Operation, executor: Executor) -> Any:
        quoted = operation.id not in self.secretive
        read = partial(
            read_json_body, request, operation, self._validators, self.prepare, self.invalid_body, quoted=quoted
        )
        return read() if len(request.body) <= limits.INLINE else await run_in_thread(executor, read)

    def body_mismatch(self, request: Request, operation: Operation) -> Mismatch | None:
        """Return in which way the body of a request violates the document, None if it does not."""
        found: list[Mismatch] = []

        def note(_operation: Operation, mismatch: Mismatch) -> CatalogError:
            found.append(mismatch)
            return InvalidInput(mismatch.message)

        quoted = operation.id not in self.secretive
        try:
            read_json_body(request, operation, self._validators, self.prepare, note, quoted=quoted)
        except CatalogError as error:
            return found[0] if found else Mismatch("", error.message)
        return None

    async def run(self, handler: Handler, context: Context) -> Reply:
        """Run a handler and convert its result to an answer. Raises CatalogError."""
        return to_reply(await handler(context))

    @abstractmethod
    def render(self, error: CatalogError, request: Request) -> Reply:
        """Return an error in the error body of the API."""

    @property
    def groups(self) -> Mapping[str, frozenset[str]]:
        """The operations of each group that a server may lack."""
        return self.document.once("groups", self._profile.groups)

    @property
    def known_errors(self) -> Collection[str]:
        """The names by which clients know the errors of the API."""
        return ()

    def error_of(self, operation: Operation, status: int, name: str, message: str) -> CatalogError:
        """Return an error with any status; `name` is one of `known_errors`, "" for the usual one of the operation."""
        return error_kind(status, name)(message)

    def objects(self, operation: Operation, path: Mapping[str, str]) -> dict[str, str]:
        """Return the names of the objects in a path by their kind; the levels of a name have dots between them."""
        return {name: value.replace(UNIT_SEPARATOR, ".") for name, value in path.items()}

    def close(self) -> None:
        """Release all resources."""
        self.backend.close()


def find_handlers(document: Document, modules: Collection[ModuleType]) -> dict[str, Handler]:
    """Return the handler of each operation: the coroutine function of the operation's name that a module defines.

    Imported functions do not count. Raises ValueError for an operation with two handlers.
    """
    handlers: dict[str, Handler] = {}
    for operation in document.operations.values():
        defining = [module for module in modules if _defines_handler(module, operation.name)]
        if len(defining) > 1:
            names = " and ".join(module.__name__ for module in defining)
            raise ValueError(f"{operation.id} has two handlers: {names}")
        if defining:
            handlers[operation.id] = getattr(defining[0], operation.name)
    return handlers


def _defines_handler(module: ModuleType, name: str) -> bool:
    member = getattr(module, name, None)
    return iscoroutinefunction(member) and member.__module__ == module.__name__


def read_json_body(
    request: Request,
    operation: Operation,
    validators: Validators,
    prepare: Prepare,
    invalid_body: InvalidBody,
    *,
    quoted: bool = True,
) -> Any:
    """Return the JSON body of a request, validated against the document; None when there is none.

    Raises InvalidInput for a missing or wrong content type and for invalid JSON, the error that `invalid_body` returns
    for a body that violates the schema, and BodyTooLarge. A body is accepted for an operation that declares none, as
    older clients send one; an operation whose body is optional accepts none. `prepare` changes a body in place before
    validation, and null for an optional field counts as its absence. Errors quote the body only if it may be `quoted`.
    """
    declared = operation.request
    if declared is not None and JSON_TYPE not in declared.content:
        return None
    kind = media_type_of(request.headers.get("Content-Type", ""))
    if declared is None:
        return _undeclared_body(request.body) if request.body and kind == JSON_TYPE else None
    if not declared.required and not request.body:
        return None
    if kind != JSON_TYPE:
        raise InvalidInput(f"The request needs a JSON body with Content-Type {JSON_TYPE}, not {kind or 'none'}.")
    value = _parse(request.body)
    prepare(operation, value)
    if NULL in request.body:  # few bodies contain null: the others need no walk
        drop_nulls(validators.document, operation, value)
    mismatch = validators.first_request_mismatch(operation.id, value, quoted=quoted)
    if mismatch is not None:
        raise invalid_body(operation, mismatch)
    return value


def _undeclared_body(body: bytes) -> dict[str, Any] | None:
    """Return the JSON object that a client sends to an operation without a body, None for null."""
    value = _parse(body)
    if value is not None and not isinstance(value, dict):
        raise InvalidInput("The request body is invalid at its top: it is not an object.")
    return value


def _parse(body: bytes) -> Any:
    if len(body) > limits.JSON:
        raise BodyTooLarge(f"The body is larger than {limits.JSON} bytes, the most that a JSON body may have.")
    try:
        return parse(body)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"The request body is not JSON: {error}.") from None


def to_reply(value: Any) -> Reply:
    """Convert a handler's result to an answer: a Reply unchanged, None to an empty 200, anything else to JSON."""
    if isinstance(value, Reply):
        return value
    return Reply() if value is None else json_reply(value)
