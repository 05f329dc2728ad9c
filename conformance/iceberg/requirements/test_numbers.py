"""Large numbers of commits are read back with all digits, wherever the table is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal, find
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import change
from conformance.iceberg.support.assertions import allowed_commit
from conformance.iceberg.support.content import partition_statistics, statistics
from conformance.iceberg.support.metadata import Metadata
from conformance.iceberg.support.registrations import drop_table
from conformance.iceberg.support.staging import FIRST, SECOND, Stage, new_table_with_files
from conformance.iceberg.support.updates import TOUCH, Updates, append, set_properties, set_ref, update
from conformance.values.numbers import PAST_DOUBLE, PAST_INT, loss

TAG, SNAPSHOT_ID = "large", "snapshot-id"


@dataclass(frozen=True, slots=True)
class Large:
    """Commits with large numbers, on a table of a format version.

    `updates` are the updates of each commit, `look` finds the numbers in metadata, and `sent` are those that were sent.
    """

    what: str
    updates: Callable[[Stage], list[Updates]]
    look: Callable[[Metadata], dict[str, Any]]
    sent: dict[str, int]
    version: int = 2


def _entry(metadata: Metadata, name: str, id: int = FIRST) -> dict[str, Any]:
    """Return the entry of a snapshot, also one whose id a reader has changed."""

    def is_own(entry: dict[str, Any]) -> bool:
        return bool(entry[SNAPSHOT_ID] == id or loss(id, entry[SNAPSHOT_ID]))

    return find(metadata.get(name) or [], is_own, f"an entry of the snapshot {id} in {name}")


def _snapshots(stage: Stage) -> list[Updates]:
    first = stage.snapshot(FIRST, PAST_INT)
    return [append(first), append(stage.snapshot(SECOND, PAST_DOUBLE, parent=FIRST))]


def _shown_snapshots(metadata: Metadata) -> dict[str, Any]:
    first, second = (_entry(metadata, "snapshots", id) for id in (FIRST, SECOND))
    return {
        "first snapshot-id": first[SNAPSHOT_ID],
        SNAPSHOT_ID: second[SNAPSHOT_ID],
        "first sequence-number": first["sequence-number"],
        "sequence-number": second["sequence-number"],
        "parent-snapshot-id": second.get("parent-snapshot-id"),
        "last-sequence-number": metadata["last-sequence-number"],
        "current-snapshot-id": metadata["current-snapshot-id"],
        "snapshot-id of main": metadata["refs"]["main"][SNAPSHOT_ID],
    }


SNAPSHOTS = {
    "first snapshot-id": FIRST,
    SNAPSHOT_ID: SECOND,
    "first sequence-number": PAST_INT,
    "sequence-number": PAST_DOUBLE,
    "parent-snapshot-id": FIRST,
    "last-sequence-number": PAST_DOUBLE,
    "current-snapshot-id": SECOND,
    "snapshot-id of main": SECOND,
}
AGES = {"max-ref-age-ms": PAST_DOUBLE, "max-snapshot-age-ms": PAST_INT}
SIZES = {"file-size-in-bytes": PAST_DOUBLE, "file-footer-size-in-bytes": PAST_INT, SNAPSHOT_ID: FIRST}
BLOB = {"sequence-number of the blob": PAST_DOUBLE}
SIZE = {"file-size-in-bytes": PAST_DOUBLE, SNAPSHOT_ID: FIRST}
ROWS = {"first-row-id": PAST_DOUBLE, "added-rows": PAST_DOUBLE, "next-row-id": 2 * PAST_DOUBLE}


def _refs(stage: Stage) -> list[Updates]:
    ages = {name.replace("-", "_"): age for name, age in AGES.items() if name == "max-ref-age-ms"}
    branch = {"max_snapshot_age_ms": AGES["max-snapshot-age-ms"], **ages}
    return [append(stage.snapshot(FIRST, 1)), [set_ref(TAG, FIRST, "branch", **branch)]]


def _statistics(stage: Stage) -> list[Updates]:
    plain = statistics(stage.location, FIRST)
    blobs = [{**blob, "sequence-number": PAST_DOUBLE} for blob in plain["blob-metadata"]]
    large = {**plain, **SIZES, "blob-metadata": blobs}
    return [append(stage.snapshot(FIRST, 1)), [update("set-statistics", snapshot_id=FIRST, statistics=large)]]


def _shown_statistics(metadata: Metadata) -> dict[str, Any]:
    entry = _entry(metadata, "statistics")
    blob = {"sequence-number of the blob": entry["blob-metadata"][0]["sequence-number"]}
    return {**{name: entry[name] for name in SIZES}, **blob}


def _partition_statistics(stage: Stage) -> list[Updates]:
    large = {**partition_statistics(stage.location, FIRST), **SIZE}
    return [append(stage.snapshot(FIRST, 1)), [update("set-partition-statistics", partition_statistics=large)]]


def _rows(stage: Stage) -> list[Updates]:
    first = stage.snapshot(FIRST, 1, added_rows=PAST_DOUBLE)
    second = stage.snapshot(SECOND, 2, parent=FIRST, first_row_id=PAST_DOUBLE, added_rows=PAST_DOUBLE)
    return [append(first), append(second)]


def _shown_rows(metadata: Metadata) -> dict[str, Any]:
    second = _entry(metadata, "snapshots", SECOND)
    rows = {name: second[name] for name in ("first-row-id", "added-rows")}
    return {**rows, "next-row-id": metadata["next-row-id"]}


LARGE = {
    "snapshots": Large("snapshot ids and sequence numbers", _snapshots, _shown_snapshots, SNAPSHOTS),
    "ages": Large(
        "ages of a ref", _refs, lambda metadata: {name: metadata["refs"][TAG].get(name) for name in AGES}, AGES
    ),
    "statistics": Large("sizes of statistics", _statistics, _shown_statistics, {**SIZES, **BLOB}),
    "partition_statistics": Large(
        "sizes of partition statistics",
        _partition_statistics,
        lambda metadata: {name: _entry(metadata, "partition-statistics")[name] for name in SIZE},
        SIZE,
    ),
    "row_ids": Large("row ids", _rows, _shown_rows, ROWS, version=3),
}


@dataclass(frozen=True, slots=True)
class View:
    """Metadata of a table as an operation shows them. `show` takes the catalog, the table and its last answer."""

    operation: str
    words: str
    show: Callable[[IcebergCatalog, Names, Metadata], Metadata]


def _committed(catalog: IcebergCatalog, id: Names, _: Metadata) -> Metadata:
    """Return the metadata after a transaction that changes something else."""
    catalog.commit_transaction([change(id, [set_properties(again="1")])])
    return catalog.metadata(id)


def _written_again(catalog: IcebergCatalog, id: Names, _: Metadata) -> Metadata:
    metadata: Metadata = catalog.update_table(id, [TOUCH])["metadata"]
    return metadata


def _of_refs(catalog: IcebergCatalog, id: Names, _: Metadata) -> Metadata:
    metadata: Metadata = catalog.load_table(id, snapshots="refs")["metadata"]
    return metadata


def _renamed(catalog: IcebergCatalog, id: Names, _: Metadata) -> Metadata:
    other = catalog.table_id("renamed")
    catalog.rename_table(id, other)
    return catalog.metadata(other)


def _registered(catalog: IcebergCatalog, id: Names, _: Metadata) -> Metadata:
    location = drop_table(catalog, id)
    metadata: Metadata = catalog.register_table(id, metadata_location=location)["metadata"]
    return metadata


VIEWS = {
    "commit": View("updateTable", "The answer of updateTable", lambda _catalog, _id, answered: answered),
    "again": View("updateTable", "The answer of the next updateTable", _written_again),
    "load": View("loadTable", "loadTable", lambda catalog, id, _: catalog.metadata(id)),
    "refs": View("loadTable", "loadTable with snapshots=refs", _of_refs),
    "transaction": View("commitTransaction", "loadTable after commitTransaction", _committed),
    "rename": View("renameTable", "loadTable after renameTable", _renamed),
    "register": View("registerTable", "The answer of registerTable", _registered),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """Large numbers of commits, and an operation that shows them."""

    large: Large
    view: View

    @property
    def operations(self) -> list[str]:
        """The operation that shows the numbers."""
        return [self.view.operation]


CASES = {  # with snapshots=refs the first snapshot, which no ref names, may be left out
    f"{what}.{where}": Shown(large, view)
    for what, large in LARGE.items()
    for where, view in VIEWS.items()
    if (what, where) != ("snapshots", "refs")
}


@must(
    "iceberg.large.{}",
    clause="numbers-kept",
    kind="data",
    each=CASES,
    statement="{0.view.words} shows {0.large.what} beyond 2^31 and 2^53 with all digits.".format,
)
def test_large_numbers_are_kept(catalog: IcebergCatalog, case: Shown) -> None:
    """An operation shows numbers beyond 2^31 and 2^53 with all digits."""
    large = case.large
    with catalog.client.preparing():
        id, stage = new_table_with_files(catalog, large.version)
        answered: Metadata = {}
        for updates in large.updates(stage):
            answered = allowed_commit(catalog, id, updates)["metadata"]
    if case.view.operation == "updateTable":
        catalog.client.reach_subject()
    shown = large.look(case.view.show(catalog, id, answered))
    for place, sent in large.sent.items():
        equal(shown[place], sent, f"the {place}")
