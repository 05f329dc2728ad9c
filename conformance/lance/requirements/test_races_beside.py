"""Races in the root, and of an operation beside another one: the state afterwards follows from the responses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from conformance.author.checks import equal
from conformance.author.racing import Racer, fail_on, race
from conformance.author.requirement import must
from conformance.author.strategies import tables
from conformance.author.suite import Suite
from conformance.common.bodies import FAILURE
from conformance.common.races import UNDECIDED, Act, WinnerRace, one_wins
from conformance.history import OK, Contradiction, Event
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.client import LanceClient
from conformance.lance.support.arrow import stream
from conformance.values.outcomes import Skipped

Start = tuple[Sequence[Act], Callable[[int], object]]
BRANCHES = {"one": 5, "two": 6}  # each with the id of the row that a race inserts into it
ROUNDS = {"smoke": 2, "gate": 4, "deep": 25}


# The root


def _root_id(catalog: LanceCatalog, kind: str) -> Names:
    """Return an identifier of the run in the root. Raises Skipped where the run stays in a given namespace."""
    if catalog.base:
        raise Skipped("the run stays in the given namespace", "a run without --namespace")
    return (catalog.beside(kind),)


def _create_root_namespace(catalog: LanceCatalog, count: int) -> Start:
    catalog.require_namespaces()
    id = _root_id(catalog, "space")
    catalog.note_namespaces([id])
    create = partial(LanceClient.create_namespace, id=id, expect=None)
    return [create] * count, lambda _: catalog.describe_namespace(id)


def _create_root_table(catalog: LanceCatalog, count: int) -> Start:
    id, twin = _root_id(catalog, "table"), _root_id(catalog, "twin")
    catalog.control(lambda: catalog.create_table(twin, stream(tables(1))))
    catalog.note_tables([id])

    def check(won: int) -> None:
        equal(catalog.count_table_rows(id).json, won + 1, f"the count of rows of the table that client {won} created")

    create = partial(LanceClient.create_table, id=id, mode="Create", expect=None)
    return [partial(create, data=stream(tables(number + 1))) for number in range(count)], check


def _declare_root_table(catalog: LanceCatalog, count: int) -> Start:
    id, twin = _root_id(catalog, "table"), _root_id(catalog, "twin")
    catalog.control(lambda: catalog.declare_table(twin))
    catalog.note_tables([id])
    return [partial(LanceClient.declare_table, id=id, expect=None)] * count, lambda _: catalog.describe_table(id)


# Renames


def _rename_to_one_name(catalog: LanceCatalog, count: int) -> Start:
    ids = [catalog.new_table(f"t{number}", rows=number + 1) for number in range(count)]
    target = catalog.table_id("target")
    catalog.note_tables([target])

    def check(won: int) -> None:
        equal(catalog.count_table_rows(target).json, won + 1, f"the count of rows of the table of client {won}")
        for number, id in enumerate(ids):
            catalog.table_exists(id, expect=404 if number == won else 200)

    rename = partial(LanceClient.rename_table, new_table_name=target[-1], expect=None)
    return [partial(rename, id=id) for id in ids], check


def _rename_to_many_names(catalog: LanceCatalog, count: int) -> Start:
    id = catalog.new_table(rows=3)
    targets = [catalog.table_id(f"target{number}") for number in range(count)]
    catalog.note_tables(targets)

    def check(won: int) -> None:
        catalog.table_exists(id, expect=404)
        for number, target in enumerate(targets):
            catalog.table_exists(target, expect=200 if number == won else 404)
        equal(catalog.count_table_rows(targets[won]).json, 3, "the count of rows")

    rename = partial(LanceClient.rename_table, id=id, expect=None)
    return [partial(rename, new_table_name=target[-1]) for target in targets], check


WINNERS = {
    "root.create_namespace": WinnerRace(
        ["CreateNamespace"],
        "create-race",
        "Of concurrent CreateNamespace requests for the same name in the root, exactly one succeeds.",
        "tried to create the namespace",
        _create_root_namespace,
    ),
    "root.create_table": WinnerRace(
        ["CreateTable"],
        "create-race",
        "Of concurrent CreateTable requests for the same name in the root, exactly one succeeds, with its rows.",
        "tried to create the table",
        _create_root_table,
    ),
    "root.declare_table": WinnerRace(
        ["DeclareTable"],
        "create-race",
        "Of concurrent DeclareTable requests for the same name in the root, exactly one succeeds.",
        "tried to declare the table",
        _declare_root_table,
        needs=("lance.table.declare.conflict_declared",),
    ),
    "rename.one_name": WinnerRace(
        ["RenameTable"],
        "rename-race",
        "Of concurrent RenameTable requests that give several tables the same name, exactly one succeeds.",
        "tried to rename a table",
        _rename_to_one_name,
        needs=("lance.refusal.rename_table.taken",),
    ),
    "rename.one_table": WinnerRace(
        ["RenameTable"],
        "rename-race",
        "Of concurrent RenameTable requests that give one table several names, exactly one succeeds.",
        "tried to rename the table",
        _rename_to_many_names,
        needs=("lance.refusal.rename_table.missing",),
    ),
}
test_one_wins = one_wins.declare(__name__, WINNERS)


# One operation beside another


@dataclass(frozen=True, slots=True)
class Pair:
    """Two operations at the same time on one object.

    `prepare` creates the object for a round; `first` and `second` send the requests through the client of a thread.
    `problem` takes whether each of them succeeded, looks at the state and returns what contradicts it, "" for nothing.
    `needs` are requirements that state for one request after the other what `problem` relies on.
    """

    operations: list[str]
    statement: str
    prepare: Callable[[LanceCatalog, str], Names]
    first: Callable[[LanceClient, Names], Answer]
    second: Callable[[LanceClient, Names], Answer]
    problem: Callable[[LanceCatalog, Names, bool, bool], str]
    clause: str = "operations-beside"
    needs: tuple[str, ...] = ()


def _table(catalog: LanceCatalog, name: str) -> Names:
    return catalog.new_table(name, rows=1)


def _exists(catalog: LanceCatalog, id: Names) -> bool:
    return catalog.table_exists(id, expect=(200, 404)).succeeded


def _dropped_or_declared(catalog: LanceCatalog, id: Names, dropped: bool, declared: bool) -> str:
    there = _exists(catalog, id)
    if there == (declared or not dropped):
        return ""
    return f"the table {'exists' if there else 'does not exist'} (dropped: {dropped}, declared again: {declared})"


def _dropped_for_good(catalog: LanceCatalog, id: Names, dropped: bool, _inserted: bool) -> str:
    return "the table exists after it was dropped" if dropped and _exists(catalog, id) else ""


def _drop(client: LanceClient, id: Names) -> Answer:
    return client.drop_table(id, expect=None)


def _insert(client: LanceClient, id: Names) -> Answer:
    return client.insert_into_table(id, stream(tables(1, first=5)), expect=None)


def _rename(client: LanceClient, id: Names) -> Answer:
    return client.rename_table(id, new_table_name=_other(id)[-1], expect=None)


def _other(id: Names) -> Names:
    return (*id[:-1], f"{id[-1]}_other")


def _renamed_table(catalog: LanceCatalog, name: str) -> Names:
    id = _table(catalog, name)
    catalog.note_tables([_other(id)])
    return id


def _no_insert_lost(catalog: LanceCatalog, id: Names, renamed: bool, inserted: bool) -> str:
    there = _other(id) if renamed else id
    count = catalog.count_table_rows(there).json
    if renamed and _exists(catalog, id):
        return "the table exists under its old name after it was renamed"
    return "" if count == 1 + inserted else f"the table has {count} rows (inserted: {inserted}, renamed: {renamed})"


def _space(catalog: LanceCatalog, name: str) -> Names:
    id = (*catalog.new_namespace(name), "t")
    catalog.note_tables([id])
    return id


def _dropped_or_filled(catalog: LanceCatalog, id: Names, dropped: bool, declared: bool) -> str:
    if dropped and declared:
        return "the namespace was dropped without Cascade, and a table was declared in it"
    space = catalog.namespace_exists(id[:-1], expect=(200, 404)).succeeded
    if space == dropped:
        return f"the namespace {'exists' if space else 'does not exist'} (dropped: {dropped})"
    return "" if _exists(catalog, id) == declared else f"the table contradicts its declaration (declared: {declared})"


def _table_with_branches(catalog: LanceCatalog, name: str) -> Names:
    id = _table(catalog, name)
    for branch in BRANCHES:
        catalog.create_table_branch(id, name=branch)
    return id


def _insert_on(branch: str, first: int) -> Callable[[LanceClient, Names], Answer]:
    data = stream(tables(1, first=first))
    return lambda client, id: client.insert_into_table(id, data, _query={"branch": branch}, expect=None)


def _has_rows(catalog: LanceCatalog, id: Names, branch: str, due: list[int]) -> str:
    """Return the contradiction of a branch's rows to these ids, "" for none."""
    found = sorted(row["id"] for row in catalog.rows(id, branch=branch))
    return "" if found == due else f"the branch {branch} has the rows {found} (due: {due})"


