"""Concurrent requests, judged by the responses and by the state during and after the race."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from conformance.author.checks import equal, number
from conformance.author.racing import SIZES, Racer, fail_on, fail_without_order, race
from conformance.author.requirement import must, should
from conformance.author.strategies import tables
from conformance.author.suite import Suite
from conformance.common.races import (
    Act,
    DifferentWrites,
    WinnerRace,
    clients,
    no_different_write_is_lost,
    one_wins,
    successes,
)
from conformance.history import (
    OK,
    Contradiction,
    Event,
    judge_pairs,
)
from conformance.http.answers import Answer
from conformance.lance.catalog import ALL_ROWS, LanceCatalog, Names
from conformance.lance.client import LanceClient
from conformance.lance.support.arrow import read_rows, stream
from conformance.lance.support.listing import collect
from conformance.lance.support.merging import UPSERT
from conformance.lance.support.rows import COUNTER, REGISTERS, by_row
from conformance.lance.support.staging import stage
from conformance.values.outcomes import Violation
from specs.lance.identifiers import join_parts

Start = tuple[Sequence[Act], Callable[[int], object]]
SCHEMA_METADATA = ["UpdateTableSchemaMetadata"]
EVERYTHING: dict[str, Any] = {"vector": {}, "k": ALL_ROWS}


def _create_namespace(catalog: LanceCatalog, count: int) -> Start:
    id = catalog.namespace_id()
    catalog.note_namespaces([id])

    def check(won: int) -> None:
        kept = catalog.describe_namespace(id).get("properties") or {}
        equal(kept.get("client", str(won)), str(won), f"the property of the namespace that client {won} created")

    create = partial(LanceClient.create_namespace, id=id, expect=None)
    return [partial(create, properties={"client": str(number)}) for number in range(count)], check


def _create_table(catalog: LanceCatalog, count: int) -> Start:
    id = catalog.table_id()
    catalog.note_tables([id])

    def check(won: int) -> None:
        rows = catalog.count_table_rows(id).json
        equal(rows, won + 1, f"the count of rows of the table that client {won} created")

    create = partial(LanceClient.create_table, id=id, expect=None)
    return [partial(create, data=stream(tables(number + 1))) for number in range(count)], check


def _declare_table(catalog: LanceCatalog, count: int) -> Start:
    id = catalog.table_id()
    catalog.note_tables([id])
    return [partial(LanceClient.declare_table, id=id, expect=None)] * count, lambda _: catalog.describe_table(id)


def _drop_table(catalog: LanceCatalog, count: int) -> Start:
    id = catalog.new_table()
    acts = [partial(LanceClient.drop_table, id=id, expect=None)] * count
    return acts, lambda _: catalog.table_exists(id, expect=404)


def _make_version(catalog: LanceCatalog, count: int) -> Start:
    id = catalog.new_table(rows=3)
    staged = [stage(catalog, id, rows=number + 1) for number in range(count)]

    def check(won: int) -> None:
        rows = catalog.count_table_rows(id).json
        equal(rows, 3 + won + 1, f"the count of rows of the version that client {won} made")

    return [partial(LanceClient.create_table_version, id=id, **version, expect=None) for version in staged], check


CONTESTS = {
    "create_namespace": WinnerRace(
        ["CreateNamespace"],
        "create-race",
        "Of concurrent CreateNamespace requests for the same name, exactly one succeeds.",
        "tried to create the namespace",
        _create_namespace,
    ),
    "create_table": WinnerRace(
        ["CreateTable"],
        "create-race",
        "Of concurrent CreateTable requests for the same name, exactly one succeeds, and the table has its rows.",
        "tried to create the table",
        _create_table,
    ),
    "declare_table": WinnerRace(
        ["DeclareTable"],
        "create-race",
        "Of concurrent DeclareTable requests for the same name, exactly one succeeds.",
        "tried to declare the table",
        _declare_table,
        needs=("lance.table.declare.conflict_declared",),
    ),
    "drop_table": WinnerRace(
        ["DropTable"],
        "drop-race",
        "Of concurrent DropTable requests for the same table, exactly one succeeds.",
        "tried to drop the table",
        _drop_table,
    ),
    "version": WinnerRace(
        ["CreateTableVersion"],
        "create-version-race",
        "Of concurrent CreateTableVersion requests for the same version, exactly one succeeds, and readers see it.",
        "tried to make a version of the table",
        _make_version,
    ),
}
RECOMMENDED_CONTESTS = ("drop_table",)
test_one_wins = one_wins.declare(
    __name__, {key: contest for key, contest in CONTESTS.items() if key not in RECOMMENDED_CONTESTS}
)
test_one_wins_as_recommended = one_wins.declare(
    __name__, {key: CONTESTS[key] for key in RECOMMENDED_CONTESTS}, level=should
)


def _different_tags(
    catalog: LanceCatalog, count: int
) -> tuple[Sequence[str], Callable[[Any, str], Answer], Callable[[], Collection[str]]]:
    id = catalog.new_table()
    version = catalog.version(id)

    def write(client: LanceClient, key: str) -> Answer:
        return client.create_table_tag(id, tag=key, version=version, expect=None)

    return [f"k{number}" for number in range(count)], write, lambda: list(catalog.list_table_tags(id)["tags"])


DIFFERENT = {
    "tags": DifferentWrites(
        ["CreateTableTag"],
        "create-tag",
        "Each of several tags that clients create on a table concurrently is stored, or its creation was refused.",
        "create a tag",
        _different_tags,
    ),
}
test_no_different_write_is_lost = no_different_write_is_lost.declare(__name__, DIFFERENT)


@must("lance.race.schema_metadata", operations=SCHEMA_METADATA, clause="schema-metadata", kind="race")
def test_race_of_schema_metadata(suite: Suite, catalog: LanceCatalog) -> None:
    """Each of several concurrent UpdateTableSchemaMetadata requests returns the metadata that it sent, or an error."""
    id = catalog.new_table()
    size = SIZES[suite.settings.depth]

    def program(racer: Racer) -> None:
        client = catalog.through(racer.client)
        sent = {f"k{racer.number}": "1"}
        update = partial(client.update_table_schema_metadata, id, sent, expect=None)
        racer.do("update", ("all",), update, value=sent, read=lambda answer: answer.json)

    events = race(suite, [program] * size.clients)
    done = [event for event in events if event.outcome == OK]
    others = [event for event in done if event.value.items() - _metadata(event.result).items()]
    fail_on(suite, [Contradiction("an update returned the metadata of another one", (event,)) for event in others])
    successes(suite, events, "update the metadata of the schema")


def _metadata(answer: Any) -> dict[str, Any]:
    """Return the metadata in an answer, which is the map itself or has it in a field."""
    inner = answer.get("metadata") if isinstance(answer, dict) else None
    return inner if isinstance(inner, dict) else answer if isinstance(answer, dict) else {}


@should("lance.race.merge", operations=["MergeInsertIntoTable"], clause="merge-race", kind="race")
def test_race_to_insert_a_key(suite: Suite, catalog: LanceCatalog) -> None:
    """Concurrent merges that insert the same new key leave one row with that key."""
    id = catalog.new_table_of(numbered([COUNTER]))
    options: dict[str, Any] = {"on": "id", "when_not_matched_insert_all": True}
    catalog.merge_insert_into_table(id, stream(numbered([COUNTER])), **options)

    def program(racer: Racer) -> None:
        client = LanceClient(racer.client)
        data = stream(numbered([7], racer.number))
        racer.do("merge", (7,), lambda: client.merge_insert_into_table(id, data, **options, expect=None))

    events = race(suite, [program] * clients(suite))
    equal(catalog.count_table_rows(id, predicate="id = 7").json, 1, "the count of rows with the key")
    successes(suite, events, "merged a row of the key")


@must("lance.race.batch", operations=["BatchCommitTables"], clause="batch-visibility", kind="race")
def test_race_of_batches_and_readers(suite: Suite, catalog: LanceCatalog) -> None:
    """A reader that finds one table of a BatchCommitTables batch also finds the others, at any time."""
    size = SIZES[suite.settings.depth]
    pairs = [(catalog.table_id(f"a{number}"), catalog.table_id(f"b{number}")) for number in range(size.operations)]
    catalog.note_tables(id for pair in pairs for id in pair)
    catalog.batch_commit_tables(operations=[_declare(catalog.table_id("first"))])
    catalog.note_tables([catalog.table_id("first")])
    events = race(suite, [partial(_commit_pairs, pairs), *[partial(_look_at_pairs, pairs)] * (size.clients - 1)])
    fail_on(suite, judge_pairs(event for event in events if event.action == "look"))
    for pair in pairs:
        catalog.describe_table(pair[0])
        catalog.describe_table(pair[1])


def _declare(id: Names) -> dict[str, Any]:
    return {"declare_table": {"id": id}}


def _commit_pairs(pairs: list[tuple[Names, Names]], racer: Racer) -> None:
    client = LanceClient(racer.client)
    for pair in pairs:
        racer.client.call("BatchCommitTables", json={"operations": [_declare(id) for id in pair]})
        client.describe_table(pair[0])


def _look_at_pairs(pairs: list[tuple[Names, Names]], racer: Racer) -> None:
    """Wait for the first table of each pair, in alternating order, and then look for the second."""
    client = LanceClient(racer.client)
    for pair in pairs:
        first, second = pair if racer.number % 2 else pair[::-1]
        for _ in racer.looks():
            if client.describe_table(first, expect=(200, 404)).succeeded:
                break
        else:
            return
        seen = len(racer.client.steps)
        there = client.describe_table(second, expect=(200, 404)).succeeded
        steps = tuple(racer.client.steps[seen - 1 :])
        racer.events.append(
            Event(racer.number, "look", tuple(map(join_parts, pair)), None, 0.0, 0.0, OK, (True, there), steps)
        )


@should("lance.race.listing", operations=["ListTables"], clause="page-stable", kind="race")
def test_race_of_creators_and_a_listing(suite: Suite, catalog: LanceCatalog) -> None:
    """ListTables returns every existing table exactly once while clients declare and drop other tables."""
    size = SIZES[suite.settings.depth]
    staying = [catalog.new_declared_table(f"s{number}") for number in range(size.operations // 2)]
    coming = [catalog.table_id(f"c{number}") for number in range(size.clients - 1)]
    catalog.note_tables(coming)
    programs = [partial(_come_and_go, id, size.operations) for id in coming]
    events = race(suite, [partial(_list_all, catalog.home, size.operations // 4), *programs])
    lists = [event for event in events if event.action == "list"]
    names = [id[-1] for id in staying]
    fail_on(suite, (problem for listed in lists for problem in judge_listing(names, listed)))


def _come_and_go(id: Names, operations: int, racer: Racer) -> None:
    client = LanceClient(racer.client)
    for _ in range(operations // 2):
        client.declare_table(id, expect=None)
        client.drop_table(id, expect=None)


def _list_all(home: Names, times: int, racer: Racer) -> None:
    client = LanceClient(racer.client)
    for _ in range(times):
        seen = len(racer.client.steps)
        names = collect(partial(client.list_tables, home, limit=3, include_declared=True), "tables")
        steps = tuple(racer.client.steps[seen:])
        racer.events.append(Event(racer.number, "list", home, None, 0.0, 0.0, OK, names, steps))


def judge_listing(staying: list[str], listed: Event) -> list[Contradiction]:
    """Judge one listing: it has every name of `staying` once."""
    counts = {name: listed.result.count(name) for name in staying}
    return [Contradiction(f"{name} is listed {count} times", (listed,)) for name, count in counts.items() if count != 1]


MIXED = ["InsertIntoTable", "UpdateTable", "MergeInsertIntoTable", "QueryTable"]


@must("lance.race.rows", operations=MIXED, clause="concurrent-writes", kind="race")
def test_race_of_writers_and_readers(suite: Suite, catalog: LanceCatalog) -> None:
    """Concurrent writes lose no acknowledged write, and every read sees the writes completed before it."""
    size = SIZES[suite.settings.depth]
    ids = [catalog.new_table_of(numbered([COUNTER, *REGISTERS]), f"t{number}") for number in range(size.objects)]
    _warm_up(catalog, ids[0])
    events = race(suite, [partial(_write_and_read, ids, size.operations)] * size.clients)
    final = [_read_last(suite, id, events) for id in ids]
    done = [*events, *final]
    fail_on(suite, rows_listed_twice(done))
    fail_without_order(suite, [part for event in done for part in by_row(event)])


def numbered(ids: list[int], n: int = 0) -> Any:
    """Return rows with these ids and the number `n`."""
    return pa.table({"id": pa.array(ids, pa.int64()), "n": pa.array([n] * len(ids), pa.int64())})


def _warm_up(catalog: LanceCatalog, id: Names) -> None:
    """Run each request of the race once, so that a missing operation shows before the race."""
    catalog.update_table(id, predicate=f"id = {COUNTER}", updates=[["n", "n + 0"]])
    data = stream(numbered([COUNTER]))
    catalog.merge_insert_into_table(id, data, on="id", when_matched_update_all=True)
    catalog.query_table(id, **EVERYTHING)


def _write_and_read(ids: list[Names], operations: int, racer: Racer) -> None:
    client, choose = LanceClient(racer.client), random.Random(racer.number)  # noqa: S311 - the same in every run
    for step in range(operations):
        id, serial = choose.choice(ids), 1 + racer.number * operations + step
        choose.choice(ACTIONS)(racer, client, id, serial)


def _insert(racer: Racer, client: LanceClient, id: Names, serial: int) -> None:
    data = stream(numbered([serial]))
    racer.do("insert", id, lambda: client.insert_into_table(id, data, expect=None), value=serial)


def _increment(racer: Racer, client: LanceClient, id: Names, _serial: int) -> None:
    body: dict[str, Any] = {"predicate": f"id = {COUNTER}", "updates": [["n", "n + 1"]]}
    racer.do("increment", id, lambda: client.update_table(id, **body, expect=None), value=1)


def _put(racer: Racer, client: LanceClient, id: Names, serial: int) -> None:
    register = REGISTERS[serial % len(REGISTERS)]
    data = stream(numbered([register], serial))
    racer.do(
        f"put {register}",
        id,
        lambda: client.merge_insert_into_table(id, data, on="id", **UPSERT, expect=None),
        value=serial,
    )


def _read(racer: Racer, client: LanceClient, id: Names, _serial: int) -> None:
    racer.do("read", id, lambda: client.query_table(id, **EVERYTHING, expect=None), read=_numbers)


ACTIONS = (_insert, _increment, _put, _read)


def _numbers(answer: Answer) -> dict[int, list[int]]:
    """Return the numbers of each id."""
    numbers: dict[int, list[int]] = {}
    for row in read_rows(answer.body):
        numbers.setdefault(number(row["id"], "the id of a row"), []).append(number(row["n"], "the n of a row"))
    return numbers


def _read_last(suite: Suite, id: Names, events: list[Event]) -> Event:
    """Read a table after all clients have finished."""
    racer = Racer(len(events), suite.client)
    _read(racer, LanceClient(suite.client), id, 0)
    if racer.events[0].result is None:
        raise Violation("the table cannot be read after the race")
    return racer.events[0]


def rows_listed_twice(events: list[Event]) -> list[Contradiction]:
    """Judge reads: none may have an id twice."""
    return [
        Contradiction(f"the row {id} is there {len(numbers)} times", (read,))
        for read in events
        for id, numbers in (read.result or {}).items()
        if len(numbers) > 1
    ]
