"""Rows of tables and views that are the same: their properties, renames, conditions and lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from conformance.common.model.rows import MISSING, ModelState, ModelView, Precondition, Refusal, Symbols, Thing, taken
from conformance.http.answers import Answer
from conformance.iceberg.model.kinds import (
    HOME,
    NO_MOVE,
    NO_NAMESPACE,
    THERE_OR_NOT,
    IcebergRun,
    changed,
    ended,
    place,
    table,
    typed,
    view,
)
from conformance.iceberg.support.assertions import IMPOSSIBLE
from conformance.iceberg.support.listing import followed, items_of
from conformance.iceberg.support.updates import set_properties, update
from conformance.values.resources import TABLE, VIEW

ThingOf = Callable[[Symbols], Thing]
# Properties that are set, and those that are removed.
PROPERTY_UPDATES: Mapping[str, Any] = {
    "setting one": ({"second": "4"}, ()),
    "setting one and removing one": ({"second": "5"}, ("first",)),
    "setting one again": ({"second": "6"}, ()),
    "setting two": ({"first": "7", "second": "8"}, ()),
    "removing two": ({}, ("first", "second")),
}


def property_updates(value: tuple[Mapping[str, str], Sequence[str]]) -> list[Any]:
    """Return the updates of a commit for one of PROPERTY_UPDATES."""
    updates, removals = value
    sent = [set_properties(**updates)] if updates else []
    return [*sent, update("remove-properties", removals=list(removals))] if removals else sent


def with_properties(thing: ThingOf) -> Callable[[ModelState, Symbols, Any], ModelState]:
    """Return the effect of an update of the properties of a table or view."""

    def effect(state: ModelState, on: Symbols, value: Any) -> ModelState:
        fields = state.fields(thing(on))
        return state.put(thing(on), **{**fields, "properties": changed(fields["properties"], *value)})

    return effect


def removes_absent(thing: ThingOf) -> Refusal:
    """Return the refusal of an update that removes a property that is not there, which a server may have."""

    def holds(state: ModelState, on: Symbols, value: Any) -> bool:
        updates, removals = value
        return state.has(thing(on)) and not {*removals} <= {*state.fields(thing(on))["properties"], *updates}

    return Refusal(
        "absent", "that removes a missing property", IMPOSSIBLE, "update-remove-absent", holds, optional=True
    )


def renamed(thing: ThingOf) -> Callable[[ModelState, Symbols, Any], ModelState]:
    """Return the effect of a rename from the first two arguments to the other two."""

    def effect(state: ModelState, on: Symbols, _: Any) -> ModelState:
        return ended(state, thing(on[:2])).put(thing(on[2:]), **state.fields(thing(on[:2])))

    return effect


def missing_types(type: str, *namespaces: str) -> Sequence[str]:
    """Return the types of a 404: in the home, which is there, the table or view alone can be missing."""
    return (type,) if {*namespaces} == {HOME} else (type, NO_NAMESPACE)


def into_a_namespace(clause: str) -> Precondition:
    """Return the precondition of a rename that the namespace of the new name is there."""
    return Precondition(lambda on: place(on[2:]), clause, "into a missing namespace", "no_namespace", (404, *NO_MOVE))


def across(clause: str) -> Refusal:
    """Return the refusal of a move into another namespace, which a server may have."""
    return Refusal("across", "into another namespace", NO_MOVE, clause, lambda _, on, __: on[0] != on[2], optional=True)


def in_a_namespace(clause: str, words: str, *others: int) -> Precondition:
    """Return the precondition that the namespace is there; `others` are statuses of a server with a reason before."""
    return Precondition(place, clause, words, "no_namespace", (404, *others))


def taken_by(kind: str, words: str, clause: str, name: str = "taken", start: int = 0) -> Refusal:
    """Return the refusal of a name that a table or view has; the name begins at `start` among the arguments."""
    thing = table if kind == TABLE else view
    return taken(lambda on: thing(on[start:]), words, clause, name)


def listing(operation: str, kind: str, inner: str, on: Sequence[Symbols], send: Callable[..., Answer]) -> ModelView:
    """Return the view that lists the tables or views of a namespace, which are of another kind in the home."""

    def shows(state: ModelState, on: Symbols) -> Any:
        if not state.has(place(on)):
            return MISSING
        return [name for namespace, name in state.of(kind if on[0] == HOME else inner) if namespace == on[0]]

    def look(run: IcebergRun, on: Symbols) -> Any:
        fetch = partial(send, run.catalog, run.name(on[0]), expect=THERE_OR_NOT)
        first = typed(fetch(), NO_NAMESPACE)
        if not first.succeeded:
            return MISSING
        return run.symbols(entry[-1] for page in followed(first, fetch) for entry in items_of(page, "identifiers"))

    return ModelView(operation, [kind, inner, TABLE, VIEW], on, shows, look)
