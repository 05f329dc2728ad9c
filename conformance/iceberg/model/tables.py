"""Tables with their properties: their commands and views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from conformance.common.model.rows import MISSING, Command, ModelState, ModelView, Precondition, Refusal, Symbols
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.iceberg.catalog import PURGE_REFUSED, IcebergCatalog
from conformance.iceberg.model.kinds import (
    FILE,
    HOME,
    INNER_TABLE,
    NO_NAMESPACE,
    NO_TABLE,
    SHARED,
    SPARE,
    TABLE_WITHIN,
    TABLES,
    THERE,
    THERE_OR_NOT,
    IcebergRun,
    count,
    creation_of,
    ended,
    exists,
    id_of,
    known,
    note_new,
    table,
    typed,
)
from conformance.iceberg.model.tables_and_views import (
    PROPERTY_UPDATES,
    across,
    in_a_namespace,
    into_a_namespace,
    listing,
    missing_types,
    property_updates,
    removes_absent,
    renamed,
    taken_by,
    with_properties,
)
from conformance.iceberg.support import staging
from conformance.iceberg.support.assertions import PLACE_REFUSED
from conformance.iceberg.support.content import NESTED_SCHEMA, SCHEMA, order, partition, sort_field, spec
from conformance.iceberg.support.metadata import (
    column_names,
    current_schema,
    current_snapshot,
    default_order,
    default_spec,
    properties_of,
    snapshot_ids,
)
from conformance.iceberg.support.registrations import REFUSED, check_drops, missing_file
from conformance.iceberg.worlds import STATE
from conformance.values.outcomes import Unoffered
from conformance.values.resources import TABLE, VIEW

# The symbols of snapshots, whose ids each table has for itself.
SNAPSHOTS: Mapping[str, int] = {"snapshot 1": staging.FIRST, "snapshot 2": staging.SECOND, "snapshot 3": staging.THIRD}
SNAPSHOT_SYMBOLS: Mapping[int | None, str] = {id: symbol for symbol, id in SNAPSHOTS.items()}
NO_SNAPSHOT = "no snapshot"
AGES = (1_000_000, 2_000_000, 3_000_000)  # of refs, in ms; a server may have others
PURGE, GONE = "with purgeRequested", "former table"
FIRST, SECOND = TABLES[:2]
LOOKED = [FIRST, SECOND, SPARE]
RENAMES: Sequence[Symbols] = [
    (*FIRST, *SPARE),
    (*SPARE, *FIRST),
    (*FIRST, *SECOND),
    (*SECOND, *FIRST),
    (*SECOND, *SHARED),
    (*FIRST, *TABLE_WITHIN),
]
# Each has what the other lacks, so that what stays of a former table shows.
CONTENT: Mapping[str, Any] = {
    "sorted": {"schema": SCHEMA, "properties": {"first": "1"}, "write_order": order(sort_field(1))},
    "partitioned": {
        "schema": NESTED_SCHEMA,
        "properties": {"second": "2"},
        "partition_spec": spec(partition(1, "part", "bucket[16]")),
    },
}


def names_of(schema: Any) -> list[str]:
    """Return the names of the columns of a schema."""
    return [column["name"] for column in schema["fields"]]


def _file(on: Symbols, whose: str = "table") -> str:
    return f"{FILE} of the {whose} {on[0]}, {on[1]}"


def note_file(run: IcebergRun, on: Symbols, answer: Answer) -> Answer:
    """Note the metadata file in an answer: it may be registered when the table is gone."""
    if answer.succeeded:
        run.names[_file(on)] = answer.get("metadata-location") or ""
    return answer


def _create(run: IcebergRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    """Create a table; while a table of the home is prepared, it comes into the state of the world."""
    id, client = id_of(run, on), run.catalog.client
    if client.recording.preparing and on[0] == HOME and STATE in run.catalog.target.surroundings.world:
        run.catalog.put_table(id, **value)
        answer = run.catalog.load_table(id)
    else:
        answer = typed(run.catalog.create_table(id, expect=expect, **value), NO_NAMESPACE)
    if answer.succeeded:
        note_new(run, table(on), answer, partial(run.catalog.load_table, id), "table-uuid")
    return note_file(run, on, answer)


def _update(run: IcebergRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    answer = run.catalog.update_table(id_of(run, on), property_updates(value), expect=expect)
    return note_file(run, on, typed(answer, *missing_types(NO_TABLE, on[0])))


def _note_gone(run: IcebergRun, on: Symbols, answer: Answer) -> Answer:
    if answer.succeeded:
        run.names[_file(on, GONE)] = run.names.pop(_file(on))
    return answer


def _drop(run: IcebergRun, on: Symbols, purge: Any, expect: Expected) -> Answer:
    asked = "true" if purge else None
    answer = run.catalog.drop_table(id_of(run, on), purgeRequested=asked, expect=expect)
    return _note_gone(run, on, typed(answer, *missing_types(NO_TABLE, on[0])))


def _unregister(run: IcebergRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    answer = run.catalog.unregister_table(id_of(run, on), expect=expect)
    return _note_gone(run, on, typed(answer, *missing_types(NO_TABLE, on[0])))


def _rename(run: IcebergRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    answer = run.catalog.rename_table(id_of(run, on[:2]), id_of(run, on[2:]), expect=expect)
    if answer.succeeded:
        run.names[_file(on[2:])] = run.names.pop(_file(on))
    return typed(answer, *missing_types(NO_TABLE, on[0], on[2]))


def _register(run: IcebergRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    """Register the file of the last table under a name, or a missing one beside that of another table."""
    location = run.names.get(_file(on, GONE))
    if location is None:
        location = missing_file(run.names[_file(FIRST)])
    if not location:
        raise Unoffered("the server does not tell where metadata files are")
    check_drops(run.catalog)
    answer = run.catalog.register_table(id_of(run, on), metadata_location=location, expect=expect)
    if answer.status == 409 or on[0] != HOME:  # in the home, where a file is missing, no type is stated
        typed(answer, NO_NAMESPACE)
    return note_file(run, on, answer)


def _ref(ref: Any) -> list[Any]:
    age = ref.get("max-ref-age-ms")
    return [ref["type"], SNAPSHOT_SYMBOLS.get(ref["snapshot-id"]), age if age in AGES else None]


def _content(run: IcebergRun, metadata: Any) -> Any:
    names = {column["id"]: column["name"] for column in current_schema(metadata)["fields"]}
    return {
        "uuid": creation_of(run, metadata["table-uuid"]),
        "columns": column_names(metadata),
        "schemas": sorted(map(list, {tuple(names_of(schema)) for schema in metadata["schemas"]})),
        "partition": [[part["name"], part["transform"]] for part in default_spec(metadata)["fields"]],
        "order": [[names.get(key["source-id"]), key["direction"]] for key in default_order(metadata)["fields"]],
        "properties": known(properties_of(metadata)),
        "snapshots": sorted(SNAPSHOT_SYMBOLS.get(id, str(id)) for id in snapshot_ids(metadata)),
        "current": SNAPSHOT_SYMBOLS.get(current_snapshot(metadata), NO_SNAPSHOT),
        "refs": {name: _ref(ref) for name, ref in (metadata.get("refs") or {}).items()},
    }


def _load(run: IcebergRun, on: Symbols) -> Any:
    answer = run.catalog.load_table(id_of(run, on), expect=THERE_OR_NOT)
    return _content(run, answer["metadata"]) if typed(answer, *missing_types(NO_TABLE, on[0])).succeeded else MISSING


def _exists(run: IcebergRun, on: Symbols) -> Any:
    return THERE if run.catalog.table_exists(id_of(run, on), expect=THERE_OR_NOT).succeeded else MISSING


# Effects


def created(state: ModelState, on: Symbols, value: Any) -> ModelState:
    """Return the state after the creation of a table."""
    columns = names_of(value["schema"])
    state, uuid = count(state, table(on))
    return state.put(
        table(on),
        uuid=uuid,
        columns=columns,
        schemas=[columns],
        partition=[["part", "bucket[16]"]] if "partition_spec" in value else [],
        order=[["id", "asc"]] if "write_order" in value else [],
        properties=value["properties"],
        snapshots=[],
        current=NO_SNAPSHOT,
        refs={},
    )


def _dropped(state: ModelState, on: Symbols, purge: Any) -> ModelState:
    """Return the state after a drop. The file stays; after a purge it goes, at once or later."""
    fields = state.fields(table(on))
    return ended(state, table(on)).put((FILE, on), table=fields, purged=bool(purge))


def _registered(state: ModelState, on: Symbols, _: Any) -> ModelState:
    return state.put(table(on), **state.fields((FILE, on))["table"])


def _purged(state: ModelState, on: Symbols, _: Any) -> bool:
    return state.has((FILE, on)) and bool(state.fields((FILE, on))["purged"])


def table_there(clause: str) -> Precondition:
    """Return the precondition that the table is there."""
    return Precondition(table, clause, "on a missing table")


COMMANDS: Sequence[Command] = [
    Command(
        "create_table",
        "createTable",
        "create-table",
        [*TABLES[:3], TABLE_WITHIN],
        _create,
        created,
        needs=[in_a_namespace("create-table-no-namespace", "in a missing namespace")],
        makes=table,
        refusals=[
            taken_by(TABLE, "under the name of an existing table", "create-table-exists"),
            taken_by(VIEW, "under the name of an existing view", "create-table-exists", "taken_by_view"),
        ],
        values=CONTENT,
        answered=("loadTable", lambda answer: answer["metadata"]),
    ),
    Command(
        "update_table_properties",
        "updateTable",
        "update-set-properties",
        TABLES,
        _update,
        with_properties(table),
        needs=[table_there("commit-not-found")],
        refusals=[removes_absent(table)],
        values=PROPERTY_UPDATES,
        answered=("loadTable", lambda answer: answer["metadata"]),
    ),
    Command(
        "drop_table",
        "dropTable",
        "drop-table",
        [*TABLES, TABLE_WITHIN],
        _drop,
        _dropped,
        needs=[table_there("drop-table-not-found")],
        refusals=[
            Refusal("purge", PURGE, PURGE_REFUSED, "drop-table-purge", lambda _, __, purge: bool(purge), optional=True)
        ],
        values={"": False, PURGE: True},
    ),
    Command(
        "rename_table",
        "renameTable",
        "rename-table",
        RENAMES,
        _rename,
        renamed(table),
        needs=[
            table_there("rename-table-source"),
            into_a_namespace("rename-table-namespace"),
        ],
        makes=lambda on: table(on[2:]),
        refusals=[
            taken_by(TABLE, "to the name of an existing table", "rename-table-taken", start=2),
            taken_by(VIEW, "to the name of an existing view", "rename-table-taken", "taken_by_view", 2),
            across("rename-table-across"),
        ],
    ),
    Command(
        "register_table",
        "registerTable",
        "register-table",
        [FIRST, SECOND, TABLE_WITHIN, SPARE],
        _register,
        _registered,
        needs=[
            in_a_namespace("register-table-no-namespace", "in a missing namespace", *PLACE_REFUSED),
            Precondition(
                lambda on: (FILE, on), "register-table-no-file", "with a missing metadata file", "no_file", REFUSED
            ),
        ],
        makes=table,
        refusals=[
            taken_by(TABLE, "under the name of an existing table", "register-table-exists"),
            Refusal("purged", "with a purged file", REFUSED, "register-table-no-file", _purged, optional=True),
        ],
        answered=("loadTable", lambda answer: answer["metadata"]),
    ),
    Command(
        "unregister_table",
        "unregisterTable",
        "unregister-table",
        TABLES,
        _unregister,
        lambda state, on, _: _dropped(state, on, purge=False),
        needs=[table_there("unregister-table-not-found")],
    ),
]


VIEWS: Sequence[ModelView] = [
    ModelView(
        "loadTable",
        [TABLE],
        LOOKED,
        lambda state, on: state.shown(table(on)),
        _load,
        read=_content,
    ),
    ModelView("tableExists", [TABLE], LOOKED, lambda state, on: exists(table(on), state), _exists),
    listing("listTables", TABLE, INNER_TABLE, [(HOME,), TABLE_WITHIN[:1]], IcebergCatalog.list_tables),
]
