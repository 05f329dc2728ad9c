"""planTableScan: selection of snapshots, and completeness of their files."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import contains, equal
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.content import SCHEMA, layout, partition
from conformance.iceberg.support.scans.plans import PLAN, has_files, plan
from conformance.iceberg.support.scans.samples import any_events, plain_rows
from conformance.iceberg.support.scans.tables import ScanTable, new_scan_table
from conformance.iceberg.support.updates import add_and_use_spec, update

NO_SNAPSHOT = 17
BRANCH = "aside"
VERSIONS = {"v1": 1, "v2": 2, "v3": 3}


def new_history(catalog: IcebergCatalog, *, version: int = 2) -> tuple[ScanTable, list[int]]:
    """Return a table with three appends of one data file each, and their snapshot ids."""
    table = new_scan_table(catalog, SCHEMA, version=version)
    return table, [table.commit(table.data(*plain_rows(id))) for id in range(3)]


@should("iceberg.scan.latest", operations=PLAN, clause="plan-latest")
def test_scan_of_the_newest_snapshot(catalog: IcebergCatalog) -> None:
    """A scan without snapshot-id reads the current snapshot of main, even after commits to other branches."""
    table, _ = new_history(catalog)
    table.commit(table.data(*plain_rows(7)), branch=BRANCH)
    has_files(plan(catalog, table.id), table.data_files())


@should("iceberg.scan.latest_again", operations=PLAN, clause="plan-latest")
def test_scan_after_a_commit(catalog: IcebergCatalog) -> None:
    """A scan after a commit contains the committed files, even if the table was scanned before."""
    table, _ = new_history(catalog)
    has_files(plan(catalog, table.id), table.data_files())
    table.commit(table.data(*plain_rows(3)))
    has_files(plan(catalog, table.id), table.data_files())


@should("iceberg.scan.empty", operations=PLAN, clause="plan-latest")
def test_scan_of_an_empty_table(catalog: IcebergCatalog) -> None:
    """A scan of a table without snapshots is completed and contains no files."""
    has_files(plan(catalog, catalog.new_table()), [])


@must("iceberg.scan.snapshot", operations=PLAN, clause="plan-point-in-time")
def test_scan_of_a_snapshot(catalog: IcebergCatalog) -> None:
    """A scan with snapshot-id reads exactly that snapshot, old or new, on main or on another branch."""
    table, snapshots = new_history(catalog)
    snapshots.append(table.commit(table.data(*plain_rows(7)), branch=BRANCH))
    for snapshot in snapshots:
        has_files(plan(catalog, table.id, snapshot_id=snapshot), table.data_files(snapshot))


@must("iceberg.scan.snapshot_detached", operations=PLAN, clause="plan-point-in-time")
def test_scan_of_a_snapshot_without_ref(catalog: IcebergCatalog) -> None:
    """A scan with snapshot-id reads a snapshot whose branch was removed."""
    table, _ = new_history(catalog)
    aside = table.commit(table.data(*plain_rows(7)), branch=BRANCH)
    catalog.update_table(table.id, [update("remove-snapshot-ref", ref_name=BRANCH)])
    has_files(plan(catalog, table.id, snapshot_id=aside), table.data_files(aside))


@must("iceberg.scan.versions.{}", operations=PLAN, clause="plan-complete", each=VERSIONS)
def test_scan_of_each_format_version(catalog: IcebergCatalog, case: int) -> None:
    """A scan of a table of format {} contains each of its files once."""
    table, snapshots = new_history(catalog, version=case)
    has_files(plan(catalog, table.id), table.data_files())
    has_files(plan(catalog, table.id, snapshot_id=snapshots[1]), table.data_files(snapshots[1]))


@must("iceberg.scan.removed_files", operations=PLAN, clause="plan-complete")
def test_scan_without_removed_files(catalog: IcebergCatalog) -> None:
    """A scan omits files that the snapshot removed and contains the other files of the same manifest."""
    table = new_scan_table(catalog, SCHEMA)
    gone, stays, last = (table.data(*plain_rows(id)) for id in range(3))
    before = table.commit(gone, stays)
    table.commit(last, removed=[gone])
    has_files(plan(catalog, table.id), [stays.path, last.path])
    has_files(plan(catalog, table.id, snapshot_id=before), [gone.path, stays.path])


@must("iceberg.scan.several_specs", operations=PLAN, clause="plan-complete")
def test_scan_over_partition_specs(catalog: IcebergCatalog) -> None:
    """A scan contains the files of all partition specs of the table, each with its spec-id."""
    table = new_scan_table(catalog, SCHEMA)
    table.commit(table.data(*plain_rows(0)))
    catalog.update_table(table.id, add_and_use_spec(layout(partition(1, "id_part"))))
    table.refresh()
    table.commit(table.data(*plain_rows(1)), table.data(*plain_rows(2)))
    planned = plan(catalog, table.id)
    has_files(planned, table.data_files())
    for path, file in table.data_files().items():
        equal(planned.task(path).file["spec-id"], file.spec_id, f"the spec-id of {path}")


# Ranges of snapshots


@must("iceberg.scan.incremental", operations=PLAN, clause="plan-incremental")
def test_scan_of_a_range(catalog: IcebergCatalog) -> None:
    """An incremental scan contains the files appended after start-snapshot-id up to and including end-snapshot-id."""
    table, snapshots = new_history(catalog)
    appended = [set(table.data_files(snapshot)) for snapshot in snapshots]
    for start, end in ((0, 1), (1, 2), (0, 2)):
        planned = plan(catalog, table.id, start_snapshot_id=snapshots[start], end_snapshot_id=snapshots[end])
        has_files(planned, appended[end] - appended[start])


@must("iceberg.scan.incremental_filter", operations=PLAN, clause="plan-incremental")
def test_filtered_scan_of_a_range(catalog: IcebergCatalog) -> None:
    """A filtered incremental scan contains every file with a matching row."""
    table, snapshots = new_history(catalog)
    last = next(path for path, file in table.data_files().items() if file.rows[0]["id"] == 2)
    wanted = {"type": "gt-eq", "term": "id", "value": 2}
    planned = plan(catalog, table.id, start_snapshot_id=snapshots[0], end_snapshot_id=snapshots[2], filter=wanted)
    contains(planned.paths, [last], "the files of the plan")


REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "end_missing": ("plan-incremental-end", {"start_snapshot_id": 0}),
    "mixed": ("plan-mixed", {"snapshot_id": 1, "start_snapshot_id": 0, "end_snapshot_id": 1}),
    "mixed_start": ("plan-mixed", {"snapshot_id": 1, "start_snapshot_id": 0}),
}


@must(
    "iceberg.scan.range.{}",
    operations=["planTableScan"],
    clause=lambda case: case[0],
    kind="error",
    each=REFUSED,
)
def test_snapshots_that_do_not_go_together(catalog: IcebergCatalog, case: tuple[str, dict[str, Any]]) -> None:
    """planTableScan with an invalid combination of snapshot parameters ({}) returns 400."""
    table, snapshots = new_history(catalog)
    request = {name: snapshots[number] for name, number in case[1].items()}
    catalog.plan_table_scan(table.id, **request, expect=400)


UNKNOWN = {
    "snapshot": {"snapshot_id": NO_SNAPSHOT},
    "start": {"start_snapshot_id": NO_SNAPSHOT, "end_snapshot_id": None},
    "end": {"start_snapshot_id": None, "end_snapshot_id": NO_SNAPSHOT},
}


@should(
    "iceberg.scan.unknown.{}",
    operations=["planTableScan"],
    clause="plan-unknown-snapshot",
    kind="error",
    each=UNKNOWN,
    reads=True,
)
def test_unknown_snapshot(catalog: IcebergCatalog, case: dict[str, int | None]) -> None:
    """planTableScan with an unknown snapshot id ({}) returns 400 or 404."""
    table = any_events(catalog)
    known = catalog.metadata(table)["current-snapshot-id"]
    request: dict[str, Any] = {name: known if id is None else id for name, id in case.items()}
    catalog.plan_table_scan(table, **request, expect=(400, 404))
