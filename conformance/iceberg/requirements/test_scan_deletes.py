"""Delete files in scan plans: assignment to tasks, and description."""

from __future__ import annotations

from conformance.author.checks import above, at_least, contains, equal, keyed, nothing
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.content import SCHEMA, layout, partition, spec
from conformance.iceberg.support.scans.deletes import wrong_deletes
from conformance.iceberg.support.scans.plans import PLAN, has_files, plan
from conformance.iceberg.support.scans.predicates import compared
from conformance.iceberg.support.scans.samples import plain_rows
from conformance.iceberg.support.scans.tables import MANY, ScanTable, new_scan_table
from conformance.iceberg.support.updates import add_and_use_spec

COUNTS = "the numbers of delete files of the tasks"
WRONG = "task with other delete files than apply to its data file"
PARTITIONED = spec(partition(1, "id_part"))


def delete_counts(table: ScanTable) -> list[int]:
    """Plan a scan and return the number of delete files of each task, ascending. Raises Violation for wrong ones."""
    return sorted(map(len, delete_paths(table)))


def delete_paths(table: ScanTable) -> list[set[str]]:
    """Plan a scan and return the delete file paths of each task. Raises Violation for wrong ones."""
    planned = plan(table.catalog, table.id)
    has_files(planned, table.data_files())
    nothing(wrong_deletes(table, planned), WRONG)
    return [task.delete_paths for task in planned.tasks]


@must("iceberg.scan.deletes.positions", operations=PLAN, clause="plan-deletes-applied")
def test_position_deletes(catalog: IcebergCatalog) -> None:
    """A task has the position delete files of its data file, including one of the same commit."""
    table = new_scan_table(catalog, SCHEMA)
    first, second, third = (table.data(*plain_rows(id, id + 10)) for id in range(3))
    table.commit(first, table.position_deletes(first))
    table.commit(second, third)
    table.commit(table.position_deletes(second, first))
    equal(max(delete_counts(table)), 2, "the highest number of delete files of a task")


@must("iceberg.scan.deletes.equality", operations=PLAN, clause="plan-deletes-applied")
def test_equality_deletes(catalog: IcebergCatalog) -> None:
    """Tasks of older data files have an equality delete file; tasks of the same or later commits do not."""
    table = new_scan_table(catalog, SCHEMA)
    older, same, newer = (table.data(*plain_rows(1, 2)) for _ in range(3))
    table.commit(older)
    table.commit(same, table.equality_deletes(["id"], {"id": 1}, like=older))
    table.commit(newer)
    equal(delete_counts(table), [0, 0, 1], COUNTS)


@must("iceberg.scan.deletes.equality_several", operations=PLAN, clause="plan-deletes-applied")
def test_equality_deletes_of_several_columns(catalog: IcebergCatalog) -> None:
    """Tasks have all equality delete files that are newer than their data file, whatever columns those use."""
    table = new_scan_table(catalog, SCHEMA)
    for _ in range(3):
        table.commit(
            table.data(*plain_rows(1, 2)),
            table.equality_deletes(["id", "name"], {"id": 1, "name": "n1"}, like=table.data(*plain_rows(1))),
        )
    table.commit(table.equality_deletes(["day"], {"day": plain_rows(1)[0]["day"]}, like=table.data(*plain_rows(1))))
    equal(delete_counts(table), [1, 2, 3], COUNTS)


@must("iceberg.scan.deletes.partitions", operations=PLAN, clause="plan-deletes-applied")
def test_deletes_of_partitions(catalog: IcebergCatalog) -> None:
    """Tasks have no delete files of other partitions."""
    table = new_scan_table(catalog, SCHEMA, PARTITIONED)
    files = [table.data(*plain_rows(id)) for id in (1, 2, 3)]
    table.commit(*files)
    day = {"day": files[0].rows[0]["day"]}
    table.commit(table.position_deletes(files[0]), table.equality_deletes(["day"], day, like=files[1]))
    equal(delete_counts(table), [0, 1, 1], COUNTS)


@must("iceberg.scan.deletes.everywhere", operations=PLAN, clause="plan-deletes-applied")
def test_equality_deletes_without_a_partition(catalog: IcebergCatalog) -> None:
    """Tasks of older data files in every partition have an equality delete file without a partition."""
    table = new_scan_table(catalog, SCHEMA)
    unpartitioned = table.data(*plain_rows(9))
    catalog.update_table(table.id, add_and_use_spec(layout(*PARTITIONED["fields"])))
    table.refresh()
    table.commit(*(table.data(*plain_rows(id)) for id in (1, 2)))
    table.commit(table.equality_deletes(["day"], {"day": plain_rows(1)[0]["day"]}, like=unpartitioned))
    equal(delete_counts(table), [1, 1], COUNTS)


