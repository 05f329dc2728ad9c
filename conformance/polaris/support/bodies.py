"""Bodies of all operations of Polaris that accept one, with all their fields, and requests with these bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.http.answers import Answer
from conformance.iceberg.client import names_below_prefix
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG, ENTITIES
from conformance.polaris.storage import AUTHENTICATIONS, CONNECTIONS, EACH, HERE, OAUTH, StorageType
from conformance.polaris.support.catalogs import changed, connected
from conformance.polaris.support.grants import ADD, REVOKE, SECURABLES, GrantableType
from specs.openapi import Operation

PROPERTIES = {"a": "1"}
SET_BY_SERVERS = {"createTimestamp": 1, "lastUpdateTimestamp": 1, "entityVersion": 1}
POLICY = {"description": "nightly", "content": '{"enable": true}'}
Body = Callable[[PolarisCatalog, str], Any]  # builds a body with a name of the run
Bodies = Mapping[str, Body]  # by what distinguishes them, "" for a single one


@dataclass(frozen=True, slots=True)
class PolarisRequest:
    """Ordinary request: the arguments of PolarisCatalog.send except the operation."""

    path: Mapping[str, Any]
    body: Any
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)

    def with_content(self, body: Any) -> PolarisRequest:
        """Return the request with another JSON body."""
        return replace(self, body=body)

    def send(self, catalog: PolarisCatalog, operation: str) -> Answer:
        """Send the request and accept any status."""
        return catalog.send(operation, self.path, self.body, query=self.query, headers=dict(self.headers), expect=None)


def prepared(operation: Operation, body: Body) -> Callable[[PolarisCatalog, str], PolarisRequest]:
    """Return a function that prepares a request with a body, and creates the objects of a management path."""

    def prepare(catalog: PolarisCatalog, _name: str) -> PolarisRequest:
        managed = "{prefix}" not in operation.path and names_below_prefix(operation)
        name = catalog.new_thing() if managed else catalog.target.new_name()
        return PolarisRequest(catalog.any_path(operation, name), body(catalog, name))

    return prepare


def _catalog(storage: StorageType) -> Body:
    return lambda catalog, name: CATALOG.wrapped({**_value(catalog, name, storage), **SET_BY_SERVERS})


def _external(connection: dict[str, Any], authentication: dict[str, Any] = OAUTH) -> Body:
    return lambda catalog, name: CATALOG.wrapped(
        {**connected(catalog.value(CATALOG, (name,)), connection, authentication), **SET_BY_SERVERS}
    )


def _update(storage: StorageType) -> Body:
    return lambda catalog, name: {
        "currentEntityVersion": 1,
        "properties": PROPERTIES,
        "storageConfigInfo": _value(catalog, name, storage)["storageConfigInfo"],
    }


def _value(catalog: PolarisCatalog, name: str, storage: StorageType) -> dict[str, Any]:
    return changed(catalog.value(CATALOG, (name,), storage=storage), **storage.fields, **storage.newer)


def _credentials(catalog: PolarisCatalog) -> dict[str, str]:
    """Return unused credentials, new ones for each call: some servers cannot drop two principals with one clientId."""
    return {"clientId": catalog.target.new_name(), "clientSecret": "lakeproof-own-secret"}


def _principal(catalog: PolarisCatalog, name: str) -> Any:
    principal = {"name": name, **_credentials(catalog), "properties": PROPERTIES, **SET_BY_SERVERS}
    return {"principal": principal, "credentialRotationRequired": False}


def _role(field: str, name: str) -> Any:
    return {field: {"name": name, "federated": False, "properties": PROPERTIES, **SET_BY_SERVERS}}


def _grant(securable: GrantableType) -> Body:
    return lambda catalog, name: {"grant": securable.grant((*catalog.tables.home, name))}


def _attachment(kind: str, *, named: bool) -> Body:
    """Return the body that attaches a policy to an object of a kind, without a name to the catalog."""
    return lambda catalog, name: {
        "target": {"type": kind, "path": [*catalog.tables.home, name] if named else []},
        "parameters": PROPERTIES,
    }


def _notification(kind: str) -> Body:
    return lambda _, name: {
        "notification-type": kind,
        "payload": {
            "table-name": name,
            "timestamp": 1,
            "table-uuid": "00000000-0000-4000-8000-000000000000",
            "metadata-location": f"{HERE}/lakeproof/{name}.metadata.json",
        },
    }


GRANTS = {id: _grant(securable) for id, securable in SECURABLES.items()}
ATTACHMENTS = {
    "catalog": _attachment("catalog", named=False),
    "namespace": _attachment("namespace", named=True),
    "table": _attachment("table-like", named=True),
}
BODIES: Mapping[str, Bodies] = {
    "createCatalog": {
        **{id: _catalog(storage) for id, storage in EACH.items()},
        **{id: _external(connection) for id, connection in CONNECTIONS.items()},
        **{id: _external(CONNECTIONS["iceberg_rest"], known) for id, known in AUTHENTICATIONS.items()},
    },
    "updateCatalog": {id: _update(storage) for id, storage in EACH.items()},
    "createPrincipal": {"": _principal},
    "createPrincipalRole": {"": lambda _, name: _role("principalRole", name)},
    "createCatalogRole": {"": lambda catalog, _: _role("catalogRole", catalog.target.new_name())},
    "assignPrincipalRole": {"": lambda _, name: _role("principalRole", name)},
    "assignCatalogRoleToPrincipalRole": {"": lambda _, name: _role("catalogRole", name)},
    **{
        entity.update: {"": lambda *_: {"currentEntityVersion": 1, "properties": PROPERTIES}}
        for entity in ENTITIES.values()
        if entity is not CATALOG
    },
    "resetCredentials": {"": lambda catalog, _: _credentials(catalog)},
    ADD: GRANTS,
    REVOKE: GRANTS,
    "createGenericTable": {
        "": lambda _, name: {"name": name, "format": "delta", "doc": "words", "properties": PROPERTIES}
    },
    "createPolicy": {"": lambda _, name: {"name": name, "type": "system.data-compaction", **POLICY}},
    "updatePolicy": {"": lambda *_: {**POLICY, "current-policy-version": 0}},
    "attachPolicy": ATTACHMENTS,
    "detachPolicy": ATTACHMENTS,
    "sendNotification": {kind.lower(): _notification(kind) for kind in ("CREATE", "UPDATE", "DROP", "VALIDATE")},
}
