"""Branches: their commands and views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.author.strategies import tables
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
    BRANCH,
    BRANCH_NAMES,
    BRANCHED,
    BRANCHES,
    FIRST,
    LATEST,
    NUMBERS_OF_ROWS,
    THERE_OR_NOT,
    LanceRun,
    ended,
)
from conformance.lance.model.tags import NO_VERSION
from conformance.lance.support.arrow import stream
from conformance.lance.support.branching import NO_BRANCH
from conformance.lance.support.versions import MISSING_VERSION

MORE = 4  # rows of an insert
BRANCH_EXISTS = 23  # as the code of an error


def _branch(on: Symbols) -> Thing:
    return BRANCH, on


def _create(run: LanceRun, on: Symbols, label: Any, expect: Expected) -> Answer:
    table = run.name(on[0])
    sources: dict[Any, dict[str, Any]] = {
        FIRST: {"from_version": table.first},
        NO_VERSION: {"from_version": MISSING_VERSION},
    }
    return run.catalog.create_table_branch(table.id, name=run.name(on[1]), expect=expect, **sources.get(label, {}))


def _delete(run: LanceRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return run.catalog.delete_table_branch(run.name(on[0]).id, name=run.name(on[1]), expect=expect)


def _insert(run: LanceRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    data, query = stream(tables(MORE, first=10)), {"branch": run.name(on[1])}
    return run.catalog.insert_into_table(run.name(on[0]).id, data, _query=query, expect=expect)


def _list(run: LanceRun, on: Symbols) -> Any:
    symbols = {name: symbol for symbol, name in BRANCH_NAMES.items()}
    listed = run.catalog.list_table_branches(run.name(on[0]).id)["branches"]
    return sorted(symbols[name] for name in listed if name in symbols)


def _count(run: LanceRun, on: Symbols) -> Any:
    answer = run.catalog.count_table_rows(run.name(on[0]).id, branch=run.name(on[1]), expect=THERE_OR_NOT)
    return answer.json if answer.succeeded else MISSING if answer.code in NO_BRANCH else answer.code


def _count_main(run: LanceRun, on: Symbols) -> Any:
    return run.catalog.count_table_rows(run.name(on[0]).id).json


def _rows(state: ModelState, on: Symbols) -> Any:
    return state.fields(_branch(on))["rows"] if state.has(_branch(on)) else MISSING


NAMED = Precondition(_branch, "branch-not-found", "on a missing branch", errors=NO_BRANCH)
COMMANDS: Sequence[Command] = [
    Command(
        "create_branch",
        "CreateTableBranch",
        "create-branch",
        BRANCHES,
        _create,
        lambda state, on, label: state.put(_branch(on), rows=NUMBERS_OF_ROWS.get(label)),
        makes=_branch,
        refusals=[
            taken(_branch, "with the name of an existing branch", "create-branch-conflict", errors=(BRANCH_EXISTS,)),
            Refusal(
                "version_missing",
                "from a missing version",
                (404,),
                "create-branch-version-missing",
                lambda _, __, label: label == NO_VERSION,
                errors=(11,),
            ),
        ],
        values={LATEST: LATEST, FIRST: FIRST, NO_VERSION: NO_VERSION},
    ),
    Command(
        "insert_on_branch",
        "InsertIntoTable",
        "branch-selected",
        BRANCHES,
        _insert,
        lambda state, on, _: state.put(_branch(on), rows=_rows(state, on) + MORE),
        needs=[NAMED],
        offered=lambda catalog: not catalog.client.lacks("CreateTableBranch"),
    ),
    Command(
        "delete_branch",
        "DeleteTableBranch",
        "delete-branch",
        BRANCHES,
        _delete,
        lambda state, on, _: ended(state, _branch(on)),
        needs=[NAMED],
    ),
]
VIEWS: Sequence[ModelView] = [
    ModelView(
        "ListTableBranches",
        [BRANCH],
        two(BRANCHED),
        lambda state, on: [id[1] for id in state.of(BRANCH, on)],
        _list,
    ),
    ModelView("CountTableRows", [BRANCH], BRANCHES, _rows, _count, "of a branch"),
    ModelView(
        "CountTableRows", [BRANCH], two(BRANCHED), lambda _, __: NUMBERS_OF_ROWS[LATEST], _count_main, "beside branches"
    ),
]
