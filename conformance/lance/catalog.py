"""A Lance catalog as requirements see it: operations, a home for each example, and cleaning up.

Every name starts with the prefix of the run, and everything a requirement may have created is
dropped after it. Where the target has namespaces, each example lives in a namespace of its own;
where it has none, tables lie in the root and carry the home's name as a prefix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any

from conformance.client import Answer, Expected
from conformance.exchange import Exchange
from conformance.lance.arrow import read_file, stream
from conformance.lance.client import Id, LanceClient
from conformance.outcomes import Blocked, Unoffered, Violation
from conformance.strategies import tables
from conformance.target import Target

NAMESPACES, NONE, FLAT, NESTED = "namespaces", "none", "flat", "nested"
DELIMITERS = ("$", ".", "::", "|", "\x1f")
Names = tuple[str, ...]
ALL_ROWS = 100_000  # as `k`: more than any example has
TABLE_MAKERS = ("CreateTable", "CreateEmptyTable", "DeclareTable", "RegisterTable")


class LanceCatalog(LanceClient):
    """See the module."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.client)
        self.target = target
        self._namespaces: dict[Id, None] = {}
        self._tables: dict[Id, None] = {}
        self._deregistered: dict[Id, str] = {}
        self._home: str | None = None
        self.left_behind: list[str] = []

    # Where an example lives

    def begin_example(self) -> None:
        """Start an example: steps are told from here, names start anew."""
        self.client.begin_example()
        self._home = None

    @property
    def has_namespaces(self) -> bool:
        """True when the target has namespaces below the root."""
        return self.target.facts.get(NAMESPACES) in (FLAT, NESTED)

    @property
    def nested(self) -> bool:
        """True when namespaces may lie in namespaces."""
        return self.target.facts.get(NAMESPACES) == NESTED

    def require_namespaces(self) -> None:
        """Raise Unoffered when the target has no namespaces but the root."""
        if not self.has_namespaces:
            raise Unoffered("the server has no namespaces but the root")

    def require_nested(self) -> None:
        """Raise Unoffered when the target has no namespaces within namespaces."""
        if not self.nested:
            raise Unoffered("the server has no namespaces within namespaces")

    @property
    def home_name(self) -> str:
        """The name that is this example's own; its namespace is created when it is first asked for."""
        if self._home is None:
            self._home = self.target.new_name()
            if self.has_namespaces:
                self.create_namespace((self._home,))
        return self._home

    @property
    def home(self) -> Names:
        """The namespace in which this example lives: the root where there are no others."""
        name = self.home_name
        return (name,) if self.has_namespaces else ()

    def table_id(self, name: str = "t") -> Names:
        """Return an identifier for a table in this example's home. Nothing is created but the home."""
        home = self.home
        return (*home, name) if home else (f"{self.home_name}_{name}",)

    def namespace_id(self, name: str = "n") -> Names:
        """Return an identifier for a namespace in this example's home, or beside it where none nest."""
        self.require_namespaces()
        return (*self.home, name) if self.nested else (f"{self.home_name}_{name}",)

    def missing_namespace(self) -> Names:
        """Return an identifier of a namespace that was never created."""
        return (f"{self.home_name}_missing",)

    # What examples start from

    def new_namespace(self, name: str = "n", **body: Any) -> Names:
        """Create a namespace and return its identifier."""
        id = self.namespace_id(name)
        self.create_namespace(id, **body)
        return id

    def new_table(self, name: str = "t", rows: int = 3) -> Names:
        """Create a table with rows and return its identifier."""
        return self.new_table_of(tables(rows), name)

    def new_table_of(self, data: Any, name: str = "t") -> Names:
        """Create a table of the rows of an Arrow table and return its identifier."""
        id = self.table_id(name)
        self.create_table(id, stream(data))
        return id

    def new_declared_table(self, name: str = "t", **body: Any) -> Names:
        """Declare a table and return its identifier."""
        id = self.table_id(name)
        self.declare_table(id, **body)
        return id

    # What examples look at

    def version(self, id: Id) -> int:
        """Return the latest version of a table, as DescribeTable tells it."""
        version: int = self.describe_table(id, query={"load_detailed_metadata": True})["version"]
        return version

    def rows(self, id: Id, **query: Any) -> list[dict[str, Any]]:
        """Return the rows that a query finds, by default all of them, in the order of the answer."""
        answer = self.query_table(id, **{"vector": {}, "k": ALL_ROWS, **query})
        found: list[dict[str, Any]] = read_file(answer.body).to_pylist()
        return found

    # Cleaning up

    def send(self, operation: str, id: Id | None, body: Any = None, **options: Any) -> Answer:
        """See LanceClient.send. Remembers what may have been created, whatever the answer."""
        if id:
            key = id if isinstance(id, str) else tuple(id)
            if operation == "CreateNamespace":
                self._namespaces[key] = None
            elif operation in TABLE_MAKERS:
                self._tables[key] = None
            elif operation == "RenameTable" and not isinstance(id, str):
                self._note_rename(tuple(id), body or {})
        answer = super().send(operation, id, body, **options)
        if operation == "DeregisterTable" and id and answer.status == 200:
            self._deregistered[id if isinstance(id, str) else tuple(id)] = answer.get("location") or ""
        return answer

    def note_namespaces(self, ids: Iterable[Names]) -> None:
        """Note namespaces that several clients may create, so that they are dropped afterwards."""
        self._namespaces.update(dict.fromkeys(ids))

    @property
    def noted_namespaces(self) -> list[Names]:
        """The namespaces that will be dropped."""
        return [tuple(id) for id in self._namespaces if not isinstance(id, str)]

    def note_tables(self, ids: Iterable[Names]) -> None:
        """Note tables that a batch or several clients may create, so that they are dropped afterwards."""
        self._tables.update(dict.fromkeys(ids))

    def _note_rename(self, id: Names, body: dict[str, Any]) -> None:
        name, namespace = body.get("new_table_name"), body.get("new_namespace_id")
        if isinstance(name, str) and name:
            self._tables[(*(id[:-1] if namespace is None else namespace), name)] = None

    def restore_registration(self, id: Id, location: str, *, expect: Expected = 200, **body: Any) -> Answer:
        """Register a table at a location that the target reported.

        Some servers want it relative to their root and refuse the form that they report themselves;
        a requirement of its own judges that.
        """
        answer = self.register_table(id, location=location, expect=None, **body)
        if answer.status == 400:
            return self.register_table(id, location=location.rstrip("/").rsplit("/", 1)[-1], expect=expect, **body)
        self.client.judge_status(self.client.steps[-1], expect)
        return answer

    def clean_up(self) -> None:
        """Drop everything that may have been created; what resists is noted in `left_behind`.

        What was interrupted goes on where it was when this is called again.
        """
        for id, location in list(self._deregistered.items()):
            if location and self.attempt("TableExists", id, {}).status == 404:
                self.quietly(partial(self.restore_registration, id, location, expect=None))
            del self._deregistered[id]
        for id in list(self._tables):
            self._drop("DropTable", id, None)
            del self._tables[id]
        for id in sorted(self._namespaces, key=len, reverse=True):
            self._drop("DropNamespace", id, {})
            del self._namespaces[id]

    def _drop(self, operation: str, id: Id, body: Any) -> None:
        exchange = self.attempt(operation, id, body)
        if exchange.status == 409 and operation == "DropNamespace":
            exchange = self.attempt(operation, id, {"behavior": "Cascade"})
        if exchange.status not in (200, 202, 204, 400, 404, 406):
            self.left_behind.append(f"{operation} {id}: {exchange.status or exchange.failure}")

    def attempt(self, operation: str, id: Id, body: Any) -> Exchange:
        """Send an operation whatever comes of it and return the exchange."""
        delimiter = next(one for one in DELIMITERS if not any(one in part for part in id))
        self.quietly(lambda: LanceClient.send(self, operation, id, body, delimiter=delimiter, expect=None))
        return self.client.steps[-1]

    def quietly(self, action: Callable[[], object]) -> None:
        """Do something that sends requests, whatever comes of it."""
        with suppress(Violation, Blocked, Unoffered):
            action()
