"""Concurrent requests: their responses must fit the final state and the states that readers see meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import islice
from typing import Any

from conformance.author.checks import equal, one_of, same_items
from conformance.author.racing import SIZES, Racer, fail_on, race
from conformance.author.requirement import must
from conformance.author.suite import Suite
from conformance.common.races import (
    Act,
    DifferentWrites,
    WinnerRace,
    clients,
    no_different_write_is_lost,
    one_wins,
    refused_otherwise,
    successes,
)
from conformance.history import OK, REFUSED, Contradiction, Event, judge_pairs
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import IcebergClient, change
from conformance.iceberg.support.content import SCHEMA, sql, view_body, view_version
from conformance.iceberg.support.metadata import (
    MAIN,
    Metadata,
    current_snapshot,
    properties_of,
    refs,
    snapshot_ids,
)
from conformance.iceberg.support.staging import FIRST, new_table_with_snapshots, stage
from conformance.iceberg.support.updates import LAST_ADDED, append, requirement, set_properties, set_ref, update
from conformance.values.json_values import shown
from conformance.values.outcomes import Unoffered, Violation

Start = tuple[Sequence[Act], Callable[[int], object]]
LOST = 409
ROUNDS = 200


def _create_namespace(catalog: IcebergCatalog, count: int) -> Start:
    id = catalog.namespace_id()
    catalog.note_namespaces([id])

    def check(won: int) -> None:
        kept = (catalog.load_namespace_metadata(id).get("properties") or {}).get("client")
        one_of(kept, (str(won), None), "the client that created the namespace, by its properties")

    create = partial(IcebergClient.create_namespace, namespace=id, expect=None)
    try:
        catalog.new_namespace("other", properties={"client": "none"})
    except Unoffered:
        return [create] * count, check
    return [partial(create, properties={"client": str(number)}) for number in range(count)], check


def _create_table(catalog: IcebergCatalog, count: int) -> Start:
    id = catalog.table_id()
    catalog.note_tables([id])

    def check(won: int) -> None:
        kept = properties_of(catalog.metadata(id)).get("client")
        one_of(kept, (str(won), None), "the client that created the table, by its properties")

    create = partial(IcebergClient.create_table, id=id, schema=SCHEMA, expect=None)
    return [partial(create, properties={"client": str(number)}) for number in range(count)], check


def _create_kinds(catalog: IcebergCatalog, count: int) -> Start:
    catalog.require("createView")
    id = catalog.table_id()
    catalog.note_tables([id])
    catalog.note_views([id])

    def check(_: int) -> None:
        there = [catalog.load_table(id, expect=(200, 404)).status, catalog.load_view(id, expect=(200, 404)).status]
        same_items(there, [200, 404], "the statuses of the table and of the view with this name")

    table: Act = partial(IcebergClient.create_table, id=id, schema=SCHEMA, expect=None)
    view: Act = partial(IcebergClient.create_view, id=id, expect=None, **view_body(catalog.home))
    return [table, view] * (count // 2), check


def _rename(catalog: IcebergCatalog, count: int) -> Start:
    ids = [catalog.new_table(f"t{number}") for number in range(count)]
    uuids = [catalog.metadata(id)["table-uuid"] for id in ids]
    new = catalog.table_id("new")
    catalog.note_tables([new])

    def check(won: int) -> None:
        uuid = catalog.metadata(new)["table-uuid"]
        equal(uuid, uuids[won], f"the table-uuid under the new name, which client {won} was told to have got")
        for number, id in enumerate(ids):
            catalog.load_table(id, expect=404 if number == won else 200)

    return [partial(IcebergClient.rename_table, source=id, destination=new, expect=None) for id in ids], check


def _commit(catalog: IcebergCatalog, count: int) -> Start:
    id = catalog.new_table()
    files = stage(catalog, id)
    absent = requirement("assert-ref-snapshot-id", ref=MAIN, snapshot_id=None)

    def check(won: int) -> None:
        metadata = catalog.metadata(id)
        equal(snapshot_ids(metadata), [100 + won], f"the snapshots after the commit of client {won}")
        equal(current_snapshot(metadata), 100 + won, f"the current-snapshot-id after the commit of client {won}")

    commit = partial(IcebergClient.update_table, id=id, requirements=[absent], expect=None)
    return [partial(commit, updates=append(files.snapshot(100 + number))) for number in range(count)], check


CONTESTS = {
    "create_namespace": WinnerRace(
        ["createNamespace"],
        "create-namespace-exists",
        "When several clients create the same namespace concurrently, exactly one succeeds; the others get 409.",
        "create the namespace",
        _create_namespace,
        (LOST,),
    ),
    "create_table": WinnerRace(
        ["createTable"],
        "create-table-exists",
        "When several clients create the same table concurrently, exactly one succeeds; the others get 409.",
        "create the table",
        _create_table,
        (LOST,),
    ),
    "kinds": WinnerRace(
        ["createTable", "createView"],
        "create-view-exists",
        "When clients create a table and a view of one name concurrently, exactly one request succeeds.",
        "create a table or a view of one name",
        _create_kinds,
        (LOST,),
    ),
    "rename": WinnerRace(
        ["renameTable"],
        "rename-table-taken",
        "When several tables are renamed to one name concurrently, exactly one gets it; the others keep their names.",
        "rename a table to one name",
        _rename,
        (LOST,),
    ),
    "commit": WinnerRace(
        ["updateTable"],
        "commit-once",
        "When several clients commit on the same assumed state concurrently, one succeeds; the others get 409.",
        "commit to the table",
        _commit,
        (LOST,),
    ),
}
test_one_wins = one_wins.declare(__name__, CONTESTS)


Different = tuple[Sequence[str], Callable[[Any, str], Answer], Callable[[], Collection[str]]]


def _different_properties(catalog: IcebergCatalog, count: int) -> Different:
    id = catalog.new_namespace(properties={"a": "1"})

    def write(client: IcebergClient, key: str) -> Answer:
        return client.update_properties(id, updates={key: "1"}, expect=None)

    return _keys(count), write, lambda: list(catalog.load_namespace_metadata(id)["properties"])


def _different_tags(catalog: IcebergCatalog, count: int) -> Different:
    id, _ = new_table_with_snapshots(catalog, FIRST)

    def write(client: IcebergClient, key: str) -> Answer:
        return client.update_table(id, [set_ref(key, FIRST, "tag")], expect=None)

    return _keys(count), write, lambda: list(refs(catalog.metadata(id)))


def _keys(count: int) -> list[str]:
    return [f"k{number}" for number in range(count)]


DIFFERENT = {
    "namespace_properties": DifferentWrites(
        ["updateProperties"],
        "update-properties-others",
        "Each of several properties that clients set on a namespace concurrently is stored, or its update was refused.",
        "set a property",
        _different_properties,
    ),
    "tags": DifferentWrites(
        ["updateTable"],
        "commit-conflict-unchanged",
        "Each of several tags that clients set on a table concurrently is stored, or its commit was refused.",
        "set a tag",
        _different_tags,
    ),
}
test_no_different_write_is_lost = no_different_write_is_lost.declare(__name__, DIFFERENT)


@must("iceberg.race.disjoint", operations=["updateTable"], clause="commit-conflict-unchanged", kind="race")
def test_race_of_disjoint_commits(suite: Suite, catalog: IcebergCatalog) -> None:
    """Concurrent commits that do not conflict are each applied completely or return 409; none is lost."""
    id = catalog.new_table()
    size = SIZES[suite.settings.depth]

    def program(racer: Racer) -> None:
        client = catalog.through(racer.client)
        for number in range(size.operations):
            name = f"k{racer.number}.{number}"
            updates = [set_properties(**{f"{name}.a": "1"}), set_properties(**{f"{name}.b": "1"})]
            racer.do("set", (name,), partial(client.update_table, id, updates, expect=None))

    events = race(suite, [program] * size.clients)
    there = {key for key in properties_of(catalog.metadata(id)) if key.startswith("k")}
    fail_on(suite, (problem for event in events for problem in judge_commit(event, there)))
    fail_on(suite, refused_otherwise(events, LOST))


def judge_commit(event: Event, there: set[str]) -> list[Contradiction]:
    """Judge one commit of two properties by the properties that the table has in the end."""
    halves = [f"{event.key[0]}.{name}" in there for name in "ab"]
    if halves[0] != halves[1]:
        return [Contradiction("half of a commit is there", (event,))]
    if event.outcome == OK and not halves[0]:
        return [Contradiction("a commit that was acknowledged is lost", (event,))]
    if event.outcome == REFUSED and halves[0]:
        return [Contradiction("a commit that was refused is there", (event,))]
    return []


@must("iceberg.race.transaction", operations=["commitTransaction"], clause="transaction-isolated", kind="race")
def test_race_of_transactions_and_readers(suite: Suite, catalog: IcebergCatalog) -> None:
    """A reader that sees one table of a transaction changed also sees its other tables changed, at any time."""
    size = SIZES[suite.settings.depth]
    tables = [catalog.new_table("a"), catalog.new_table("b")]
    catalog.commit_transaction([change(id, [set_properties(n="0")]) for id in tables])
    writer = partial(_commit_both, catalog, tables, size.operations * 2)
    readers = [partial(_look_at_both, catalog, tables, size.operations * 2)] * (size.clients - 1)
    events = race(suite, [writer, *readers])
    fail_on(suite, judge_pairs(event for event in events if event.action == "look"))
    numbers = [properties_of(catalog.metadata(id)).get("n") for id in tables]
    equal(numbers, [str(size.operations * 2)] * 2, "the property n of both tables after the last transaction")


def _commit_both(catalog: IcebergCatalog, tables: list[Names], last: int, racer: Racer) -> None:
    client = catalog.through(racer.client)
    for number in range(1, last + 1):
        client.commit_transaction([change(id, [set_properties(n=str(number))]) for id in tables])


def _look_at_both(catalog: IcebergCatalog, tables: list[Names], last: int, racer: Racer) -> None:
    """Load one table and then the other, which must not be older than the first."""
    client = catalog.through(racer.client)
    pair = tables if racer.number % 2 else tables[::-1]
    for _ in islice(racer.looks(), ROUNDS):
        first, second = (_number_in(client.load_table(id)["metadata"]) for id in pair)
        steps = tuple(racer.client.steps[-2:])
        racer.events.append(Event(racer.number, "look", ("both",), None, 0.0, 0.0, OK, (True, second >= first), steps))
        if second == last:
            return


def _number_in(metadata: Metadata) -> int:
    """Return the number in the property n of a table, -1 where there is none."""
    value = properties_of(metadata).get("n", "-1")
    try:
        return int(value)
    except ValueError:
        raise Violation(f"the property n of the table: expected a number, got {shown(value)}") from None


@must(
    "iceberg.race.view",
    operations=["replaceView"],
    clause="replace-view-race",
    kind="race",
    needs=["iceberg.view.commit.kept"],
)
def test_race_of_view_commits(suite: Suite, catalog: IcebergCatalog) -> None:
    """Concurrent commits to a view are each applied or return 409; no acknowledged version is lost."""
    id = catalog.new_view(properties={"version.history.num-entries": "100"})
    home = catalog.home

    def program(racer: Racer) -> None:
        text = f"SELECT {racer.number}"
        added = update("add-view-version", view_version=view_version(home, sql(text), id=2))
        updates = [added, update("set-current-view-version", view_version_id=LAST_ADDED)]
        racer.do("replace", (text,), partial(catalog.through(racer.client).replace_view, id, updates, expect=None))

    events = race(suite, [program] * clients(suite))
    fail_on(suite, refused_otherwise(events, LOST))
    done = {event.key[0] for event in successes(suite, events, "commit to the view")}
    versions: list[dict[str, Any]] = catalog.view_metadata(id)["versions"]
    there = {representation["sql"] for version in versions for representation in version["representations"]}
    if not done <= there:
        raise Violation(f"{len(done - there)} of {len(done)} versions that were acknowledged are lost")
