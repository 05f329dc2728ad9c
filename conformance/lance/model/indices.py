"""Indices: their commands and views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from conformance.common.model.rows import (
    MISSING,
    Command,
    ModelState,
    ModelView,
    Precondition,
    Symbols,
    Thing,
    taken,
    two,
)
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.lance.model.kinds import (
    INDEX,
    INDEX_NAMES,
    INDEXED,
    INDICES,
    THERE_OR_NOT,
    LanceRun,
    ended,
)
from conformance.lance.support.indexing import all_indices, wait_for_index
from conformance.lance.support.listing import collect

NO_INDEX, INDEX_EXISTS = 6, 7  # as codes of errors


def _index(on: Symbols) -> Thing:
    return INDEX, on


def _create(operation: str) -> Callable[[LanceRun, Symbols, Any, Expected], Answer]:
    def send(run: LanceRun, on: Symbols, column: Any, expect: Expected) -> Answer:
        id, name = run.name(on[0]).id, run.name(on[1])
        body = {"column": column, "index_type": "BTREE", "name": name}
        answer = run.catalog.send(operation, id, body, expect=expect)
        if answer.succeeded:
            wait_for_index(run.catalog, id, name)
        return answer

    return send


def _drop(run: LanceRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return run.catalog.drop_table_index(run.name(on[0]).id, run.name(on[1]), expect=expect)


def _list(run: LanceRun, on: Symbols, **page: Any) -> Any:
    """Return the listed indices of the model with their columns: a world may have one on every table."""
    symbols = {name: symbol for symbol, name in INDEX_NAMES.items()}
    entries = collect(partial(run.catalog.list_table_indices, run.name(on[0]).id), "indexes", **page)
    listed = [(entry["index_name"], entry["columns"]) for entry in entries]
    return sorted([symbols[name], columns] for name, columns in listed if name in symbols)


def _number(run: LanceRun, on: Symbols) -> Any:
    """Return True if GetTableStats counts the indices that are listed, else its number."""
    id = run.name(on[0]).id
    counted = run.catalog.get_table_stats(id)["num_indices"]
    return counted == len(all_indices(run.catalog, id)) or counted


def _stats(run: LanceRun, on: Symbols) -> Any:
    answer = run.catalog.describe_table_index_stats(run.name(on[0]).id, run.name(on[1]), expect=THERE_OR_NOT)
    return answer.succeeded or (MISSING if answer.code == NO_INDEX else answer.code)


NAMED = Precondition(_index, "index-not-found", "of a missing index", errors=(NO_INDEX,))


def _creation(id: str, operation: str) -> Command:
    return Command(
        id,
        operation,
        "index-name",
        INDICES,
        _create(operation),
        lambda state, on, column: state.put(_index(on), column=column),
        makes=_index,
        refusals=[taken(_index, "with the name of an existing index", "index-exists", errors=(INDEX_EXISTS,))],
        values={"of ids": "id", "of numbers": "n"},
    )


COMMANDS: Sequence[Command] = [
    _creation("create_index", "CreateTableIndex"),
    _creation("create_scalar_index", "CreateTableScalarIndex"),
    Command(
        "drop_index",
        "DropTableIndex",
        "index-drop",
        INDICES,
        _drop,
        lambda state, on, _: ended(state, _index(on)),
        needs=[NAMED],
    ),
]


def _columns(state: ModelState, on: Symbols) -> list[Any]:
    return [[id[1], [state.fields(_index(id))["column"]]] for id in state.of(INDEX, on)]


VIEWS: Sequence[ModelView] = [
    ModelView("ListTableIndices", [INDEX], two(INDEXED), _columns, _list),
    ModelView("ListTableIndices", [INDEX], two(INDEXED)[:1], _columns, partial(_list, limit=1), "in pages of one"),
    ModelView("DescribeTableIndexStats", [INDEX], INDICES, lambda state, on: state.has(_index(on)) or MISSING, _stats),
]
