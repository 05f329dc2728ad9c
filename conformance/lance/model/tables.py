"""Tables that are created, declared, renamed, dropped and deregistered: their commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformance.author.strategies import tables
from conformance.common.model.rows import Command, ModelState, Precondition, Refusal, Symbols, Thing, taken, two
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.lance.model.kinds import (
    LEFT,
    REGISTERED,
    REGISTERED_ROWS,
    TABLE,
    TABLES,
    LanceRun,
    ended,
    id_of,
    place,
)
from conformance.lance.model.namespaces import NO_NAMESPACE
from conformance.lance.support.arrow import stream

NO_TABLE, TABLE_EXISTS = 4, 5  # as codes of errors
IN_NAMESPACE, *AT_HOME = TABLES
HOME_FIRST = (*AT_HOME, IN_NAMESPACE)
# The place and the name of a table, and its new place and name.
RENAMES: Sequence[Symbols] = ((*AT_HOME[0], *AT_HOME[1]),)
MOVES: Sequence[Symbols] = ((*IN_NAMESPACE, *AT_HOME[1]), (*AT_HOME[0], *IN_NAMESPACE))
MARK = "kept"
DECLARED = None  # instead of a number of rows


def _table(on: Symbols) -> Thing:
    return TABLE, on[:2]


def _registered(on: Symbols) -> Thing:
    return REGISTERED, on


def _new_name(on: Symbols) -> Symbols:
    return on[2:]


def _create(mode: str) -> Callable[[LanceRun, Symbols, Any, Expected], Answer]:
    def send(run: LanceRun, on: Symbols, rows: Any, expect: Expected) -> Answer:
        return run.catalog.create_table(id_of(run, on), stream(tables(rows)), mode=mode, expect=expect)

    return send


def _declare(run: LanceRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return run.catalog.declare_table(id_of(run, on), expect=expect)


def _drop(run: LanceRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return run.catalog.drop_table(id_of(run, on), expect=expect)


def _deregister(run: LanceRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return run.catalog.deregister_table(id_of(run, on), expect=expect)


def _register(run: LanceRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    table = run.name(on[0])
    return run.catalog.restore_registration(table.id, table.location, expect=expect)


def _rename(run: LanceRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    *namespace, name = id_of(run, _new_name(on))
    body: dict[str, Any] = {} if on[0] == on[2] else {"new_namespace_id": namespace}
    return run.catalog.rename_table(id_of(run, on[:2]), new_table_name=name, expect=expect, **body)


def _put(state: ModelState, on: Symbols, rows: Any) -> ModelState:
    return state.put(_table(on), rows=rows)


def _end(state: ModelState, on: Symbols, _: Any) -> ModelState:
    return ended(state, _table(on))


def _moved(state: ModelState, on: Symbols, _: Any) -> ModelState:
    return ended(state, _table(on)).put(_table(_new_name(on)), **state.fields(_table(on)))


def _kept(state: ModelState, on: Symbols, rows: Any) -> ModelState:
    """Return the state with a table as it is, or a new one; the mark, which no view shows, lets plans see the call."""
    held = state.fields(_table(on)) if state.has(_table(on)) else {"rows": rows}
    return state.put(_table(on), **{**held, MARK: True})


def _with_rows(state: ModelState, on: Symbols, _: Any) -> bool:
    return state.has(_table(on)) and state.fields(_table(on))["rows"] is not DECLARED


def _only_declared(state: ModelState, on: Symbols, _: Any) -> bool:
    return state.has(_table(on)) and state.fields(_table(on))["rows"] is DECLARED


def _in_place(on: Callable[[Symbols], Symbols] = lambda on: on) -> Precondition:
    return Precondition(
        lambda symbols: place(on(symbols)),
        "namespace-not-found",
        "in a missing namespace",
        "namespace_missing",
        errors=(NO_NAMESPACE,),
    )


THERE = Precondition(_table, "table-not-found", "of a missing table", errors=(NO_TABLE,))
# An error about a table in a missing namespace may be about either.
NOWHERE = Refusal(
    "nowhere",
    "of a table in a missing namespace",
    (404,),
    "namespace-not-found",
    lambda state, on, _: not state.has(place(on)),
    optional=True,
    errors=(NO_NAMESPACE,),
)


def _left(on: Callable[[Symbols], Symbols] = lambda on: on) -> Refusal:
    """Return the refusal of a name whose former table was deregistered: its data may lie where the new ones would."""
    return Refusal(
        "left",
        "under the name of a deregistered table",
        (400, 409),
        "deregister-table-data",
        lambda state, symbols, _: state.has((LEFT, on(symbols)[:2])),
        optional=True,
    )


def _renaming(id: str, clause: str, on: Sequence[Symbols], *needs: Precondition) -> Command:
    return Command(
        id,
        "RenameTable",
        clause,
        on,
        _rename,
        _moved,
        needs=[THERE, *needs],
        makes=lambda on: _table(_new_name(on)),
        refusals=[
            taken(
                lambda on: _table(_new_name(on)),
                "to the name of an existing table",
                "rename-table-taken",
                errors=(TABLE_EXISTS,),
            ),
            _left(_new_name),
            NOWHERE,
        ],
    )


COMMANDS: Sequence[Command] = [
    Command(
        "create_table",
        "CreateTable",
        "create-table",
        TABLES,
        _create("Create"),
        _put,
        needs=[_in_place()],
        makes=_table,
        refusals=[
            Refusal(
                "taken",
                "in mode Create under the name of an existing table",
                (409,),
                "create-table-mode-create",
                _with_rows,
                errors=(TABLE_EXISTS,),
            ),
            Refusal("declared", "of a declared table", (409,), "create-declared", _only_declared, optional=True),
            _left(),
        ],
        values={"one row": 1, "four rows": 4},
    ),
    Command(
        "declare_table",
        "DeclareTable",
        "declare-table",
        AT_HOME[1:],
        _declare,
        _put,
        makes=_table,
        refusals=[
            taken(_table, "under the name of an existing table", "declare-conflict", errors=(TABLE_EXISTS,)),
            _left(),
        ],
    ),
    Command(
        "drop_table",
        "DropTable",
        "drop-table",
        TABLES,
        _drop,
        _end,
        needs=[THERE],
        refusals=[NOWHERE],
        names=lambda on: [place(on)],
    ),
    Command(
        "deregister_table",
        "DeregisterTable",
        "deregister-table",
        TABLES,
        _deregister,
        lambda state, on, _: _end(state, on, None).put((LEFT, on)),
        needs=[THERE],
        refusals=[NOWHERE],
        names=lambda on: [place(on)],
    ),
    _renaming("rename_table", "rename-table", RENAMES),
    _renaming("move_table", "rename-table-namespace", MOVES, _in_place(_new_name)),
    Command(
        "keep_table",
        "CreateTable",
        "create-table-mode-exist-ok",
        AT_HOME[:1],
        _create("ExistOk"),
        _kept,
        refusals=[_left()],
        values={"two rows": 2},
        names=lambda on: [_table(on)],
        prepares=False,
    ),
    Command(
        "overwrite_table",
        "CreateTable",
        "create-table-mode-overwrite",
        HOME_FIRST,
        _create("Overwrite"),
        _put,
        needs=[_in_place()],
        refusals=[_left()],
        values={"three rows": 3},
        names=lambda on: [_table(on)],
        prepares=False,
    ),
    Command(
        "register_table",
        "RegisterTable",
        "register-table",
        two(REGISTERED),
        _register,
        lambda state, on, _: state.put(_registered(on), rows=REGISTERED_ROWS),
        makes=_registered,
        refusals=[
            taken(_registered, "under the name of an existing table", "register-mode-create", errors=(TABLE_EXISTS,))
        ],
    ),
    Command(
        "deregister_registered_table",
        "DeregisterTable",
        "deregister-table",
        two(REGISTERED),
        _deregister,
        lambda state, on, _: ended(state, _registered(on)),
        needs=[Precondition(_registered, "table-not-found", "of a missing table", errors=(NO_TABLE,))],
    ),
]
