"""Tags: their commands and views."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    two,
)
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.lance.model.kinds import (
    FIRST,
    LATEST,
    TAG,
    TAG_NAMES,
    TAGGED,
    TAGS,
    THERE_OR_NOT,
    LanceRun,
    TableOfVersions,
    ended,
)
from conformance.lance.support.listing import collect
from conformance.lance.support.versions import MISSING_VERSION
from conformance.lance.worlds import WORLD_TAG

NO_TAG = 8  # as the code of an error
NO_VERSION = "a missing version"
VERSIONS: Mapping[str, Any] = {FIRST: FIRST, LATEST: LATEST, NO_VERSION: NO_VERSION}


def _tag(on: Symbols) -> Thing:
    return TAG, on


def _version(table: TableOfVersions, label: str) -> int:
    return {FIRST: table.first, LATEST: table.latest, NO_VERSION: MISSING_VERSION}[label]


def _create(run: LanceRun, on: Symbols, label: Any, expect: Expected) -> Answer:
    table = run.name(on[0])
    return run.catalog.create_table_tag(table.id, tag=run.name(on[1]), version=_version(table, label), expect=expect)


def _update(run: LanceRun, on: Symbols, label: Any, expect: Expected) -> Answer:
    table = run.name(on[0])
    return run.catalog.update_table_tag(table.id, tag=run.name(on[1]), version=_version(table, label), expect=expect)


def _delete(run: LanceRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return run.catalog.delete_table_tag(run.name(on[0]).id, tag=run.name(on[1]), expect=expect)


def _get(run: LanceRun, on: Symbols) -> Any:
    table = run.name(on[0])
    answer = run.catalog.get_table_tag_version(table.id, tag=run.name(on[1]), expect=THERE_OR_NOT)
    if answer.succeeded:
        return table.label(answer["version"])
    return MISSING if answer.code == NO_TAG else answer.code


def _shown(tags: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Return listed tags by their symbols, without the one that the world has on every table."""
    symbols = {name: symbol for symbol, name in TAG_NAMES.items()}
    return sorted(
        ((symbols.get(name, name), tag) for name, tag in tags if name != WORLD_TAG), key=lambda entry: entry[0]
    )


def _list(run: LanceRun, on: Symbols) -> Any:
    table = run.name(on[0])
    tags = run.catalog.list_table_tags(table.id)["tags"]
    return [[name, table.label(tag["version"])] for name, tag in _shown(tags.items())]


def _pages(run: LanceRun, on: Symbols) -> Any:
    id = run.name(on[0]).id
    tags = collect(lambda **page: run.catalog.list_table_tags(id, **page), "tags", limit=1)
    return [name for name, _ in _shown((tag, None) for tag in tags)]


def _put(state: ModelState, on: Symbols, label: Any) -> ModelState:
    return state.put(_tag(on), version=label)


NAMED = Precondition(_tag, "tag-not-found", "of a missing tag", errors=(NO_TAG,))
OF_A_VERSION = Refusal(
    "version_missing",
    "with a missing version",
    (404,),
    "tag-version-missing",
    lambda _, __, label: label == NO_VERSION,
    errors=(11,),
)

COMMANDS: Sequence[Command] = [
    Command(
        "create_tag",
        "CreateTableTag",
        "create-tag",
        TAGS,
        _create,
        _put,
        makes=_tag,
        refusals=[
            taken(_tag, "under the name of an existing tag", "create-tag-conflict", errors=(9,)),
            OF_A_VERSION,
        ],
        values=VERSIONS,
    ),
    Command(
        "update_tag",
        "UpdateTableTag",
        "update-tag",
        TAGS,
        _update,
        _put,
        needs=[NAMED],
        refusals=[OF_A_VERSION],
        values=VERSIONS,
    ),
    Command(
        "delete_tag",
        "DeleteTableTag",
        "delete-tag",
        TAGS,
        _delete,
        lambda state, on, _: ended(state, _tag(on)),
        needs=[NAMED],
    ),
]
VIEWS: Sequence[ModelView] = [
    ModelView(
        "GetTableTagVersion",
        [TAG],
        TAGS,
        lambda state, on: state.fields(_tag(on))["version"] if state.has(_tag(on)) else MISSING,
        _get,
    ),
    ModelView(
        "ListTableTags",
        [TAG],
        two(TAGGED),
        lambda state, on: [[id[1], state.fields(_tag(id))["version"]] for id in state.of(TAG, on)],
        _list,
    ),
    ModelView(
        "ListTableTags",
        [TAG],
        two(TAGGED),
        lambda state, on: [id[1] for id in state.of(TAG, on)],
        _pages,
        name="in pages of one",
    ),
]
