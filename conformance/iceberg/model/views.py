"""Views with their versions and properties: their commands and views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from conformance.common.model.rows import MISSING, Command, ModelState, ModelView, Precondition, Symbols
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.model.kinds import (
    HOME,
    INNER_VIEW,
    NO_NAMESPACE,
    NO_VIEW,
    SHARED,
    SPARE,
    THERE,
    THERE_OR_NOT,
    VIEW_WITHIN,
    IcebergRun,
    count,
    creation_of,
    ended,
    exists,
    id_of,
    known,
    note_new,
    typed,
    view,
)
from conformance.iceberg.model.kinds import (
    VIEWS as IDS,
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
from conformance.iceberg.support.content import sql, view_body, view_version
from conformance.iceberg.support.metadata import current_version, properties_of
from conformance.iceberg.support.updates import LAST_ADDED, update
from conformance.values.resources import TABLE, VIEW

CONTENT: Mapping[str, Any] = {
    "a text": ("SELECT 1", {"first": "1"}),
    "another text": ("SELECT 2", {"second": "3"}),
}
TEXTS: Mapping[str, str] = {"a new text": "SELECT 3", "another new text": "SELECT 4"}
FIRST = IDS[0]
LOOKED = [FIRST, SHARED, SPARE]
RENAMES: Sequence[Symbols] = [
    (*FIRST, *SPARE),
    (*SPARE, *FIRST),
    (*FIRST, *SHARED),
    (*SHARED, *FIRST),
    (*FIRST, *VIEW_WITHIN),
]


def _create(run: IcebergRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    text, properties = value
    body = {**view_body(run.name(on[0]), sql(text)), "properties": properties}
    answer = typed(run.catalog.create_view(id_of(run, on), expect=expect, **body), NO_NAMESPACE)
    if answer.succeeded:
        note_new(run, view(on), answer, partial(run.catalog.load_view, id_of(run, on)), "view-uuid")
    return answer


def _replace(run: IcebergRun, on: Symbols, text: Any, expect: Expected) -> Answer:
    """Send replaceView with a version whose id no other has."""
    id = id_of(run, on)
    loaded = run.catalog.load_view(id, expect=THERE_OR_NOT)
    versions = loaded["metadata"]["versions"] if loaded.succeeded else []
    number = 1 + max((version["version-id"] for version in versions), default=0)
    added = view_version(run.name(on[0]), sql(text), id=number)
    sent = [
        update("add-view-version", view_version=added),
        update("set-current-view-version", view_version_id=LAST_ADDED),
    ]
    return typed(run.catalog.replace_view(id, sent, expect=expect), *missing_types(NO_VIEW, on[0]))


def _update(run: IcebergRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    answer = run.catalog.replace_view(id_of(run, on), property_updates(value), expect=expect)
    return typed(answer, *missing_types(NO_VIEW, on[0]))


def _drop(run: IcebergRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return typed(run.catalog.drop_view(id_of(run, on), expect=expect), *missing_types(NO_VIEW, on[0]))


def _rename(run: IcebergRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    answer = run.catalog.rename_view(id_of(run, on[:2]), id_of(run, on[2:]), expect=expect)
    return typed(answer, *missing_types(NO_VIEW, on[0], on[2]))


def _content(run: IcebergRun, metadata: Any) -> Any:
    texts = [version["representations"][0]["sql"] for version in metadata["versions"]]
    return {
        "uuid": creation_of(run, metadata["view-uuid"]),
        "text": current_version(metadata)["representations"][0]["sql"],
        "texts": sorted(set(texts)),
        "properties": known(properties_of(metadata)),
    }


def _load(run: IcebergRun, on: Symbols) -> Any:
    answer = run.catalog.load_view(id_of(run, on), expect=THERE_OR_NOT)
    return _content(run, answer["metadata"]) if typed(answer, *missing_types(NO_VIEW, on[0])).succeeded else MISSING


def _exists(run: IcebergRun, on: Symbols) -> Any:
    return THERE if run.catalog.view_exists(id_of(run, on), expect=THERE_OR_NOT).succeeded else MISSING


# Effects


def _created(state: ModelState, on: Symbols, value: Any) -> ModelState:
    text, properties = value
    state, uuid = count(state, view(on))
    return state.put(view(on), uuid=uuid, text=text, texts=[text], properties=properties)


def _replaced(state: ModelState, on: Symbols, text: Any) -> ModelState:
    fields = state.fields(view(on))
    return state.put(view(on), **{**fields, "text": text, "texts": sorted({*fields["texts"], text})})


def _there(clause: str) -> Precondition:
    return Precondition(view, clause, "on a missing view")


COMMANDS: Sequence[Command] = [
    Command(
        "create_view",
        "createView",
        "create-view",
        [*IDS[:2], VIEW_WITHIN],
        _create,
        _created,
        needs=[in_a_namespace("create-view-no-namespace", "in a missing namespace")],
        makes=view,
        refusals=[
            taken_by(VIEW, "under the name of an existing view", "create-view-exists"),
            taken_by(TABLE, "under the name of an existing table", "create-view-exists", "taken_by_table"),
        ],
        values=CONTENT,
        answered=("loadView", lambda answer: answer["metadata"]),
    ),
    Command(
        "replace_view",
        "replaceView",
        "replace-view",
        IDS,
        _replace,
        _replaced,
        needs=[_there("replace-view-not-found")],
        values=TEXTS,
        answered=("loadView", lambda answer: answer["metadata"]),
    ),
    Command(
        "update_view_properties",
        "replaceView",
        "replace-view-properties",
        IDS,
        _update,
        with_properties(view),
        needs=[_there("replace-view-not-found")],
        refusals=[removes_absent(view)],
        values=PROPERTY_UPDATES,
        answered=("loadView", lambda answer: answer["metadata"]),
    ),
    Command(
        "drop_view",
        "dropView",
        "drop-view",
        [*IDS, VIEW_WITHIN],
        _drop,
        lambda state, on, _: ended(state, view(on)),
        needs=[_there("drop-view-not-found")],
    ),
    Command(
        "rename_view",
        "renameView",
        "rename-view",
        RENAMES,
        _rename,
        renamed(view),
        needs=[
            _there("rename-view-source"),
            into_a_namespace("rename-view-namespace"),
        ],
        makes=lambda on: view(on[2:]),
        refusals=[
            taken_by(VIEW, "to the name of an existing view", "rename-view-taken", start=2),
            taken_by(TABLE, "to the name of an existing table", "rename-view-taken", "taken_by_table", 2),
            across("rename-view-across"),
        ],
    ),
]
VIEWS: Sequence[ModelView] = [
    ModelView("loadView", [VIEW], LOOKED, lambda state, on: state.shown(view(on)), _load, read=_content),
    ModelView("viewExists", [VIEW], LOOKED, lambda state, on: exists(view(on), state), _exists),
    listing("listViews", VIEW, INNER_VIEW, [(HOME,), VIEW_WITHIN[:1]], IcebergCatalog.list_views),
]
