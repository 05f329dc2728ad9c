"""Iceberg catalog for requirements: operations, a home namespace for each example, and clean-up.

Every name starts with the prefix of the run, and everything that a requirement may have created is dropped after
it. Each example has a namespace of its own, on the first level or directly below the namespace in the settings;
names of tables and views need no prefix there. Where the run cannot create namespaces, all examples share the
given one with existing objects: then names of tables start with the prefix too. A read-only run creates nothing: its
examples share an existing namespace, and existing tables and views stand for new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, ClassVar

from conformance.author.catalog import JOINT, Catalog, inventory_of
from conformance.http.answers import Answer
from conformance.http.client import Client, Expected, Successes
from conformance.http.operation_client import DECLARED
from conformance.iceberg import worlds
from conformance.iceberg.client import IcebergClient, Id, names_below_prefix
from conformance.iceberg.inventory import IcebergInventory
from conformance.iceberg.shaping import Shaping
from conformance.iceberg.support.content import SCHEMA, order, spec, view_body
from conformance.iceberg.support.places import names_place
from conformance.iceberg.support.revision import Revision
from conformance.iceberg.support.states import (
    NAMESPACE_STATES,
    TABLE_STATES,
    UNCHANGED,
    VIEW_STATES,
    Body,
    State,
    plain_namespace,
    siblings,
)
from conformance.iceberg.support.updates import COMMITS, FIRST_ID, FIRST_IDS, WITH_IDS, Ids, fresh_ids
from conformance.target import hostile
from conformance.target.capabilities import SEPARATOR
from conformance.target.target import Target
from conformance.values.outcomes import Blocked, Skipped, Stopped, Unoffered, Violation
from conformance.values.resources import NAMESPACE, REGISTRATION, TABLE, VIEW
from specs.identifiers import UNIT_SEPARATOR
from specs.openapi import Operation

PREFIX, KEY_LIFETIME = "prefix", "key lifetime"
NO_PROPERTIES, FORBIDDEN = 406, 403
REFUSED_NAME = (400, 403, 406, 422)  # rejections of a name
NO_LEVEL = (400, 403, 404, 406, 422)  # rejections of a namespace with too many levels
FORMAT_VERSION = "format-version"
PURGE_REFUSED = (400, 403, 405, 406, 501)
Names = tuple[str, ...]
# Optional fields that creations send, by operation and way; the first way is the smallest body.
BODIES: dict[str, dict[str, tuple[str, ...]]] = {
    "createNamespace": {
        "a name alone": (),
        "properties spelled out": ("properties",),
    },
    "createTable": {
        "a name and a schema alone": (),
        "properties spelled out": ("properties",),
        "a location": ("location",),
        "all but a location spelled out": ("properties", "partition_spec", "write_order", "stage_create"),
        "all spelled out": ("properties", "partition_spec", "write_order", "stage_create", "location"),
    },
    "createView": {
        "the required fields alone": (),
        "a location": ("location",),
    },
}
CREATED = {"createNamespace": NAMESPACE, "createTable": TABLE, "createView": VIEW}
LOCATED = ("createTable", "createView")
SPELLED_OUT: dict[str, Callable[[IcebergCatalog, Names], Any]] = {
    "properties": lambda _catalog, _id: {},
    "partition_spec": lambda _catalog, _id: spec(),
    "write_order": lambda _catalog, _id: order(),
    "stage_create": lambda _catalog, _id: False,
    "location": lambda catalog, id: catalog.place_of(id),
}


class IcebergCatalog(IcebergClient, Catalog):
    """Catalog of the target for one example at a time.

    `siblings` are what the world puts beside its objects, `states` those that a new table can be in.
    """

    broken_json = (b'{"name": "t", ', b"name=t")
    no_objects = (b"[]", b'"text"', b"null", b"7")
    refusals = (400, 404)
    namespace_operation = "createNamespace"
    states: ClassVar[dict[str, State]] = {**TABLE_STATES}

    def __init__(self, target: Target) -> None:
        super().__init__(target.client, target.capabilities.get(SEPARATOR, UNIT_SEPARATOR))
        self.target = target
        self.revision = Revision(target.document)
        self.sandbox = target.sandbox
        self.inventory: IcebergInventory = inventory_of(target, IcebergInventory)
        self._home: Names | None = None
        self._places: dict[Names, str] = {}
        self.defaults = self._spelled_out
        self.finish = self._with_ids
        self.shape = self.shaping = Shaping(target, self.separator)
        self._ids = self._fresh_ids()
        self._outer: Names | None = None
        self.siblings: list[Names] = []
        target.surroundings.refused |= worlds.with_separator(self.separator)

    def through(self, client: Client) -> IcebergClient:
        """Return a client for the same operations that sends through another HTTP client."""
        other = IcebergClient(client, self.separator)
        other.defaults, other.finish, other.shape = self.defaults, self.finish, self.shape
        return other

    # Home of an example

    def require_keys(self) -> None:
        """Raise Unoffered when the target does not advertise idempotency keys."""
        if not self.target.capabilities.get(KEY_LIFETIME):
            raise Unoffered("the server does not advertise idempotency keys")

    def require(self, operation: str) -> None:
        """Raise Unoffered when the target does not offer an operation that only some examples of a requirement need."""
        self.client.require(operation)

    def first_id(self, part: str) -> int | None:
        """The first id to state in commits for a schema, spec or sort-order, None where the server gives the ids."""
        return FIRST_IDS.get(self.target.ways.chosen.get(COMMITS[part], ""))

    def require_given_ids(self, part: str) -> None:
        """Raise Unoffered where a commit has to state ids of a schema, spec or sort-order that a server gives."""
        if self.first_id(part) is not None:
            raise Unoffered("the server requires ids in commits that it could give itself")

    def require_purging(self) -> None:
        """Raise Unoffered when the target rejects purging a table."""
        with self.client.preparing():
            if self.drop_table(self.new_table("purged"), purgeRequested="true", expect=None).status in PURGE_REFUSED:
                raise Unoffered("the server purges no tables")

    @property
    def makes_namespaces(self) -> bool:
        """True when the run can create namespaces; otherwise it uses the given one."""
        creates = "createNamespace" in self.target.document.operations
        refused = self.client.lacks("createNamespace") or self.target.ways.impossible(NAMESPACE)
        return creates and not (self.target.read_only or (self.base and refused))

    @property
    def _shared(self) -> Names:
        """The namespace of all examples where the run cannot create namespaces."""
        return self.target.given.home or self.base

    @property
    def home(self) -> Names:
        """The namespace of this example, created on first access unless the run cannot create namespaces.

        Raises Skipped where a read-only run found none.
        """
        if self._home is None:
            if not (self.makes_namespaces or self._shared):
                raise Skipped("the run found no namespace to read", "--namespace")
            if self.makes_namespaces:
                with self.client.preparing():
                    self._make_home()
            else:
                self._home = self._shared
        return self._home or ()

    @property
    def outer(self) -> Names:
        """The namespace around the home of this example: that of the run, or one below it in the current world."""
        if self._outer is None:
            levels = worlds.LEVELS.get(self._met(worlds.PLACE), ()) if self.makes_namespaces else ()
            self._outer = self.base
            for level in levels:
                with self.client.preparing(), self.target.surroundings.plain():
                    self._outer = (*self._outer, f"{self.mark}{JOINT}{level}")
                    self.create_namespace(self._outer)
        return self._outer

    def _make_home(self) -> None:
        """Create the namespace of this example, in the place, in the form and beside the objects of the world."""
        world = {dimension: self._met(dimension) for dimension in (worlds.HOME, worlds.BESIDE)}
        world[worlds.NAMES] = self.target.surroundings.world.get(worlds.NAMES, "")
        outer, named = self.outer, worlds.FORMS_OF_HOMES.get(world[worlds.HOME], str)
        self._home = (*outer, named(self.mark))
        with self.target.surroundings.plain():
            NAMESPACE_STATES.get(world[worlds.HOME], plain_namespace)(self, self._home, {})
            for make, id in siblings(world, self._home, self.client.subjects):
                make(self, id)
                self.siblings.append(id)

    def enter_world(self) -> None:
        """Create the objects that the values of the current world concern."""
        world = self.target.surroundings.world
        with self.client.preparing(), self.shaping.of_everything():
            _ = self.home
            if {worlds.NAMES, worlds.STATE, worlds.FORM, worlds.CONNECTION} & world.keys():
                self.new_table()
            if {worlds.NAMES, worlds.VIEW_STATE} & world.keys() and not self.client.lacks("createView"):
                self.new_view()
            if {worlds.NAMES, worlds.HOME} & world.keys():
                self.new_namespace()

    def _met(self, dimension: str) -> str:
        """Return the current value of a dimension; the example depends on it from now on."""
        return self.target.surroundings.value(dimension)

    @property
    def stem(self) -> str:
        """The prefix of every name in this example's home, "" where the home is its own."""
        return f"{self.mark}{JOINT}" if self.home == self._shared else ""

    def table_id(self, name: str = "t") -> Names:
        """Return an identifier for a table, a view or a namespace in this example's home, creating only the home."""
        return (*self.home, f"{self.stem}{self.named(name)}")

    def named(self, name: str) -> str:
        """Return a name in the form of the world."""
        return worlds.FORMS_OF_NAMES.get(self._met(worlds.NAMES), str)(name)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Move the home of this example into a new namespace below it, within the context.

        Raises Unoffered where namespaces cannot be nested that deep.
        """
        self.require_nested()
        usual = self.home
        with self.client.preparing():
            self._home = self.new_deep_namespace(self.table_id("deep"))
        try:
            yield
        finally:
            self._home = usual

    def hostile_id(self, name: str) -> Names:
        """Return an identifier with a hostile name; a name that climbs gets a parent so deep that it ends in the home.

        Raises Unoffered for a climbing name where namespaces cannot be nested.
        """
        name = hostile.own(name, self.target.prefix)
        if not hostile.climbs(name) or (not self.nested and name != ".."):
            return self.table_id(name)
        self.require_nested()
        inner = self.home
        for _ in range(hostile.climbs(name)):
            inner = (*inner, "deep")
            self.create_namespace(inner)
        return (*inner, name)

    def namespace_id(self, name: str = "n") -> Names:
        """Return an identifier for a namespace beside this example's home."""
        return (*self.outer, f"{self.mark}{JOINT}{self.named(name)}") if self.home or self.target.read_only else ()

    def missing_namespace(self) -> Names:
        """Return an identifier of a namespace that was never created, creating nothing."""
        return (*self.base, f"{self.mark}{JOINT}missing")

    # Objects for examples

    def new_namespace(self, name: str = "n", **body: Any) -> Names:
        """Create a namespace beside the home and return its identifier.

        Raises Unoffered where the body has properties and the server stores none.
        """
        if self.target.read_only:
            return self.existing(NAMESPACE, name, plain=not body)
        id = self.namespace_id(name)
        if not body and (state := NAMESPACE_STATES.get(self._met(worlds.HOME))):
            self._make(state, id, {})
            return id
        with self._making("createNamespace", body):
            answer = self.create_namespace(
                id, expect=(200, NO_PROPERTIES) if body.get("properties") else DECLARED, **body
            )
        if answer.status == NO_PROPERTIES:
            raise Unoffered("the server keeps no properties of namespaces")
        return id

    def new_deep_namespace(self, id: Names) -> Names:
        """Create a namespace of three levels or more. Raises Unoffered where the server has no such depth."""
        if not self.create_namespace(id, expect=(200, *NO_LEVEL)).succeeded:
            raise Unoffered(f"the server has no namespaces of {len(id)} levels")
        return id

    def new_table(self, name: str = "t", **body: Any) -> Names:
        """Create a table, with SCHEMA unless the body has another schema, and return its identifier.

        Raises Unoffered where the server ignores the requested format version: no norm defines the property for it.
        """
        if self.target.read_only:
            return self.existing(TABLE, name, plain=not body)
        self.put_table(id := self.table_id(name), **body)
        return id

    def put_table(self, id: Names, **body: Any) -> None:
        """Create a table as `new_table` does, under an identifier in this example's home."""
        if state := self._table_state(body):
            self._make(state, id, {"schema": SCHEMA, **body})
            return
        with self._making("createTable", body):
            made = self.create_table(id, **{"schema": SCHEMA, **body})
        asked = (body.get("properties") or {}).get(FORMAT_VERSION)
        if asked is not None and str(made["metadata"]["format-version"]) != asked:
            raise Unoffered(f"the server makes no table of format version {asked} where one is asked for")

    def _table_state(self, body: Body) -> State | None:
        """Return the state of a new table in the current world; one that asks for something is only in some of them."""
        chosen = self.target.surroundings.world.get(worlds.STATE, "")
        if body and (chosen not in UNCHANGED or "createTable" in self.client.subjects):
            return None
        return self.states.get(self._met(worlds.STATE))

    def _view_state(self, body: Body) -> State | None:
        """Return the state of a new view in the current world: a server may reject a version that drops a dialect."""
        chosen = self.target.surroundings.world.get(worlds.VIEW_STATE, "")
        if body or (chosen == "dialects" and "replaceView" in self.client.subjects):
            return None
        return VIEW_STATES.get(self._met(worlds.VIEW_STATE))

    def _make(self, state: State, id: Names, body: Body) -> None:
        """Create an object in a state, by plain requests."""
        with self.client.furnishing("createNamespace", "createTable", "createView"), self.target.surroundings.plain():
            state(self, id, body)

    def new_view(self, name: str = "v", **body: Any) -> Names:
        """Create a view and return its identifier."""
        if self.target.read_only:
            return self.existing(VIEW, name, plain=not body)
        id = self.table_id(name)
        if state := self._view_state(body):
            self._make(state, id, view_body(self.home))
            return id
        with self._making("createView", body):
            self.create_view(id, **{**view_body(self.home), **body})
        return id

    def _making(self, operation: str, body: Mapping[str, Any]) -> AbstractContextManager[None]:
        """Return the context of a creation: preparation, unless the operation is a subject and the body a special one.

        Other requirements test that plain objects can be created.
        """
        return nullcontext() if body and operation in self.client.subjects else self.client.preparing()

    def _spelled_out(self, operation: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the optional fields that the server requires in practice, and a location where tables may lie."""
        way = self.target.ways.chosen.get(CREATED.get(operation, ""), "")
        names = set(BODIES.get(operation, {}).get(way, ()))
        if operation in LOCATED and self.target.location:
            names.add("location")
        return {name: SPELLED_OUT[name](self, tuple(given.get("id", ()))) for name in names - given.keys()}

    def begin_example(self) -> None:
        """Start an example with a new home, and with ids from 1 on."""
        super().begin_example()
        self._ids, self._outer, self.siblings = self._fresh_ids(), None, []

    def _fresh_ids(self) -> Ids:
        """Return the ids to state in commits, for all parts: a form of requests may spell them out."""
        return fresh_ids({part: self.first_id(part) or FIRST_ID for part in COMMITS})

    def _with_ids(self, operation: str, field: str, value: Any) -> Any:
        """Return the value of a field, with the ids of those things for which the server requires them."""
        form = WITH_IDS.get((operation, field))
        every = form is not None and self.shaping.spells_ids(operation)
        required = {part: ids for part, ids in self._ids.items() if every or self.first_id(part) is not None}
        return form(value, required) if form and required else value

    def body(self, operation: str, id: Names, **fields: Any) -> dict[str, Any]:
        """Return the body of a creation, with the optional fields and ids that the server requires."""
        spelled = self._spelled_out(operation, {"id": id, **fields})
        values = {name.replace("_", "-"): value for name, value in {"name": id[-1], **fields, **spelled}.items()}
        return {name: self._with_ids(operation, name, value) for name, value in values.items()}

    def place_of(self, id: Names) -> str:
        """Return a location for a table or view, the same one as long as the object exists.

        It is a new place of the target, or lies below the location of the namespace. Raises Skipped where neither
        is known.
        """
        if id not in self._places:
            self._places[id] = self.target.new_place() or f"{self._namespace_location()}/{self.target.new_name()}"
        return self._places[id]

    def _namespace_location(self) -> str:
        properties = self.load_namespace_metadata(self.home).get("properties")
        base = properties.get("location") if isinstance(properties, dict) else None
        if not isinstance(base, str) or self.target.prefix not in base:
            raise Skipped("no location is known where tables may lie", "--location")
        return base.rstrip("/")

    def metadata(self, id: Id) -> dict[str, Any]:
        """Return the metadata of a table from loadTable."""
        metadata: dict[str, Any] = self.load_table(id)["metadata"]
        return metadata

    def view_metadata(self, id: Id) -> dict[str, Any]:
        """Return the metadata of a view from loadView."""
        metadata: dict[str, Any] = self.load_view(id)["metadata"]
        return metadata

    # Requests of any operation

    def try_namespace(self, id: Names) -> Answer:
        """Send createNamespace and return the answer, whatever its status."""
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
        """Send an operation on the object of this name in the example's home, a missing one where none is created."""
        path = self.any_path(operation, name, anywhere=True)
        return self.send(operation.id, path, body, headers=headers, expect=expect)

    def any_path(self, operation: Operation, name: str, *, anywhere: bool = False) -> dict[str, str]:
        """Return the path values of an operation on the object of this name in the example's home.

        With `anywhere` the home may be a missing namespace: for requests that need no object.
        """
        names = names_below_prefix(operation)
        if "namespace" not in names:
            return dict.fromkeys(names, name)
        lacks = anywhere and (self.client.lacks("createNamespace") if self.makes_namespaces else not self._shared)
        return dict.fromkeys(names, name) | self.namespace_path(self.missing_namespace() if lacks else self.home)

    def new_thing(self) -> str:
        """Create a table and return its name."""
        return self.new_table()[-1]

    # Clean-up

    def prepare(self, operation: str, given: Mapping[str, Any]) -> None:
        """Note the objects that a call may create, so that they are dropped afterwards.

        Raises Unoffered for parts of the call that the document does not have, and ValueError for a drop of a table
        that is not the run's own.
        """
        self.revision.require_call(operation, given)
        if operation == "dropTable" and not self.inventory.is_ours(tuple(given["id"])):
            raise ValueError(f"this run may not drop {given['id']}")
        if operation in ("dropTable", "dropView"):
            self._places.pop(tuple(given["id"]), None)
        if "source" in given:
            self._places.pop(tuple(given["source"]), None)
            self.sandbox.note_renamed(operation, tuple(given["source"]), tuple(given["destination"]))
        elif "id" in given:
            self.sandbox.note_made(operation, tuple(given["id"]))

    def send(
        self,
        operation: str,
        path: Mapping[str, str] | None = None,
        body: Any = None,
        *,
        expect: Expected = DECLARED,
        **options: Any,
    ) -> Answer:
        """Send an operation, noting a namespace that it may create.

        Raises Unoffered for an operation that the document does not have, and for a 403 to a valid request that names
        a place: which places a server allows is its policy.
        """
        self.revision.require_operation(operation)
        if operation == "createNamespace" and isinstance(body, dict):
            self.sandbox.note_made(operation, tuple(map(str, body.get("namespace") or ())))
        try:
            return super().send(operation, path, body, expect=expect, **options)
        except (Violation, Blocked) as error:
            due_done = expect is DECLARED or isinstance(expect, Successes)
            if isinstance(error, Stopped) or not (due_done and self._forbidden() and names_place(operation, body)):
                raise
            raise Unoffered(f"the server allows no {operation} in this place (403)") from error

    def _forbidden(self) -> bool:
        """True when the last answer is 403."""
        return bool(self.client.steps) and self.client.steps[-1].status == FORBIDDEN

    def register_foreign(self, id: Id, location: str, *, expect: Expected) -> Answer:
        """Register a file that the server did not write; clean-up drops the table without purging its files."""
        self.sandbox.note(REGISTRATION, [tuple(id)])
        return self.register_table(id, metadata_location=location, expect=expect)

    def note_views(self, ids: Iterable[Names]) -> None:
        """Note views that may be created, so that they are dropped afterwards."""
        self.sandbox.note(VIEW, ids)
