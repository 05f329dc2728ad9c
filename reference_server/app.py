"""HTTP application, the only module that knows HTTP: from a request on the wire to an answer on the wire.

In this order: find the API by its mount, authenticate, read the body, apply faults, route by the document, let the API
answer. Every failure becomes an answer in the API's error body. Only a bug returns 500, and its traceback is logged
under the request id. Requests to control paths pass a guard of their own instead.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import orjson
from aiohttp import ClientPayloadError, web

from reference_server import limits
from reference_server.access_log import AccessLog
from reference_server.answers import key_of
from reference_server.api import Api
from reference_server.context import Reply, Request, json_reply, run_in_thread
from reference_server.control import paths
from reference_server.control.guard import Guard, check_site
from reference_server.control.notes import undeclared
from reference_server.control.tenants import TENANT, Tenant, Tenants
from reference_server.encodings import unpacked
from reference_server.errors import BodyTooLarge, CatalogError, Internal, InvalidInput, TokenExpired, Unauthenticated
from reference_server.faults import HEADER, NOWHERE, Call, Fault, apply_faults, refused_header, requested_faults
from reference_server.http_log import log_seldom
from reference_server.machine import machine_fault
from reference_server.responses import to_response
from reference_server.tls import Tls
from reference_server.workers import Workers
from specs.openapi import Operation

log = logging.getLogger("lakeproof.server")
WORKERS = 8
PACKED_INLINE = limits.INLINE >> 10  # unpacking makes up to a thousand times as much
ABSOLUTE = re.compile(r"^https?://[^/?#]+", re.IGNORECASE)
HEADERS = 256  # cached headers of requests that ask for faults
PASSED_ON = (asyncio.CancelledError, ConnectionAbortedError, KeyboardInterrupt, SystemExit)


@dataclass
class App:
    """Request handler of the server; `listener` receives every entry of the journals."""

    tenants: Tenants
    guard: Guard
    allow_faults: bool = False
    strict: bool = False
    max_body: int = 64 << 20
    access_log: AccessLog | None = None
    listener: Callable[[dict[str, Any]], object] | None = None
    tls: Tls | None = None
    executor: Workers = field(default_factory=lambda: Workers(WORKERS, "lakeproof"))
    boot: str = field(default_factory=lambda: secrets.token_hex(4))
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        documents = [api.document for api in self.tenants.main.apis.values()]
        self._requested = lru_cache(HEADERS)(lambda header: requested_faults(header, documents))

    async def handle(self, raw: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        started = time.perf_counter()
        request = Request(f"{self.boot}-{next(self.numbers)}", raw.method, _origin_form(raw.raw_path), raw.headers)
        if self.tls is not None:
            request.scheme = "https"
        tenant = self.tenants.main
        try:
            if request.target.startswith(TENANT):
                check_site(request.headers)
                tenant = await self.tenants.of(request.target)
            reply = await self._reply(raw, tenant, request)
        except ConnectionAbortedError:
            reply = Reply(0)
        except CatalogError as error:  # of the tenant
            reply = _render(None, error, request)
        seconds = time.perf_counter() - started
        if self.access_log is not None:
            self.access_log.write(request, tenant.route(request)[0], reply, seconds)
        if tenant.journal is not None and not _is_control(tenant, request):
            exchange = tenant.journal.add(request, reply, seconds)
            if self.listener is not None:
                self.listener(tenant.next_entry(exchange))
        if reply.status == 0:
            return _drop_connection(raw)
        return to_response(reply, raw, request.id)

    async def _reply(self, raw: web.BaseRequest, tenant: Tenant, request: Request) -> Reply:
        api: Api | None = None
        try:
            if _is_control(tenant, request):
                return await self._control(raw, request, tenant)
            api, mount = tenant.find_api(request.target)
            denied = self._denial(api, mount, request)
            if not denied:
                request.body = await self._plain_body(raw)
                if self.strict:
                    _refuse_undeclared(api, mount, request)
            faults = self._active_faults(tenant, request)
            if not denied and not faults:
                return await self._plain_reply(tenant, api, mount, request)
            operation, path, unrouted = _route_or_nowhere(api, mount, request)
            call = Call(api.document, request, operation, path, tenant.state, api)
            return await apply_faults(faults, call, lambda: self._answer(call.api, call, unrouted or denied))
        except CatalogError as error:
            return _render(api, error, request)
        except PASSED_ON:
            raise
        except BaseException as error:  # a panic of a native library is not an Exception
            return self._failure(api, request, error)

    async def _control(self, raw: web.BaseRequest, request: Request, tenant: Tenant) -> Reply:
        """Answer a request to a control path of a tenant. Raises CatalogError."""
        path = request.path[len(tenant.prefix + paths.CONTROL) :]
        if path != paths.HEALTH:
            self.guard.check(request.method, request.headers, _peer(raw))
        request.body = await self._plain_body(raw)
        authority = self.tls.authority if self.tls else ""
        return await paths.answer(paths.Place(self.tenants, tenant, authority, self.executor), request, path)

    async def _plain_reply(self, tenant: Tenant, api: Api, mount: str, request: Request) -> Reply:
        """Answer without faults: from the cache if possible, else by the API, and cache a reusable answer."""
        state, key = api.state(), key_of(request, api.varying)
        answer = tenant.kept_answers.recall(key, state)
        if answer is not None:
            return answer
        reply = await api.answer(request, *_route(api, mount, request), self.executor)
        if reply.reusable:
            tenant.kept_answers.keep(key, state, reply)
        return reply

    def _denial(self, api: Api, mount: str, request: Request) -> CatalogError | None:
        """Authenticate the caller and return the refusal, None when there is none. The body is not read before."""
        if api.public and "/" + request.path[len(mount) :].lstrip("/") in api.public:
            return None
        try:
            request.principal = api.authenticate(request.headers)
        except TokenExpired as denied:
            operation, _, _ = _route_or_nowhere(api, mount, request)
            declared = str(denied.status) in operation.responses
            return denied if declared else Unauthenticated(denied.message)
        except CatalogError as denied:
            return denied
        return None

    async def _answer(self, api: Api, call: Call, refusal: CatalogError | None) -> Reply:
        if refusal:
            return api.render(refusal, call.request)
        try:
            return await api.answer(call.request, call.operation, call.path, self.executor)
        except CatalogError as error:
            return api.render(error, call.request)
        except PASSED_ON:
            raise
        except BaseException as error:  # a panic of a native library is not an Exception
            return self._failure(api, call.request, error)

    def _failure(self, api: Api | None, request: Request, error: BaseException) -> Reply:
        """Return the answer for an error that no handler expected: 503 for a failure of the machine, else 500."""
        fault = machine_fault(error)
        if fault is not None:
            log_seldom(f"request {request.id}: {fault.message}")
            return _render(api, fault, request)
        log.error("request %s: %s %s", request.id, request.method, request.path, exc_info=error)
        message = f"This is a bug in the reference server; its log has the traceback under {request.id}."
        return _render(api, Internal(message), request)

    def _active_faults(self, tenant: Tenant, request: Request) -> list[Fault]:
        header = request.headers.get(HEADER)
        if header is not None and not self.allow_faults:  # without its fault a client's test would pass for no reason
            raise refused_header(f"This server takes no {HEADER}: start it with --allow-faults.")
        active = [*tenant.faults, *tenant.rules.faults] if tenant.faults or tenant.rules.faults else ()
        requested = self._requested(header) if header else ()
        return [*active, *requested] if active or requested else []

    async def _plain_body(self, raw: web.BaseRequest) -> bytes:
        """Return the decoded body. Raises BodyTooLarge, and InvalidInput for a body that cannot be read."""
        try:
            body = await self._body(raw)
        except (web.RequestPayloadError, ClientPayloadError) as error:
            raise InvalidInput(f"The body breaks off: {error!s:.200}.") from None
        except ConnectionError:
            raise ConnectionAbortedError from None
        encoding = raw.headers.get("Content-Encoding")
        if encoding is None:
            return body
        unpack = partial(unpacked, body, encoding, self.max_body)
        return unpack() if len(body) <= PACKED_INLINE else await run_in_thread(self.executor, unpack)

    async def _body(self, raw: web.BaseRequest) -> bytes:
        if (raw.content_length or 0) > self.max_body:
            raise self._too_large()
        if raw.headers.get("Expect", "").lower() == "100-continue" and raw.transport:
            raw.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if not raw.body_exists:
            return b""
        if raw.content.is_eof() and raw.content.total_bytes <= self.max_body:
            return await raw.content.read()
        body = bytearray()
        async for chunk in raw.content.iter_any():
            body += chunk
            if len(body) > self.max_body:
                raise self._too_large()
        return bytes(body)

    def _too_large(self) -> BodyTooLarge:
        return BodyTooLarge(f"The body is larger than {self.max_body} bytes.", {"Connection": "close"})

    def close(self) -> None:
        """Wait a moment for work in threads, then release the resources of every API."""
        self.executor.shutdown(wait=True, cancel_futures=True)
        self.tenants.close()


def _refuse_undeclared(api: Api, mount: str, request: Request) -> None:
    """Raise InvalidInput for a request with something that the document does not declare."""
    operation, _ = _route(api, mount, request)
    try:
        body = orjson.loads(request.body) if request.body else None
    except orjson.JSONDecodeError:
        body = None  # the API refuses it, or it is no JSON
    notes = list(undeclared(api.document, operation, request.path, request.query, body))
    if notes:
        raise InvalidInput(" ".join(map(str, notes)))


def _is_control(tenant: Tenant, request: Request) -> bool:
    return request.target.startswith(paths.CONTROL, len(tenant.prefix))


def _peer(raw: web.BaseRequest) -> str:
    """Return the address of a client, "" for an unknown one."""
    name = raw.transport.get_extra_info("peername") if raw.transport else None
    return str(name[0]) if isinstance(name, tuple) else ""


def _origin_form(target: str) -> str:
    """Return a request target without scheme and host, which clients of proxies send: RFC 9112, section 3.2.2."""
    if target.startswith("/"):
        return target
    rest = ABSOLUTE.sub("", target, count=1)
    return rest if rest.startswith("/") or rest == target else f"/{rest}"


def _route(api: Api, mount: str, request: Request) -> tuple[Operation, dict[str, str]]:
    return api.route(request.method, request.path[len(mount) :])


def _route_or_nowhere(api: Api, mount: str, request: Request) -> tuple[Operation, dict[str, str], CatalogError | None]:
    """Route a request, to NOWHERE with the reason if it has no operation: faults may apply to its answer, too."""
    try:
        return (*_route(api, mount, request), None)
    except CatalogError as error:
        return NOWHERE, {}, error


def _render(api: Api | None, error: CatalogError, request: Request) -> Reply:
    if api is not None:
        return api.render(error, request)
    reply = json_reply(
        {"error": {"message": error.message, "type": type(error).__name__, "code": error.status}},
        error.status,
    )
    reply.headers.update(error.headers)
    return reply


def _drop_connection(raw: web.BaseRequest) -> web.Response:
    if raw.transport is not None:
        raw.transport.abort()
    return web.Response(status=499)