@must("iceberg.scan.deletes.vectors", operations=PLAN, clause="plan-deletes-applied")
def test_deletion_vectors(catalog: IcebergCatalog) -> None:
    """In format version 3, only the task of its data file has a deletion vector, with its offset and size."""
    table = new_scan_table(catalog, SCHEMA, version=3)
    files = [table.data(*plain_rows(id, id + 10)) for id in range(3)]
    table.commit(*files)
    vector = table.deletion_vector(files[1], 0)
    table.commit(vector)
    delete_paths(table)
    planned = plan(catalog, table.id)
    equal([len(planned.task(file.path).deletes) for file in files], [0, 1, 0], COUNTS)
    delete = planned.task(files[1].path).deletes[0]
    equal(delete["content"], "position-deletes", "the content of the deletion vector")
    equal(delete["file-format"].lower(), "puffin", "the file-format of the deletion vector")
    equal(delete.get("content-offset"), vector.content_offset, "the content-offset of the deletion vector")
    size = vector.content_size_in_bytes
    equal(delete.get("content-size-in-bytes"), size, "the content-size-in-bytes of the deletion vector")


@must("iceberg.scan.deletes.removed", operations=PLAN, clause="plan-deletes-applied")
def test_deletes_that_were_removed(catalog: IcebergCatalog) -> None:
    """No task has delete files that the snapshot removed, but tasks of the previous snapshot have them."""
    table = new_scan_table(catalog, SCHEMA)
    data = table.data(*plain_rows(1, 2))
    table.commit(data)
    deletes = table.position_deletes(data)
    before = table.commit(deletes)
    table.commit(table.data(*plain_rows(3)), removed=[deletes])
    equal([len(task.deletes) for task in plan(catalog, table.id).tasks], [0, 0], COUNTS)
    nothing(wrong_deletes(table, plan(catalog, table.id, snapshot_id=before), snapshot=before), WRONG)


@must("iceberg.scan.deletes.filtered", operations=PLAN, clause="plan-deletes-applied")
def test_deletes_of_a_filtered_scan(catalog: IcebergCatalog) -> None:
    """In a filtered plan, tasks keep all their delete files, whatever bounds the delete files have."""
    table = new_scan_table(catalog, SCHEMA)
    files = [table.data(*plain_rows(id, id + 10)) for id in range(3)]
    table.commit(*files)
    table.commit(table.position_deletes(*files), table.equality_deletes(["id"], {"id": 11}, like=files[0]))
    for condition in (compared("gt", "id", 1), compared("eq", "name", "n1"), compared("lt", "id", 11)):
        planned = plan(catalog, table.id, filter=condition)
        above(len(planned.tasks), 0, "the number of file-scan-tasks")
        nothing(wrong_deletes(table, planned, condition=condition), WRONG)


@must("iceberg.scan.deletes.many", operations=PLAN, clause="plan-deletes")
def test_deletes_of_many_files(catalog: IcebergCatalog) -> None:
    """In a plan with many files, every response contains the delete files that its tasks refer to."""
    table = new_scan_table(catalog, SCHEMA)
    files = table.listed(MANY)
    table.commit(*files)
    table.commit(
        *(table.position_deletes(file) for file in files[:3]), *(table.position_deletes(file) for file in files[-3:])
    )
    at_least(sum(delete_counts(table)), 6, "the number of delete files of all tasks")


@must("iceberg.scan.deletes.fields", operations=PLAN, clause="plan-file-fields")
def test_description_of_delete_files(catalog: IcebergCatalog) -> None:
    """Delete files have their content, path, size, record-count, spec-id, partition, format and equality-ids."""
    table = new_scan_table(catalog, SCHEMA, PARTITIONED)
    data = table.data(*plain_rows(1))
    table.commit(data)
    positions, values = table.position_deletes(data), table.equality_deletes(["id", "name"], data.rows[0], like=data)
    table.commit(positions, values)
    deletes = keyed(plan(catalog, table.id).task(data.path).deletes, "file-path")
    for file, content in ((positions, "position-deletes"), (values, "equality-deletes")):
        contains(deletes, [file.path], "the delete files of the task")
        shown = deletes[file.path]
        fields = {"content": content, "file-size-in-bytes": file.size, "record-count": 1, "spec-id": 0}
        for name, wanted in {**fields, "partition": [1]}.items():
            equal(shown[name], wanted, f"the {name} of the file of {content}")
        equal(shown["file-format"].lower(), "parquet", f"the file-format of the file of {content}")
    equal(deletes[values.path].get("equality-ids"), [1, 2], "the equality-ids of the file of equality-deletes")
