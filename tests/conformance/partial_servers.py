"""The reference server with a group of operations taken away, in the ways in which servers lack operations.

    with partial_server(Partial("iceberg", "views", "text_404")) as server: check(server.url, api="iceberg")

A group is one or several of those that the document has. A removed operation gets the answer of its form. A server that
says what it has names the others in `endpoints` of getConfig; any other has no `endpoints`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, product
from typing import Any

import orjson

from conformance.polaris.callers import CONTENT
from conformance.polaris.callers import SETTINGS as CATALOG_SETTINGS
from conformance.polaris.entities import CATALOG, CATALOG_ROLE, PRINCIPAL, PRINCIPAL_ROLE
from lakeproof import Server, serve
from reference_server.context import Reply
from reference_server.errors import CatalogError, InvalidInput, MethodNotAllowed, RouteNotFound, Unsupported
from reference_server.faults import NOWHERE, Call, Fault, Proceed
from specs.openapi import Document
from specs.profiles import find_profile
from tests.conformance.mutants import SERVED, SETTINGS, TOKEN
from tests.conformance.somebody import Polaris

CONFIG, ENDPOINTS = "getConfig", "endpoints"
HANDSHAKE = (CONFIG, "getToken", "ListNamespaces", "listCatalogs")  # operations by which a run recognises its server
GIVEN = "shop"  # a catalog for runs that can create none


ALL = "all but the handshake"
GROUPS: dict[str, tuple[str, ...]] = {
    "views": ("views",),
    "writes": ("writes",),
    "tables": ("tables", "materialized-views", "registrations", "transactions"),
    "namespaces": ("namespaces",),
    "management": ("management",),
    "policies": ("policies", "generic-tables", "notifications"),
    "indices": ("indices", "tags", "branches", "transactions"),
    "versions": ("versions",),
    "rows": ("rows",),
    ALL: (),
}
"""The groups of the document that a server lacks together."""


def _text(status: int, said: bytes) -> Callable[[Call], Reply]:
    return lambda _: Reply(status, said, "text/plain; charset=utf-8")


def _error(error: Callable[[Call], CatalogError]) -> Callable[[Call], Reply]:
    return lambda call: call.api.render(error(call), call.request)


FORMS: dict[str, Callable[[Call], Reply]] = {
    "text_404": _text(404, b"404 page not found\n"),
    "text_500": _text(500, b"Internal Server Error\n"),
    "error_404": _error(lambda _: RouteNotFound("There is no operation at this path.")),
    "error_405": _error(lambda call: MethodNotAllowed(call.request.method, ["OPTIONS"])),
    "error_406": _error(lambda call: Unsupported(f"This server does not implement {call.operation.id}.")),
    "refused": _error(lambda _: InvalidInput("Not today.")),
}
ROUTERS = ("text_404", "text_500")  # also the answers to unknown paths
NO_ROUTE = (404, 405)
CLAIMED = ("refused",)  # answers of operations that the server says to have
MISSING = [form for form in FORMS if form not in CLAIMED]
LACKED = {
    "iceberg": ("views", "writes", "tables", "namespaces", ALL),
    "lance": ("indices", "versions", "rows", "writes", "tables", "namespaces", ALL),
    "polaris": ("views", "writes", "tables", "namespaces", "policies", "management", ALL),
}
"""Groups of operations that a server of an API lacks."""


@dataclass(frozen=True)
class Partial:
    """Server of an API without a group of operations. `says` means that it names the others in `endpoints`."""

    api: str
    group: str
    form: str
    says: bool = True

    @property
    def document(self) -> Document:
        """The document of the API."""
        return find_profile(self.api).document()

    @property
    def removed(self) -> set[str]:
        """The operations that the server does not have."""
        if self.group == ALL:
            return self.document.operations.keys() - {*HANDSHAKE}
        groups = find_profile(self.api).groups()
        return {id for name in GROUPS[self.group] for id in groups.get(name, ())}

    @property
    def given(self) -> dict[str, Any]:
        """Settings of a run against the server: one that cannot create a catalog is given one."""
        known = {"token": TOKEN, **SETTINGS.get(self.api, {})}
        return known | ({"warehouse": GIVEN} if self.group == "management" else {})

    def name(self) -> str:
        """Return the words for the server."""
        return f"{self.api} without {self.group}, {self.form}{'' if self.says else ', silent'}"

    def fault(self) -> Fault:
        """Return the fault of lacking the group."""
        removed = self.removed
        unsaid = set() if self.form in CLAIMED else removed
        kept = {f"{one.method} {one.own_path}" for one in self.document.operations.values() if one.id not in unsaid}

        async def around(call: Call, proceed: Proceed) -> Reply:
            if call.operation.id in removed:
                return FORMS[self.form](call)
            reply = await proceed()
            if call.operation is NOWHERE and self.form in ROUTERS and reply.status in NO_ROUTE:
                return FORMS[self.form](call)
            return _saying(reply, kept if self.says else set()) if call.operation.id == CONFIG else reply

        return Fault(f"without {self.group}", "Operations are missing.", frozenset(), around)


def some_parts() -> Iterator[Partial]:
    """Yield a server for each API and group: each form of the missing answers comes with one of them."""
    for api, groups in LACKED.items():
        yield from (Partial(api, group, form) for group, form in zip(groups, cycle(MISSING), strict=False))
    yield Partial("iceberg", "views", "text_500", says=False)
    yield Partial("iceberg", "tables", "text_404", says=False)
    yield Partial("iceberg", "namespaces", "error_404", says=False)


def all_parts() -> Iterator[Partial]:
    """Yield a server for each API, group and form, with `endpoints` and without."""
    for api, groups in LACKED.items():
        yield from (Partial(api, *case) for case in product(groups, MISSING, (True, False)))


def _saying(reply: Reply, kept: set[str]) -> Reply:
    """Return a configuration that names only these endpoints, or has no `endpoints`."""
    config = orjson.loads(reply.body)
    if reply.status == 200:
        named = [entry for entry in config.pop(ENDPOINTS) if entry in kept]
        reply.body = orjson.dumps(config | ({ENDPOINTS: named} if named else {}))
    return reply


@contextmanager
def partial_server(partial: Partial) -> Iterator[Server]:
    """Yield the server; on one without management, somebody has created a catalog and given the caller its content."""
    with serve(partial.api, auth=f"token:{TOKEN}", **SERVED.get(partial.api, {})) as server:
        if partial.group == "management":
            _give_catalog(Polaris(server.url, TOKEN))
        server._main.faults = (partial.fault(),)
        yield server


def _give_catalog(somebody: Polaris) -> None:
    """Create a catalog with pages, and assign a role with all privileges on its content to the root principal."""
    somebody.namespace(GIVEN)
    client, place = somebody.client, CATALOG.place((GIVEN,))
    catalog = client.send(CATALOG.get, place)
    properties = {**catalog["properties"], **CATALOG_SETTINGS}
    client.send(CATALOG.update, place, {"currentEntityVersion": catalog["entityVersion"], "properties": properties})
    client.send("addGrantToCatalogRole", CATALOG_ROLE.place((GIVEN, GIVEN)), {"grant": CONTENT})
    client.send("assignPrincipalRole", PRINCIPAL.place(("root",)), PRINCIPAL_ROLE.wrapped({"name": GIVEN}))
