"""The tested Polaris server as requirements use it: entities of the run, callers and clean-up.

Management operations are sent with the credentials of the run. `tables` is the catalog that the run created for its
tables, called as a principal that the run created. Every name starts with the prefix of the run, and everything that a
requirement may have created is dropped after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import Any

import orjson

from conformance.author.catalog import Catalog, inventory_of
from conformance.author.checks import find, listed, text
from conformance.http.answers import Answer
from conformance.http.client import Client, Expected, bearer
from conformance.http.operation_client import DECLARED, Query
from conformance.http.paging import pages
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import IcebergClient, in_prefix
from conformance.polaris.client import PolarisClient, documented
from conformance.polaris.entities import CATALOG, CATALOG_ROLE, CREATED, PRINCIPAL, PRINCIPAL_ROLE, EntityType, Names
from conformance.polaris.inventory import PolarisInventory
from conformance.polaris.storage import STORAGES, StorageType
from conformance.target.target import Target
from specs.identifiers import encode_segment
from specs.openapi import Operation

EVERY_ROLE = "PRINCIPAL_ROLE:ALL"
GET_TOKEN = "getToken"  # noqa: S105 - an operationId
CREATED_STATUS, TAKEN = 201, 409
BASE_LOCATION = "default-base-location"
PAGE_SIZE = 2


@dataclass(frozen=True, slots=True)
class Credentials:
    """The client id and secret with which a principal obtains tokens."""

    id: str
    secret: str = field(repr=False)

    def form(self, scope: str = EVERY_ROLE) -> dict[str, str]:
        """Return the token form with a scope of roles; "" leaves the scope out."""
        form = {"grant_type": "client_credentials", "client_id": self.id, "client_secret": self.secret}
        return {**form, "scope": scope} if scope else form


@dataclass(frozen=True, slots=True)
class Caller:
    """Principal of the run, with its principal role and the catalog role assigned to that."""

    principal: str
    principal_role: str
    catalog_role: str
    credentials: Credentials
    client: Client


class PolarisCatalog(PolarisClient, Catalog):
    """The operations of Polaris with helpers that create, load and list entities of the run."""

    broken_json = (b'{"catalog": ', b"name=t")
    no_objects = (b"[]", b'"text"', b"null", b"7")
    refusals = (400, 404)

    def __init__(self, target: Target) -> None:
        self.target = target
        self.sandbox = target.sandbox
        self.inventory: PolarisInventory = inventory_of(target, PolarisInventory)
        super().__init__(self.inventory.admin)
        self.tables = IcebergCatalog(target)

    def begin_example(self) -> None:
        """Start an example with no steps and no home, in `tables` too."""
        super().begin_example()
        self.tables.begin_example()

    def deeper(self) -> AbstractContextManager[None]:
        """Return a context in which the home namespace of `tables` is a nested one. Raises Unoffered if unsupported."""
        return self.tables.deeper()

    def through(self, client: Client) -> PolarisClient:
        """Return the operations, sent through another client with the credentials of this one."""
        headers = {**dict.fromkeys(client.headers), **self.client.headers}
        return PolarisClient(client.as_(headers))

    def called_by(self, client: Client) -> PolarisClient:
        """Return the operations with the credentials of another caller."""
        return PolarisClient(client)

    # Entities

    @property
    def home(self) -> str:
        """The name of the catalog for catalog roles: that for tables, or without one a catalog of the example."""
        if not self.inventory.warehouse and self._home is None:
            self._home = self.new(CATALOG)[0]
        return self.inventory.warehouse or str(self._home)

    @property
    def storage(self) -> StorageType:
        """The default storage type of new catalogs."""
        return STORAGES[self.target.ways.chosen.get(CATALOG.id, "FILE")]

    def id(self, entity: EntityType, name: str = "") -> Names:
        """Return an unused id of an entity type, in the home catalog for a catalog role."""
        name = name or self.target.new_name()
        return (self.home, name) if entity is CATALOG_ROLE else (name,)

    def missing(self, entity: EntityType) -> Names:
        """Return the id of an entity that does not exist."""
        return self.id(entity, self.target.missing_name)

    def value(
        self, entity: EntityType, id: Names, *, storage: StorageType | None = None, **fields: Any
    ) -> dict[str, Any]:
        """Return an entity as a body contains it, with its name and the required fields of a catalog."""
        if entity is not CATALOG:
            return {"name": id[-1], **fields}
        storage = storage or self.storage
        base = storage.base(self.target, self.target.new_name())
        value = {"name": id[-1], "type": "INTERNAL", "storageConfigInfo": storage.configured(base), **fields}
        return {**value, "properties": {BASE_LOCATION: base, **(fields.get("properties") or {})}}

    def create(
        self, entity: EntityType, id: Names, value: Any = None, *, expect: Expected = DECLARED, **more: Any
    ) -> Answer:
        """Create an entity from a `value`; `more` are fields of the body beside it."""
        value = self.value(entity, id) if value is None else value
        return self.send(entity.create, entity.place(id[:-1]), {**entity.wrapped(value), **more}, expect=expect)

    def new(self, entity: EntityType, **fields: Any) -> Names:
        """Create an entity as preparation and return its id; that of an existing one if the run is read-only."""
        if self.target.read_only:
            return self.existing(entity.id, f"number {len(self._stand_ins)}", plain=not fields)
        id = self.id(entity)
        with self.client.preparing():
            self.create(entity, id, self.value(entity, id, **fields))
        return id

    def made_again(self, entity: EntityType, id: Names) -> bool:
        """Create an entity under a deleted name; False if the server rejects the reuse with 409."""
        return self.create(entity, id, expect=(CREATED_STATUS, TAKEN)).status == CREATED_STATUS

    def get(self, entity: EntityType, id: Names, *, expect: Expected = DECLARED) -> Answer:
        """Load an entity by its id."""
        return self.send(entity.get, entity.place(id), expect=expect)

    def update(self, entity: EntityType, id: Names, *, expect: Expected = DECLARED, **body: Any) -> Answer:
        """Update an entity with a body of these fields."""
        return self.send(entity.update, entity.place(id), body, expect=expect)

    def delete(self, entity: EntityType, id: Names, *, expect: Expected = DECLARED) -> Answer:
        """Delete an entity."""
        return self.send(entity.delete, entity.place(id), expect=expect)

    def names(self, entity: EntityType, id: Names = ()) -> list[str]:
        """List the run's names of an entity type; catalog roles those beside an id or in the home catalog."""
        place = entity.place(id[:-1] or ((self.home,) if entity is CATALOG_ROLE else ()))
        return self.own_names(self.send(entity.list, place)[entity.listed])

    def own(self, entries: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Return the entries of a list whose names start with the prefix of the run."""
        return [entry for entry in entries if text(entry["name"], "a name").startswith(self.target.prefix)]

    def own_names(self, entries: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return the names in a list that start with the prefix of the run."""
        return [str(entry["name"]) for entry in self.own(entries)]

    def paged_names(self, listing: Callable[..., Answer]) -> list[str]:
        """Return the run's names on all pages of a list of the home namespace. Raises Violation for endless pages."""
        home = self.tables.home
        answers = pages(lambda token: listing(home, pageToken=token or "", pageSize=PAGE_SIZE), "next-page-token")
        return self.own_names([entry for page in answers for entry in listed(page["identifiers"], "the identifiers")])

    def documented(self, value: Any) -> Any:
        """Return a value of a response without fields that the document does not declare."""
        return documented(self.target.document, value)

    def listed(self, entity: EntityType, id: Names) -> Any:
        """Return an entity as the list of its type contains it."""
        entries = self.send(entity.list, entity.place(id[:-1]))[entity.listed]
        return find(entries, lambda entry: entry["name"] == id[-1], f"the {entity.id} in the list")

    # Callers

    def new_principal(self, **more: Any) -> tuple[Names, Credentials]:
        """Create a principal; return its id and its credentials."""
        id = self.id(PRINCIPAL)
        with self.client.preparing():
            return id, credentials(self.create(PRINCIPAL, id, **more))

    def new_caller(self, *grants: Mapping[str, Any], catalog: str = "") -> Caller:
        """Create a principal whose catalog role has these grants, given as bodies, and log it in."""
        catalog = catalog or self.home
        with self.client.preparing():
            (principal,), known = self.new_principal()
            (principal_role,) = self.new(PRINCIPAL_ROLE)
            catalog_role = self.target.new_name()
            self.create(CATALOG_ROLE, (catalog, catalog_role))
            for grant in grants:
                self.add_grant_to_catalog_role(catalog, catalog_role, grant)
            self.assign_catalog_role_to_principal_role(principal_role, catalog, {"name": catalog_role})
            self.assign_principal_role(principal, {"name": principal_role})
            return Caller(principal, principal_role, catalog_role, known, self.logged_in(known))

    def logged_in(self, known: Credentials, scope: str = EVERY_ROLE) -> Client:
        """Return a client with a new token for credentials."""
        token = text(self.ask_token(known.form(scope))["access_token"], "the access_token")
        return self.client.as_(bearer(token))

    def ask_token(self, form: Mapping[str, str], *, expect: Expected = DECLARED, **options: Any) -> Answer:
        """Send a token form, without the token of the run."""
        return self.tables.get_token(
            dict(form), expect=expect, _headers={"Authorization": None, **options.get("headers", {})}
        )

    def within(self, catalog: str, client: Client | None = None) -> IcebergClient:
        """Return the Iceberg operations in a catalog, sent by a client, by default with the credentials of the run."""
        return IcebergClient((client or self.client).located(in_prefix(encode_segment(catalog))))

    # Requests of any operation

    def new_thing(self) -> str:
        """Create a catalog with a catalog role, a principal and a principal role, all of one name; return the name."""
        name = self.target.new_name()
        for entity in (CATALOG, PRINCIPAL, PRINCIPAL_ROLE):
            with self.client.preparing():
                self.create(entity, (name,))
        with self.client.preparing():
            self.create(CATALOG_ROLE, (name, name))
        return name

    def any_path(self, operation: Operation, name: str, *, anywhere: bool = False) -> dict[str, Any]:
        """Return path values for an operation on objects of this name, with the prefix of the run added if missing.

        `anywhere` is that of `tables`.
        """
        name = name if name.startswith(self.target.prefix) else f"{self.target.prefix}{name}"
        return self.tables.any_path(operation, name, anywhere=anywhere)

    def ask(
        self,
        operation: Operation,
        name: str,
        *,
        body: bytes | None = None,
        headers: dict[str, str | None] | None = None,
        expect: Expected,
    ) -> Answer:
        """Send an operation on objects of this name in the home of the example."""
        path = self.any_path(operation, name, anywhere=True)
        return self.send(operation.id, path, body, headers=headers, expect=expect)

    def send(
        self,
        operation: str,
        path: Mapping[str, Any] | None = None,
        body: Any = None,
        *,
        query: Query | None = None,
        expect: Expected = DECLARED,
        **options: Any,
    ) -> Answer:
        """Send an operation, and note the entity that it may create, whatever the answer."""
        self._note(operation, path or {}, body)
        return super().send(operation, path, body, query=query, expect=expect, **options)

    def _note(self, operation: str, path: Mapping[str, Any], body: Any) -> None:
        """Note the entity that a body, wrapped or bare, may create."""
        entity = CREATED.get(operation)
        value = _value(body) if entity else None
        if entity is None or not isinstance(value, dict):
            return
        with suppress(KeyError):  # of an invalid body without a name
            *outer, name = entity.id_made(path, value)
            if name and isinstance(name, str):
                self.sandbox.note(entity.id, [(*map(str, outer), name)])


def _value(body: Any) -> Any:
    """Parse a body, None for bytes that are not JSON."""
    if not isinstance(body, bytes):
        return body
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def credentials(answer: Answer) -> Credentials:
    """Return the credentials that an answer issues."""
    issued = answer["credentials"]
    return Credentials(text(issued["clientId"], "the clientId"), text(issued["clientSecret"], "the clientSecret"))
