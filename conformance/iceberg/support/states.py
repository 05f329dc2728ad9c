"""States of tables, views and namespaces: the requests after which a new object is in one of them.

Every state leaves the schema, layouts and properties that the creation asks for, so that requirements find the object
that they created.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from conformance.author.checks import text
from conformance.iceberg.client import IcebergClient, Id
from conformance.iceberg.support.content import (
    SCHEMA,
    layout,
    order,
    partition,
    sort_field,
    sql,
    view_body,
    view_version,
)
from conformance.iceberg.support.metadata import current_schema
from conformance.iceberg.support.updates import (
    CREATE,
    LAST_ADDED,
    add_and_use_order,
    add_and_use_schema,
    add_and_use_spec,
    creation,
    set_properties,
    update,
)
from conformance.iceberg.worlds import BESIDE, FORMS_OF_NAMES, MANY, NAMES
from conformance.values.outcomes import Unoffered
from conformance.values.resources import NAMESPACE, TABLE, VIEW

Body = Mapping[str, Any]
State = Callable[[Any, Id, Body], None]  # of a catalog, which has all states
PROPERTIES = {"lp.owner": "lakeproof", "lp.note": "a note", "lp.number": "7"}
FORMAT_VERSION = "format-version"
FORGET = update("remove-properties", removals=["lp.step"])


def earlier(id: Id) -> tuple[str, ...]:
    """Return the name that an object has before it is renamed."""
    return (*id[:-1], f"was{id[-1]}"[:100])


# Tables


def committed(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a table and commit to it twice: the second commit takes back the first."""
    catalog.create_table(id, **body)
    catalog.update_table(id, [set_properties(**{"lp.step": "1"})], [])
    catalog.update_table(id, [FORGET], [])


