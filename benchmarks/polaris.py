"""Apache Polaris: management, and the catalog with access control beside the Iceberg API without it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import urllib3

from benchmarks.servers import Running, reference
from benchmarks.workloads import RequestLoad, Row, interleaved, measured
from conformance.iceberg.support.content import SCHEMA

MANAGEMENT, CATALOG = "/api/management/v1", "/api/catalog/v1"
CREDENTIALS = ("root", "s3cr3t")
LAKE, ROLES = "lake", 100
OPEN = "Iceberg"  # the API without access control
FEW, MANY = 10, 1_000  # grants of a caller
MANAGING = (
    RequestLoad("getPrincipal", "/principals/root", "GET"),
    RequestLoad("getPrincipal, not cached", "/principals/root?n={n}", "GET"),
    RequestLoad(f"listPrincipalRoles, {ROLES}, not cached", "/principal-roles?n={n}", "GET"),
    RequestLoad("listGrantsForCatalogRole", f"/catalogs/{LAKE}/catalog-roles/catalog_admin/grants", "GET"),
    RequestLoad("createPrincipalRole", "/principal-roles", body=b'{"principalRole": {"name": "r{n}"}}'),
)
TABLES = (
    RequestLoad("loadTable", "/namespaces/ns/tables/t", "GET"),
    RequestLoad("loadTable, not cached", "/namespaces/ns/tables/t?n={n}", "GET"),
    RequestLoad("createTable", "/namespaces/ns/tables", body=json.dumps({"name": "c{n}", "schema": SCHEMA}).encode()),
)
NOT_CACHED = TABLES[1]


class Manager:
    """Sender of the requests that prepare a server."""

    def __init__(self, server: Running) -> None:
        self.server = server

    def send(self, path: str, body: Any, method: str = "POST") -> Any:
        """Send a JSON body and return the response. Raises RuntimeError for a rejected request."""
        return self._send(method, path, json.dumps(body), {"Content-Type": "application/json", **self.server.headers})

    def logged_in(self, client_id: str, secret: str) -> Running:
        """Return the server with a token for the caller's credentials."""
        form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret}
        body = urlencode({**form, "scope": "PRINCIPAL_ROLE:ALL"})
        answer = self._send(
            "POST", f"{CATALOG}/oauth/tokens", body, {"Content-Type": "application/x-www-form-urlencoded"}
        )
        return replace(self.server, headers={"Authorization": f"Bearer {answer['access_token']}"})

    def _send(self, method: str, path: str, body: str, headers: dict[str, str]) -> Any:
        answer = urllib3.request(method, self.server.url + path, body=body, headers=headers)
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path} was rejected: {answer.data[:300]!r}")
        return answer.json() if answer.data else None


def _caller(manager: Manager, name: str, grants: int) -> Running:
    """Create a principal with a number of grants; one allows it to read tables, the others are on other namespaces."""
    credentials = manager.send(f"{MANAGEMENT}/principals", {"principal": {"name": name}})["credentials"]
    manager.send(f"{MANAGEMENT}/principal-roles", {"principalRole": {"name": name}})
    manager.send(f"{MANAGEMENT}/catalogs/{LAKE}/catalog-roles", {"catalogRole": {"name": name}})
    manager.send(f"{MANAGEMENT}/principal-roles/{name}/catalog-roles/{LAKE}", {"catalogRole": {"name": name}}, "PUT")
    manager.send(f"{MANAGEMENT}/principals/{name}/principal-roles", {"principalRole": {"name": name}}, "PUT")
    for number in range(grants):
        namespace = "ns" if number == 0 else f"other{number}"
        grant = {"type": "namespace", "namespace": [namespace], "privilege": "TABLE_READ_PROPERTIES"}
        manager.send(f"{MANAGEMENT}/catalogs/{LAKE}/catalog-roles/{name}/grants", {"grant": grant}, "PUT")
    return manager.logged_in(credentials["clientId"], credentials["clientSecret"])


def _filled(server: Running, folder: Path) -> Manager:
    """Fill a server with a catalog, a table and some principal roles; return the manager for root."""
    manager = Manager(Manager(server).logged_in(*CREDENTIALS))
    base = {"default-base-location": f"file://{folder.absolute()}/lake"}
    storage = {"storageConfigInfo": {"storageType": "FILE"}}
    catalog = {"name": LAKE, "type": "INTERNAL", "properties": base, **storage}
    manager.send(f"{MANAGEMENT}/catalogs", {"catalog": catalog})
    _add_tables(manager, f"{CATALOG}/{LAKE}")
    for number in range(ROLES):
        manager.send(f"{MANAGEMENT}/principal-roles", {"principalRole": {"name": f"x{number:03}"}})
    return manager


def _add_tables(manager: Manager, place: str) -> None:
    manager.send(f"{place}/namespaces", {"namespace": ["ns"]})
    manager.send(f"{place}/namespaces/ns/tables", {"name": "t", "schema": SCHEMA})


def operations_polaris(folder: Path) -> Iterator[Row]:
    """Measure management on both backends, and tables of Polaris beside tables of the Iceberg API."""
    options = ("--bootstrap", ":".join(CREDENTIALS))
    with ExitStack() as stack:
        managers = [
            _filled(stack.enter_context(reference("polaris", storage, options=options)), folder / storage[:3])
            for storage in ("memory", f"dir:{folder / 'operations'}")
        ]
        for load in MANAGING:
            placed = {manager.server.name: (replace(manager.server, base=MANAGEMENT), load) for manager in managers}
            yield from measured(load.quantity, placed)
        plain = stack.enter_context(reference("iceberg", "memory", "/v1"))
        _add_tables(Manager(plain), "/v1")
        for load in TABLES:
            placed = {
                manager.server.name: (replace(manager.server, base=f"{CATALOG}/{LAKE}"), load) for manager in managers
            }
            yield from measured(load.quantity, {**placed, OPEN: (plain, load)}, (OPEN,))


def grants_polaris(folder: Path) -> Iterator[Row]:
    """Measure a request of a caller with few grants, and of a caller with many."""
    with reference("polaris", "memory", options=("--bootstrap", ":".join(CREDENTIALS))) as server:
        manager = _filled(server, folder)
        for number in range(1, MANY):
            manager.send(f"{CATALOG}/{LAKE}/namespaces", {"namespace": [f"other{number}"]})
        callers = {f"{count} grants": _caller(manager, f"with{count}", count) for count in (FEW, MANY)}
        placed = {name: (replace(caller, base=f"{CATALOG}/{LAKE}"), NOT_CACHED) for name, caller in callers.items()}
        speeds = interleaved(placed).per_second
        few, many = speeds.values()
        yield Row(NOT_CACHED.quantity, speeds, "/s", f"{few / many:.2f}x as long with {MANY} grants as with {FEW}")


BENCHMARKS = (operations_polaris, grants_polaris)
