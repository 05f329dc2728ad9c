"""A Polaris server as requirements see it: what the run makes on it, who calls, and cleaning up.

Management operations are called as the credentials of the run say. `tables` is the catalog that the run made for its
tables, as a principal that the run made sees it. Every name starts with the prefix of the run, and everything that a
requirement may have made is dropped after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import Any

import orjson

from conformance.author.catalog import Catalog, inventory_of
from conformance.author.checks import find, text
from conformance.http.client import Answer, Client, Expected, bearer
from conformance.http.operation_client import DECLARED, FORM_TYPE, Query
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import IcebergClient, in_prefix, names_below_prefix
from conformance.polaris.client import PolarisClient
from conformance.polaris.entities import CATALOG, CATALOG_ROLE, CREATED, PRINCIPAL, PRINCIPAL_ROLE, Entity, Names
from conformance.polaris.inventory import PolarisInventory
from conformance.polaris.storage import STORAGES, StorageType
from conformance.polaris.support.stated import stated
from conformance.target.target import Target
from specs.identifiers import encode_segment
from specs.openapi import Operation

EVERY_ROLE = "PRINCIPAL_ROLE:ALL"
GET_TOKEN = "getToken"  # noqa: S105 - an operation
CREATED_STATUS, TAKEN = 201, 409
BASE_LOCATION = "default-base-location"


@dataclass(frozen=True, slots=True)
class Credentials:
    """The id and the secret with which a principal gets tokens."""

    id: str
    secret: str = field(repr=False)

    def form(self, scope: str = EVERY_ROLE) -> dict[str, str]:
        """Return the form for a token with which these roles are active."""
        form = {"grant_type": "client_credentials", "client_id": self.id, "client_secret": self.secret}
        return {**form, "scope": scope} if scope else form


@dataclass(frozen=True, slots=True)
class Caller:
    """A principal of the run with one principal role, and a role of a catalog that the role has."""

    principal: str
    principal_role: str
    catalog_role: str
    credentials: Credentials
    client: Client


class PolarisCatalog(PolarisClient, Catalog):
    """See the module."""

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
        """See Catalog."""
        super().begin_example()
        self.tables.begin_example()

    def deeper(self) -> AbstractContextManager[None]:
        """See Catalog: of the tables."""
        return self.tables.deeper()

    def through(self, client: Client) -> PolarisClient:
        """Return the operations through another client, with the credentials of this one."""
        headers = {**dict.fromkeys(client.headers), **self.client.headers}
        return PolarisClient(client.as_(headers))

    def called_by(self, client: Client) -> PolarisClient:
        """Return the operations as another caller asks for them."""
        return PolarisClient(client)

    # What examples start from

    @property
    def home(self) -> str:
        """The catalog in which roles are made: that for the tables of the run, or one of the example's own."""
        if not self.inventory.warehouse and self._home is None:
            self._home = self.new(CATALOG)[0]
        return self.inventory.warehouse or str(self._home)

    @property
    def storage(self) -> StorageType:
        """The type of storage of catalogs, unless a requirement is about another one."""
        return STORAGES[self.target.ways.chosen.get(CATALOG.id, "FILE")]

    def id(self, entity: Entity, name: str = "") -> Names:
        """Return an id for something of a kind; nothing is made but the catalog in which a role lies."""
        name = name or self.target.new_name()
        return (self.home, name) if entity is CATALOG_ROLE else (name,)

    def missing(self, entity: Entity) -> Names:
        """Return an id of something that was never made."""
        return self.id(entity, self.target.missing_name)

    def value(self, entity: Entity, id: Names, *, storage: StorageType | None = None, **fields: Any) -> dict[str, Any]:
        """Return something as a body holds it: with its name, and what a catalog must have."""
        if entity is not CATALOG:
            return {"name": id[-1], **fields}
        storage = storage or self.storage
        base = storage.base(self.target, self.target.new_name())
        value = {"name": id[-1], "type": "INTERNAL", "storageConfigInfo": storage.configured(base), **fields}
        return {**value, "properties": {BASE_LOCATION: base, **(fields.get("properties") or {})}}

    def create(
        self, entity: Entity, id: Names, value: Any = None, *, expect: Expected = DECLARED, **more: Any
    ) -> Answer:
        """Ask for something of a kind; `value` is what the body holds, `more` stands beside it."""
        value = self.value(entity, id) if value is None else value
        return self.send(entity.create, entity.place(id[:-1]), {**entity.wrapped(value), **more}, expect=expect)

    def new(self, entity: Entity, **fields: Any) -> Names:
        """Make something of a kind and return its id."""
        id = self.id(entity)
        with self.client.preparing():
            self.create(entity, id, self.value(entity, id, **fields))
        return id

    def made_again(self, entity: Entity, id: Names) -> bool:
        """Make something of the name of what was deleted; False where a server keeps such names from others, by 409."""
        return self.create(entity, id, expect=(CREATED_STATUS, TAKEN)).status == CREATED_STATUS

    def get(self, entity: Entity, id: Names, *, expect: Expected = DECLARED) -> Answer:
        """Ask for something by its id."""
        return self.send(entity.get, entity.place(id), expect=expect)

    def update(self, entity: Entity, id: Names, *, expect: Expected = DECLARED, **body: Any) -> Answer:
        """Ask for something to be changed; the body is given by its fields."""
        return self.send(entity.update, entity.place(id), body, expect=expect)

    def delete(self, entity: Entity, id: Names, *, expect: Expected = DECLARED) -> Answer:
        """Ask for something to be dropped."""
        return self.send(entity.delete, entity.place(id), expect=expect)

    def names(self, entity: Entity, id: Names = ()) -> list[str]:
        """Return the names of the run's own that are listed beside an id, of roles in the catalog of the examples."""
        place = entity.place(id[:-1] or ((self.home,) if entity is CATALOG_ROLE else ()))
        return self.own_names(self.send(entity.list, place)[entity.listed])

    def own(self, listed: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Return the entries of a list whose names start with the prefix of the run: others may be the server's own."""
        return [entry for entry in listed if text(entry["name"], "a name").startswith(self.target.prefix)]

    def own_names(self, listed: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return the names in a list that start with the prefix of the run."""
        return [str(entry["name"]) for entry in self.own(listed)]

    def stated(self, value: Any) -> Any:
        """Return of a value in an answer what the document names, without what a server has added."""
        return stated(self.target.document, value)

    def listed(self, entity: Entity, id: Names) -> Any:
        """Return something as a list of its kind shows it."""
        entries = self.send(entity.list, entity.place(id[:-1]))[entity.listed]
        return find(entries, lambda entry: entry["name"] == id[-1], f"the {entity.id} in the list")

    # Who calls

    def new_principal(self, **more: Any) -> tuple[Names, Credentials]:
        """Make a principal and return its id and its credentials."""
        id = self.id(PRINCIPAL)
        with self.client.preparing():
            return id, credentials(self.create(PRINCIPAL, id, **more))

    def new_caller(self, *grants: Mapping[str, Any], catalog: str = "") -> Caller:
        """Make a principal that may do in a catalog what these grants say, and let it log in.

        A grant is as a body has it.
        """
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
        """Return a client that calls with a token for credentials."""
        token = text(self.ask_token(known.form(scope))["access_token"], "the access_token")
        return self.client.as_(bearer(token))

    def ask_token(self, form: Mapping[str, str], *, expect: Expected = DECLARED, **options: Any) -> Answer:
        """Ask for a token with a form, without the token of the run."""
        return self.tables.get_token(
            dict(form), expect=expect, _headers={"Authorization": None, **options.get("headers", {})}
        )

    def within(self, catalog: str, client: Client | None = None) -> IcebergClient:
        """Return the operations on tables in a catalog, as a caller asks for them: by default that of the run."""
        return IcebergClient((client or self.client).located(in_prefix(encode_segment(catalog))))

    # Requests of any operation

    def new_thing(self) -> str:
        """See Catalog: a catalog with a role, a principal and a principal role, all of one name."""
        name = self.target.new_name()
        for entity in (CATALOG, PRINCIPAL, PRINCIPAL_ROLE):
            with self.client.preparing():
                self.create(entity, (name,))
        with self.client.preparing():
            self.create(CATALOG_ROLE, (name, name))
        return name

    def any_path(self, operation: Operation, name: str) -> dict[str, Any]:
        """Return path values for an operation on things of this name, which is one of the run's own."""
        name = name if name.startswith(self.target.prefix) else f"{self.target.prefix}{name}"
        names = names_below_prefix(operation)
        return {key: self.tables.home if key == "namespace" else name for key in names}

    def ask(
        self,
        operation: Operation,
        name: str,
        *,
        body: bytes | None = None,
        headers: dict[str, str | None] | None = None,
        expect: Expected,
    ) -> Answer:
        """See Catalog."""
        return self.send(operation.id, self.any_path(operation, name), body, headers=headers, expect=expect)

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
        """See PolarisClient. Notes what may be made, whatever the answer."""
        self._note(operation, path or {}, body)
        return super().send(operation, path, body, query=query, expect=expect, **options)

    def _note(self, operation: str, path: Mapping[str, Any], body: Any) -> None:
        """Note what a body may make, wrapped or bare."""
        entity = CREATED.get(operation)
        value = _value(body) if entity else None
        if entity is None or not isinstance(value, dict):
            return
        with suppress(KeyError):  # of a body that is to be refused
            *outer, name = entity.id_made(path, value)
            if name and isinstance(name, str):
                self.sandbox.note(entity.id, [(*map(str, outer), name)])


def _value(body: Any) -> Any:
    """Return a body as JSON, None for one that is not JSON."""
    if not isinstance(body, bytes):
        return body
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def credentials(answer: Answer) -> Credentials:
    """Return the credentials in an answer that issues them."""
    issued = answer["credentials"]
    return Credentials(text(issued["clientId"], "the clientId"), text(issued["clientSecret"], "the clientSecret"))


__all__ = [
    "FORM_TYPE",
    "Caller",
    "Credentials",
    "PolarisCatalog",
    "credentials",
]
