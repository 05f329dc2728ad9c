"""Delete files in plans: which of them a task has, and how they are described."""

from __future__ import annotations

from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.content import SCHEMA, partition, spec
from conformance.iceberg.scans.deletes import wrong_deletes
from conformance.iceberg.scans.plans import PLAN, plan
from conformance.iceberg.scans.predicates import compared
from conformance.iceberg.scans.samples import plain_rows
from conformance.iceberg.scans.tables import ScanTable, new_scan_table
from conformance.iceberg.updates import add_and_use_spec
from conformance.requirement import must

MANY = 260  # data files with a delete file each, more than servers put into one answer
PARTITIONED = spec(partition(1, "id_part"))


def delete_paths(table: ScanTable) -> list[set[str]]:
    """Return the paths of the delete files that the tasks of a plan have, which are the right ones."""
    planned = plan(table.catalog, table.id)
    assert planned.paths == sorted(table.data_files())
    assert wrong_deletes(table, planned) == []
    return [task.delete_paths for task in planned.tasks]


@must("iceberg.scan.deletes.positions", operations=PLAN, clause="plan-deletes-applied")
def test_position_deletes(catalog: IcebergCatalog) -> None:
    """A file from which rows were deleted by position has the delete file, also one of the same commit."""
    table = new_scan_table(catalog, SCHEMA)
    first, second, third = (table.data(*plain_rows(id, id + 10)) for id in range(3))
    table.commit(first, table.position_deletes(first))
    table.commit(second, third)
    table.commit(table.position_deletes(second, first))
    assert sorted(map(len, delete_paths(table)))[-1] == 2


@must("iceberg.scan.deletes.equality", operations=PLAN, clause="plan-deletes-applied")
def test_equality_deletes(catalog: IcebergCatalog) -> None:
    """Deletes by value are with older files alone: not with those of the same commit, not with newer ones."""
    table = new_scan_table(catalog, SCHEMA)
    older, same, newer = (table.data(*plain_rows(1, 2)) for _ in range(3))
    table.commit(older)
    table.commit(same, table.equality_deletes(["id"], {"id": 1}, like=older))
    table.commit(newer)
    assert sorted(map(len, delete_paths(table))) == [0, 0, 1]


@must("iceberg.scan.deletes.equality_several", operations=PLAN, clause="plan-deletes-applied")
def test_equality_deletes_of_several_columns(catalog: IcebergCatalog) -> None:
    """Several deletes by value, of different columns and ages, are each with the files that are older."""
    table = new_scan_table(catalog, SCHEMA)
    for _ in range(3):
        table.commit(
            table.data(*plain_rows(1, 2)),
            table.equality_deletes(["id", "name"], {"id": 1, "name": "n1"}, like=table.data(*plain_rows(1))),
        )
    table.commit(table.equality_deletes(["day"], {"day": plain_rows(1)[0]["day"]}, like=table.data(*plain_rows(1))))
    assert sorted(map(len, delete_paths(table))) == [1, 2, 3]


@must("iceberg.scan.deletes.partitions", operations=PLAN, clause="plan-deletes-applied")
def test_deletes_of_partitions(catalog: IcebergCatalog) -> None:
    """Deletes of one partition are not with the files of another."""
    table = new_scan_table(catalog, SCHEMA, PARTITIONED)
    files = [table.data(*plain_rows(id)) for id in (1, 2, 3)]
    table.commit(*files)
    day = {"day": files[0].rows[0]["day"]}
    table.commit(table.position_deletes(files[0]), table.equality_deletes(["day"], day, like=files[1]))
    found = delete_paths(table)
    assert sorted(map(len, found)) == [0, 1, 1]


@must("iceberg.scan.deletes.everywhere", operations=PLAN, clause="plan-deletes-applied")
def test_equality_deletes_without_a_partition(catalog: IcebergCatalog) -> None:
    """Deletes by value that have no partition are with the older files of all partitions."""
    table = new_scan_table(catalog, SCHEMA)
    unpartitioned = table.data(*plain_rows(9))
    catalog.update_table(table.id, add_and_use_spec(PARTITIONED))
    table.refresh()
    table.commit(*(table.data(*plain_rows(id)) for id in (1, 2)))
    table.commit(table.equality_deletes(["day"], {"day": plain_rows(1)[0]["day"]}, like=unpartitioned))
    assert list(map(len, delete_paths(table))) == [1, 1]