def evolved(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a table and change the comment of its last column: the current schema is the second one."""
    schema = current_schema(catalog.create_table(id, **body)["metadata"])
    *others, last = schema["fields"]
    changed = {"type": "struct", "fields": [*others, {**last, "doc": "changed"}]}
    same = {key: schema[key] for key in ("identifier-field-ids",) if key in schema}
    catalog.update_table(id, add_and_use_schema({**changed, **same}), [])


def renamed(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a table under another name, and rename it."""
    catalog.create_table(earlier(id), **body)
    catalog.rename_table(earlier(id), id)


def remade(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a table, drop it, and create another one under its name."""
    catalog.create_table(id, **body)
    catalog.drop_table(id)
    catalog.create_table(id, **body)


def registered(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a table, take it out of the catalog, and register its metadata file again.

    A server without unregisterTable drops it: without a purge its files may stay.
    """
    location = catalog.create_table(id, **body)["metadata-location"]
    take_out = catalog.drop_table if catalog.client.lacks("unregisterTable") else catalog.unregister_table
    take_out(id)
    catalog.register_table(id, metadata_location=text(location, "the metadata-location"))


def staged(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Stage a table, and create it by a commit, as clients do in a transaction."""
    made = catalog.create_table(id, **body, stage_create=True)["metadata"]
    catalog.update_table(id, creation(made), [CREATE])


def of_version(version: int) -> State:
    """Return the state of a table of a format version. It raises Unoffered where the server makes another one."""

    def make(catalog: IcebergClient, id: Id, body: Body) -> None:
        properties = {**(body.get("properties") or {}), FORMAT_VERSION: str(version)}
        made = catalog.create_table(id, **{**body, "properties": properties})
        if made["metadata"][FORMAT_VERSION] != version:
            raise Unoffered(f"the server makes no table of format version {version} where one is asked for")

    return make


def with_two_specs(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a table, and partition it by its first column."""
    schema = current_schema(catalog.create_table(id, **body)["metadata"])
    catalog.update_table(id, add_and_use_spec(layout(partition(schema["fields"][0]["id"], "lp_part", "bucket[4]"))), [])


def sorted_by(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a table, and sort it by its first column."""
    schema = current_schema(catalog.create_table(id, **body)["metadata"])
    catalog.update_table(id, add_and_use_order(order(sort_field(schema["fields"][0]["id"]))), [])


def with_properties(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a table with properties of its own."""
    catalog.create_table(id, **{**body, "properties": {**PROPERTIES, **(body.get("properties") or {})}})


TABLE_STATES: Mapping[str, State] = {
    "committed": committed,
    "evolved": evolved,
    "renamed": renamed,
    "remade": remade,
    "registered": registered,
    "staged": staged,
    "v1": of_version(1),
    "v3": of_version(3),
    "specs": with_two_specs,
    "sorted": sorted_by,
    "properties": with_properties,
}
# States that a table created with fields of its own can be in: they change nothing that a body may ask for.
UNCHANGED = ("committed", "renamed", "remade", "registered", "staged")


# Views


def replaced(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a view and replace its version twice."""
    catalog.create_view(id, **body)
    asked = body["view-version"]
    for number in (2, 3):
        texts = [sql("SELECT 2 AS id, 'b' AS name")] if number == 2 else asked["representations"]
        version = view_version(asked["default-namespace"], *texts, id=number)
        updates = [
            update("add-view-version", view_version=version),
            update("set-current-view-version", view_version_id=LAST_ADDED),
        ]
        catalog.replace_view(id, updates, [])


def renamed_view(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a view under another name, and rename it."""
    catalog.create_view(earlier(id), **body)
    catalog.rename_view(earlier(id), id)


def remade_view(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a view, drop it, and create another one under its name."""
    catalog.create_view(id, **body)
    catalog.drop_view(id)
    catalog.create_view(id, **body)


def with_dialects(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a view with texts in two dialects."""
    asked = body["view-version"]
    texts = [*asked["representations"], sql("SELECT id, name FROM t", "lp-dialect")]
    catalog.create_view(id, **{**body, "view-version": {**asked, "representations": texts}})


VIEW_STATES: Mapping[str, State] = {
    "replaced": replaced,
    "renamed": renamed_view,
    "remade": remade_view,
    "dialects": with_dialects,
}


# Namespaces


def plain_namespace(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a namespace."""
    catalog.create_namespace(id, **body)


def namespace_with_properties(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a namespace with properties. Raises Unoffered where the server stores none."""
    catalog.create_namespace(id, **{**body, "properties": PROPERTIES})


def remade_namespace(catalog: IcebergClient, id: Id, body: Body) -> None:
    """Create a namespace, drop it, and create another one under its name."""
    catalog.create_namespace(id, **body)
    catalog.drop_namespace(id)
    catalog.create_namespace(id, **body)


NAMESPACE_STATES: Mapping[str, State] = {"properties": namespace_with_properties, "remade": remade_namespace}


# Siblings: what lies beside the objects of an example

Making = Callable[[IcebergClient, tuple[str, ...]], object]
LISTED = {"listTables": TABLE, "listViews": VIEW, "listNamespaces": NAMESPACE}


class Sibling(NamedTuple):
    """An object of a world beside those of an example."""

    make: Making
    id: tuple[str, ...]


def _table(catalog: IcebergClient, id: Id) -> None:
    catalog.create_table(id, schema=SCHEMA)


def _view(catalog: IcebergClient, id: Id) -> None:
    if not catalog.client.lacks("createView"):
        catalog.create_view(id, **view_body(id[:-1]))


def _namespace(catalog: IcebergClient, id: Id) -> None:
    catalog.create_namespace(id)


MAKING: Mapping[str, Making] = {TABLE: _table, VIEW: _view, NAMESPACE: _namespace}


def siblings(world: Mapping[str, str], home: tuple[str, ...], subjects: Collection[str]) -> Iterator[Sibling]:
    """Yield the objects that a world puts beside those of an example, with the functions that create them."""
    beside, named = world[BESIDE], FORMS_OF_NAMES.get(world[NAMES], str)
    if world[NAMES] == "case":
        yield from (Sibling(_table, (*home, "t")), Sibling(_view, (*home, "v")))
    if beside == "kinds":
        inner = (*home, "beside")
        yield from (Sibling(_namespace, inner), Sibling(_table, (*inner, "t")), Sibling(_view, inner))
    if beside == "prefix":
        other = (*home[:-1], f"{home[-1]}xbeside")
        yield from (Sibling(_namespace, other), Sibling(_table, (*other, named("t"))))
    if beside == "many":
        kinds = [kind for operation, kind in LISTED.items() if operation in subjects]
        yield from (
            Sibling(MAKING[kind], (*home, f"many-{kind}s-{number}")) for kind in kinds for number in range(MANY)
        )
