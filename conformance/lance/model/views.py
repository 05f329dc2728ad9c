"""The views of tables: descriptions, listings and numbers of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from conformance.author.checks import text
from conformance.common.model.rows import MISSING, ModelState, ModelView, Symbols, Thing, two
from conformance.http.answers import Answer
from conformance.lance.model.kinds import (
    HOME,
    NAMESPACES,
    REGISTERED,
    TABLE,
    TABLES,
    THERE_OR_NOT,
    LanceRun,
    id_of,
    place,
)
from conformance.lance.model.namespaces import NO_NAMESPACE
from conformance.lance.model.tables import NO_TABLE
from conformance.lance.support.listing import collect_all_tables, follow
from specs.lance.identifiers import join_parts

ALL_TABLES = (*TABLES, *two(REGISTERED))
PLACES: Sequence[Symbols] = ((HOME,), NAMESPACES[0])
NO_ROWS = "no rows"  # of a table that is missing, or only declared
WITHOUT_ROWS = (200, 400, 404, 409)


def _thing(on: Symbols) -> Thing:
    return (TABLE if len(on) > 1 else REGISTERED), on


def _there(answer: Answer) -> Any:
    """Return True for a success, MISSING for the error of a missing table, and the code of another one."""
    return answer.succeeded or (MISSING if answer.code in (NO_NAMESPACE, NO_TABLE) else answer.code)


def _exists(run: LanceRun, on: Symbols) -> Any:
    return _there(run.catalog.table_exists(id_of(run, on), expect=THERE_OR_NOT))


def _describe(run: LanceRun, on: Symbols) -> Any:
    return _there(run.catalog.describe_table(id_of(run, on), expect=THERE_OR_NOT))


def _count(run: LanceRun, on: Symbols) -> Any:
    answer = run.catalog.count_table_rows(id_of(run, on), expect=WITHOUT_ROWS)
    return (answer.json if answer.succeeded else 0) or NO_ROWS


def _list(run: LanceRun, on: Symbols) -> Any:
    above = run.name(on[0])
    list_page = partial(run.catalog.list_tables, above, include_declared=False, expect=THERE_OR_NOT)
    first, *others = follow(list_page)
    if not first.succeeded:
        return MISSING if first.code == NO_NAMESPACE else first.code
    names = [text(name, "a listed table") for page in (first, *others) for name in page["tables"]]
    return _symbols(run, ((*above, name.removeprefix(join_parts([*above, ""]))) for name in names))


def _list_all(run: LanceRun, _: Symbols) -> Any:
    return _symbols(run, collect_all_tables(run.catalog, include_declared=False))


def _symbols(run: LanceRun, listed: Iterable[Any]) -> list[list[str]]:
    """Return the symbols of the model's tables among those listed, each as often as it is listed."""
    named = [on for on in ALL_TABLES if run.names.keys() >= set(on)]
    known = {form: list(on) for on in named for id in [id_of(run, on)] for form in (id, join_parts(id))}
    return sorted(known[id] for id in listed if id in known)


def _with_rows(state: ModelState) -> list[Symbols]:
    things = [_thing(on) for on in ALL_TABLES]
    return sorted(thing[1] for thing in things if state.has(thing) and state.fields(thing)["rows"] is not None)


def _is_there(state: ModelState, on: Symbols) -> Any:
    return state.has(_thing(on)) or MISSING


def _counted(state: ModelState, on: Symbols) -> Any:
    return (state.fields(_thing(on))["rows"] if state.has(_thing(on)) else 0) or NO_ROWS


def _listed(state: ModelState, on: Symbols) -> Any:
    if not state.has(place(on)):
        return MISSING
    return [list(id) for id in _with_rows(state) if _lies_in(id) == on]


def _lies_in(on: Symbols) -> Symbols:
    return place(on)[1] if len(on) > 1 else (HOME,)


KINDS = [TABLE, REGISTERED]
VIEWS: Sequence[ModelView] = [
    ModelView("TableExists", KINDS, ALL_TABLES, _is_there, _exists),
    ModelView("DescribeTable", KINDS, ALL_TABLES, _is_there, _describe),
    ModelView("CountTableRows", KINDS, ALL_TABLES, _counted, _count),
    ModelView(
        "ListTables",
        KINDS,
        PLACES,
        _listed,
        _list,
    ),
    ModelView("ListAllTables", KINDS, [()], lambda state, _: [list(id) for id in _with_rows(state)], _list_all),
]
