"""Several clients at the same time: what each was told must fit what is there in the end, and in between."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from conformance.checks import equal, exactly, one_of, same_items
from conformance.client import Answer
from conformance.history import OK, REFUSED, Contradiction, Event, judge_pairs, one_winner
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import IcebergClient, change
from conformance.iceberg.support.content import SCHEMA, sql, view_body, view_version
from conformance.iceberg.support.metadata import (
    MAIN,
    Metadata,
    current_snapshot,
    previous_files,
    properties_of,
    snapshot_ids,
)
from conformance.iceberg.support.staging import stage
from conformance.iceberg.support.updates import LAST_ADDED, append, requirement, set_properties, update
from conformance.json_values import shown
from conformance.outcomes import Violation
from conformance.racing import SIZES, Racer, fail_on, race
from conformance.requirement import must
from conformance.suite import Suite

Act = Callable[[IcebergClient], Answer]
ROUNDS = 200


def winner(suite: Suite, catalog: IcebergCatalog, acts: list[Act], deed: str) -> Event:
    """Let each client do one thing at the same time and return the event of the only one that succeeded.

    `deed` says what they do: "create the table".
    """
    separator = catalog.separator

    def program(act: Act, racer: Racer) -> None:
        racer.do("act", ("all",), lambda: act(IcebergClient(racer.client, separator)))

    events = race(suite, [partial(program, act) for act in acts])
    fail_on(suite, one_winner(events))
    fail_on(suite, (problem for event in events for problem in refused_with_409(event)))
    fail_on(suite, nobody_succeeded(events, deed))
    return next(event for event in events if event.outcome == OK)


def nobody_succeeded(events: list[Event], deed: str) -> list[Contradiction]:
    """Judge several that do the same: where no answer tells of a success, nobody can say who won."""
    if any(event.outcome == OK for event in events):
        return []
    answers = sorted({str(exchange.status or "no answer") for event in events for exchange in event.exchanges})
    message = f"of {len(events)} clients that {deed} none succeeded: they got {', '.join(answers)}"
    return [Contradiction(message, tuple(events))]


def refused_with_409(event: Event) -> list[Contradiction]:
    """Judge a refusal: who comes too late is told 409."""
    status = event.exchanges[-1].status
    return (
        [Contradiction(f"who lost was told {status}", (event,))] if event.outcome == REFUSED and status != 409 else []
    )


def clients(suite: Suite) -> int:
    """Return how many clients a race has."""
    return SIZES[suite.settings.depth].clients


@must("iceberg.race.create_namespace", operations=["createNamespace"], clause="create-namespace-exists", kind="race")
def test_race_to_create_a_namespace(suite: Suite, catalog: IcebergCatalog) -> None:
    """Of several clients that create the same namespace at the same time exactly one succeeds; others are told 409."""
    id = catalog.namespace_id()
    catalog.note_namespaces([id])
    acts: list[Act] = [
        partial(IcebergClient.create_namespace, namespace=id, properties={"client": str(number)}, expect=None)
        for number in range(clients(suite))
    ]
    won = winner(suite, catalog, acts, "create the namespace")
    kept = (catalog.load_namespace_metadata(id).get("properties") or {}).get("client")
    one_of(kept, (str(won.client), None), "the client that created the namespace, by its properties")


@must("iceberg.race.create_table", operations=["createTable"], clause="create-table-exists", kind="race")
def test_race_to_create_a_table(suite: Suite, catalog: IcebergCatalog) -> None:
    """Of several clients that create the same table at the same time exactly one succeeds; others are told 409."""
    id = catalog.table_id()
    catalog.note_tables([id])
    acts: list[Act] = [
        partial(IcebergClient.create_table, id=id, schema=SCHEMA, properties={"client": str(number)}, expect=None)
        for number in range(clients(suite))
    ]
    won = winner(suite, catalog, acts, "create the table")
    kept = properties_of(catalog.metadata(id)).get("client")
    equal(kept, str(won.client), "the client that created the table, by its properties")


@must("iceberg.race.kinds", operations=["createTable", "createView"], clause="create-view-exists", kind="race")
def test_race_for_a_name(suite: Suite, catalog: IcebergCatalog) -> None:
    """Of clients that create a table or a view of one name at the same time exactly one succeeds."""
    catalog.require("createView")
    id = catalog.table_id()
    catalog.note_tables([id])
    catalog.note_views([id])
    table: Act = partial(IcebergClient.create_table, id=id, schema=SCHEMA, expect=None)
    view: Act = partial(IcebergClient.create_view, id=id, expect=None, **view_body(catalog.home))
    winner(suite, catalog, [table, view] * (clients(suite) // 2), "create a table or a view of one name")
    there = [catalog.load_table(id, expect=(200, 404)).status, catalog.load_view(id, expect=(200, 404)).status]
    same_items(there, [200, 404], "the statuses of the table and of the view with this name")


@must("iceberg.race.rename", operations=["renameTable"], clause="rename-table-taken", kind="race")
def test_race_to_a_name(suite: Suite, catalog: IcebergCatalog) -> None:
    """Of several tables that are renamed to one name at the same time exactly one gets it, and no other is lost."""
    ids = [catalog.new_table(f"t{number}") for number in range(clients(suite))]
    uuids = [catalog.metadata(id)["table-uuid"] for id in ids]
    new = catalog.table_id("new")
    catalog.note_tables([new])
    acts: list[Act] = [partial(IcebergClient.rename_table, source=id, destination=new, expect=None) for id in ids]
    won = winner(suite, catalog, acts, "rename a table to one name")
    uuid = catalog.metadata(new)["table-uuid"]
    equal(uuid, uuids[won.client], f"the table-uuid under the new name, which client {won.client} was told to have got")
    for number, id in enumerate(ids):
        catalog.load_table(id, expect=404 if number == won.client else 200)


@must("iceberg.race.commit", operations=["updateTable"], clause="commit-once", kind="race")
def test_race_to_commit(suite: Suite, catalog: IcebergCatalog) -> None:
    """Of several commits at once that assume the same state one succeeds, and the others are told 409."""
    id = catalog.new_table()
    files = stage(catalog, id)
    absent = requirement("assert-ref-snapshot-id", ref=MAIN, snapshot_id=None)
    acts: list[Act] = [
        partial(
            IcebergClient.update_table,
            id=id,
            updates=append(files.snapshot(100 + number)),
            requirements=[absent],
            expect=None,
        )
        for number in range(clients(suite))
    ]
    won = winner(suite, catalog, acts, "commit to the table")
    metadata = catalog.metadata(id)
    equal(snapshot_ids(metadata), [100 + won.client], f"the snapshots after the commit of client {won.client}")
    current = current_snapshot(metadata)
    equal(current, 100 + won.client, f"the current-snapshot-id after the commit of client {won.client}")


@must("iceberg.race.disjoint", operations=["updateTable"], clause="commit-conflict-unchanged", kind="race")
def test_race_of_disjoint_commits(suite: Suite, catalog: IcebergCatalog) -> None:
    """Of commits at once that do not touch each other each is applied as a whole or told 409; none is lost."""
    id = catalog.new_table(properties={"write.metadata.previous-versions-max": "1000"})
    size = SIZES[suite.settings.depth]
    separator = catalog.separator

    def program(racer: Racer) -> None:
        client = IcebergClient(racer.client, separator)
        for number in range(size.operations):
            name = f"k{racer.number}.{number}"
            updates = [set_properties(**{f"{name}.a": "1"}), set_properties(**{f"{name}.b": "1"})]
            racer.do("set", (name,), partial(client.update_table, id, updates, expect=None))

    events = race(suite, [program] * size.clients)
    metadata = catalog.metadata(id)
    there = {key for key in properties_of(metadata) if key.startswith("k")}
    fail_on(suite, (problem for event in events for problem in judge_commit(event, there)))
    fail_on(suite, (problem for event in events for problem in refused_with_409(event)))
    applied = [event for event in events if f"{event.key[0]}.a" in there]
    exactly(previous_files(metadata), len(applied), "the files of the metadata-log, one for each commit that is there")


def judge_commit(event: Event, there: set[str]) -> list[Contradiction]:
    """Judge one commit of two properties by what is there in the end."""
    found = [f"{event.key[0]}.{one}" in there for one in "ab"]
    if found[0] != found[1]:
        return [Contradiction("half of a commit is there", (event,))]
    if event.outcome == OK and not found[0]:
        return [Contradiction("a commit that was acknowledged is lost", (event,))]
    if event.outcome == REFUSED and found[0]:
        return [Contradiction("a commit that was refused is there", (event,))]
    return []


@must("iceberg.race.transaction", operations=["commitTransaction"], clause="transaction-isolated", kind="race")
def test_race_of_transactions_and_readers(suite: Suite, catalog: IcebergCatalog) -> None:
    """Who sees one table of a transaction changed sees the others changed too, at every moment."""
    size = SIZES[suite.settings.depth]
    tables = [catalog.new_table("a"), catalog.new_table("b")]
    catalog.commit_transaction([change(id, [set_properties(n="0")]) for id in tables])
    writer = partial(_commit_both, catalog.separator, tables, size.operations * 2)
    readers = [partial(_look_at_both, catalog.separator, tables, size.operations * 2)] * (size.clients - 1)
    events = race(suite, [writer, *readers])
    fail_on(suite, judge_pairs(event for event in events if event.action == "look"))
    found = [properties_of(catalog.metadata(id)).get("n") for id in tables]
    equal(found, [str(size.operations * 2)] * 2, "the property n of both tables after the last transaction")


def _commit_both(separator: str, tables: list[Names], last: int, racer: Racer) -> None:
    client = IcebergClient(racer.client, separator)
    for number in range(1, last + 1):
        client.commit_transaction([change(id, [set_properties(n=str(number))]) for id in tables])


def _look_at_both(separator: str, tables: list[Names], last: int, racer: Racer) -> None:
    """Look at one table and then at the other, which cannot be behind the first."""
    client = IcebergClient(racer.client, separator)
    pair = tables if racer.number % 2 else tables[::-1]
    for _ in range(ROUNDS):
        first, second = (_number_in(client.load_table(id)["metadata"]) for id in pair)
        steps = tuple(racer.client.steps[-2:])
        racer.events.append(Event(racer.number, "look", ("both",), None, 0.0, 0.0, OK, (True, second >= first), steps))
        if second == last:
            return


def _number_in(metadata: Metadata) -> int:
    """Return the number in the property n of a table, -1 where there is none."""
    found = properties_of(metadata).get("n", "-1")
    try:
        return int(found)
    except ValueError:
        raise Violation(f"the property n of the table: expected a number, got {shown(found)}") from None


@must("iceberg.race.view", operations=["replaceView"], clause="replace-view-race", kind="race")
def test_race_of_view_commits(suite: Suite, catalog: IcebergCatalog) -> None:
    """Of commits to a view at once each is applied as a whole or told 409; no version is lost."""
    id = catalog.new_view(properties={"version.history.num-entries": "100"})
    separator, home = catalog.separator, catalog.home

    def program(racer: Racer) -> None:
        text = f"SELECT {racer.number}"
        added = update("add-view-version", view_version=view_version(home, sql(text), id=2))
        updates = [added, update("set-current-view-version", view_version_id=LAST_ADDED)]
        racer.do(
            "replace",
            (text,),
            partial(IcebergClient(racer.client, separator).replace_view, id, updates, expect=None),
        )

    events = race(suite, [program] * clients(suite))
    fail_on(suite, (problem for event in events for problem in refused_with_409(event)))
    fail_on(suite, nobody_succeeded(events, "commit to the view"))
    done = {event.key[0] for event in events if event.outcome == OK}
    versions: list[dict[str, Any]] = catalog.view_metadata(id)["versions"]
    there = {one["sql"] for version in versions for one in version["representations"]}
    if not done <= there:
        raise Violation(f"{len(done - there)} of {len(done)} versions that were acknowledged are lost", "body:")
