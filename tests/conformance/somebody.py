"""Somebody else who uses a catalog while it is judged: makes things of all kinds, and tells what is there."""

from __future__ import annotations

from typing import Any

from conformance.client import Client
from conformance.iceberg.client import IcebergClient
from conformance.lance.client import LanceClient
from conformance.lance.support.arrow import read_rows, stream
from conformance.strategies import tables
from conformance.transport import Connection
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
        found: dict[Id, Any] = {}
        for name in self.client.list_tables(namespace, include_declared=True)["tables"]:
            found[*namespace, name] = self._table((*namespace, name))
        for name in self.client.list_namespaces(namespace)["namespaces"]:
            inner = (*namespace, name)
            found |= {inner: self.client.describe_namespace(inner).json, **self.content(*inner)}
        return found

    def _table(self, id: Id) -> Any:
        described = self.client.describe_table(id, expect=None)
        rows = self.client.query_table(id, vector={}, k=100, expect=None)
        told = {name: value for name, value in described.json.items() if name != "instance"}
        return described.status, told, read_rows(rows.body) if rows.status == 200 else None


class Iceberg:
    """Somebody who uses an Iceberg catalog."""

    roots_have_tables = False

    def __init__(self, url: str, token: str = "") -> None:
        self.client = IcebergClient(_client(url, "iceberg", token))

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
        found: dict[Id, Any] = {}
        if namespace:
            for ask, load in (
                (self.client.list_tables, self.client.load_table),
                (self.client.list_views, self.client.load_view),
            ):
                ids = [(*namespace, one["name"]) for one in ask(namespace)["identifiers"]]
                found |= {id: load(id).json for id in ids}
        for inner in map(tuple, self.client.list_namespaces(namespace or None)["namespaces"]):
            found |= {inner: self.client.load_namespace_metadata(inner).json, **self.content(*inner)}
        return found


SOMEBODY = {"lance": Lance, "iceberg": Iceberg}


def fill(somebody: Lance | Iceberg, *root: str) -> None:
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