def _own_rows(catalog: LanceCatalog, id: Names, *inserted: bool) -> str:
    """Return the first branch that has other rows than its source and those that were inserted into it."""
    rows = [
        (branch, [0, first]) if done else (branch, [0])
        for (branch, first), done in zip(BRANCHES.items(), inserted, strict=True)
    ]
    problems = (_has_rows(catalog, id, branch, due) for branch, due in [*rows, ("main", [0])])
    return next(filter(None, problems), "")


def _deleted_or_written(catalog: LanceCatalog, id: Names, deleted: bool, inserted: bool) -> str:
    branch, first = next(iter(BRANCHES.items()))
    there = catalog.count_table_rows(id, branch=branch, expect=(200, 404)).succeeded
    if there == deleted:
        return f"the branch {'exists' if there else 'does not exist'} (deleted: {deleted})"
    written = _has_rows(catalog, id, branch, [0, first] if inserted else [0]) if there else ""
    return written or _has_rows(catalog, id, "main", [0])


PAIRS = {
    "drop_and_declare": Pair(
        ["DropTable", "DeclareTable"],
        "When a table is dropped while another client declares its name, the table exists exactly if it was declared.",
        _table,
        _drop,
        lambda client, id: client.declare_table(id, expect=None),
        _dropped_or_declared,
        needs=("lance.table.declare.conflict_created",),
    ),
    "drop_and_insert": Pair(
        ["DropTable", "InsertIntoTable"],
        "When a table is dropped while another client inserts into it, no table remains after the drop.",
        _table,
        _drop,
        _insert,
        _dropped_for_good,
    ),
    "drop_and_rename": Pair(
        ["DropTable", "RenameTable"],
        "When a table is dropped while another client renames it, its old name is free afterwards.",
        _renamed_table,
        _drop,
        _rename,
        _dropped_for_good,
    ),
    "rename_and_insert": Pair(
        ["RenameTable", "InsertIntoTable"],
        "When a table is renamed while another client inserts into it, an acknowledged insert is in the renamed table.",
        _renamed_table,
        _rename,
        _insert,
        _no_insert_lost,
    ),
    "drop_namespace_and_declare": Pair(
        ["DropNamespace", "DeclareTable"],
        "When a namespace is dropped without Cascade while another client declares a table in it, one of them fails.",
        _space,
        lambda client, id: client.drop_namespace(id[:-1], expect=None),
        lambda client, id: client.declare_table(id, expect=None),
        _dropped_or_filled,
    ),
    "branches": Pair(
        ["InsertIntoTable", "CreateTableBranch"],
        "When two branches of a table are written at the same time, each has its own rows and the main one neither.",
        _table_with_branches,
        _insert_on("one", BRANCHES["one"]),
        _insert_on("two", BRANCHES["two"]),
        _own_rows,
        "branch-selected",
    ),
    "delete_branch_and_insert": Pair(
        ["DeleteTableBranch", "InsertIntoTable"],
        "When a branch is deleted while another client inserts into it, the branch exists exactly if it was not "
        "deleted, it has the acknowledged row, and the main branch keeps its rows.",
        _table_with_branches,
        lambda client, id: client.delete_table_branch(id, name="one", expect=None),
        _insert_on("one", BRANCHES["one"]),
        _deleted_or_written,
        "delete-branch",
    ),
}