@must("iceberg.scan.deletes.vectors", operations=PLAN, clause="plan-deletes-applied")
def test_deletion_vectors(catalog: IcebergCatalog) -> None:
    """In version 3 a deletion vector is with its own data file alone, with the place of the vector in its file."""
    table = new_scan_table(catalog, SCHEMA, version=3)
    files = [table.data(*plain_rows(id, id + 10)) for id in range(3)]
    table.commit(*files)
    vector = table.deletion_vector(files[1], 0)
    table.commit(vector)
    delete_paths(table)
    planned = plan(catalog, table.id)
    assert [len(planned.task(one.path).deletes) for one in files] == [0, 1, 0]
    found = planned.task(files[1].path).deletes[0]
    assert found["content"] == "position-deletes"
    assert found["file-format"].lower() == "puffin"
    assert (found.get("content-offset"), found.get("content-size-in-bytes")) == (
        vector.content_offset,
        vector.content_size_in_bytes,
    )


@must("iceberg.scan.deletes.removed", operations=PLAN, clause="plan-deletes-applied")
def test_deletes_that_were_removed(catalog: IcebergCatalog) -> None:
    """Delete files that a snapshot removed are with no task of it, but with those of the snapshot before."""
    table = new_scan_table(catalog, SCHEMA)
    data = table.data(*plain_rows(1, 2))
    table.commit(data)
    deletes = table.position_deletes(data)
    before = table.commit(deletes)
    table.commit(table.data(*plain_rows(3)), removed=[deletes])
    assert [task.deletes for task in plan(catalog, table.id).tasks] == [(), ()]
    assert wrong_deletes(table, plan(catalog, table.id, snapshot_id=before), snapshot=before) == []


@must("iceberg.scan.deletes.filtered", operations=PLAN, clause="plan-deletes-applied")
def test_deletes_of_a_filtered_scan(catalog: IcebergCatalog) -> None:
    """A filter takes no deletes from the files that stay, whatever the bounds of the delete files are."""
    table = new_scan_table(catalog, SCHEMA)
    files = [table.data(*plain_rows(id, id + 10)) for id in range(3)]
    table.commit(*files)
    table.commit(table.position_deletes(*files), table.equality_deletes(["id"], {"id": 11}, like=files[0]))
    for condition in (compared("gt", "id", 1), compared("eq", "name", "n1"), compared("lt", "id", 11)):
        planned = plan(catalog, table.id, filter=condition)
        assert planned.tasks
        assert wrong_deletes(table, planned, condition=condition) == []


@must("iceberg.scan.deletes.many", operations=PLAN, clause="plan-deletes")
def test_deletes_of_many_files(catalog: IcebergCatalog) -> None:
    """Every answer of a plan in several parts has the delete files that its own tasks refer to."""
    table = new_scan_table(catalog, SCHEMA)
    files = table.listed(MANY)
    table.commit(*files)
    table.commit(
        *(table.position_deletes(one) for one in files[:3]), *(table.position_deletes(one) for one in files[-3:])
    )
    assert sum(map(len, delete_paths(table))) >= 6


@must("iceberg.scan.deletes.fields", operations=PLAN, clause="plan-file-fields")
def test_description_of_delete_files(catalog: IcebergCatalog) -> None:
    """A delete file is described by its kind, place, size, rows and spec, deletes by value by their columns too."""
    table = new_scan_table(catalog, SCHEMA, PARTITIONED)
    data = table.data(*plain_rows(1))
    table.commit(data)
    positions, values = table.position_deletes(data), table.equality_deletes(["id", "name"], data.rows[0], like=data)
    table.commit(positions, values)
    found = {one["file-path"]: one for one in plan(catalog, table.id).task(data.path).deletes}
    for file, content in ((positions, "position-deletes"), (values, "equality-deletes")):
        assert file.path in found
        shown = found[file.path]
        assert shown["content"] == content
        assert (shown["file-size-in-bytes"], shown["record-count"]) == (file.size, 1)
        assert (shown["spec-id"], shown["partition"]) == (0, [1])
        assert shown["file-format"].lower() == "parquet"
    assert found[values.path].get("equality-ids") == [1, 2]
