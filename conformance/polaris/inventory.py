"""Inventory of a run on a Polaris server: catalogs with their contents, principals and roles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlsplit

from conformance.http.client import Client
from conformance.iceberg.client import IcebergClient, in_prefix
from conformance.iceberg.inventory import IcebergInventory
from conformance.polaris.callers import Others
from conformance.polaris.client import PolarisClient
from conformance.polaris.entities import CATALOG, CATALOG_ROLE, CREATED, ENTITIES, PRINCIPAL, PRINCIPAL_ROLE, EntityType
from conformance.target.capabilities import SEPARATOR
from conformance.target.sandbox import Sandbox
from conformance.target.target import Target
from conformance.values.exchange import Exchange
from conformance.values.json_values import read_json, read_object
from conformance.values.resources import Names, Resource
from specs.identifiers import UNIT_SEPARATOR, encode_segment
from specs.openapi import Operation

GENERIC_TABLE, POLICY = "generic table", "policy"
LISTS = {GENERIC_TABLE: "listGenericTables", POLICY: "listPolicies"}
NOT_EMPTY = (400, 409)
CATALOG_ADMIN = "catalog_admin"  # the role that every catalog has, dropped with it
BY_NAME = {entity.id: entity for entity in ENTITIES.values()}


class ContentInventory(IcebergInventory):
    """Contents of a catalog: namespaces, tables, views, generic tables and policies."""

    drops: ClassVar = {**IcebergInventory.drops, GENERIC_TABLE: "dropGenericTable", POLICY: "dropPolicy"}
    looks: ClassVar = {**IcebergInventory.looks, GENERIC_TABLE: ("loadGenericTable",), POLICY: ("loadPolicy",)}
    lists: ClassVar = {**IcebergInventory.lists, **LISTS}
    creates: ClassVar = {**IcebergInventory.creates, "createGenericTable": GENERIC_TABLE, "createPolicy": POLICY}

    @property
    def _own(self) -> PolarisClient:
        return PolarisClient(self._client.client)

    def drop(self, resource: Resource) -> Exchange | None:
        """Drop a resource of the run. None for one of others, or without an operation that drops it."""
        if resource.kind not in (GENERIC_TABLE, POLICY):
            return super().drop(resource)
        if not self.is_ours(resource.id) or self.drops[resource.kind] not in self.target.document.operations:
            return None
        query = {"detach-all": "true"} if resource.kind == POLICY else None
        return self.ask(lambda: self._own.send(self.drops[resource.kind], _path(resource), query=query, expect=None))

    def look(self, operation: str, resource: Resource) -> Exchange | None:
        """Load a resource by an operation that succeeds if it exists."""
        if resource.kind not in (GENERIC_TABLE, POLICY):
            return super().look(operation, resource)
        return self.ask(lambda: self._own.send(operation, _path(resource), expect=None))

    def children(self, namespace: Names) -> list[Resource]:
        """List the contents of a namespace, the root included."""
        resources = super().children(namespace)
        if not namespace:
            return resources
        return [*resources, *self._beside(GENERIC_TABLE, namespace), *self._beside(POLICY, namespace)]

    def _beside(self, kind: str, namespace: Names) -> list[Resource]:
        """List the generic tables or the policies of a namespace."""
        fetch = partial(self._own.send, LISTS[kind], {"namespace": namespace})
        identifiers = self.listed(LISTS[kind], "identifiers", lambda token: fetch(query={"pageToken": token or None}))
        return [
            Resource(kind, (*namespace, identifier["name"]))
            for identifier in identifiers
            if isinstance(identifier, dict) and isinstance(identifier.get("name"), str)
        ]


class CatalogContents(ContentInventory):
    """Contents of a catalog that the run created, where every object belongs to the run."""

    def __init__(self, target: Target, client: Client, catalog: str) -> None:
        super().__init__(target)
        self.base = ()
        self._located = client.located(in_prefix(encode_segment(catalog)))

    @property
    def _client(self) -> IcebergClient:
        return IcebergClient(self._located, self.target.capabilities.get(SEPARATOR, UNIT_SEPARATOR))

    def is_ours(self, id: Names | str) -> bool:
        """True for every id but the root."""
        return bool(id)


class PolarisInventory(ContentInventory):
    """Entities that the run manages, and the contents of the catalog for tables."""

    drops: ClassVar = {**ContentInventory.drops, **{entity.id: entity.delete for entity in ENTITIES.values()}}
    looks: ClassVar = {**ContentInventory.looks, **{entity.id: (entity.get,) for entity in ENTITIES.values()}}
    lists: ClassVar = {**ContentInventory.lists, **{entity.id: entity.list for entity in ENTITIES.values()}}
    creates: ClassVar = {**ContentInventory.creates, **{entity.create: entity.id for entity in ENTITIES.values()}}
    makers: ClassVar = {**ContentInventory.makers, **{entity.id: (entity.create,) for entity in ENTITIES.values()}}
    outer: ClassVar = tuple(entity.id for entity in (CATALOG_ROLE, CATALOG, PRINCIPAL_ROLE, PRINCIPAL))

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.others = Others()
        self._named_otherwise: set[Names] = set()

    @property
    def admin(self) -> Client:
        """A client with the credentials of the run, not those of the principal that the run created."""
        client = self.target.client
        return client.as_({**dict.fromkeys(client.headers), **self.target.managing}) if self.target.managing else client

    @property
    def warehouse(self) -> str:
        """The name of the catalog for the requirements on tables."""
        return self.target.settings.warehouse

    @property
    def given(self) -> bool:
        """True when that catalog existed before the run."""
        return bool(self.warehouse) and not self.warehouse.startswith(self.target.prefix)

    @property
    def manager(self) -> PolarisClient:
        """A client of the management operations."""
        return PolarisClient(self.admin)

    def is_ours(self, id: Names | str) -> bool:
        """True for an id of the run: its first name contains the prefix of the run.

        Forbidden names have the prefix inside, not at the start. A role in the given catalog counts by its own name.
        Entities from `made_otherwise` are recorded.
        """
        if not id or super().is_ours(id) or id in self._named_otherwise:
            return bool(id)
        return self.target.prefix in id[0] or (id[0] == self.warehouse and self.target.prefix in id[-1])

    def drop(self, resource: Resource) -> Exchange | None:
        """Drop a resource of the run; empty a catalog first if the server requires it. None for one of others."""
        entity = BY_NAME.get(resource.kind)
        if entity is None:
            return super().drop(resource)
        if not self.is_ours(resource.id):
            return None
        answer = self._delete(entity, resource)
        if entity is CATALOG and answer and answer.status in NOT_EMPTY:
            self._empty(resource.id[-1])
            answer = self._delete(entity, resource)
        return answer

    def id_made(self, operation: Operation, exchange: Exchange) -> tuple[Any, ...]:
        """Return the id that a request creates or deletes. Raises KeyError when its body has no name."""
        path = operation.path_values(urlsplit(exchange.url).path)
        if entity := CREATED.get(operation.id):
            return entity.id_made(path, read_object(exchange.request_body))
        if entity := BY_NAME.get(self._dropped.get(operation.id, "")):
            return tuple(path[part] for part in entity.path)
        return super().id_made(operation, exchange)

    def made_otherwise(self, exchange: Exchange) -> Resource | None:
        """Return the entity that a server created from a name that is not a string, or from a body that is one."""
        entity, operation = CREATED.get(exchange.operation), self.target.document.operations.get(exchange.operation)
        if entity is None or operation is None or not exchange.succeeded:
            return None
        shown = read_object(exchange.response_body)
        shown = shown[entity.field] if isinstance(shown.get(entity.field), dict) else shown
        name = _taken_for_name(entity, read_json(exchange.request_body))
        if not name or shown.get("name") != name:
            return None
        path = operation.path_values(urlsplit(exchange.url).path)
        id = (*(path[part] for part in entity.path[:-1]), name)
        self._named_otherwise.add(id)
        return Resource(entity.id, id)

    def _delete(self, entity: EntityType, resource: Resource) -> Exchange | None:
        path = entity.place(tuple(resource.id))
        return self.ask(lambda: self.manager.send(entity.delete, path, expect=None))

    def _empty(self, catalog: str) -> None:
        """Drop all contents and roles of a catalog that the run created."""
        contents = CatalogContents(self.target, self.admin, catalog)
        Sandbox(self.admin, contents).sweep()
        for role in self.named(CATALOG_ROLE, {"catalogName": catalog}):
            if role != CATALOG_ADMIN:
                self._delete(CATALOG_ROLE, Resource(CATALOG_ROLE.id, (catalog, role)))

    def look(self, operation: str, resource: Resource) -> Exchange | None:
        """Load a resource by an operation that succeeds if it exists."""
        entity = BY_NAME.get(resource.kind)
        if entity is None:
            return super().look(operation, resource)
        return self.ask(lambda: self.manager.send(operation, entity.place(tuple(resource.id)), expect=None))

    def roots(self) -> list[Resource]:
        """List the entities of the run; with a given catalog also its roles and contents that belong to the run."""
        resources = [
            Resource(entity.id, (name,))
            for entity in (CATALOG, PRINCIPAL, PRINCIPAL_ROLE)
            for name in self.named(entity)
            if self.target.prefix in name
        ]
        if not self.given:
            return resources
        roles = self.named(CATALOG_ROLE, {"catalogName": self.warehouse})
        own = [Resource(CATALOG_ROLE.id, (self.warehouse, role)) for role in roles if self.target.prefix in role]
        return [*resources, *own, *super().roots()]

    def named(self, entity: EntityType, path: Mapping[str, str] | None = None) -> list[str]:
        """Return the names of all listed entities of a type."""
        answer = self.ask(lambda: self.manager.send(entity.list, path or {}, expect=None))
        listed: Any = read_object(answer.response_body).get(entity.listed) if answer else None
        names = [entry.get("name") for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
        return [name for name in names if isinstance(name, str)]


def _path(resource: Resource) -> dict[str, Any]:
    """Return the path values of a generic table or a policy."""
    parameter = "generic-table" if resource.kind == GENERIC_TABLE else "policy-name"
    return {"namespace": tuple(resource.id[:-1]), parameter: resource.id[-1]}


def _taken_for_name(entity: EntityType, body: Any) -> str:
    """Return the name that a lenient server may read from a body without a string name, "" for none."""
    inner = body.get(entity.field, body) if isinstance(body, dict) else body
    if not isinstance(inner, dict):
        return inner if isinstance(inner, str) else ""
    name = inner.get("name")
    return json.dumps(name) if isinstance(name, bool | int | float) else ""
