"""Control paths: `/_lakeproof/...`, a table of methods, paths and functions.

A new path is a line of ROUTES. Its function receives a ControlRequest and returns a value that becomes JSON, None, or a
Reply.
It raises CatalogError or Problem; a Problem becomes 400 with its message and its hint.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from reference_server.context import Reply, Request, json_reply
from reference_server.control.journal import Journal
from reference_server.control.recorded import ExpectedRequest, RecordedRequest, failure
from reference_server.control.seeds import plant_seed
from reference_server.control.tenants import Tenant, Tenants
from reference_server.errors import InvalidInput, MethodNotAllowed, RouteNotFound
from reference_server.json_text import parse
from reference_server.seeding.files import parse_seed
from reference_server.seeding.nodes import Node
from specs.identifiers import IdentifierError, decode_segment
from specs.openapi import JSON_TYPE, media_type_of
from specs.problems import Problem, did_you_mean

CONTROL = "/_lakeproof"
HEALTH, VERIFY = "/health", "/verify"
EXPECTED = ("operation", "times", "query", "headers", "parameters", "body", "exact")
HEAD, GET, POST, PUT, DELETE = "HEAD", "GET", "POST", "PUT", "DELETE"


class Place(NamedTuple):
    """Place of a request to a control path: all tenants, its own tenant, and the authority of TLS in PEM.

    Blocking work runs in the threads of `executor`.
    """

    tenants: Tenants
    tenant: Tenant
    authority: str
    executor: Executor


@dataclass(frozen=True, slots=True)
class ControlRequest:
    """A request to a control path: where it arrived, the parameters of its path, and the request itself."""

    place: Place
    path: Mapping[str, str]
    request: Request

    @property
    def tenants(self) -> Tenants:
        """All tenants of the server."""
        return self.place.tenants

    @property
    def tenant(self) -> Tenant:
        """The tenant of the request."""
        return self.place.tenant

    @property
    def executor(self) -> Executor:
        """The threads for blocking work."""
        return self.place.executor

    def query(self, name: str) -> str | None:
        """Return a query parameter, None when it is absent."""
        values = self.request.query.get(name)
        return values[-1] if values else None

    @property
    def body(self) -> Any:
        """The JSON body, None for an empty one. Raises InvalidInput."""
        if not self.request.body:
            return None
        try:
            return parse(self.request.body)
        except orjson.JSONDecodeError as error:
            raise InvalidInput(f"The body is not JSON: {error}.") from None


ControlHandler = Callable[[ControlRequest], Awaitable[Any]]


class Route(NamedTuple):
    """A control path: method, path below `/_lakeproof` with parameters in braces, function, and what it does."""

    method: str
    path: str
    handler: ControlHandler
    does: str


async def list_paths(request: ControlRequest) -> Any:
    """Return the control paths, and the path of every API."""
    shown = [{"method": route.method, "path": CONTROL + route.path, "does": route.does} for route in ROUTES]
    return {"apis": _apis(request.tenant), "paths": shown}


def _apis(tenant: Tenant) -> dict[str, str]:
    """Return the path of every API of a tenant."""
    return {api.name: f"{tenant.prefix}{mount}" for mount, api in tenant.apis.items()}


async def list_tenants(request: ControlRequest) -> Any:
    """Return the ids of the tenants."""
    return {"tenants": request.tenants.ids}


async def make_tenant(request: ControlRequest) -> Any:
    """Make a tenant, with the id of the body or a new one, unless it exists; return its id and its paths."""
    fields = Node(request.body).fields("id", "seed")
    id = fields["id"].text if "id" in fields else request.tenants.new_id()
    tenant = await request.tenants.get(id)
    created: Any = {}
    if "seed" in fields:
        try:
            created = await plant_seed(tenant, fields["seed"].value, request.executor)
        except Problem:
            await request.tenants.drop(id)
            raise
    return {"id": id, "prefix": tenant.prefix, "apis": _apis(tenant), "credentials": created}


async def drop_tenant(request: ControlRequest) -> None:
    """Drop a tenant with everything in it."""
    await request.tenants.drop(request.path["id"])


async def reset_tenant(request: ControlRequest) -> None:
    """Reset the tenant of the request to its start: catalogs, rules and journal. Raises Problem."""
    await request.tenants.reset(request.tenant)


async def list_rules(request: ControlRequest) -> Any:
    """Return the rules in force, in their order."""
    return {"rules": [running.as_json() for running in request.tenant.rules]}


async def add_rules(request: ControlRequest) -> Any:
    """Add one rule or a list of them, and return what was added. Raises Problem."""
    return {"rules": [running.as_json() for running in request.tenant.rules.add(*_rules(request.body))]}


async def replace_rules(request: ControlRequest) -> Any:
    """Put one rule or a list of them in the place of all. Raises Problem."""
    return {"rules": [running.as_json() for running in request.tenant.rules.replace(*_rules(request.body))]}


async def remove_rules(request: ControlRequest) -> None:
    """Remove all rules."""
    request.tenant.rules.clear()


async def show_rule(request: ControlRequest) -> Any:
    """Return one rule. Raises Problem."""
    return request.tenant.rules.find(request.path["id"]).as_json()


async def remove_rule(request: ControlRequest) -> None:
    """Remove one rule. Raises Problem."""
    rules = request.tenant.rules
    rules.remove(rules.find(request.path["id"]).id)


async def expire_tokens(request: ControlRequest) -> None:
    """Let all issued tokens expire, refused with the `status` in the body, if any. Raises Problem."""
    body = request.body
    request.tenant.expire_tokens(body.get("status") if isinstance(body, dict) else None)


def _rules(body: Any) -> list[Any]:
    return body if isinstance(body, list) else [body]


async def list_requests(request: ControlRequest) -> Any:
    """Return the entries of the journal, the oldest first; `operation` selects those of one operation."""
    return {"requests": _requests(request.tenant, request.query("operation"))}


async def verify_requests(request: ControlRequest) -> Any:
    """Return whether an operation was requested as the body says, and how often; see Controls.assert_requested.

    `message` has the nearest request, `idle_rules` the rules on the operation that have changed nothing.
    """
    fields = {name: node.value for name, node in Node(request.body).fields(*EXPECTED).items()}
    operation, times, tenant = fields.get("operation"), fields.get("times"), request.tenant
    if not isinstance(operation, str) or not (times is None or (isinstance(times, int) and times >= 0)):
        raise Problem("The body has no operation, or invalid times.", 'Example: {"operation": NAME, "times": 1}')
    parameters, query, headers = (fields.get(name) or {} for name in ("parameters", "query", "headers"))
    if not all(isinstance(part, Mapping) for part in (parameters, query, headers)):
        raise Problem("parameters, query and headers are objects.", 'Example: {"query": {"pageSize": "5"}}')
    expected = ExpectedRequest(parameters, query, headers, fields.get("body"), bool(fields.get("exact")))
    requests = [RecordedRequest.of(entry) for entry in _requests(tenant, operation)]
    message = failure(operation, times, expected, requests)
    return {
        "verified": not message,
        "count": sum(not expected.differences(each) for each in requests),
        "message": message,
        "idle_rules": tenant.rules.idle_on(operation),
    }


def _requests(tenant: Tenant, operation: str | None) -> list[dict[str, Any]]:
    """Return the entries of the journal, of one operation if it is given. Raises Problem for an unknown one."""
    known = {id for api in tenant.apis.values() for id in api.document.operations}
    if operation is not None and operation not in known:
        raise Problem(f"There is no operation {operation!r:.100}.", did_you_mean(operation, known))
    entries = tenant.entries(_journal(tenant))
    return [entry for entry in entries if operation in (None, entry["operation"])]


async def forget_requests(request: ControlRequest) -> None:
    """Clear the journal."""
    _journal(request.tenant).clear()


async def show_health(_request: ControlRequest) -> Any:
    """Return that the server is ready."""
    return {"ready": True}


async def show_authority(request: ControlRequest) -> Reply:
    """Return the certificate of the authority that issued the server's own. Raises RouteNotFound without one."""
    if not request.place.authority:
        raise RouteNotFound("This server has no authority of its own: start it with --tls self-signed.")
    return Reply(200, request.place.authority.encode(), "application/x-pem-file")


