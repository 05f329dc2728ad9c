"""Commits to two tables at once: both change, or none does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from conformance.common.model.rows import Command, ModelState, Precondition, Refusal, Symbols, Thing
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.iceberg.client import change
from conformance.iceberg.model.commits import CONFLICT, ONE, TAG, with_changes
from conformance.iceberg.model.kinds import NO_TABLE, TABLES, IcebergRun, id_of, table, typed
from conformance.iceberg.model.tables import SNAPSHOTS, note_file
from conformance.iceberg.support.assertions import FAILED, IMPOSSIBLE
from conformance.iceberg.support.updates import OTHER_UUID, requirement, set_properties, set_ref

PLACES: Mapping[str, slice] = {"first": slice(2), "last": slice(2, 4)}  # of the tables among the arguments


@dataclass(frozen=True, slots=True)
class Part:
    """Change of one table: the properties that it sets, and perhaps a tag; the UUID that it assumes may be wrong."""

    sets: Mapping[str, str] = field(default_factory=dict)
    tags: bool = False
    wrong: bool = False


CHANGES: Mapping[str, Sequence[Part]] = {
    "properties": (Part({"first": "11"}), Part({"first": "12", "second": "13"})),
    "a tag and a property": (Part(tags=True), Part({"second": "14"})),
    "a property and a tag": (Part({"second": "15"}), Part(tags=True)),
    "another UUID in the first": (Part({"first": "16"}, wrong=True), Part({"first": "17"})),
    "another UUID in the last": (Part({"first": "18"}), Part({"first": "19"}, wrong=True)),
}


def _send(run: IcebergRun, on: Symbols, parts: Any, expect: Expected) -> Answer:
    places = [on[place] for place in PLACES.values()]
    changes = [
        change(
            id_of(run, place),
            [set_ref(TAG, SNAPSHOTS[ONE], "tag")] if part.tags else [set_properties(**part.sets)],
            [requirement("assert-table-uuid", uuid=OTHER_UUID)] if part.wrong else [],
        )
        for place, part in zip(places, parts, strict=True)
    ]
    answer = run.catalog.commit_transaction(changes, expect=expect)
    if answer.succeeded:
        for place in places:
            note_file(run, place, run.catalog.load_table(id_of(run, place)))
    return typed(answer, NO_TABLE, taken=FAILED)


def _done(state: ModelState, on: Symbols, parts: Any) -> ModelState:
    for place, part in zip(PLACES.values(), parts, strict=True):
        held = state.fields(table(on[place]))
        tagged = {TAG: ["tag", ONE, None]} if part.tags else {}
        properties = {**held["properties"], **part.sets}
        state = with_changes(state, on[place], properties=properties, refs={**held["refs"], **tagged})
    return state


def _of_part(
    number: int, name: str, words: str, statuses: Sequence[int], holds: Callable[[Mapping[str, Any], Part], bool]
) -> Refusal:
    """Return the refusal of a transaction one of whose tables fulfils a condition."""
    (which, place), others = [*PLACES.items()][number], [*PLACES.values()]

    def refused(state: ModelState, on: Symbols, parts: Sequence[Part]) -> bool:
        there = all(state.has(table(on[other])) for other in others)
        return there and holds(state.fields(table(on[place])), parts[number])

    return Refusal(f"{name}_{which}", f"{words} of the {which} table", statuses, "transaction-refused", refused)


def _table_at(place: slice, on: Symbols) -> Thing:
    return table(on[place])


def _lacks_snapshot(held: Mapping[str, Any], part: Part) -> bool:
    return part.tags and ONE not in held["snapshots"]


COMMANDS: Sequence[Command] = [
    Command(
        "commit_transaction",
        "commitTransaction",
        "transaction",
        [(*TABLES[0], *TABLES[1])],
        _send,
        _done,
        needs=[
            Precondition(
                partial(_table_at, place), "transaction-refused", f"with a missing {which} table", f"missing_{which}"
            )
            for which, place in PLACES.items()
        ],
        refusals=[
            *(_of_part(n, "unknown", "with a missing snapshot", IMPOSSIBLE, _lacks_snapshot) for n in (0, 1)),
            *(_of_part(n, "conflict", "with a wrong UUID", CONFLICT, lambda _, part: part.wrong) for n in (0, 1)),
        ],
        values=CHANGES,
        like="update_table_properties",
    )
]
