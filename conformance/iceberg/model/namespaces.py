"""Namespaces with their properties: their commands and views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.common.model.rows import (
    MISSING,
    Command,
    ModelState,
    ModelView,
    Precondition,
    Refusal,
    Symbols,
    Thing,
    taken,
)
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.iceberg.catalog import NO_PROPERTIES, IcebergCatalog
from conformance.iceberg.model.kinds import (
    INNER_TABLE,
    INNER_VIEW,
    KINDS,
    NO_NAMESPACE,
    THERE,
    THERE_OR_NOT,
    IcebergRun,
    changed,
    ended,
    exists,
    known,
    typed,
)
from conformance.iceberg.support.assertions import type_is
from conformance.iceberg.support.listing import followed, items_of
from conformance.values.resources import NAMESPACE

NOT_EMPTY = "NamespaceNotEmptyException"
UNPROCESSABLE = 422
STORES, STORED, NONE = "properties of namespaces", "stored", "none"
PROPERTIES: Mapping[str, Any] = {"one property": {"first": "1"}, "another property": {"second": "2"}}
UPDATES: Mapping[str, Any] = {
    "setting one": {"updates": {"second": "4"}},
    "setting one and removing one": {"updates": {"second": "5"}, "removals": ["first"]},
    "setting one again": {"updates": {"second": "6"}},
    "setting two": {"updates": {"first": "7", "second": "8"}},
    "removing two": {"removals": ["first", "second"]},
    "setting and removing the same": {"updates": {"first": "9", "second": "10"}, "removals": ["first"]},
}
IDS = KINDS[NAMESPACE].ids


def _namespace(on: Symbols) -> Thing:
    return NAMESPACE, on


def _create(run: IcebergRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return typed(run.catalog.create_namespace(run.name(on[0]), expect=expect), NO_NAMESPACE)


def _create_with(run: IcebergRun, on: Symbols, properties: Any, expect: Expected) -> Answer:
    answer = run.catalog.create_namespace(run.name(on[0]), properties=properties, expect=expect)
    return typed(answer, NO_NAMESPACE)


def _update(run: IcebergRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    answer = run.catalog.update_properties(run.name(on[0]), expect=expect, **value)
    if answer.status == UNPROCESSABLE:
        type_is(answer, "UnprocessableEntityException")
    return typed(answer, NO_NAMESPACE)


def _drop(run: IcebergRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return typed(run.catalog.drop_namespace(run.name(on[0]), expect=expect), NO_NAMESPACE, taken=NOT_EMPTY)


def _content(run: IcebergRun, body: Any) -> Any:
    return {"namespace": run.symbols([tuple(body["namespace"])]), "properties": known(body.get("properties"))}


def _load(run: IcebergRun, on: Symbols) -> Any:
    answer = run.catalog.load_namespace_metadata(run.name(on[0]), expect=THERE_OR_NOT)
    return _content(run, answer) if typed(answer, NO_NAMESPACE).succeeded else MISSING


def _exists(run: IcebergRun, on: Symbols) -> Any:
    return THERE if run.catalog.namespace_exists(run.name(on[0]), expect=THERE_OR_NOT).succeeded else MISSING


def _list(run: IcebergRun, _: Symbols) -> Any:
    fetch = partial(run.catalog.list_namespaces, run.catalog.outer or None)
    listed = (entry for page in followed(fetch(), fetch) for entry in items_of(page, "namespaces"))
    return run.symbols(entry for entry in listed if entry != run.catalog.home)


def _put(state: ModelState, on: Symbols, properties: Mapping[str, str]) -> ModelState:
    return state.put(_namespace(on), namespace=list(on), properties=properties)


def _updated(state: ModelState, on: Symbols, value: Any) -> ModelState:
    before = state.fields(_namespace(on))["properties"]
    return _put(state, on, changed(before, value.get("updates", {}), value.get("removals", ())))


def _holds(kind: str, words: str) -> Refusal:
    return Refusal(
        f"holds_{words}",
        f"on a namespace with a {words}",
        (409,),
        "drop-namespace-not-empty",
        lambda state, on, _: bool(state.of(kind, on)),
    )


def _keeps_properties(catalog: IcebergCatalog) -> bool:
    """Return whether the server was not seen to store no properties; one namespace of a run finds out."""
    if catalog.client.lacks("createNamespace"):
        return False
    kept = catalog.target.capabilities.get(STORES)
    if kept is None:
        id = catalog.namespace_id(catalog.fresh("kept"))
        with catalog.client.preparing():
            made = catalog.create_namespace(id, properties={"kept": "1"}, expect=None)
            loaded = catalog.load_namespace_metadata(id, expect=None) if made.succeeded else None
        refused = made.status == NO_PROPERTIES
        forgotten = loaded is not None and loaded.succeeded and loaded.get("properties") is None
        kept = catalog.target.capabilities[STORES] = NONE if refused or forgotten else STORED
    return bool(kept == STORED)


TAKEN = taken(_namespace, "under the name of an existing namespace", "create-namespace-exists")
THERE_BEFORE = Precondition(_namespace, "namespace-not-found", "on a missing namespace")

COMMANDS: Sequence[Command] = [
    Command(
        "create_namespace_with_properties",
        "createNamespace",
        "create-namespace",
        IDS,
        _create_with,
        _put,
        makes=_namespace,
        refusals=[replace(TAKEN, harmless="create-namespace-untouched")],
        values=PROPERTIES,
        offered=_keeps_properties,
    ),
    Command(
        "create_namespace",
        "createNamespace",
        "create-namespace",
        IDS,
        _create,
        lambda state, on, _: _put(state, on, {}),
        makes=_namespace,
        refusals=[TAKEN],
        answered=("loadNamespaceMetadata", lambda answer: answer),
    ),
    Command(
        "update_properties",
        "updateProperties",
        "update-properties",
        IDS,
        _update,
        _updated,
        needs=[THERE_BEFORE],
        refusals=[
            Refusal(
                "both",
                "with a key both in updates and in removals",
                (UNPROCESSABLE,),
                "update-properties-both",
                lambda _, __, value: bool({*value.get("updates", ())} & {*value.get("removals", ())}),
            )
        ],
        values=UPDATES,
        offered=_keeps_properties,
    ),
    Command(
        "drop_namespace",
        "dropNamespace",
        "drop-namespace",
        IDS,
        _drop,
        lambda state, on, _: ended(state, _namespace(on)),
        needs=[THERE_BEFORE],
        refusals=[_holds(INNER_TABLE, "table"), _holds(INNER_VIEW, "view")],
    ),
]
VIEWS: Sequence[ModelView] = [
    ModelView(
        "loadNamespaceMetadata",
        [NAMESPACE],
        IDS,
        lambda state, on: state.shown(_namespace(on)),
        _load,
        read=_content,
    ),
    ModelView("namespaceExists", [NAMESPACE], IDS, lambda state, on: exists(_namespace(on), state), _exists),
    ModelView("listNamespaces", [NAMESPACE], [()], lambda state, _: [id[0] for id in state.of(NAMESPACE)], _list),
]