@must(
    "lance.race.beside.{}",
    operations=lambda case: case.operations,
    clause=lambda case: case.clause,
    kind="race",
    each=PAIRS,
    needs=lambda case: case.needs,
    statement=lambda case: case.statement,
)
def test_operation_beside_another(suite: Suite, catalog: LanceCatalog, case: Pair) -> None:
    """Two operations on one object at the same time leave the state that follows from their responses."""
    for operation in case.operations:
        catalog.client.require(operation)
    for number in range(ROUNDS[suite.settings.depth]):
        id = case.prepare(catalog, f"r{number}")
        events = race(suite, [partial(_act, act, name, id) for name, act in (("1", case.first), ("2", case.second))])
        statuses = {event.action: event.exchanges[-1].status for event in events}
        failed = [event for event in events if event.exchanges[-1].status >= FAILURE]
        fail_on(suite, [_failure(event) for event in failed if event.exchanges[-1].status not in UNDECIDED])
        if any(status in UNDECIDED for status in statuses.values()):
            continue
        done = {event.action: event.outcome == OK for event in events}
        problem = case.problem(catalog, id, done["1"], done["2"])
        fail_on(suite, [Contradiction(problem, tuple(events))] if problem else [])


def _failure(event: Event) -> Contradiction:
    got = event.exchanges[-1].status
    return Contradiction(
        f"the request beside the other: expected a success or 4xx, got {got}", (event,), (200, 404, 409)
    )


def _act(act: Callable[[LanceClient, Names], Answer], name: str, id: Names, racer: Racer) -> None:
    client: Any = LanceClient(racer.client)
    racer.do(name, ("all",), lambda: act(client, id))
