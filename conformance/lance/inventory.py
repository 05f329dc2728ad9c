"""Inventory of a run in a Lance namespace: objects found by listing and dropped by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

from conformance.lance.client import Id, LanceClient
from conformance.lance.locations import relative_location
from conformance.target.inventory import Inventory
from conformance.target.target import Target
from conformance.values.exchange import Exchange
from conformance.values.json_values import read_object
from conformance.values.resources import NAMESPACE, REGISTRATION, TABLE, Names, Resource
from specs.lance.identifiers import DELIMITER
from specs.openapi import Operation

RENAMED = NEW_NAME, NEW_NAMESPACE = "new_table_name", "new_namespace_id"
DELIMITERS = (DELIMITER, ".", "::", "|", "\x1f")


class LanceInventory(Inventory):
    """Objects that a run may have created. `deregistered` has the locations of tables whose files remain."""

    drops: ClassVar = {TABLE: "DropTable", REGISTRATION: "DeregisterTable", NAMESPACE: "DropNamespace"}
    makers: ClassVar = {
        TABLE: ("CreateTable", "DeclareTable", "CreateEmptyTable", "CreateMaterializedView"),
        NAMESPACE: ("CreateNamespace",),
    }
    looks: ClassVar = {
        **dict.fromkeys((TABLE, REGISTRATION), ("TableExists", "DescribeTable")),
        NAMESPACE: ("NamespaceExists", "DescribeNamespace"),
    }
    lists: ClassVar = {TABLE: "ListTables", REGISTRATION: "ListTables", NAMESPACE: "ListNamespaces"}
    creates: ClassVar = {
        "CreateNamespace": NAMESPACE,
        **dict.fromkeys(
            ("CreateTable", "CreateEmptyTable", "DeclareTable", "RegisterTable", "CreateMaterializedView"), TABLE
        ),
    }
    renames: ClassVar = {"RenameTable": TABLE}
    next_page = "page_token"

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.deregistered: dict[Id, str] = {}
        self._kept: dict[Id, str] = {}

    @property
    def _client(self) -> LanceClient:
        return LanceClient(self.target.client)

    def prepare(self) -> None:
        """Register deregistered tables again: only a registered table can be dropped with its files."""
        for id, location in list(self.deregistered.items()):
            there = self._send("TableExists", id, {}) if location and self.offers("DropTable") else None
            if there and there.status == 404:
                answer = self._send("RegisterTable", id, {"location": location})
                if answer and answer.status == 400:  # some servers want it relative to their root
                    self._send("RegisterTable", id, {"location": relative_location(location)})
            del self.deregistered[id]

    def keep(self) -> None:
        """Leave what is deregistered now as it is, until `release`."""
        self._kept |= self.deregistered
        self.deregistered.clear()

    def release(self) -> None:
        """Register at the next clean-up what was kept deregistered."""
        self.deregistered |= self._kept
        self._kept.clear()

    def drop(self, resource: Resource) -> Exchange | None:
        """Drop an object; return None when it is not the run's own or the document has no operation that drops it."""
        operation = self.drops[resource.kind]
        if not self.is_ours(resource.id) or operation not in self.target.document.operations:
            return None
        return self._send(operation, resource.id, None if resource.kind == TABLE else {})

    def drop_with_contents(self, namespace: Resource) -> Exchange | None:
        """Drop a namespace with all that is in it."""
        return (
            self._send("DropNamespace", namespace.id, {"behavior": "Cascade"}) if self.is_ours(namespace.id) else None
        )

    def id_made(self, operation: Operation, exchange: Exchange) -> tuple[Any, ...]:
        """Return the identifier of the object that a request creates or renames."""
        url, body = urlsplit(exchange.url), read_object(exchange.request_body)
        delimiter = dict(parse_qsl(url.query)).get("delimiter", DELIMITER)
        id = tuple(operation.path_values(url.path)["id"].split(delimiter))
        return renamed(id, body) if operation.id in self.renames else id

    def look(self, operation: str, resource: Resource) -> Exchange | None:
        """Look for an object by an operation that describes it or checks its existence."""
        return self._send(operation, resource.id, {})

    def roots(self) -> list[Resource]:
        """Return the objects of the run at the top level, and its tables in namespaces that no listing shows."""
        names = self.listed("ListAllTables", "tables", lambda token: self._client.list_all_tables(page_token=token))
        ids = [tuple(name.split(DELIMITER)) for name in names if isinstance(name, str)]
        return [*super().roots(), *(Resource(TABLE, id) for id in ids if self.is_ours(id))]

    def children(self, namespace: Names) -> list[Resource]:
        """Return the namespaces and tables that a namespace lists; a read-only run looks for tables with rows."""
        below = self.listed(
            "ListNamespaces", "namespaces", lambda token: self._client.list_namespaces(namespace, page_token=token)
        )
        tables = self.listed(
            "ListTables",
            "tables",
            lambda token: self._client.list_tables(
                namespace, include_declared=not self.target.read_only, page_token=token
            ),
        )
        return [
            Resource(kind, (*namespace, name))
            for kind, names in ((NAMESPACE, below), (TABLE, tables))
            for name in names
            if isinstance(name, str)
        ]

    def _send(self, operation: str, id: Id, body: Any) -> Exchange | None:
        parts = () if isinstance(id, str) else id  # a string already has its delimiters
        delimiter = next((sign for sign in DELIMITERS if not any(sign in part for part in parts)), DELIMITER)
        return self.ask(lambda: self._client.send(operation, id, body, delimiter=delimiter, expect=None))


def renamed(id: Names, body: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the identifier that a RenameTable body gives to a table."""
    namespace = body.get(NEW_NAMESPACE)
    return (*(id[:-1] if namespace is None else namespace), body.get(NEW_NAME))
