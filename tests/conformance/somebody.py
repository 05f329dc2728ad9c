"""Somebody else who uses a catalog while it is judged: makes things of all kinds, and tells what is there."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from conformance.author.strategies import tables
from conformance.http.client import Client, bearer
from conformance.http.operation_client import FORM_TYPE
from conformance.http.transport import Connection
from conformance.iceberg.client import IcebergClient, in_prefix, names_below_prefix
from conformance.lance.client import LanceClient
from conformance.lance.support.arrow import read_rows, stream
from conformance.polaris.callers import Credentials
from conformance.polaris.client import PolarisClient
from conformance.polaris.entities import CATALOG, CATALOG_ROLE, ENTITIES, PRINCIPAL, PRINCIPAL_ROLE
from conformance.polaris.storage import STORAGES
from conformance.polaris.support.grants import ADD, LIST
from conformance.polaris.support.principals import ASSIGNMENTS, CATALOG_ROLES, PRINCIPAL_ROLES
from specs.identifiers import encode_segment
from specs.profiles import find_profile

SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": True}]}
VIEW_VERSION = {
    "version-id": 1,
    "timestamp-ms": 1,
    "schema-id": 0,
    "summary": {},
    "representations": [{"type": "sql", "sql": "SELECT 1", "dialect": "spark"}],
}
Id = tuple[str, ...]
OF_ROLES = (CATALOG_ROLE.get, CATALOG_ROLES.list_takers, LIST)  # what shows a catalog role


class Lance:
    """Somebody who uses a Lance catalog; in the place of views there are tables without files."""

    roots_have_tables = True

    def __init__(self, url: str, token: str = "") -> None:
        self.client = LanceClient(_client(url, "lance", token))

    def namespace(self, *id: str) -> None:
        self.client.create_namespace(id, properties={"owner": "me"})

    def table(self, *id: str) -> None:
        self.client.create_table(id, stream(tables(2)))

    def view(self, *id: str) -> None:
        self.client.declare_table(id)

    def there(self, *namespace: str) -> set[Id]:
        """The ids of all that is in a namespace, at any depth."""
        return set(self.content(*namespace))

    def content(self, *namespace: str) -> dict[Id, Any]:
        """All that can be known of what is in a namespace, by its id."""
        known: dict[Id, Any] = {}
        for name in self.client.list_tables(namespace, include_declared=True)["tables"]:
            known[*namespace, name] = self._table((*namespace, name))
        for name in self.client.list_namespaces(namespace)["namespaces"]:
            inner = (*namespace, name)
            known |= {inner: self.client.describe_namespace(inner).json, **self.content(*inner)}
        return known

    def _table(self, id: Id) -> Any:
        described = self.client.describe_table(id, expect=None)
        rows = self.client.query_table(id, vector={}, k=100, expect=None)
        fields = {name: value for name, value in described.json.items() if name != "instance"}
        return described.status, fields, read_rows(rows.body) if rows.status == 200 else None


class Iceberg:
    """Somebody who uses an Iceberg catalog."""

    roots_have_tables = False

    def __init__(self, url: str, token: str = "", client: Client | None = None) -> None:
        self.client = IcebergClient(client or _client(url, "iceberg", token))

    def namespace(self, *id: str) -> None:
        self.client.create_namespace(id, properties={"owner": "me"})

    def table(self, *id: str) -> None:
        self.client.create_table(id, schema=SCHEMA)

    def view(self, *id: str) -> None:
        version = {**VIEW_VERSION, "default-namespace": list(id[:-1])}
        self.client.create_view(id, schema=SCHEMA, view_version=version, properties={})

    def there(self, *namespace: str) -> set[Id]:
        """The ids of all that is in a namespace, at any depth."""
        return set(self.content(*namespace))

    def content(self, *namespace: str) -> dict[Id, Any]:
        """All that can be known of what is in a namespace, by its id."""
        known: dict[Id, Any] = {}
        if namespace:
            for ask, load in (
                (self.client.list_tables, self.client.load_table),
                (self.client.list_views, self.client.load_view),
            ):
                ids = [(*namespace, identifier["name"]) for identifier in ask(namespace)["identifiers"]]
                known |= {id: load(id).json for id in ids}
        for inner in map(tuple, self.client.list_namespaces(namespace or None)["namespaces"]):
            known |= {inner: self.client.load_namespace_metadata(inner).json, **self.content(*inner)}
        return known


class Polaris:
    """Somebody who manages a Polaris server: a root is a catalog with a namespace of its name, and all who may use it.

    The token is the secret of the principal `root`.
    """

    roots_have_tables = False

    def __init__(self, url: str, token: str) -> None:
        client = _client(url, "polaris", "")
        form = Credentials("root", token).form()
        answer = client.call("getToken", body=urlencode(form).encode(), content_type=FORM_TYPE)
        self.client = PolarisClient(client.as_(bearer(answer["access_token"])))

    def namespace(self, *id: str) -> None:
        if len(id) == 1:
            self._catalog(*id)
        self._inside(id[0]).namespace(*id)

    def table(self, *id: str) -> None:
        self._inside(id[0]).table(*id)

    def view(self, *id: str) -> None:
        self._inside(id[0]).view(*id)

    def there(self, *namespace: str) -> set[Id]:
        """The ids of all that is in a namespace, at any depth."""
        return set(self._inside(namespace[0]).content(*namespace))

    def content(self) -> dict[Id, Any]:
        """All that can be known of what is there, by the operation that shows it and what that is about."""
        known: dict[Id, Any] = {}
        for kind in (CATALOG, PRINCIPAL, PRINCIPAL_ROLE):
            known |= {(kind.id, entity["name"]): entity for entity in self.client.send(kind.list)[kind.listed]}
        for name in [id[1] for id in known if id[0] == CATALOG.id]:
            roles = self.client.send(CATALOG_ROLE.list, CATALOG.place((name,)))[CATALOG_ROLE.listed]
            for id in [(name, role["name"]) for role in roles]:
                known |= {(shows, *id): self.client.send(shows, CATALOG_ROLE.place(id)).json for shows in OF_ROLES}
            known |= self._inside(name).content()
        for name in [id[1] for id in known if id[0] == PRINCIPAL_ROLE.id]:
            takers = PRINCIPAL_ROLES.list_takers
            known[takers, name] = self.client.send(takers, PRINCIPAL_ROLE.place((name,))).json
        return known

    def _catalog(self, name: str) -> None:
        """Make a catalog, and a principal, a principal role and a catalog role of its name that go together."""
        base = f"s3://somebody/{name}"
        catalog = {"type": "INTERNAL", "properties": {"default-base-location": base}}
        more = {CATALOG.id: {**catalog, "storageConfigInfo": STORAGES["S3"].configured(base)}}
        for kind in ENTITIES.values():
            path = kind.place((name,) * (len(kind.path) - 1))
            self.client.send(kind.create, path, kind.wrapped({"name": name, **more.get(kind.id, {})}))
        for assignment in ASSIGNMENTS.values():
            value = assignment.given.wrapped({"name": name})
            path = dict.fromkeys(names_below_prefix(self.client.client.document.operation(assignment.assign)), name)
            self.client.send(assignment.assign, path, value)
        grant = {"type": "catalog", "privilege": "TABLE_LIST"}
        self.client.send(ADD, CATALOG_ROLE.place((name, name)), {"grant": grant})

    def _inside(self, catalog: str) -> Iceberg:
        return Iceberg("", client=self.client.client.located(in_prefix(encode_segment(catalog))))


SOMEBODY = {"lance": Lance, "iceberg": Iceberg, "polaris": Polaris}


def fill(somebody: Lance | Iceberg | Polaris, *root: str) -> None:
    """Make a namespace with one in it, and one in that, and all kinds of things in each."""
    for id in (root, (*root, "inner"), (*root, "inner", "deeper")):
        somebody.namespace(*id)
        somebody.table(*id, "t")
        somebody.view(*id, "v")


def _client(url: str, api: str, token: str) -> Client:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    client = Client(Connection(url, headers, 10.0), find_profile(api).document())
    client.known.locate = lambda path: path.replace("/{prefix}", "")
    client.begin([])
    client.reach_subject()  # whatever goes wrong fails the test
    return client
