"""The tables that the suite plans scans of: PyIceberg reads them, and finds the same rows and deletes."""

from __future__ import annotations

import pytest
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.table import StaticTable
from pyiceberg.table.snapshots import Snapshot

from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.content import SCHEMA, field, partition, schema, spec
from conformance.iceberg.support.scans.deletes import wrong_deletes
from conformance.iceberg.support.scans.manifests import physical
from conformance.iceberg.support.scans.plans import FileScanTask, PlanResult
from conformance.iceberg.support.scans.samples import LAYOUTS, ROWS, new_events, plain_rows
from conformance.iceberg.support.scans.tables import new_scan_table
from conformance.iceberg.support.scans.values import SAMPLES
from conformance.run.session import Session
from conformance.values.settings import load_settings
from lakeproof import serve


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    with serve("iceberg") as server:
        folder = tmp_path_factory.mktemp("report")
        yield Session(load_settings({"server": server.url, "api": "iceberg", "report": str(folder)}, environ={}))


@pytest.fixture
def catalog(session):
    catalog = IcebergCatalog(session.target)
    session.client.begin(["updateTable"])
    yield catalog
    catalog.sandbox.sweep()
    assert catalog.sandbox.left_behind == []


def opened(table):
    return StaticTable.from_metadata(table.catalog.load_table(table.id)["metadata-location"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_are_read(catalog, layout):
    table = new_events(catalog, layout)
    rows = opened(table).scan().to_arrow().sort_by("id").to_pylist()
    wanted = sorted(ROWS, key=lambda row: row["id"])
    assert [(row["id"], row["name"], row["day"], row["at"], row["price"]) for row in rows] == [
        (row["id"], row["name"], row["day"], row["at"], row["price"]) for row in wanted
    ]
    assert [row["place"] for row in rows] == [row["place"] for row in wanted]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_statistics_lose_nothing(catalog, layout):
    table = new_events(catalog, layout)
    for row in ROWS:
        planned = opened(table).scan(row_filter=f"id = {row['id']}").plan_files()
        assert row in [stored for task in planned for stored in table.data_files()[task.file.file_path].rows]


# PyIceberg's compiled decoder takes doubles for numbers of 32 bits.
@pytest.mark.parametrize("type", [type for type in SAMPLES if type != "double"])
def test_partitions_of_every_type_are_read(catalog, type):
    table = new_scan_table(catalog, schema(field(1, "v", type)), spec(partition(1, "v_part")))
    table.commit(*(table.data({"v": value}) for value in (*SAMPLES[type], None)))
    planned = opened(table).scan().plan_files()
    numbers = {task.file.file_path: number(task.file.partition[0]) for task in planned}
    assert numbers == {path: number(file.partition[0]) for path, file in table.data_files().items()}


def number(value):
    """Return a date or time as the number that manifests have, bytes for a UUID."""
    plain = physical(value)
    return bytes(plain) if isinstance(plain, bytes) else plain


def test_first_format_version_is_read(catalog):
    table = new_events(catalog, "several", version=1)
    assert opened(table).scan().to_arrow().num_rows == len(ROWS)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_manifests_are_read(catalog, version):
    table = new_scan_table(catalog, SCHEMA, version=version)
    files = [table.data(*plain_rows(1, 2)), table.data(*plain_rows(3))]
    snapshot = table.commit(*files)
    (manifest,) = Snapshot(**table.metadata["snapshots"][-1]).manifests(PyArrowFileIO())
    entries = manifest.fetch_manifest_entry(PyArrowFileIO())
    recorded = [(entry.data_file.file_path, entry.data_file.record_count) for entry in entries]
    assert recorded == [(file.path, file.record_count) for file in files]
    assert manifest.added_snapshot_id == snapshot


def test_removed_files_are_not_read(catalog):
    table = new_scan_table(catalog, SCHEMA)
    gone, stays = (table.data(*plain_rows(id)) for id in (1, 2))
    before = table.commit(gone, stays)
    table.commit(table.data(*plain_rows(3)), removed=[gone])
    assert sorted(opened(table).scan().to_arrow()["id"].to_pylist()) == [2, 3]
    assert sorted(opened(table).scan(snapshot_id=before).to_arrow()["id"].to_pylist()) == [1, 2]


def test_position_deletes_are_applied(catalog):
    table = new_scan_table(catalog, SCHEMA)
    first, second = table.data(*plain_rows(1, 2)), table.data(*plain_rows(3, 4))
    table.commit(first, second)
    table.commit(table.position_deletes(first, second))
    assert sorted(opened(table).scan().to_arrow()["id"].to_pylist()) == [2, 4]


# What applies


def planned(table, **deletes):
    """Return a plan in which each data file, by its first id, has the delete files that are named."""
    files = {str(file.rows[0]["id"]): path for path, file in table.data_files().items()}
    shown = [
        FileScanTask(
            {"file-path": path}, tuple({"file-path": delete.path} for delete in deletes.get(f"id{id}", ())), True
        )
        for id, path in files.items()
    ]
    return PlanResult(None, None, shown)


def test_missing_and_wrong_deletes_are_noticed(catalog):
    table = new_scan_table(catalog, SCHEMA)
    older, newer = table.data(*plain_rows(1)), table.data(*plain_rows(2))
    table.commit(older)
    by_value = table.equality_deletes(["day"], {"day": older.rows[0]["day"]}, like=older)
    table.commit(newer, by_value)
    assert wrong_deletes(table, planned(table, id1=[by_value])) == []
    assert len(wrong_deletes(table, planned(table))) == 1
    assert len(wrong_deletes(table, planned(table, id1=[by_value], id2=[by_value]))) == 1
    assert len(wrong_deletes(table, planned(table, id1=[by_value, newer]))) == 1


def test_deletes_of_unwanted_rows_may_be_missing(catalog):
    table = new_scan_table(catalog, SCHEMA)
    data = table.data(*plain_rows(1, 2))
    table.commit(data)
    table.commit(table.equality_deletes(["id"], {"id": 1}, like=data))
    above = {"type": "gt", "term": "id", "value": 1}
    assert wrong_deletes(table, planned(table), condition=above) == []
    assert len(wrong_deletes(table, planned(table), condition={**above, "type": "gt-eq"})) == 1


def test_vectors_are_for_one_file(catalog):
    table = new_scan_table(catalog, SCHEMA, version=3)
    first, second = table.data(*plain_rows(1)), table.data(*plain_rows(2))
    table.commit(first, second)
    vector = table.deletion_vector(first, 0)
    table.commit(vector)
    assert wrong_deletes(table, planned(table, id1=[vector])) == []
    assert len(wrong_deletes(table, planned(table))) == 1
    assert len(wrong_deletes(table, planned(table, id1=[vector], id2=[vector]))) == 1
