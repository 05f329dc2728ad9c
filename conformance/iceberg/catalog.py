"""An Iceberg catalog as requirements see it: operations, a home for each example, and cleaning up.

Every name starts with the prefix of the run, and everything a requirement may have created is
dropped after it. Each example lives in a namespace of its own, of one level; names of tables and
views need no prefix there. Where nobody can create namespaces, all live in the one that the settings
name, beside what is there already: then the names of tables start with the prefix too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from conformance.client import Answer, Expected
from conformance.iceberg.client import SUCCESS, Body, IcebergClient, Id, identifier
from conformance.iceberg.content import SCHEMA, view_body
from conformance.iceberg.revision import Revision
from conformance.outcomes import Blocked, Unoffered, Violation
from conformance.target import Target
from specs.identifiers import UNIT_SEPARATOR, IdentifierError

SEPARATOR, PREFIX, NAMESPACES, KEY_LIFETIME = "separator", "prefix", "namespaces", "key lifetime"
NESTED, FLAT = "nested", "flat"
Names = tuple[str, ...]
RESCUED = "rescued"
PLAIN = re.compile(r"\w+", re.ASCII)
GONE = (200, 202, 204, 400, 404, 406)


class IcebergCatalog(IcebergClient):
    """See the module."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.client, target.facts.get(SEPARATOR, UNIT_SEPARATOR))
        self.target = target
        self.revision = Revision(target.document)
        self._namespaces: dict[Names, None] = {}
        self._things: dict[tuple[str, Names], None] = {}
        self._given: Names = target.settings.namespace_levels()
        self._home: Names | None = None
        self._mark = ""
        self.left_behind: list[str] = []

    # Where an example lives

    def begin_example(self) -> None:
        """Start an example: steps are told from here, names start anew."""
        self.client.begin_example()
        self._home = None

    @property
    def nested(self) -> bool:
        """True when namespaces may lie in namespaces."""
        return self.target.facts.get(NAMESPACES) == NESTED

    def require_nested(self) -> None:
        """Raise Unoffered when the target has namespaces of one level only."""
        if not self.nested:
            raise Unoffered("the server has no namespaces within namespaces")

    def require_keys(self) -> None:
        """Raise Unoffered when the target does not say that it keeps idempotency keys."""
        if not self.target.facts.get(KEY_LIFETIME):
            raise Unoffered("the server does not advertise idempotency keys")

    def require(self, operation: str) -> None:
        """Raise Unoffered when the target lacks an operation that only some examples of a requirement need."""
        if operation in self.client.refused or operation in self.client.missing:
            raise Unoffered(f"the server does not have {operation}")

    @property
    def home(self) -> Names:
        """The namespace in which this example lives; it is created when it is first asked for, unless it is given."""
        if self._home is None:
            self._mark = self.target.new_name()
            self._home = self._given or (self._mark,)
            if not self._given:
                self.create_namespace(self._home)
        return self._home

    @property
    def stem(self) -> str:
        """What every name in this example's home starts with: nothing where the home is its own."""
        return f"{self._mark}_" if self.home == self._given else ""

    def table_id(self, name: str = "t") -> Names:
        """Return an identifier for a table, a view or a namespace in this example's home.

        Nothing is created but the home.
        """
        return (*self.home, f"{self.stem}{name}")

    def namespace_id(self, name: str = "n") -> Names:
        """Return an identifier for a namespace beside this example's home."""
        return (f"{self._mark}_{name}",) if self.home else ()

    def missing_namespace(self) -> Names:
        """Return an identifier of a namespace that was never created."""
        return self.namespace_id("missing")

    # What examples start from

    def new_namespace(self, name: str = "n", **body: Any) -> Names:
        """Create a namespace beside the home and return its identifier."""
        id = self.namespace_id(name)
        self.create_namespace(id, **body)
        return id

    def new_table(self, name: str = "t", **body: Any) -> Names:
        """Create a table, of SCHEMA unless the body says otherwise, and return its identifier."""
        id = self.table_id(name)
        self.create_table(id, **{"schema": SCHEMA, **body})
        return id

    def new_view(self, name: str = "v", **body: Any) -> Names:
        """Create a view and return its identifier."""
        id = self.table_id(name)
        self.create_view(id, **{**view_body(self.home), **body})
        return id

    def metadata(self, id: Id) -> dict[str, Any]:
        """Return the metadata of a table as loadTable shows them."""
        found: dict[str, Any] = self.load_table(id)["metadata"]
        return found

    def view_metadata(self, id: Id) -> dict[str, Any]:
        """Return the metadata of a view as loadView shows them."""
        found: dict[str, Any] = self.load_view(id)["metadata"]
        return found

    # Cleaning up

    def send(
        self,
        operation: str,
        path: Mapping[str, str] | None = None,
        body: Any = None,
        *,
        expect: Expected = SUCCESS,
        **options: Any,
    ) -> Answer:
        """See IcebergClient.send. Remembers what may have been created, whatever the answer.

        Raises Unoffered for an operation that the document does not have.
        """
        self.revision.require_operation(operation)
        if operation == "createNamespace" and isinstance(body, dict):
            self.note_namespaces([tuple(map(str, body.get("namespace") or ()))])
        return super().send(operation, path, body, expect=expect, **options)

    def create_table(self, id: Id, **arguments: Any) -> Answer:
        """See IcebergClient; the table is dropped afterwards."""
        self.revision.require_format_version((arguments.get("properties") or {}).get("format-version"))
        self.note_tables([tuple(id)])
        return super().create_table(id, **arguments)

    def register_table(self, id: Id, **arguments: Any) -> Answer:
        """See IcebergClient; the table is dropped afterwards."""
        if arguments.get("overwrite") is not None:
            self.revision.require_field("RegisterTableRequest", "overwrite")
        self.note_tables([tuple(id)])
        return super().register_table(id, **arguments)

    def update_table(
        self, id: Id, updates: Sequence[Body] = (), requirements: Sequence[Body] = (), **options: Any
    ) -> Answer:
        """See IcebergClient; a commit may create the table, so it is dropped afterwards."""
        self.revision.require_updates(updates)
        self.revision.require_requirements(requirements)
        raised = [one.get("format-version") for one in updates if isinstance(one, dict)]
        for version in raised:
            self.revision.require_format_version(version)
        self.note_tables([tuple(id)])
        return super().update_table(id, updates, requirements, **options)

    def drop_table(self, id: Id, **options: Any) -> Answer:
        """See IcebergClient. Raises ValueError for a table that is not of this run."""
        if not self._is_ours(tuple(id)):
            raise ValueError(f"this run may not drop {id}")
        return super().drop_table(id, **options)

    def rename_table(self, source: Id, destination: Id, **options: Any) -> Answer:
        """See IcebergClient; the table is dropped afterwards."""
        self.note_tables([tuple(destination)])
        return super().rename_table(source, destination, **options)

    def create_view(self, id: Id, **arguments: Any) -> Answer:
        """See IcebergClient; the view is dropped afterwards."""
        self.note_views([tuple(id)])
        return super().create_view(id, **arguments)

    def register_view(self, id: Id, **arguments: Any) -> Answer:
        """See IcebergClient; the view is dropped afterwards."""
        self.note_views([tuple(id)])
        return super().register_view(id, **arguments)

    def rename_view(self, source: Id, destination: Id, **options: Any) -> Answer:
        """See IcebergClient; the view is dropped afterwards."""
        self.note_views([tuple(destination)])
        return super().rename_view(source, destination, **options)

    def note_namespaces(self, ids: Iterable[Names]) -> None:
        """Note namespaces that may come into being, so that they are dropped afterwards."""
        self._namespaces.update(dict.fromkeys(id for id in ids if self._is_ours(id)))

    @property
    def noted_namespaces(self) -> list[Names]:
        """The namespaces that will be dropped."""
        return list(self._namespaces)

    def note_tables(self, ids: Iterable[Names]) -> None:
        """Note tables that may come into being, so that they are dropped afterwards."""
        self._things.update(dict.fromkeys(("table", id) for id in ids if self._is_ours(id)))

    def note_views(self, ids: Iterable[Names]) -> None:
        """Note views that may come into being, so that they are dropped afterwards."""
        self._things.update(dict.fromkeys(("view", id) for id in ids if self._is_ours(id)))

    def _is_ours(self, id: Names) -> bool:
        """True for what is named by this run: in a namespace of its own, or directly in the given one."""
        depth = len(self._given)
        rest = id[depth:] if depth and id[:depth] == self._given else id
        return bool(rest) and str(rest[0]).startswith(self.target.prefix)

    @property
    def _rescued(self) -> str:
        """A plain name for what has an odd one."""
        return f"{self.target.prefix}_{RESCUED}"

    def clean_up(self) -> None:
        """Drop everything that may have been created; what resists is noted in `left_behind`.

        What was interrupted goes on where it was when this is called again.
        """
        for kind, id in list(self._things):
            self._drop(partial(self._drop_table if kind == "table" else self._drop_view, id), id)
            del self._things[kind, id]
        for id in sorted(self._namespaces, key=len, reverse=True):
            self._drop(partial(self.drop_namespace, id, expect=None), id)
            del self._namespaces[id]

    def _drop_table(self, id: Names) -> None:
        """Drop a table with its files where the server does that, else without; with an odd name, under another."""
        if self.drop_table(id, purgeRequested="true", expect=None).status == 204 and PLAIN.fullmatch(id[-1]):
            return  # 404 may also say that a file to purge is lost
        if not PLAIN.fullmatch(id[-1]):
            self._rename_rescued("renameTable", id)
            id = (*id[:-1], self._rescued)
        self.drop_table(id, expect=None)

    def _drop_view(self, id: Names) -> None:
        if "dropView" in self.client.refused:
            return
        self.drop_view(id, expect=None)
        if not PLAIN.fullmatch(id[-1]):
            self._rename_rescued("renameView", id)
            self.drop_view((*id[:-1], self._rescued), expect=None)

    def _rename_rescued(self, operation: str, id: Names) -> None:
        """Give something a plain name: a body can hold names that some servers refuse in a path."""
        body = {"source": identifier(id), "destination": identifier((*id[:-1], self._rescued))}
        self.send(operation, body=body, expect=None)

    def _drop(self, action: Callable[[], object], id: Names) -> None:
        sent = self.client.requests
        with suppress(IdentifierError):
            self.quietly(action)
        if self.client.requests == sent:
            return
        exchange = self.client.steps[-1]
        if exchange.status not in GONE:
            self.left_behind.append(f"{exchange.operation} {id}: {exchange.status or exchange.failure}")

    def quietly(self, action: Callable[[], object]) -> None:
        """Do something that sends requests, whatever comes of it."""
        with suppress(Violation, Blocked, Unoffered):
            action()
