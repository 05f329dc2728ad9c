"""The kinds of things in the model of an Iceberg catalog, and the names that stand for their symbols.

Tables and views of the home namespace are kinds of their own: what becomes of one there concerns no other namespace.
The names of two things are alike, as a beginning or a pattern: a server finds a thing by its whole name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from conformance.common.model.rows import (
    MISSING,
    Fields,
    ModelKind,
    ModelState,
    Symbols,
    Thing,
    end,
)
from conformance.common.model.running import ModelRun
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import TAKEN, type_is
from conformance.values.resources import NAMESPACE, TABLE, VIEW

IcebergRun = ModelRun[IcebergCatalog]
HOME, INNER_TABLE, INNER_VIEW = "home", "table in a namespace", "view in a namespace"
FILE, CREATIONS, STAGED = "metadata file", "creations under a name", "staged table"
THERE_OR_NOT = (200, 204, 404)
THERE = "there"
NO_MOVE = (403, 406)  # rejections of a move into another namespace
KEYS = ("first", "second")  # the properties that the model knows
NO_TABLE, NO_VIEW, NO_NAMESPACE = "NoSuchTableException", "NoSuchViewException", "NoSuchNamespaceException"
NAMESPACES = ("namespace 1", "namespace 2")
NAMES = {"name 1": "t_a", "name 2": "txa", "name 3": "t_a2", "name 4": "t_", "name 5": "txa3"}
NAMES_OF_NAMESPACES = {NAMESPACES[0]: "n_s", NAMESPACES[1]: "n_s2"}
SHARED, SPARE = (HOME, "name 3"), (HOME, "name 5")
TABLES: Sequence[Symbols] = [(HOME, "name 1"), (HOME, "name 2"), SHARED, SPARE]
VIEWS: Sequence[Symbols] = [(HOME, "name 4"), SHARED, SPARE]
TABLE_WITHIN, VIEW_WITHIN = (NAMESPACES[0], "name 1"), (NAMESPACES[1], "name 3")
GIVEN: Mapping[Thing, Fields] = {(HOME, (HOME,)): {}}


def place(on: Symbols) -> Thing:
    """Return the namespace of a table or view."""
    return (HOME if on[0] == HOME else NAMESPACE), on[:1]


def table(on: Symbols) -> Thing:
    """Return the table under a name."""
    return (TABLE if on[0] == HOME else INNER_TABLE), on[:2]


def view(on: Symbols) -> Thing:
    """Return the view under a name."""
    return (VIEW if on[0] == HOME else INNER_VIEW), on[:2]


# Views stand before tables: where both could have a name, the view gets it.
KINDS: Mapping[str, ModelKind] = {
    HOME: ModelKind([(HOME,)]),
    NAMESPACE: ModelKind([(name,) for name in NAMESPACES]),
    VIEW: ModelKind(VIEWS, lambda id: [place(id)]),
    TABLE: ModelKind(TABLES, lambda id: [place(id)]),
    INNER_TABLE: ModelKind([TABLE_WITHIN], lambda id: [place(id)]),
    INNER_VIEW: ModelKind([VIEW_WITHIN], lambda id: [place(id)]),
    FILE: ModelKind([*TABLES, TABLE_WITHIN]),
    CREATIONS: ModelKind([]),
    STAGED: ModelKind(TABLES[:2]),
}
ended = partial(end, KINDS)


def named(catalog: IcebergCatalog, symbol: str) -> Any:
    """Return the value that a symbol stands for: the levels of a namespace, or the name of a table or view."""
    if symbol == HOME:
        return catalog.home
    if symbol in NAMESPACES:
        return catalog.namespace_id(catalog.fresh(NAMES_OF_NAMESPACES[symbol]))
    return catalog.table_id(catalog.fresh(NAMES[symbol]))[-1]


def id_of(run: IcebergRun, on: Symbols) -> Names:
    """Return the identifier of a table or view."""
    return (*run.name(on[0]), run.name(on[1]))


def typed(answer: Answer, *missing: str, taken: str = TAKEN) -> Answer:
    """Check the type of a refusal, which clients read, and return the answer; `missing` are those of a 404."""
    if answer.status in (404, 409):
        type_is(answer, *(missing if answer.status == 404 else [taken]))
    return answer


def known(properties: Any) -> dict[str, str]:
    """Return the properties that the model knows: the server may have others."""
    return {key: properties[key] for key in KEYS if key in (properties or {})}


def changed(properties: Mapping[str, str], updates: Mapping[str, str], removals: Sequence[str] = ()) -> dict[str, str]:
    """Return properties after updates and removals."""
    return {key: value for key, value in {**properties, **updates}.items() if key not in removals}


def exists(thing: Thing, state: ModelState) -> str:
    """Return whether a thing is there."""
    return THERE if state.has(thing) else MISSING


# UUIDs: those of a run have symbols, one for each creation under a name. They are taken from what loads, so that an
# answer to a creation with another one is at fault.


def creation(kind: str, on: Symbols, number: int) -> str:
    """Return the symbol of the UUID that a creation gives."""
    return f"{kind} {number} of {on[0]}, {on[1]}"


def count(state: ModelState, thing: Thing) -> tuple[ModelState, str]:
    """Return the state after one more creation, and the symbol of its UUID."""
    kind, id = thing
    counted = CREATIONS, (kind, *id)
    number = 1 + (state.fields(counted)["number"] if state.has(counted) else 0)
    return state.put(counted, number=number), creation(kind, id, number)


def note_new(run: IcebergRun, thing: Thing, answer: Answer, load: Callable[..., Answer], field: str) -> None:
    """Note the UUID of a table or view that loads after its creation; of one that is only prepared, the answer's."""
    if not run.catalog.client.recording.preparing and (loaded := load(expect=THERE_OR_NOT)).succeeded:
        answer = loaded
    note_creation(run, thing, answer["metadata"][field])


def note_creation(run: IcebergRun, thing: Thing, uuid: Any) -> None:
    """Give the UUID of a new table or view its symbol; one that another has had gets none."""
    kind, id = thing
    number = 1
    while creation(kind, id, number) in run.names:
        number += 1
    run.names[creation(kind, id, number)] = None if uuid in run.names.values() else uuid


def creation_of(run: IcebergRun, uuid: Any) -> str:
    """Return the symbol of a UUID, and words for one that no creation gave."""
    return next((symbol for symbol, value in run.names.items() if value == uuid), "no UUID of a creation")
