"""UUIDs, times and logs of tables and views over their history, and the metadata files that answers name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.author.checks import equal, exactly, holds, text, unequal
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import change
from conformance.iceberg.support.assertions import COMMIT, ours
from conformance.iceberg.support.content import WIDER, now_ms, sql, view_version
from conformance.iceberg.support.metadata import (
    MAIN,
    Metadata,
    by_id,
    current_snapshot,
    logged_snapshots,
    outline,
    previous_files,
    refs,
    snapshot_ids,
)
from conformance.iceberg.support.registrations import drop_table, file_of
from conformance.iceberg.support.staging import FIRST, KEPT, SECOND, new_table_with_snapshots
from conformance.iceberg.support.updates import (
    LAST_ADDED,
    TOUCH,
    Updates,
    add_and_use_schema,
    append,
    set_properties,
    set_ref,
    update,
)
from conformance.values.outcomes import Unoffered

DAY_MS = 86_400_000
FILE = "metadata-location"
NO_MOVE = (403, 406)


# UUIDs


@dataclass(frozen=True, slots=True)
class Life:
    """Change of a table or view. `make` creates it, `change` changes it and returns its identifier afterwards.

    `id` is the change in words.
    """

    id: str
    operations: list[str]
    kind: str
    change: Callable[[IcebergCatalog, Names], Names]


def _then(send: Callable[[IcebergCatalog, Names], object]) -> Callable[[IcebergCatalog, Names], Names]:
    """Return a change that keeps the identifier."""

    def changed(catalog: IcebergCatalog, id: Names) -> Names:
        send(catalog, id)
        return id

    return changed


def _new_version(namespace: Names) -> Updates:
    added = view_version(namespace, sql("SELECT 2"), id=2)
    return [
        update("add-view-version", view_version=added),
        update("set-current-view-version", view_version_id=LAST_ADDED),
    ]


def _renamed_table(catalog: IcebergCatalog, id: Names) -> Names:
    catalog.rename_table(id, catalog.table_id("renamed"))
    return catalog.table_id("renamed")


def _renamed_view(catalog: IcebergCatalog, id: Names) -> Names:
    catalog.rename_view(id, catalog.table_id("renamed"))
    return catalog.table_id("renamed")


LIVES = {
    "commit": Life(
        "a commit with a new schema",
        ["updateTable"],
        "table",
        _then(lambda catalog, id: catalog.update_table(id, add_and_use_schema(WIDER))),
    ),
    "transaction": Life(
        "a transaction",
        ["commitTransaction"],
        "table",
        _then(lambda catalog, id: catalog.commit_transaction([change(id, [TOUCH])])),
    ),
    "rename": Life("a rename", ["renameTable"], "table", _renamed_table),
    "registration": Life(
        "a registration of its file",
        ["registerTable"],
        "table",
        _then(lambda catalog, id: catalog.register_table(id, metadata_location=drop_table(catalog, id))),
    ),
    "view_version": Life(
        "a commit with a new version",
        ["replaceView"],
        "view",
        _then(lambda catalog, id: catalog.replace_view(id, _new_version(id[:-1]))),
    ),
    "view_properties": Life(
        "a commit with properties",
        ["replaceView"],
        "view",
        _then(lambda catalog, id: catalog.replace_view(id, [set_properties(a="1")])),
    ),
    "view_rename": Life("a rename", ["renameView"], "view", _renamed_view),
}


@must(
    "iceberg.uuid.{}", clause="uuid-stays", each=LIVES, statement="After {0.id}, a {0.kind} has the same UUID.".format
)
def test_uuid_stays(catalog: IcebergCatalog, case: Life) -> None:
    """After a change, a table or view has the same UUID."""
    is_view = case.kind == "view"
    id, load = (catalog.new_view(), catalog.load_view) if is_view else (catalog.new_table(), catalog.load_table)
    key = f"{case.kind}-uuid"
    before = text(load(id)["metadata"][key], f"the {key}")
    after = text(load(case.change(catalog, id))["metadata"][key], f"the {key} afterwards")
    equal(after.lower(), before.lower(), f"the {key} afterwards")


# Times


@dataclass(frozen=True, slots=True)
class Times:
    """Times that metadata state. `make` changes a table or view and returns its metadata, `look` finds its times."""

    id: str
    operations: list[str]
    make: Callable[[IcebergCatalog], Metadata]
    look: Callable[[Metadata], list[int]]


def _entries(log: str) -> Callable[[Metadata], list[int]]:
    """Return a function that finds the times of a log. Raises Unoffered for metadata without entries."""

    def look(metadata: Metadata) -> list[int]:
        if not metadata.get(log):
            raise Unoffered(f"the server keeps no {log}")
        return [entry["timestamp-ms"] for entry in metadata[log]]

    return look


def _committed(catalog: IcebergCatalog) -> Metadata:
    metadata: Metadata = catalog.update_table(catalog.new_table(), [TOUCH])["metadata"]
    return metadata


def _appended(catalog: IcebergCatalog) -> Metadata:
    id, files = new_table_with_snapshots(catalog, FIRST)
    metadata: Metadata = catalog.update_table(id, append(files.snapshot(SECOND, 2, parent=FIRST)))["metadata"]
    return metadata


def _replaced(catalog: IcebergCatalog) -> Metadata:
    metadata: Metadata = catalog.replace_view(catalog.new_view(), _new_version(catalog.home))["metadata"]
    return metadata


def _last_update(metadata: Metadata) -> list[int]:
    return [metadata["last-updated-ms"]]


TIMES = {
    "created": Times(
        "last-updated-ms of a new table",
        ["createTable"],
        lambda catalog: catalog.metadata(catalog.new_table()),
        _last_update,
    ),
    "committed": Times("last-updated-ms after a commit", COMMIT, _committed, _last_update),
    "snapshot_log": Times("each timestamp-ms in snapshot-log", COMMIT, _appended, _entries("snapshot-log")),
    "metadata_log": Times("each timestamp-ms in metadata-log", COMMIT, _committed, _entries("metadata-log")),
    "version_log": Times("each timestamp-ms in version-log", ["replaceView"], _replaced, _entries("version-log")),
}


@must("iceberg.time.{}", clause="metadata-times", each=TIMES, statement="{0.id} is the time in milliseconds.".format)
def test_times_are_milliseconds(catalog: IcebergCatalog, case: Times) -> None:
    """Times in metadata are milliseconds since 1970, within a day of the clock of the run."""
    for time in case.look(case.make(catalog)):
        holds(abs(time - now_ms()) < DAY_MS, f"{time} is the present time in milliseconds, within a day")


# Logs


@must("iceberg.snapshot.log_true", operations=COMMIT, clause="snapshot-log-true", needs=KEPT)
def test_snapshot_log_is_true(catalog: IcebergCatalog) -> None:
    """snapshot-log, if the table has one, ends with the current snapshot after each append and after a rollback."""
    id, files = new_table_with_snapshots(catalog, FIRST)
    steps = [append(files.snapshot(SECOND, 2, parent=FIRST)), [set_ref(MAIN, FIRST)], [TOUCH]]
    for updates, current in zip(steps, (SECOND, FIRST, FIRST), strict=True):
        metadata = catalog.update_table(id, updates)["metadata"]
        if metadata.get("snapshot-log") is None:
            raise Unoffered("the table has no snapshot-log")
        equal(current_snapshot(metadata), current, "the current snapshot")
        equal(logged_snapshots(metadata)[-1:], [current], "the last entry of the snapshot-log")


@must("iceberg.commit.log_true", operations=COMMIT, clause="metadata-log-true")
def test_metadata_log_is_true(catalog: IcebergCatalog) -> None:
    """metadata-log, if the table has one, names files that were current before, each once, and not the current one."""
    id = catalog.new_table()
    files = [*previous_files(catalog.metadata(id)), file_of(catalog, id)]
    for number in range(3):
        catalog.update_table(id, [set_properties(n=str(number))])
        files.append(file_of(catalog, id))
    logged = previous_files(catalog.metadata(id))
    if not logged:
        raise Unoffered("the table has no metadata-log")
    exactly(set(logged), len(logged), "the different files of the metadata-log")
    equal([name for name in logged if name not in files[:-1]], [], "the logged files that were never current before")


@must("iceberg.etag.transaction", operations=["commitTransaction", "loadTable"], clause="etag-changes")
def test_etag_after_a_transaction(catalog: IcebergCatalog) -> None:
    """The ETag of a table differs after a transaction, and the former one in If-None-Match gets the table."""
    catalog.revision.require_status("loadTable", 304)
    id = catalog.new_table()
    before = catalog.load_table(id).header("ETag")
    if not before:
        raise Unoffered("the server sends no ETag here")
    catalog.commit_transaction([change(id, [TOUCH])])
    loaded = catalog.load_table(id, _headers={"If-None-Match": before}, expect=200)
    unequal(loaded.header("ETag"), before, "the ETag after the transaction")


@must("iceberg.table.load.refs_alike", operations=["loadTable"], clause="load-table-snapshots-refs", needs=KEPT)
def test_refs_change_nothing_else(catalog: IcebergCatalog) -> None:
    """With snapshots=refs, everything but the snapshots is as with snapshots=all, and refs name returned snapshots."""
    id, _ = new_table_with_snapshots(catalog, FIRST, SECOND)
    with catalog.client.preparing():
        catalog.update_table(id, [set_ref("v1", SECOND, "tag"), *add_and_use_schema(WIDER)])
    everything = catalog.load_table(id, snapshots="all")["metadata"]
    some = catalog.load_table(id, snapshots="refs")["metadata"]
    equal(outline(some), outline(everything), "the metadata, in outline")
    equal(refs(some), refs(everything), "the refs")
    equal(current_snapshot(some), SECOND, "the current snapshot")
    equal(some.get("last-sequence-number"), everything.get("last-sequence-number"), "the last-sequence-number")
    equal(sorted(set(refs(some).values()) - set(snapshot_ids(some))), [], "the snapshots of refs that are missing")
    equal(by_id(some["snapshots"], "snapshot-id", SECOND), by_id(everything["snapshots"], "snapshot-id", SECOND), "it")


# Reads


def _plan(catalog: IcebergCatalog, id: Names) -> None:
    plan = catalog.plan_table_scan(id).get("plan-id")
    if plan:
        catalog.fetch_planning_result(id, plan, expect=(200, 404))


READS: dict[str, tuple[str, Callable[[IcebergCatalog, Names], object]]] = {
    "load_table": ("loadTable", lambda catalog, id: catalog.load_table(id, snapshots="refs")),
    "load_credentials": ("loadCredentials", IcebergCatalog.load_credentials),
    "plan_table_scan": ("planTableScan", _plan),
}


@must(
    "iceberg.harmless.{}",
    operations=lambda case: [case[0]],
    clause="reads-change-nothing",
    each=READS,
    statement="{0[0]} leaves the metadata and the metadata-location of a table as they were.".format,
)
def test_reads_change_nothing(
    catalog: IcebergCatalog, case: tuple[str, Callable[[IcebergCatalog, Names], object]]
) -> None:
    """An operation that reads leaves the metadata and the metadata-location of a table as they were."""
    id, _ = new_table_with_snapshots(catalog, FIRST)
    before = catalog.load_table(id)
    again = catalog.load_table(id)
    if before.get(FILE) != again.get(FILE):
        raise Unoffered("each answer names another metadata file")
    case[1](catalog, id)
    after = catalog.load_table(id)
    equal(after.get(FILE), before.get(FILE), f"the {FILE} afterwards")
    equal(ours(catalog, after["metadata"]), ours(catalog, before["metadata"]), "the metadata afterwards")
