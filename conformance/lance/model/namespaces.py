"""Namespaces: their commands and views."""

from __future__ import annotations

from collections.abc import Sequence
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
from conformance.lance.model.kinds import NAMESPACE, NAMESPACES, TABLE, THERE_OR_NOT, LanceRun, ended
from conformance.lance.support.listing import collect_namespaces
from conformance.values.outcomes import Unoffered

NO_NAMESPACE, NAMESPACE_EXISTS, NOT_EMPTY = 1, 2, 3  # as codes of errors


def _namespace(on: Symbols) -> Thing:
    return NAMESPACE, on


def _create(run: LanceRun, on: Symbols, mode: Any, expect: Expected) -> Answer:
    return run.catalog.create_namespace(run.name(on[0]), mode=mode, expect=expect)


def _drop(run: LanceRun, on: Symbols, body: Any, expect: Expected) -> Answer:
    return run.catalog.drop_namespace(run.name(on[0]), expect=expect, **body)


def _cascade(run: LanceRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    """Send a drop that cascades. Raises Unoffered where the server does not have it."""
    answer = run.catalog.drop_namespace(run.name(on[0]), behavior="Cascade", expect=None)
    if run.catalog.client.refuses(answer.exchange):
        raise Unoffered("the server does not have drops that cascade")
    run.catalog.client.check_status(answer.exchange, expect)
    return answer


def _describe(run: LanceRun, on: Symbols) -> Any:
    return _there(run.catalog.describe_namespace(run.name(on[0]), expect=THERE_OR_NOT))


def _exists(run: LanceRun, on: Symbols) -> Any:
    return _there(run.catalog.namespace_exists(run.name(on[0]), expect=THERE_OR_NOT))


def _there(answer: Answer) -> Any:
    """Return True for a success, MISSING for an error about a missing namespace, and the code of another one."""
    return answer.succeeded or (MISSING if answer.code == NO_NAMESPACE else answer.code)


def _list(run: LanceRun, _: Symbols) -> Any:
    above = run.name(NAMESPACES[0][0])[:-1]
    return run.symbols((*above, name) for name in collect_namespaces(run.catalog, above))


def _is_there(state: ModelState, on: Symbols) -> Any:
    return state.has(_namespace(on)) or MISSING


def _put(state: ModelState, on: Symbols, _: Any) -> ModelState:
    return state.put(_namespace(on))


def _overwrite(state: ModelState, on: Symbols, _: Any) -> ModelState:
    return ended(state, _namespace(on)).put(_namespace(on))


def _end(state: ModelState, on: Symbols, _: Any) -> ModelState:
    return ended(state, _namespace(on))


def _holds_tables(state: ModelState, on: Symbols, _: Any) -> bool:
    return bool(state.of(TABLE, on))


THERE = Precondition(
    _namespace, "drop-namespace-mode-fail", "of a missing namespace", statuses=(400, 404), errors=(NO_NAMESPACE,)
)
COMMANDS: Sequence[Command] = [
    Command(
        "create_namespace",
        "CreateNamespace",
        "create-namespace",
        NAMESPACES,
        _create,
        _put,
        makes=_namespace,
        refusals=[
            taken(
                _namespace,
                "in mode Create under the name of an existing namespace",
                "create-namespace-mode-create",
                errors=(NAMESPACE_EXISTS,),
            )
        ],
        values={"": "Create"},
    ),
    Command(
        "drop_namespace",
        "DropNamespace",
        "drop-namespace",
        NAMESPACES,
        _drop,
        _end,
        needs=[THERE],
        refusals=[
            Refusal(
                "not_empty",
                "of a namespace with a table",
                (409,),
                "drop-namespace-restrict",
                _holds_tables,
                errors=(NOT_EMPTY,),
            )
        ],
        values={"": {}, "Restrict": {"behavior": "Restrict"}},
    ),
    Command(
        "cascade_namespace",
        "DropNamespace",
        "drop-namespace-cascade",
        NAMESPACES,
        _cascade,
        _end,
        needs=[THERE],
        prepares=False,
    ),
    Command(
        "keep_namespace",
        "CreateNamespace",
        "create-namespace-mode-exist-ok",
        NAMESPACES,
        _create,
        lambda state, on, _: state.put(_namespace(on), kept=True),  # no view shows it: it lets plans see the call
        values={"": "ExistOk"},
        names=lambda on: [_namespace(on)],
        prepares=False,
    ),
    Command(
        "overwrite_namespace",
        "CreateNamespace",
        "create-namespace-mode-overwrite",
        NAMESPACES,
        _create,
        _overwrite,
        values={"": "Overwrite"},
        names=lambda on: [_namespace(on)],
        prepares=False,
    ),
]
VIEWS: Sequence[ModelView] = [
    ModelView("DescribeNamespace", [NAMESPACE], NAMESPACES, _is_there, _describe),
    ModelView("NamespaceExists", [NAMESPACE], NAMESPACES, _is_there, _exists),
    ModelView("ListNamespaces", [NAMESPACE], [()], lambda state, _: [id[0] for id in state.of(NAMESPACE)], _list),
]
