"""Commits to a table: snapshots, branches and tags, and schemas.

A commit is sent with what its client assumes, as engines send it; where that does not hold, it is refused. What a
server may refuse (removing main, or a snapshot that a ref names) is optional.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.common.model.rows import Command, Fields, ModelState, Refusal, Symbols
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.iceberg.model.kinds import NO_TABLE, TABLES, THERE_OR_NOT, IcebergRun, id_of, table, typed
from conformance.iceberg.model.tables import (
    AGES,
    NO_SNAPSHOT,
    SNAPSHOTS,
    names_of,
    note_file,
    table_there,
)
from conformance.iceberg.model.tables_and_views import missing_types
from conformance.iceberg.support import content
from conformance.iceberg.support.assertions import FAILED, IMPOSSIBLE, POLICY
from conformance.iceberg.support.metadata import MAIN, current_schema
from conformance.iceberg.support.staging import stage_of
from conformance.iceberg.support.updates import Updates, add_and_use_schema, append, requirement, set_ref, update

ONE, TWO, THREE = SNAPSHOTS
AUDIT, TAG = "audit", "v1"
NEW, BACK = "add", "back"
STANDS_FOR = "set_refs"  # the commit that meets the other commands on tables: what it makes hangs on the table
CONFLICT = (409,)


@dataclass(frozen=True, slots=True)
class RefChanges:
    """Refs that a commit sets, with type, snapshot and age, and the snapshots at which it assumes them to be."""

    sets: Mapping[str, tuple[str, str, int | None]]
    assumes: Mapping[str, str] = field(default_factory=dict)


APPENDS: Mapping[str, tuple[str, str]] = {
    "a first snapshot": (ONE, NO_SNAPSHOT),
    "a second snapshot": (TWO, ONE),
    "a third snapshot": (THREE, TWO),
}
REFS: Mapping[str, RefChanges] = {
    "a tag": RefChanges({TAG: ("tag", ONE, AGES[0])}),
    "a new branch": RefChanges({AUDIT: ("branch", ONE, AGES[1])}, {AUDIT: NO_SNAPSHOT}),
    "a branch at the first snapshot": RefChanges({AUDIT: ("branch", TWO, AGES[2])}, {AUDIT: ONE}),
    "a tag at the first snapshot": RefChanges({TAG: ("tag", TWO, AGES[1])}, {TAG: ONE}),
    "main going back": RefChanges({MAIN: ("branch", ONE, None)}, {MAIN: TWO}),
    "a branch and a tag": RefChanges({AUDIT: ("branch", ONE, AGES[0]), TAG: ("tag", TWO, AGES[2])}),
    "main as a tag": RefChanges({MAIN: ("tag", ONE, None)}),
}
REF_REMOVALS: Mapping[str, Sequence[str]] = {"a tag": [TAG], "a branch and a tag": [AUDIT, TAG], "main": [MAIN]}
SNAPSHOT_REMOVALS: Mapping[str, Sequence[str]] = {"one": [ONE], "two": [ONE, TWO]}
# Another schema, and the distance of the assumed schema id from the present one.
SCHEMAS: Mapping[str, tuple[str, int]] = {
    "a wider schema": (NEW, 0),
    "the first schema again": (BACK, 0),
    "a schema after another one": (NEW, 1),
}


def _commit(run: IcebergRun, on: Symbols, updates: Updates, requirements: Updates, expect: Expected) -> Answer:
    answer = run.catalog.update_table(id_of(run, on), updates, requirements, expect=expect)
    return note_file(run, on, typed(answer, *missing_types(NO_TABLE, on[0]), taken=FAILED))


def _at(ref: str, snapshot: str) -> dict[str, Any]:
    return requirement("assert-ref-snapshot-id", ref=ref, snapshot_id=SNAPSHOTS.get(snapshot))


def _append(run: IcebergRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    snapshot, parent = value
    loaded = run.catalog.load_table(id_of(run, on), expect=THERE_OR_NOT)
    updates = [set_ref(MAIN, SNAPSHOTS[snapshot])]
    if loaded.succeeded:
        files = stage_of(run.catalog, id_of(run, on), loaded)
        sequence = 1 + (files.metadata.get("last-sequence-number") or 0)
        updates = append(files.snapshot(SNAPSHOTS[snapshot], sequence, parent=SNAPSHOTS.get(parent)))
    return _commit(run, on, updates, [_at(MAIN, parent)], expect)


def _set_refs(run: IcebergRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    updates = [
        set_ref(name, SNAPSHOTS[snapshot], type, **({"max_ref_age_ms": age} if age else {}))
        for name, (type, snapshot, age) in value.sets.items()
    ]
    return _commit(run, on, updates, [_at(*assumed) for assumed in value.assumes.items()], expect)


def _remove_refs(run: IcebergRun, on: Symbols, names: Any, expect: Expected) -> Answer:
    return _commit(run, on, [update("remove-snapshot-ref", ref_name=name) for name in names], [], expect)


def _remove_snapshots(run: IcebergRun, on: Symbols, snapshots: Any, expect: Expected) -> Answer:
    return _commit(
        run, on, [update("remove-snapshots", snapshot_ids=[SNAPSHOTS[one] for one in snapshots])], [], expect
    )


def _change_schema(run: IcebergRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    """Add a column to the present schema, or go back to the first one, which has the fewest columns."""
    change, distance = value
    loaded = run.catalog.load_table(id_of(run, on), expect=THERE_OR_NOT)
    if not loaded.succeeded:
        return _commit(run, on, add_and_use_schema(content.SCHEMA), [], expect)
    metadata = loaded["metadata"]
    first = min(metadata["schemas"], key=lambda schema: len(schema["fields"]))
    column = content.field(metadata["last-column-id"] + 1, _more(names_of(current_schema(metadata))))
    updates = (
        add_and_use_schema(content.schema(*current_schema(metadata)["fields"], column))
        if change == NEW
        else [update("set-current-schema", schema_id=first["schema-id"])]
    )
    assumed = requirement("assert-current-schema-id", current_schema_id=metadata["current-schema-id"] + distance)
    return _commit(run, on, updates, [assumed], expect)


# Effects


def _more(columns: Sequence[str]) -> str:
    return f"more{len(columns)}"


def with_changes(state: ModelState, on: Symbols, **changes: Any) -> ModelState:
    """Return the state with a table that has other snapshots, refs or columns; main is the current snapshot."""
    fields = {**state.fields(table(on)), **changes}
    current = fields["refs"][MAIN][1] if MAIN in fields["refs"] else NO_SNAPSHOT
    return state.put(table(on), **{**fields, "current": current})


def _appended(state: ModelState, on: Symbols, value: Any) -> ModelState:
    held, (snapshot, _) = state.fields(table(on)), value
    snapshots = sorted({*held["snapshots"], snapshot})
    return with_changes(state, on, snapshots=snapshots, refs={**held["refs"], MAIN: ["branch", snapshot, None]})


def _refs_set(state: ModelState, on: Symbols, value: Any) -> ModelState:
    refs = {name: list(ref) for name, ref in value.sets.items()}
    return with_changes(state, on, refs={**state.fields(table(on))["refs"], **refs})


def _refs_removed(state: ModelState, on: Symbols, names: Any) -> ModelState:
    refs = state.fields(table(on))["refs"]
    return with_changes(state, on, refs={name: ref for name, ref in refs.items() if name not in names})


def _snapshots_removed(state: ModelState, on: Symbols, gone: Any) -> ModelState:
    held = state.fields(table(on))
    return with_changes(
        state,
        on,
        snapshots=[one for one in held["snapshots"] if one not in gone],
        refs={name: ref for name, ref in held["refs"].items() if ref[1] not in gone},
    )


def _schema_changed(state: ModelState, on: Symbols, value: Any) -> ModelState:
    held, (change, _) = state.fields(table(on)), value
    if change == BACK:
        return with_changes(state, on, columns=min(held["schemas"], key=len))
    columns = [*held["columns"], _more(held["columns"])]
    others = [schema for schema in held["schemas"] if schema != columns]
    return with_changes(state, on, columns=columns, schemas=sorted([*others, columns]))


# Conditions: without the table there is one reason for a refusal.


def _where(
    holds: Callable[[Fields, Any], bool], name: str, words: str, statuses: Sequence[int], clause: str, **more: Any
) -> Refusal:
    """Return the refusal of a commit to a table whose fields fulfil a condition."""
    return Refusal(
        name,
        words,
        statuses,
        clause,
        lambda state, on, value: state.has(table(on)) and holds(state.fields(table(on)), value),
        **more,
    )


def _elsewhere(held: Fields, ref: str, snapshot: str) -> bool:
    return bool(held["refs"].get(ref, ["", NO_SNAPSHOT])[1] != snapshot)


def _moved(type: str) -> Refusal:
    """Return the refusal of a commit that assumes a branch or tag at another snapshot than it is."""
    return _where(
        lambda held, value: any(
            value.sets[ref][0] == type
            and ref in held["refs"]
            and snapshot != NO_SNAPSHOT
            and _elsewhere(held, ref, snapshot)
            for ref, snapshot in value.assumes.items()
        ),
        f"moved_{type}",
        f"that assumes another snapshot of a {type}",
        CONFLICT,
        "assert-ref-snapshot-id",
    )


def _assumed_is_missing(held: Fields, value: RefChanges) -> bool:
    return any(snapshot != NO_SNAPSHOT and ref not in held["refs"] for ref, snapshot in value.assumes.items())


def _new_ref_exists(held: Fields, value: RefChanges) -> bool:
    return any(snapshot == NO_SNAPSHOT and ref in held["refs"] for ref, snapshot in value.assumes.items())


def _lacks_snapshot(held: Fields, value: RefChanges) -> bool:
    return not {snapshot for _, snapshot, _ in value.sets.values()} <= {*held["snapshots"]}


def _may(name: str, words: str, clause: str, holds: Callable[[Fields, Any], bool]) -> Refusal:
    """Return the refusal of a removal that a server may refuse."""
    return _where(holds, name, words, POLICY, clause, optional=True)


def _command(id: str, clause: str, send: Any, effect: Any, values: Mapping[str, Any], *refusals: Refusal) -> Command:
    stands = id == STANDS_FOR  # and is refused without the table, as those that are like it
    return Command(
        id,
        "updateTable",
        clause,
        TABLES[:2],
        send,
        effect,
        needs=[table_there("commit-not-found" if stands else "")],
        refusals=refusals,
        values=values,
        answered=("loadTable", lambda answer: answer["metadata"]),
        like="" if stands else STANDS_FOR,
    )


COMMANDS: Sequence[Command] = [
    _command(
        "append_snapshot",
        "update-set-main",
        _append,
        _appended,
        APPENDS,
        _where(
            lambda held, value: _elsewhere(held, MAIN, value[1]),
            "stale",
            "that assumes another snapshot of main",
            CONFLICT,
            "assert-ref-snapshot-id",
        ),
        _where(
            lambda held, value: value[0] in held["snapshots"],
            "doubled",
            "with the id of an existing snapshot",
            IMPOSSIBLE,
            "update-add-snapshot-doubled",
        ),
    ),
    _command(
        "set_refs",
        "update-set-ref",
        _set_refs,
        _refs_set,
        REFS,
        _moved("branch"),
        _moved("tag"),
        _where(_assumed_is_missing, "no_ref", "that assumes a missing ref", CONFLICT, "assert-ref-snapshot-id"),
        _where(
            _new_ref_exists,
            "taken",
            "that assumes no branch of an existing name",
            CONFLICT,
            "assert-ref-snapshot-id-null",
        ),
        _where(_lacks_snapshot, "unknown", "with a ref to a missing snapshot", IMPOSSIBLE, "update-set-ref-unknown"),
        _where(
            lambda _, value: value.sets.get(MAIN, ("",))[0] == "tag",
            "main_tag",
            "that makes main a tag",
            IMPOSSIBLE,
            "update-set-main-tag",
        ),
    ),
    _command(
        "remove_refs",
        "update-remove-ref",
        _remove_refs,
        _refs_removed,
        REF_REMOVALS,
        _may("main", "that removes main", "update-remove-ref", lambda _, names: MAIN in names),
        _may(
            "absent",
            "that removes a missing ref",
            "update-remove-absent",
            lambda held, names: not {*names} <= {*held["refs"]},
        ),
    ),
    _command(
        "remove_snapshots",
        "update-remove-snapshots",
        _remove_snapshots,
        _snapshots_removed,
        SNAPSHOT_REMOVALS,
        _may(
            "named",
            "that removes the snapshot of a ref",
            "update-remove-snapshots",
            lambda held, gone: any(ref[1] in gone for ref in held["refs"].values()),
        ),
        _may(
            "absent",
            "that removes a missing snapshot",
            "update-remove-absent",
            lambda held, gone: not {*gone} <= {*held["snapshots"]},
        ),
    ),
    _command(
        "change_schema",
        "update-set-current-schema",
        _change_schema,
        _schema_changed,
        SCHEMAS,
        _where(
            lambda _, value: value[1] != 0,
            "stale",
            "that assumes another current schema",
            CONFLICT,
            "assert-current-schema-id",
        ),
    ),
]
