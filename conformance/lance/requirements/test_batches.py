"""BatchCreateTableVersions and BatchCommitTables: atomic batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.author.checks import equal, exactly, holds, lacks, text
from conformance.author.requirement import must, should
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.locations import check_place
from conformance.lance.support.arrow import stream
from conformance.lance.support.staging import stage
from conformance.lance.support.versions import new_table_with_versions, numbers
from conformance.lance.worlds import UNTAGGED
from conformance.target.hostile import UNUSED
from conformance.values.outcomes import Unoffered

CREATE = ["BatchCreateTableVersions"]
COMMIT = ["BatchCommitTables"]
VERSIONS = "the versions of the table"
KINDS = ("declare_table", "create_table_version", "delete_table_versions", "deregister_table")
Body = dict[str, Any]


def entry(catalog: LanceCatalog, id: Names) -> Body:
    """Stage the next version of a table and return its entry of a batch."""
    return {"id": id, **stage(catalog, id)}


def declare(id: Names, **body: Any) -> Body:
    """Return the batch operation that declares a table."""
    return {"declare_table": {"id": id, **body}}


def deregister(id: Names) -> Body:
    """Return the batch operation that deregisters a table."""
    return {"deregister_table": {"id": id}}


def create_version(entry: Body) -> Body:
    """Return the batch operation that creates a version."""
    return {"create_table_version": entry}


def delete_versions(id: Names, *ranges: tuple[int, int]) -> Body:
    """Return the batch operation that deletes the versions of ranges, each without its end."""
    bounds = [{"start_version": start, "end_version": end} for start, end in ranges]
    return {"delete_table_versions": {"id": id, "ranges": bounds}}


def _row_counts_are(catalog: LanceCatalog, ids: list[Names], expected: list[int]) -> None:
    equal([catalog.count_table_rows(id).json for id in ids], expected, "the numbers of rows of the tables")


def _some_numbers(catalog: LanceCatalog, id: Names) -> list[int]:
    """Return the versions of a table. Raises Violation when none is listed."""
    versions = numbers(catalog, id)
    holds(versions, "the versions of the table are listed")
    return versions


# BatchCreateTableVersions


@must("lance.version.batch_create.all", operations=CREATE, clause="batch-create-versions", twin=True)
def test_batch_makes_versions(catalog: LanceCatalog) -> None:
    """BatchCreateTableVersions creates one version per entry and returns the versions in the order of the entries."""
    ids = [new_table_with_versions(catalog), catalog.new_table("b"), catalog.new_table("a")]
    for expected in ([6, 5, 5], [8, 7, 7]):
        entries = [entry(catalog, id) for id in ids]
        made = catalog.batch_create_table_versions(entries=entries)["versions"]
        equal(
            [version["version"] for version in made],
            [version["version"] for version in entries],
            "the versions of the answer",
        )
        _row_counts_are(catalog, ids, expected)


def canary_of(catalog: LanceCatalog) -> str:
    """Return the path of a file that the run wrote and that belongs to no table."""
    return str(catalog.target.canaries.new("1.manifest").path).lstrip("/")


Spoil = Callable[[LanceCatalog, Body], Body]
SPOILED: dict[str, tuple[int, Spoil]] = {
    "taken": (409, lambda _catalog, last: {**last, "version": last["version"] - 1}),
    "missing_table": (404, lambda catalog, last: {**last, "id": catalog.table_id("missing")}),
}
BAD_MANIFESTS: dict[str, tuple[str, Spoil]] = {
    "missing_manifest": (
        "create-version-staged",
        lambda _catalog, last: {**last, "manifest_path": last["manifest_path"] + "x"},
    ),
    "outside": ("create-version-inside", lambda catalog, last: {**last, "manifest_path": canary_of(catalog)}),
}
SPOILED_CODES = {409: 14, 404: 4, 400: 13}


@must("lance.version.batch_create.none.{}", operations=CREATE, clause="batch-atomic", kind="error", each=SPOILED)
def test_batch_makes_no_version(catalog: LanceCatalog, case: Any) -> None:
    """BatchCreateTableVersions whose last entry fails ({}) returns the error of that entry and creates no version."""
    _check_spoiled(catalog, *case)


@should(
    "lance.version.batch_create.none.{}",
    operations=CREATE,
    clause=lambda case: case[0],
    kind="error",
    each=BAD_MANIFESTS,
)
def test_batch_of_bad_manifests(catalog: LanceCatalog, case: Any) -> None:
    """BatchCreateTableVersions whose last manifest is invalid ({}) returns 400 with code 13 and creates no version."""
    _check_spoiled(catalog, 400, case[1])


def _check_spoiled(catalog: LanceCatalog, status: int, spoil: Spoil) -> None:
    ids = [catalog.new_table(name) for name in ("a", "b", "c")]
    entries = [entry(catalog, id) for id in ids]
    entries[-1] = spoil(catalog, entries[-1])
    refused = catalog.batch_create_table_versions(entries=entries, expect=status)
    _row_counts_are(catalog, ids, [3, 3, 3])
    equal(refused.code, SPOILED_CODES[status], "the code of the error")


@must("lance.version.batch_create.twice", operations=CREATE, clause="batch-atomic", kind="error")
def test_batch_makes_a_version_once(catalog: LanceCatalog) -> None:
    """BatchCreateTableVersions with two entries for the same version returns 409 and creates neither."""
    id = catalog.new_table()
    staged = entry(catalog, id)
    catalog.batch_create_table_versions(entries=[staged, entry(catalog, id)], expect=409)
    lacks(numbers(catalog, id), [staged["version"]], VERSIONS)


@should("lance.version.batch_create.repeated", operations=CREATE, clause="batch-atomic", kind="error")
def test_batch_is_not_done_twice(catalog: LanceCatalog) -> None:
    """Repeating a completed BatchCreateTableVersions request returns 400, 404 or 409."""
    entries = [entry(catalog, catalog.new_table())]
    catalog.batch_create_table_versions(entries=entries)
    catalog.batch_create_table_versions(entries=entries, expect=(400, 404, 409))


@should("lance.version.batch_create.again", operations=CREATE, clause="batch-atomic")
def test_batch_can_be_repaired(catalog: LanceCatalog) -> None:
    """After BatchCreateTableVersions rejects a batch, the same batch without the invalid entry succeeds."""
    ids = [catalog.new_table(name) for name in ("a", "b")]
    entries = [entry(catalog, id) for id in ids]
    missing = {**entries[0], "id": catalog.table_id("missing")}
    catalog.batch_create_table_versions(entries=[*entries, missing], expect=404)
    catalog.batch_create_table_versions(entries=entries)
    _row_counts_are(catalog, ids, [5, 5])


# BatchCommitTables


def _check_properties(catalog: LanceCatalog, id: Names, sent: dict[str, str]) -> None:
    """Check that a table has the properties of its declaration; a server may add its own."""
    shown = catalog.describe_table(id).get("properties") or {}
    equal({key: shown.get(key) for key in sent}, sent, "the properties of the table")


@must("lance.batch.declare", operations=COMMIT, clause="batch-commit")
def test_commit_declares_tables(catalog: LanceCatalog) -> None:
    """BatchCommitTables declares its tables with their properties."""
    ids = [catalog.table_id(name) for name in ("a", "b")]
    properties = {"owner": "me"}
    catalog.note_tables(ids)
    catalog.batch_commit_tables(operations=[declare(id, properties=properties) for id in ids])
    for id in ids:
        _check_properties(catalog, id, properties)


@must("lance.batch.deregister", operations=COMMIT, clause="batch-commit", twin=True)
def test_commit_deregisters_tables(catalog: LanceCatalog) -> None:
    """BatchCommitTables deregisters its tables and leaves their data in place."""
    ids = [catalog.new_table(name) for name in ("a", "b", "c")]
    locations = [text(catalog.describe_table(id)["location"], "the location of the table") for id in ids]
    for batch in (ids[:2], ids[2:]):
        answer = catalog.batch_commit_tables(operations=[deregister(id) for id in batch])
        exactly(answer["results"], len(batch), "the results")
    for id, location in zip(ids, locations, strict=True):
        catalog.table_exists(id, expect=404)
        catalog.restore_registration(id, location)
        equal(catalog.count_table_rows(id).json, 3, "the number of rows")


@must("lance.batch.versions", operations=COMMIT, clause="batch-commit")
def test_commit_makes_and_deletes_versions(catalog: LanceCatalog) -> None:
    """BatchCommitTables creates a version of one table and deletes versions of another in the same batch."""
    made, trimmed = catalog.new_table("a"), new_table_with_versions(catalog)
    before = _some_numbers(catalog, trimmed)
    body = create_version(entry(catalog, made))
    catalog.batch_commit_tables(operations=[body, delete_versions(trimmed, (before[0], before[0] + 2))])
    equal(catalog.count_table_rows(made).json, 5, "the number of rows")
    equal(numbers(catalog, trimmed), before[2:], VERSIONS)


@must("lance.batch.ranges", operations=COMMIT, clause="batch-commit", world=UNTAGGED)
def test_commit_deletes_several_ranges(catalog: LanceCatalog) -> None:
    """BatchCommitTables deletes the versions in each of the ranges of an operation, and keeps those between them."""
    id = new_table_with_versions(catalog)
    before = _some_numbers(catalog, id)
    first, third = before[0], before[2]
    catalog.batch_commit_tables(operations=[delete_versions(id, (first, first + 1), (third, third + 1))])
    equal(numbers(catalog, id), [before[1], *before[3:]], VERSIONS)


@must("lance.batch.results", operations=COMMIT, clause="batch-results")
def test_commit_answers_in_order(catalog: LanceCatalog) -> None:
    """BatchCommitTables returns one result per operation, in request order, under the name of the operation."""
    declared, made, trimmed = catalog.table_id("d"), catalog.new_table("a"), new_table_with_versions(catalog)
    gone = catalog.new_table("gone")
    catalog.note_tables([declared])
    staged = entry(catalog, made)
    first = _some_numbers(catalog, trimmed)[0]
    operations = [
        delete_versions(trimmed, (first, first + 1)),
        create_version(staged),
        declare(declared),
        deregister(gone),
    ]
    results = catalog.batch_commit_tables(operations=operations)["results"]
    equal(
        [[name for name in KINDS if result.get(name) is not None] for result in results],
        [list(operation) for operation in operations],
        "the names of the results",
    )
    equal(results[0]["delete_table_versions"].get("deleted_count", 1), 1, "the deleted_count")
    version = results[1]["create_table_version"].get("version") or staged
    equal(version["version"], staged["version"], "the version of the create_table_version")
    location = results[2]["declare_table"]["location"]
    check_place(location, catalog.describe_table(declared)["location"], "the location of the declare_table")


LAST: dict[str, tuple[tuple[int, ...], Callable[[LanceCatalog], Body]]] = {
    "declared_already": ((409,), lambda catalog: declare(catalog.new_table("taken"))),
    "declared_nowhere": ((404,), lambda catalog: declare((*catalog.missing_namespace(), "t"))),
    "deregistered_missing": ((404,), lambda catalog: deregister(catalog.table_id("missing"))),
    "version_taken": ((409,), lambda catalog: create_version({**entry(catalog, catalog.new_table("v")), "version": 1})),
    "version_of_missing": (
        (404,),
        lambda catalog: create_version({**entry(catalog, catalog.new_table("v")), "id": catalog.table_id("missing")}),
    ),
    "versions_of_missing": ((404,), lambda catalog: delete_versions(catalog.table_id("missing"), (0, 1))),
    "empty": ((400,), lambda _catalog: {}),
}


@must("lance.batch.none.{}", operations=COMMIT, clause="batch-atomic", kind="error", each=LAST)
def test_commit_does_nothing(catalog: LanceCatalog, case: Any) -> None:
    """BatchCommitTables whose last operation fails ({}) returns the error of that operation and applies nothing."""
    statuses, spoil = case
    _check_nothing_done(catalog, spoil, statuses)


@should("lance.batch.none.version_unstaged", operations=COMMIT, clause="create-version-staged", kind="error")
def test_commit_of_missing_manifest(catalog: LanceCatalog) -> None:
    """BatchCommitTables whose last operation names a missing manifest returns 400 and applies nothing."""

    def unstaged(catalog: LanceCatalog) -> Body:
        return create_version({**entry(catalog, catalog.new_table("v")), "manifest_path": f"{UNUSED}/_versions/y"})

    _check_nothing_done(catalog, unstaged, (400,))


def _check_nothing_done(
    catalog: LanceCatalog, spoil: Callable[[LanceCatalog], Body], statuses: tuple[int, ...]
) -> None:
    catalog.control(lambda: _commit_twin(catalog))
    declared, kept, trimmed = catalog.table_id("d"), catalog.new_table("k"), new_table_with_versions(catalog)
    before = _some_numbers(catalog, trimmed)
    operations = [declare(declared), deregister(kept), delete_versions(trimmed, (before[0], before[0] + 2))]
    catalog.note_tables([declared])
    catalog.batch_commit_tables(operations=[*operations, spoil(catalog)], expect=statuses)
    catalog.table_exists(declared, expect=404)
    equal(catalog.count_table_rows(kept).json, 3, "the number of rows")
    equal(numbers(catalog, trimmed), before, VERSIONS)


def _commit_twin(catalog: LanceCatalog) -> None:
    """Commit a valid batch of the same operations."""
    declared, gone, trimmed = catalog.table_id("twin_d"), catalog.new_table("twin_k"), catalog.new_table("twin_t")
    catalog.note_tables([declared])
    catalog.batch_commit_tables(
        operations=[declare(declared), deregister(gone), delete_versions(trimmed, (4711, 4712))]
    )


@must("lance.batch.none.versions", operations=COMMIT, clause="batch-atomic", kind="error")
def test_commit_makes_no_version(catalog: LanceCatalog) -> None:
    """BatchCommitTables whose last operation fails with 404 does not create the version before it."""
    id = catalog.new_table()
    operations = [create_version(entry(catalog, id)), deregister(catalog.table_id("missing"))]
    catalog.batch_commit_tables(operations=operations, expect=404)
    equal(catalog.count_table_rows(id).json, 3, "the number of rows")


DELIMITED: dict[str, tuple[str, Callable[[LanceCatalog, Names], Body]]] = {
    "commit": ("BatchCommitTables", lambda _catalog, id: {"operations": [declare(id)]}),
    "create_versions": ("BatchCreateTableVersions", lambda catalog, id: {"entries": [entry(catalog, id)]}),
}


@must("lance.batch.delimiter.{}", operations=lambda case: [case[0]], clause="identifier-list", each=DELIMITED)
def test_batch_with_delimiter(catalog: LanceCatalog, case: tuple[str, Any]) -> None:
    """The id in a batch body is a list of names: the delimiter of the request does not affect it ({})."""
    operation, body = case
    id = catalog.table_id("a.b")
    if catalog.declare_table(id, expect=(200, 400)).status == 400:
        raise Unoffered("the server has no names with a dot")
    if operation == "BatchCommitTables":
        catalog.drop_table(id)
    else:
        catalog.insert_into_table(id, stream(tables(3)))
    catalog.send(operation, None, body(catalog, id), query={"delimiter": "."})
    catalog.table_exists(id)


@should("lance.batch.swap", operations=COMMIT, clause="batch-order")
def test_commit_sees_its_own_changes(catalog: LanceCatalog) -> None:
    """BatchCommitTables applies its operations in order: it can deregister a name and then declare it again."""
    id = catalog.new_table()
    catalog.batch_commit_tables(operations=[deregister(id), declare(id, properties={"new": "yes"})])
    _check_properties(catalog, id, {"new": "yes"})


@should("lance.batch.conflicting", operations=COMMIT, clause="batch-order", kind="error")
def test_commit_contradicts_itself(catalog: LanceCatalog) -> None:
    """BatchCommitTables that declares the same table twice returns 409 and declares nothing."""
    id = catalog.table_id("d")
    catalog.note_tables([id])
    catalog.batch_commit_tables(operations=[declare(id), declare(id)], expect=409)
    catalog.table_exists(id, expect=404)


@should("lance.batch.two_at_once", operations=COMMIT, clause="batch-operation", kind="error")
def test_operation_that_is_two(catalog: LanceCatalog) -> None:
    """BatchCommitTables with two operations in one item returns 400 and applies neither."""
    id, kept = catalog.table_id("d"), catalog.new_table("k")
    catalog.note_tables([id])
    catalog.batch_commit_tables(operations=[{**declare(id), **deregister(kept)}], expect=400)
    catalog.table_exists(id, expect=404)
    catalog.table_exists(kept)
