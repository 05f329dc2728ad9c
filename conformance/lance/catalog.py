"""Lance catalog for requirements: operations, a home namespace for each example, and the clean-up.

Every name starts with the prefix of the run, and everything that a requirement may have created is
dropped after it. Where the target has namespaces, each example has a namespace of its own;
where it has none, tables lie in the root and carry the home's name as a prefix.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from conformance.author.catalog import JOINT, inventory_of
from conformance.author.checks import equal, number
from conformance.author.strategies import tables
from conformance.http.answers import Answer
from conformance.http.client import Client, Expected
from conformance.lance.branched import NAME, Branched
from conformance.lance.client import Id, LanceClient
from conformance.lance.inventory import NEW_NAME, LanceInventory, renamed
from conformance.lance.making import EMPTIED, EMPTY_TABLE, TableMaker
from conformance.lance.operations import BRANCH
from conformance.lance.support.arrow import read_rows
from conformance.lance.support.extra_column import KINDS_OF_DATA, widened
from conformance.lance.support.forms import FORMS
from conformance.lance.worlds import (
    CONNECTION,
    CROWD,
    DATA,
    FORM,
    FORMS_OF_NAMES,
    NAMES,
    ONLY_BELOW,
    OTHER_CASE,
    PLACE,
    STATE,
    STATES,
)
from conformance.target import hostile
from conformance.target.capabilities import FLAT, NAMESPACES, NESTED
from conformance.target.revision import DocumentRevision
from conformance.target.target import Target
from conformance.values.outcomes import Skipped, Unoffered
from conformance.values.resources import NAMESPACE, REGISTRATION, TABLE, Names
from conformance.values.settings import flag
from specs.lance.identifiers import DELIMITER, join_parts
from specs.openapi import Operation

__all__ = ["ALL_ROWS", "INVALID_INPUT", "NAMESPACE_BODIES", "LanceCatalog", "Names"]

ALL_ROWS = 100_000  # as `k`: more than any example has
ROWS = 3  # of a new table
INVALID_INPUT = 13
NO_NAMESPACE_TO_READ = "the run found no namespace to read"
TOO_DEEP = (400, 403)  # statuses for a namespace that lies too deep
NAMESPACE_BODIES: dict[str, dict[str, Any]] = {
    "an empty body": {},
    "the mode spelled out": {"mode": "Create"},
    "the mode and properties spelled out": {"mode": "Create", "properties": {}},
}


class LanceCatalog(TableMaker):
    """The target's catalog, with the operations of the Lance Namespace as methods."""

    namespace_operation = "CreateNamespace"

    def __init__(self, target: Target) -> None:
        super().__init__(target.client)
        self.target = target
        self.revision = DocumentRevision(target.document)
        self.sandbox = target.sandbox
        self.inventory: LanceInventory = inventory_of(target, LanceInventory)
        self.defaults = self._spelled_out
        self._home: str | None = None
        self._inner: Names = ()
        self._companions: set[Names] = set()
        self._branched = Branched()

    def through(self, client: Client) -> LanceClient:
        """Return the same operations sent through another client."""
        other = LanceClient(client)
        other.defaults = self.defaults
        return other

    # The home of an example

    @property
    def has_namespaces(self) -> bool:
        """True when the target has namespaces below the root."""
        return self.target.capabilities.get(NAMESPACES) in (FLAT, NESTED)

    def require_namespaces(self) -> None:
        """Raise Unoffered when the target has no namespaces but the root, Skipped where a read-only run saw none."""
        if not self.has_namespaces:
            if self.target.read_only:
                raise Skipped(NO_NAMESPACE_TO_READ, flag(NAMESPACE))
            self.client.require(self.namespace_operation)
            raise Unoffered("the server has no namespaces but the root")

    def require_levels(self, *, nested: bool = False) -> None:
        """Raise Unoffered when the target has no namespaces, or none that nest, for requests that need none to exist.

        A read-only run that found none cannot know: then the target treats names in missing namespaces as missing.
        """
        if NAMESPACES in self.target.capabilities:
            (self.require_nested if nested else self.require_namespaces)()

    def begin_example(self) -> None:
        """Start an example with no steps, no home and no companions."""
        super().begin_example()
        self._inner, self._companions, self._branched = (), set(), Branched()

    @property
    def home_name(self) -> str:
        """Name of this example, unique in the run; its namespace is created on first use, unless it is the root."""
        if self._home is None:
            self._home = self._spelled(self.mark, below=False)
            if not self.shared:
                self.create_namespace((*self.base, self._home))
                with self.client.furnishing():
                    self._furnish((*self.base, self._home))
        return self._home

    def _furnish(self, own: Names) -> None:
        """Create what the place and the names of the current world have beside the objects of the example."""
        place = self.target.surroundings.value(PLACE)
        if place == "nested":
            self._inner = (self._spelled("inner", below=False),)
            self.create_namespace((*own, *self._inner))
        elif place == "beside":
            self.declare_table(self._companion((*own, "lakeproof_declared")))
            if self.nested:
                inner = self._companion((*own, "lakeproof_inner"))
                self.create_namespace(inner)
                self.declare_table(self._companion((*inner, "t")))
        elif place == "crowd":
            self._declare([self._companion((*own, f"lakeproof_{number}")) for number in range(CROWD)])
        elif place == "prefix":
            longer = self._companion((*own[:-1], f"{own[-1]}z"))
            self.create_namespace(longer)
            self.declare_table(self._companion((*longer, "t")))
        if self.target.surroundings.world.get(NAMES) == "case":
            self.create_namespace((*self.base, OTHER_CASE.format(self.mark)))

    def _declare(self, ids: Sequence[Names]) -> None:
        """Declare tables, in one request where the server has one for it."""
        if "BatchCommitTables" in self.client.known.done:
            self.note_tables(ids)
            self.batch_commit_tables([{"declare_table": {"id": list(id)}} for id in ids])
            return
        for id in ids:
            self.declare_table(id)

    def _companion(self, id: Names) -> Names:
        """Note an object that the current world has in the home of the example."""
        self._companions.add(id)
        return id

    def own(self, namespace: Id, names: Iterable[str]) -> list[str]:
        """Return the listed names of a namespace without those of the current world's other objects."""
        others = {id[-1] for id in self._companions if id[:-1] == tuple(namespace)}
        return [name for name in names if not others or name not in others]

    def own_identifiers(self, identifiers: Iterable[str]) -> list[str]:
        """Return listed identifiers without those of the current world's other objects."""
        others = {join_parts(id) for id in self._companions}
        return [identifier for identifier in identifiers if not others or identifier not in others]

    def _spelled(self, name: str, *, below: bool = True) -> str:
        """Return a name as the names of the current world are, or the name of a home with `below` false."""
        surroundings = self.target.surroundings
        if not below and surroundings.world.get(NAMES) in ONLY_BELOW:
            return name
        return FORMS_OF_NAMES.get(surroundings.value(NAMES), "{}").format(name)

    @property
    def stem(self) -> str:
        """Identifier of the home: the prefix of the identifiers of this example's tables."""
        own = self.target.read_only or not self.shared
        return join_parts(self.home if own else (*self.base, self.home_name))

    @property
    def shared(self) -> bool:
        """True when the home of the example is not its own: its objects carry the name of the example."""
        rooted = self.target.surroundings.value(PLACE) == "root" and not self._inner
        return rooted or self.target.read_only or not self.has_namespaces

    @property
    def home(self) -> Names:
        """The example's namespace: the base where the target has no namespaces, an existing one if it is read-only."""
        if self.target.read_only:
            return self.target.given.home
        name = self.home_name
        return self.base if self.shared else (*self.base, name, *self._inner)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Move the home into a child namespace. Raises Unoffered where namespaces do not nest so deep."""
        self.require_nested()
        outer = (*self.base, self.home_name)
        before, inner = self._inner, "deep"
        with self.client.preparing():
            if self.shared:
                self.create_namespace(outer)
            answer = self.create_namespace((*outer, *before, inner), expect=(200, *TOO_DEEP))
        if not answer.succeeded:
            raise Unoffered("the server has no namespaces of two levels")
        self._inner = (*before, inner)
        try:
            yield
        finally:
            self._inner = before

    def table_id(self, name: str = "t") -> Names:
        """Return the identifier of a table in this example's home. Creates nothing but the home."""
        home, name = self.home, self._spelled(name)
        return (*home, self.beside(name) if self.shared else name)

    def beside(self, name: str) -> str:
        """Return the name of an object of this example outside of its home."""
        return f"{self.home_name}{JOINT}{name}"

    def namespace_id(self, name: str = "n") -> Names:
        """Return the identifier for a namespace in this example's home, or beside it where none nest."""
        self.require_namespaces()
        home, name = self.home, self._spelled(name)
        return (*home, name) if self.nested and not self.shared else (*self.base, self.beside(name))

    def hostile_id(self, name: str, *, namespace: bool = False) -> Names:
        """Return an identifier with a hostile name. A name with .. lies so deep that it resolves to the home."""
        name = hostile.own(name, self.target.prefix)
        if not hostile.climbs(name) or not self.nested:
            return self.namespace_id(name) if namespace else self.table_id(name)
        inner = self.home
        for _ in range(hostile.climbs(name)):
            inner = (*inner, "deep")
            self.create_namespace(inner)
        return (*inner, name)

    def missing_namespace(self) -> Names:
        """Return the identifier of a namespace that does not exist, creating nothing."""
        return (*self.base, f"{self.mark}{JOINT}missing")

    # Objects that examples start from

    def new_namespace(self, name: str = "n", **body: Any) -> Names:
        """Create a namespace and return its identifier; an existing one if the run is read-only."""
        if self.target.read_only:
            return self.existing(NAMESPACE, name, plain=not body)
        id = self.namespace_id(name)
        self.create_namespace(id, **body)
        return id

    def new_table_id(self, name: str = "t") -> Names:
        """Return the identifier of a table that a test is about to create, beside the one that the world has for it."""
        id = self.table_id(name)
        if self.target.surroundings.world.get(NAMES) == "case" and not self.shared:
            with self.client.furnishing():
                self.declare_table(self._companion((*id[:-1], OTHER_CASE.format(name))))
        return id

    def new_table(self, name: str = "t", rows: int = ROWS) -> Names:
        """Create a table with rows and return its identifier; an existing table if the run is read-only."""
        if self.target.read_only:
            return self.existing(TABLE, name, plain=rows == ROWS)
        return self.new_table_of(tables(rows), name)

    def new_table_of(self, data: Any, name: str = "t", *, branched: bool = True) -> Names:
        """Create a table with the rows of an Arrow table, in the state of the current world; return its identifier.

        With `branched` false it has no branch in any world: main keeps its rows.
        """
        id, surroundings = self.new_table_id(name), self.target.surroundings
        state = STATES.get(surroundings.world.get(STATE, ""))
        if not state or not state.fits(data):
            self.make_table(id, data)
        else:
            surroundings.value(STATE)
            with self.client.furnishing("CreateTable"):
                state.make(self, id, data)
        if branched and (branch := surroundings.value(BRANCH)):
            with self.client.furnishing():
                self._branch(id, on_it=branch == "own")
        return id

    def new_empty_table(self, data: Any, name: str = "t") -> Names:
        """Create a table with the columns of an Arrow table that has rows, and without rows; return its identifier.

        Some servers create no table without rows: lance.table.create.empty_stream judges that.
        """
        if self.target.ways.chosen.get(EMPTY_TABLE) != EMPTIED:
            return self.new_table_of(data.schema.empty_table(), name)
        id = self.new_table_of(data, name)
        with self.client.preparing():
            self.delete_from_table(id, predicate="true")
        return id

    def _branch(self, id: Names, *, on_it: bool) -> None:
        """Create a branch of a table, and delete the rows of the one, main or it, that later requests are not on.

        What is read in place of the other shows then. A requirement on deletions has the rows of both: one that a
        server refuses beside a branch must not look like a branch that it refuses.
        """
        other: dict[str, Any] = {} if on_it else {BRANCH: NAME}
        self.create_table_branch(id, name=NAME)
        if on_it or "DeleteFromTable" not in self.client.subjects:
            self.delete_from_table(id, predicate="true", **other)
        if on_it:
            self._branched.add(id)

    def enter_world(self) -> None:
        """Create a table and a namespace in the current world."""
        with self.client.preparing():
            self.new_table()
            if self.has_namespaces:
                self.new_namespace()

    def new_declared_table(self, name: str = "t", **body: Any) -> Names:
        """Declare a table and return its identifier."""
        id = self.new_table_id(name)
        self.declare_table(id, **body)
        return id

    def _spelled_out(self, operation: str, _given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields that this server needs explicitly, and the location where the run may create tables."""
        if operation == "DeclareTable" and (place := self.target.new_place()):
            return {"location": place}
        way = self.target.ways.chosen.get(NAMESPACE) if operation == "CreateNamespace" else None
        return NAMESPACE_BODIES[way] if way else {}

    # Reading

    def version(self, id: Id) -> int:
        """Return the latest version of a table, as DescribeTable returns it."""
        described = self.describe_table(id, _query={"load_detailed_metadata": True})
        return number(described["version"], "the version of the table")

    def is_only_declared(self, id: Id) -> Any:
        """Return the is_only_declared of a table; later revisions have a parameter that asks for it."""
        known = {parameter.name for parameter in self.target.document.operation("DescribeTable").query_parameters()}
        asked = {"check_declared": True} if "check_declared" in known else {}
        return self.describe_table(id, _query=asked).get("is_only_declared")

    def rows(self, id: Id, **query: Any) -> list[dict[str, Any]]:
        """Return the rows that a query finds, by default all of them, in the order of the response."""
        answer = self.query_table(id, **{"vector": {}, "k": ALL_ROWS, **query})
        rows: list[dict[str, Any]] = read_rows(answer.body)
        return rows

    # Requests of any operation

    def try_namespace(self, id: Names) -> Answer:
        """Ask for a namespace; any response will do."""
        return self.create_namespace(id, expect=None)

    def ask(
        self,
        operation: Operation,
        name: str,
        *,
        body: bytes | None = None,
        headers: dict[str, str | None] | None = None,
        expect: Expected,
    ) -> Answer:
        """Send an operation on an object of this name in the example's home."""
        id = f"{self.stem}{DELIMITER}{name}" if self.stem else name
        path = {key: id if key == "id" else name for key in operation.path_names}
        query = {parameter.name: "x" for parameter in operation.query_parameters() if parameter.required}
        return self.client.call(operation.id, path=path, query=query, body=body, headers=headers, expect=expect)

    def check_invalid(self, refused: Answer) -> None:
        """Check that an error has the code of invalid input."""
        equal(refused.code, INVALID_INPUT, "the code of the error")

    # Noting what the clean-up has to drop

    def send(self, operation: str, id: Id | None, body: Any = None, **options: Any) -> Answer:
        """Send an operation as LanceClient.send does, and note what it may have created, whatever the response."""
        key = self.note_sent(operation, id, body)
        body, options = self._in_world(operation, id, body, options)
        answer = super().send(operation, id, body, **options)
        if answer.succeeded and isinstance(key, tuple):
            self._branched.note(operation, key, renamed(key, body) if operation == "RenameTable" else ())
        if operation == "DeregisterTable" and key and answer.succeeded:
            location = answer.get("location")
            self.inventory.deregistered[key] = location if isinstance(location, str) else ""
        return answer

    def _in_world(
        self, operation: str, id: Id | None, body: Any, options: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """Return a request in the form of the current world, with its data, in its connection."""
        surroundings = self.target.surroundings
        if not surroundings.world:
            return body, options
        if surroundings.value(CONNECTION):
            self.client.reconnect()
        if placed := self._branched.on_branch(self.target.document.operation(operation), id, body, options):
            body, options = placed
        if (kind := KINDS_OF_DATA.get(surroundings.world.get(DATA, ""))) and options.get("data"):
            wide = widened(options["data"], kind)
            if wide != options["data"]:
                surroundings.value(DATA)
                options = {**options, "data": wide}
        if form := FORMS.get(surroundings.world.get(FORM, "")):
            formed = form.apply(self.target.document.operation(operation), id, body, options)
            if formed != (body, options):
                surroundings.value(FORM)
                return formed
        return body, options

    def with_extra_data(self, data: Any) -> Any:
        """Return rows with the data that the current world adds to them."""
        kind = KINDS_OF_DATA.get(self.target.surroundings.value(DATA))
        return kind.widen(data) if kind else data

    def note_sent(self, operation: str, id: Id | None, body: Any) -> Names | str:
        """Note what a request may create, and return the identifier that it names."""
        key = id if isinstance(id, str) else tuple(id or ())
        if key:
            self.sandbox.note_made(operation, key)
            self._note_renamed(operation, key, body)
        return key

    def _note_renamed(self, operation: str, id: Names | str, body: Any) -> None:
        """Note the new name that a body asks for."""
        if isinstance(body, dict) and body.get(NEW_NAME) and not isinstance(id, str):
            *namespace, name = renamed(id, body)
            self.sandbox.note_renamed(operation, id, (*namespace, str(name)))

    def supported(self, answer: Answer, what: str) -> Answer:
        """Return the last response when it is a success. Raises Unoffered where it rejects `what` as unsupported.

        For features that a server may leave out of an operation that it offers.
        """
        if self.client.refuses(self.client.steps[-1]):
            raise Unoffered(f"the server does not have {what}")
        self.client.check_status(self.client.steps[-1], 200)
        return answer

    def register_foreign(self, id: Names, location: str, *, expect: Expected) -> Answer:
        """Register a location that the server does not own: the clean-up deregisters it and keeps its files."""
        self.sandbox.note(REGISTRATION, [id])
        return self.register_table(id, location=location, expect=expect)
