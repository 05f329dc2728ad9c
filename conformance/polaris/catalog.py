"""The tested Polaris server as requirements use it: entities of the run, callers and clean-up.

Management operations are sent with the credentials of the run. `tables` is the catalog that the run created for its
tables, called as a principal that the run created. Every name starts with the prefix of the run, and everything that a
requirement may have created is dropped after it. The current world decides the names and states of entities, the
catalog, the caller and the form of requests (conformance/polaris/worlds.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Any

import orjson

from conformance.author.catalog import Catalog, inventory_of
from conformance.author.checks import find, listed, text
from conformance.http.answers import Answer
from conformance.http.client import Client, Expected, bearer
from conformance.http.operation_client import DECLARED, Headers, Query
from conformance.http.paging import pages
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import IcebergClient, in_prefix
from conformance.iceberg.support.content import SCHEMA
from conformance.polaris.callers import (
    ACCESS,
    CONTENT,
    EVERY_ROLE,
    SETTINGS,
    TABLES,
    Caller,
    Credentials,
    Manager,
    SecondCatalog,
)
from conformance.polaris.client import PolarisClient, documented
from conformance.polaris.entities import (
    CATALOG,
    CATALOG_ROLE,
    CREATED,
    ENTITIES,
    PRINCIPAL,
    PRINCIPAL_ROLE,
    EntityType,
    Names,
)
from conformance.polaris.forms import FORMS
from conformance.polaris.inventory import POLICY, CatalogContents, PolarisInventory
from conformance.polaris.storage import STORAGES, StorageType, storages_for
from conformance.polaris.worlds import (
    ASSIGNED,
    BODY,
    BY_MANAGER,
    CALLER,
    CATALOG_KIND,
    CONNECTION,
    ENTITY_NAMES,
    ENTITY_STATE,
    FORMS_OF_NAMES,
    FORMS_OF_POLICIES,
    OF_TABLES,
    POLICY_NAMES,
    STATES,
    WAREHOUSE,
    create,
    other_case,
)
from conformance.target.sandbox import Sandbox
from conformance.target.target import Target
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Blocked, Stopped, Unoffered, Violation
from specs.identifiers import encode_segment
from specs.openapi import Operation

GET_TOKEN = "getToken"  # noqa: S105 - an operationId
CREATED_STATUS, FORBIDDEN = 201, 403
NOT_AGAIN = (400, 409)  # rejections of a name that was given before: the document has none
BASE_LOCATION = "default-base-location"
PAGE_SIZE = 2
EXTERNAL = "EXTERNAL"
BESIDE_GRANT = {"type": "catalog", "privilege": "VIEW_CREATE"}  # of catalog roles in worlds
PLAIN_POLICY, ENABLED = "system.data-compaction", '{"enable": true}'


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
        self._first: IcebergCatalog | None = None  # while `tables` are those of the second catalog
        self._manager: Client | None = None  # the caller of the current world, if it is another one
        self._beside: set[str] = set()  # names of entities that only the world consists of

    def begin_example(self) -> None:
        """Start an example with no steps and no home, in `tables` too, in the catalog of the world as its caller."""
        super().begin_example()
        self._beside = set()
        steps = [*self._enter_warehouse(), *self._enter_caller()]
        self.tables.begin_example()
        self.client.steps += steps

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
        if self._first and self.inventory.others.second:
            return self.inventory.others.second.name
        if not self.inventory.warehouse and self._home is None:
            with self.target.surroundings.plain():
                self._home = self.new(CATALOG)[0]
        return self.inventory.warehouse or str(self._home)

    @property
    def storage(self) -> StorageType:
        """The storage type of new catalogs: the default one unless the world has another. Raises Unoffered without."""
        default = STORAGES[self.target.ways.chosen.get(CATALOG.id, "FILE")]
        if self.target.surroundings.value(CATALOG_KIND) != "other_storage":
            return default
        others = [STORAGES[id] for id in storages_for(self.target) if id != default.id]
        if not others:
            raise Unoffered(f"a run with this location has no storage beside {default.id}")
        return others[0]

    def named(self) -> str:
        """Return an unused name of an entity, in the form of the world."""
        form = FORMS_OF_NAMES.get(self.target.surroundings.value(ENTITY_NAMES), "{}")
        return form.format(self.target.new_name())

    def policy_name(self) -> str:
        """Return an unused name of a policy, in the form of the world."""
        form = FORMS_OF_POLICIES.get(self.target.surroundings.value(POLICY_NAMES), "{}")
        return form.format(self.target.new_name())

    def id(self, entity: EntityType, name: str = "") -> Names:
        """Return an unused id of an entity type, in the home catalog for a catalog role.

        In the world of names that differ in case, the other name is given to an entity beside it.
        """
        if not name:
            name = self.named()
            if self.target.surroundings.value(ENTITY_NAMES) == "case":
                with self.target.surroundings.plain(), self.client.preparing():
                    self.create(entity, self.id(entity, self.beside(other_case(name))))
        return (self.home, name) if entity is CATALOG_ROLE else (name,)

    def beside(self, name: str) -> str:
        """Note a name of something that only the world consists of, so that `own` leaves it out; return the name."""
        self._beside.add(name)
        return name

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
        kind = self.target.surroundings.value(CATALOG_KIND) if entity is CATALOG else ""
        id = self.id(entity)
        with self.client.preparing():
            value = self.value(entity, id, **({"type": EXTERNAL, **fields} if kind == "external" else fields))
            self.make(entity, id, entity.wrapped(value))
            if kind == "filled":
                self._fill(id[-1])
        return id

    def make(self, entity: EntityType, id: Names, body: dict[str, Any]) -> Answer:
        """Create an entity from a body in the state of the world; return the answer to its last creation."""
        state = STATES.get(self.target.surroundings.value(ENTITY_STATE), create)
        made = state(self, entity, id, body)
        if entity is not CATALOG and self.target.surroundings.value(ASSIGNED):
            with self.target.surroundings.plain():
                self._assign(entity, id)
        return made

    def _fill(self, catalog: str) -> None:
        """Create a table in a catalog."""
        tables, namespace = self.within(catalog), (self.target.new_name(),)
        tables.create_namespace(namespace)
        tables.create_table((*namespace, "t"), SCHEMA)

    def _assign(self, entity: EntityType, id: Names) -> None:
        """Assign a principal role to an entity or an entity to one, and grant a catalog role a privilege."""
        other = self.new(PRINCIPAL if entity is PRINCIPAL_ROLE else PRINCIPAL_ROLE)
        self.beside(other[-1])
        if entity is CATALOG_ROLE:
            self.assign_catalog_role_to_principal_role(other[-1], id[0], {"name": id[-1]})
            self.add_grant_to_catalog_role(id[0], id[-1], BESIDE_GRANT)
        elif entity is PRINCIPAL:
            self.assign_principal_role(id[-1], {"name": other[-1]})
        else:
            self.assign_principal_role(other[-1], {"name": id[-1]})

    def made_again(self, entity: EntityType, id: Names) -> Answer:
        """Create an entity under a deleted name; a rejection means that the server does not give the name again."""
        return self.create(entity, id, expect=(CREATED_STATUS, *NOT_AGAIN))

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
        """Return the entries of a list whose names start with the prefix of the run, without those of `beside`."""
        named = [(text(entry["name"], "a name"), entry) for entry in entries]
        return [entry for name, entry in named if name.startswith(self.target.prefix) and name not in self._beside]

    def own_grants(self, grants: Sequence[Any]) -> list[Any]:
        """Return grants of a role without those that the world consists of."""
        beside = BESIDE_GRANT if self.target.surroundings.value(ASSIGNED) else None
        return [grant for grant in grants if grant != beside]

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
            body = {**PRINCIPAL.wrapped(self.value(PRINCIPAL, id)), **more}
            return id, credentials(self.make(PRINCIPAL, id, body))

    def new_caller(self, *grants: Mapping[str, Any], catalog: str = "") -> Caller:
        """Create a principal whose catalog role has these grants, given as bodies, and log it in."""
        catalog = catalog or self.home
        with self.client.preparing():
            (principal,), known = self.new_principal()
            (principal_role,) = self.new(PRINCIPAL_ROLE)
            catalog_role = self.named()
            self.create(CATALOG_ROLE, (catalog, catalog_role))
            for grant in grants:
                self.add_grant_to_catalog_role(catalog, catalog_role, grant)
            self.assign_catalog_role_to_principal_role(principal_role, catalog, {"name": catalog_role})
            self.assign_principal_role(principal, {"name": principal_role})
            return Caller(principal, principal_role, catalog_role, known, self.logged_in(known))

    def logged_in(self, known: Credentials, scope: str = EVERY_ROLE) -> Client:
        """Return a client with a new token for credentials."""
        return self._with_token(known.form(scope))

    def _with_token(self, form: Mapping[str, str]) -> Client:
        """Return a client with a new token for a form."""
        token = text(self.ask_token(form)["access_token"], "the access_token")
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
        name = self.named()
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
        """Send an operation in the form of the world, and note the entity that it may create, whatever the answer."""
        headers = self.connection_headers()
        if form := FORMS.get(self.target.surroundings.value(BODY)):
            body = form.body(operation, body, self.target.document)
            query = {**form.query.get(operation, {}), **(query or {})}
            headers = {**form.header(operation), **headers}
        if headers:
            options["headers"] = {**headers, **(options.get("headers") or {})}
        self._note(operation, path or {}, body)
        return self._sender(operation, path or {})(operation, path, body, query=query, expect=expect, **options)

    # The world

    def connection_headers(self) -> Headers:
        """Return the headers of requests in a connection of their own, if the current world has these."""
        return {"Connection": "close"} if self.target.surroundings.value(CONNECTION) else {}

    def enter_world(self) -> None:
        """Create entities and objects in the current world."""
        world = self.target.surroundings.world
        if OF_TABLES & world.keys():
            self.tables.enter_world()
        every = {ENTITY_NAMES, ENTITY_STATE, ASSIGNED} & world.keys()
        for entity in ENTITIES.values() if every else [CATALOG] if CATALOG_KIND in world else []:
            self.new(entity)
        if given := {name: world[name] for name in (WAREHOUSE, CALLER) if name in world}:
            with self.target.surroundings.within(given), self.client.preparing():
                role = self.new(CATALOG_ROLE)
                self.add_grant_to_catalog_role(role[0], role[-1], BESIDE_GRANT)
        if WAREHOUSE in world:
            self.tables.new_table()
        if POLICY_NAMES in world:
            home, name = self.tables.home, self.policy_name()
            self.tables.sandbox.note(POLICY, [(*home, name)])
            with self.client.preparing():
                self.create_policy(home, name, PLAIN_POLICY, content=ENABLED)

    def _enter_warehouse(self) -> Sequence[Exchange]:
        """Turn to the catalog of the current world; return the steps that created the second one."""
        if self.target.surroundings.value(WAREHOUSE) == "second":
            second = self._second()
            manager = self._manager_of(second.name)
            place = in_prefix(encode_segment(second.name))
            self._first = self._first or self.tables
            self.tables = IcebergCatalog(self.target)
            self.tables.client, self.tables.sandbox = manager.client.located(place), second.sandbox
            self.client = self.inventory.admin.located(place)
            return [*second.steps, *manager.steps]
        if self._first:
            self.tables, self._first = self._first, None
            self.client = self.inventory.admin
        return ()

    def _enter_caller(self) -> Sequence[Exchange]:
        """Turn to the caller of the current world; return the steps that created it."""
        caller, self._manager = self.target.surroundings.value(CALLER), None
        if not caller:
            return ()
        manager = self._manager_of(self.home)
        client = manager.client if caller == "manager" else self._with_token(manager.form)
        self._manager = self.client.as_(dict(client.headers))
        return () if self._first else manager.steps

    def _second(self) -> SecondCatalog:
        """Return the second catalog of the run. Raises Unoffered where the run has no first."""
        if not self.inventory.warehouse:
            raise Unoffered("the run has no catalog")

        def make() -> tuple[str, Sandbox]:
            storage = STORAGES[self.target.ways.chosen.get(TABLES, self.storage.id)]
            (name,) = self.new(CATALOG, storage=storage, properties=SETTINGS)
            admin = self.inventory.admin
            return name, Sandbox(admin, CatalogContents(self.target, admin, name))

        return self.inventory.others.second_made(self.target, make)

    def _manager_of(self, name: str) -> Manager:
        """Return the manager of a catalog."""
        others = self.inventory.others
        return others.manager_of(self.target, name, lambda: self.new_caller(ACCESS, CONTENT, catalog=name))

    def empty_second(self) -> None:
        """Drop what the example created in the second catalog."""
        if second := self.inventory.others.second:
            second.sandbox.clean_up()

    def _sender(self, operation: str, path: Mapping[str, Any]) -> Callable[..., Answer]:
        """Return the function that sends an operation as the caller of the world, if that one may."""
        managed = self._manager is not None and BY_MANAGER.touches(operation)
        if self._manager is None or not managed or path.get("catalogName", self.home) != self.home:
            return super().send
        return partial(self._send_as, PolarisClient(self._manager))

    def _send_as(self, manager: PolarisClient, operation: str, *request: Any, **options: Any) -> Answer:
        """Send an operation as a manager. Raises Unoffered for an unexpected 403: other requirements test rights."""
        try:
            return manager.send(operation, *request, **options)
        except (Violation, Blocked) as error:
            if self.client.steps[-1].status == FORBIDDEN and not isinstance(error, Stopped):
                raise Unoffered(f"the server does not allow the manager of a catalog {operation}") from error
            raise

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