async def seed_tenant(request: ControlRequest) -> Any:
    """Plant the seed in the body, JSON or YAML; return the credentials that it created."""
    kind = media_type_of(request.request.headers.get("Content-Type", ""))
    text = request.request.body.decode("utf-8", "replace")
    value = request.body if kind == JSON_TYPE else parse_seed(text, "in the body")
    return {"credentials": await plant_seed(request.tenant, value, request.executor)}


def _journal(tenant: Tenant) -> Journal:
    if tenant.journal is None:
        raise Problem("This server has no journal.", "Start it without --journal none.")
    return tenant.journal


ROUTES: tuple[Route, ...] = (
    Route(GET, "", list_paths, "List these paths, and the paths of the APIs."),
    Route(GET, HEALTH, show_health, "Return 200: the server is ready. Also for other machines."),
    Route(POST, "/reset", reset_tenant, "Reset catalogs, rules and journal to the start, in memory."),
    Route(GET, "/rules", list_rules, "List the rules, and how often they were used."),
    Route(POST, "/rules", add_rules, "Add rules: texts or objects, one or a list."),
    Route(PUT, "/rules", replace_rules, "Replace all rules."),
    Route(DELETE, "/rules", remove_rules, "Remove all rules."),
    Route(GET, "/rules/{id}", show_rule, "Show a rule, and how often it was used."),
    Route(DELETE, "/rules/{id}", remove_rule, "Remove a rule."),
    Route(POST, "/tokens/expire", expire_tokens, "Let all issued tokens expire."),
    Route(GET, "/requests", list_requests, "List the latest requests with their answers: ?operation=NAME."),
    Route(
        POST, f"/requests{VERIFY}", verify_requests, "Verify requests: {operation, times, query, headers, body, ...}."
    ),
    Route(DELETE, "/requests", forget_requests, "Forget the requests."),
    Route(GET, "/ca.pem", show_authority, "Return the certificate of the authority to trust, with --tls self-signed."),
    Route(POST, "/seed", seed_tenant, "Plant a seed: JSON, or YAML as application/yaml."),
    Route(GET, "/tenants", list_tenants, "List the tenants of the server."),
    Route(POST, "/tenants", make_tenant, "Make a tenant: {id, seed}, both optional."),
    Route(DELETE, "/tenants/{id}", drop_tenant, "Drop a tenant with everything in it."),
)


