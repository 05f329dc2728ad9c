"""Staged tables, which nothing shows, and the commits that create them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.common.model.rows import Command, Refusal, Symbols, Thing
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.iceberg.model.kinds import NO_NAMESPACE, STAGED, TABLES, IcebergRun, id_of, note_creation, table, typed
from conformance.iceberg.model.tables import CONTENT, created, note_file
from conformance.iceberg.model.tables_and_views import taken_by
from conformance.iceberg.support.assertions import IMPOSSIBLE
from conformance.iceberg.support.updates import CREATE, creation, set_properties
from conformance.values.resources import TABLE

STANDS_FOR = "create_table"  # another way to the same thing


def _staged(on: Symbols) -> Thing:
    return STAGED, on


def _stage(run: IcebergRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    return typed(run.catalog.create_table(id_of(run, on), stage_create=True, expect=expect, **value), NO_NAMESPACE)


def _create(run: IcebergRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    """Stage a table and commit it; where the name is taken, the commit begins with the table under it."""
    id = id_of(run, on)
    with run.catalog.client.preparing():
        staged = _stage(run, on, value, (200, 409))
        metadata = (staged if staged.succeeded else run.catalog.load_table(id))["metadata"]
    updates = [*creation(metadata), set_properties(**value["properties"])]
    answer = run.catalog.update_table(id, updates, [CREATE], expect=expect)
    if answer.succeeded:
        note_creation(run, table(on), metadata["table-uuid"])
    return note_file(run, on, answer)


COMMANDS: Sequence[Command] = [
    Command(
        "stage_table",
        "createTable",
        "create-table-stage",
        TABLES[:2],
        _stage,
        lambda state, on, value: state.put(_staged(on), properties=value["properties"]),
        makes=_staged,
        names=lambda on: [table(on)],
        refusals=[
            taken_by(TABLE, "that stages a table under the name of an existing table", "create-table-stage-exists"),
            Refusal(
                "again",
                "that stages a table again",
                IMPOSSIBLE,
                "create-table-stage-twice",
                lambda state, on, _: state.has(_staged(on)) and not state.has(table(on)),
                optional=True,
            ),
        ],
        values=CONTENT,
        like=STANDS_FOR,
    ),
    Command(
        "create_staged_table",
        "updateTable",
        "stage-commit",
        TABLES[:2],
        _create,
        created,
        makes=table,
        refusals=[
            taken_by(TABLE, "that creates a table under the name of an existing table", "assert-create"),
        ],
        values=CONTENT,
        answered=("loadTable", lambda answer: answer["metadata"]),
        like=STANDS_FOR,
    ),
]
