"""Catalogs, principals, principal roles and catalog roles: their commands and views."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from conformance.common.model.rows import (
    MISSING,
    Command,
    ModelView,
    Precondition,
    Refusal,
    Symbols,
    Thing,
    again,
    taken,
    two,
)
from conformance.http.answers import Answer
from conformance.http.client import Expected, Successes
from conformance.polaris.catalog import NOT_AGAIN
from conformance.polaris.entities import ENTITIES, EntityType
from conformance.polaris.model.kinds import THERE_OR_NOT, PolarisRun, ended

KEYS = ("first", "second")  # the properties that the model knows
VALUES: Mapping[str, Any] = {"one property": {"first": "1"}, "two properties": {"first": "2", "second": "3"}}
# The distance of the sent version from the present one, and the properties.
UPDATES: Mapping[str, Any] = {
    "other properties": (0, {"first": "4", "second": "5"}),
    "one property": (0, {"second": "6"}),
    "no property": (0, {}),
    "a later version": (1, {"second": "7"}),
    "an earlier version": (-1, {"second": "8"}),
}


def known(body: Any) -> dict[str, str]:
    """Return the properties of an object in an answer that the model knows: a server may add some of its own."""
    return {name: value for name, value in (body.get("properties") or {}).items() if name in KEYS}


def _create(entity: EntityType, run: PolarisRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    """Create an entity, in the state of the world where its creation has to succeed."""
    id = run.name(on[0])
    content = run.catalog.value(entity, id, properties=value)
    if isinstance(expect, Successes):
        return run.catalog.make(entity, id, entity.wrapped(content))
    return run.catalog.create(entity, id, content, expect=expect)


def _update(entity: EntityType, run: PolarisRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    """Send an update of the present version, or of another one, that leaves the server's own properties alone."""
    id, (distance, changed) = run.name(on[0]), value
    before = run.catalog.get(entity, id, expect=THERE_OR_NOT)
    body = before if before.succeeded else {"entityVersion": 1, **run.catalog.value(entity, id)}
    own = {name: kept for name, kept in (body.get("properties") or {}).items() if name not in KEYS}
    version = body["entityVersion"] + distance
    return run.catalog.update(entity, id, currentEntityVersion=version, properties={**own, **changed}, expect=expect)


def _delete(entity: EntityType, run: PolarisRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return run.catalog.delete(entity, run.name(on[0]), expect=expect)


def _get(entity: EntityType, run: PolarisRun, on: Symbols) -> Any:
    answer = run.catalog.get(entity, run.name(on[0]), expect=THERE_OR_NOT)
    return known(answer) if answer.succeeded else MISSING


def ids_listed(run: PolarisRun, entity: EntityType, entries: Any) -> dict[Any, Any]:
    """Return the entries of a list of entities by their ids; catalog roles are those of the home catalog."""
    outer = run.catalog.missing(entity)[:-1]
    return {(*outer, entry["name"]): entry for entry in entries}


def _list(entity: EntityType, run: PolarisRun, _: Symbols) -> Any:
    place = entity.place(run.catalog.missing(entity)[:-1])
    entries = ids_listed(run, entity, run.catalog.send(entity.list, place)[entity.listed])
    return [[symbol, known(entries[run.name(symbol)])] for symbol in run.symbols(entries)]


def _creation(entity: EntityType, name: str, thing: Callable[[Symbols], Thing]) -> Command:
    return Command(
        f"create_{name}",
        entity.create,
        "shown-alike",
        two(entity.id),
        partial(_create, entity),
        lambda state, on, value: state.put(thing(on), **value),
        makes=thing,
        exclusive="refused-creation",
        refusals=[
            taken(thing, f"under the name of an existing {entity.id}", "name-taken", harmless="refused-creation"),
            again(
                thing,
                f"under the name of a deleted {entity.id}",
                NOT_AGAIN,
                "name-free-again",
                rather="name-free-again",
            ),
        ],
        values=VALUES,
    )


def commands_of(entity: EntityType) -> list[Command]:
    """Return the commands on an entity type."""

    def thing(on: Symbols) -> Thing:
        return entity.id, on

    name = entity.id.replace(" ", "_")
    there = Precondition(thing, "missing-is-refused", f"on a missing {entity.id}")
    stale = Refusal(
        "stale", "with another version than the current one", (409,), "update-stale", lambda _, __, value: value[0] != 0
    )
    return [
        _creation(entity, name, thing),
        Command(
            f"update_{name}",
            entity.update,
            "update-replaces",
            two(entity.id),
            partial(_update, entity),
            lambda state, on, value: state.put(thing(on), **value[1]),
            needs=[there],
            refusals=[stale],
            values=UPDATES,
            answered=(entity.get, lambda answer: answer),
            exclusive="update-stale",
        ),
        Command(
            f"delete_{name}",
            entity.delete,
            "deleted-is-gone",
            two(entity.id),
            partial(_delete, entity),
            lambda state, on, _: ended(state, thing(on)),
            needs=[there],
        ),
    ]


def views_of(entity: EntityType) -> list[ModelView]:
    """Return the views of an entity type."""
    return [
        ModelView(
            entity.get,
            [entity.id],
            two(entity.id),
            lambda state, on: state.shown((entity.id, on)),
            partial(_get, entity),
            read=lambda _, body: known(body),
        ),
        ModelView(
            entity.list,
            [entity.id],
            [()],
            lambda state, _: [[id[0], dict(state.fields((entity.id, id)))] for id in state.of(entity.id)],
            partial(_list, entity),
        ),
    ]


COMMANDS: Sequence[Command] = [command for entity in ENTITIES.values() for command in commands_of(entity)]
VIEWS: Sequence[ModelView] = [view for entity in ENTITIES.values() for view in views_of(entity)]