async def answer(place: Place, request: Request, path: str) -> Reply:
    """Answer a request to a control path, given below `/_lakeproof`.

    Raises CatalogError: RouteNotFound, MethodNotAllowed, InvalidInput, and the errors of the function.
    """
    route, parameters = _route(request.method, path)
    try:
        value = await route.handler(ControlRequest(place, parameters, request))
    except Problem as problem:
        raise InvalidInput(f"{problem.message} {problem.hint}".strip()) from None
    if isinstance(value, Reply):
        return value
    return Reply(204) if value is None else json_reply(value)


def _route(method: str, path: str) -> tuple[Route, dict[str, str]]:
    """Return the route of a path and the parameters in it. Raises RouteNotFound, MethodNotAllowed and InvalidInput."""
    segments = path.strip("/").split("/")
    fitting = [(route, values) for route in ROUTES if (values := _parameters(route.path, segments)) is not None]
    if not fitting:
        hint = did_you_mean(path, {route.path for route in ROUTES if route.path})
        raise RouteNotFound(f"There is no control path {CONTROL}{path:.100}. {hint}")
    for route, values in fitting:
        if route.method == method or (route.method, method) == (GET, HEAD):
            return route, values
    raise MethodNotAllowed(method, [route.method for route, _ in fitting])


def _parameters(pattern: str, segments: list[str]) -> dict[str, str] | None:
    """Return the decoded parameters of a path that fits a pattern, None for any other path."""
    expected = pattern.strip("/").split("/")
    if len(expected) != len(segments):
        return None
    parameters = {}
    for name, value in zip(expected, segments, strict=True):
        if name.startswith("{"):
            parameters[name[1:-1]] = _decoded(value)
        elif name != value:
            return None
    return parameters


def _decoded(segment: str) -> str:
    try:
        return decode_segment(segment)
    except IdentifierError as error:
        raise InvalidInput(f"The path cannot be read: {error}.") from None
