"""Values in scan plans: partitions, bounds, counts and other fields of data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from conformance.author.checks import contains, equal, nothing, one_of, only
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.content import SCHEMA, field, layout, partition, schema, spec
from conformance.iceberg.support.scans.avro import source_column
from conformance.iceberg.support.scans.plans import PLAN, has_files, plan
from conformance.iceberg.support.scans.samples import EVENTS, LAYOUTS, ROWS, files_of, new_events, plain_rows
from conformance.iceberg.support.scans.tables import new_scan_table
from conformance.iceberg.support.scans.transforms import result_type
from conformance.iceberg.support.scans.values import SAMPLES, base, days, is_nan, packed, shown
from conformance.iceberg.support.updates import add_and_use_spec
from conformance.values.numbers import PAST_DOUBLE

TYPES = {base(name): name for name in SAMPLES}
DERIVED = {name: name for name in LAYOUTS if not name.startswith("identity") and name not in ("none", "several")}
COUNTS = ("value-counts", "null-value-counts", "nan-value-counts", "column-sizes")
BOUNDS = ("lower-bounds", "upper-bounds")


def pairs(file: Mapping[str, Any], name: str) -> dict[int, Any]:
    """Return a statistics map of a data file, keyed by column id."""
    entries = file.get(name) or {}
    return dict(zip(entries.get("keys") or [], entries.get("values") or [], strict=False))


# Partition values


@must("iceberg.scan.value.partition.{}", operations=PLAN, clause="plan-values", each=TYPES)
def test_partition_values(catalog: IcebergCatalog, case: str) -> None:
    """Partition values of type {} in scan plans have the JSON form of the document, and null is null."""
    table = new_scan_table(catalog, schema(field(1, "v", case)), spec(partition(1, "v_part")))
    values = (*SAMPLES[case], None)
    files = [table.data({"v": value}) for value in values]
    table.commit(*files)
    planned = plan(catalog, table.id)
    for value, file in zip(values, files, strict=True):
        equal(planned.task(file.path).file["partition"], [shown(case, value)], f"the partition of {file.path}")


@must("iceberg.scan.value.derived.{}", operations=PLAN, clause="plan-values", each=DERIVED)
def test_values_of_transforms(catalog: IcebergCatalog, case: str) -> None:
    """Partition values with the layout {} equal the transformed column values; a day is a number or a date."""
    table = new_events(catalog, case)
    planned = plan(catalog, table.id)
    partition_field = only(table.metadata["partition-specs"][0]["fields"], "the fields of the partition spec")
    source = source_column(table.metadata, partition_field)["type"]
    for path, file in table.data_files().items():
        value = only(file.partition, "the fields of the default partition spec")
        allowed = [[shown(result_type(partition_field["transform"], source), value)]]
        allowed += [[days(value)]] if isinstance(value, date) else []
        one_of(planned.task(path).file["partition"], allowed, f"the partition of {path}")


@must("iceberg.scan.value.partition_fields", operations=PLAN, clause="plan-partition-values")
def test_values_in_the_order_of_the_spec(catalog: IcebergCatalog) -> None:
    """A file's partition has one value for each field of its own spec, in the spec's order."""
    table = new_scan_table(catalog, EVENTS)
    table.commit(*files_of(table, ROWS[:2]))
    for fields in ([partition(2, "name_part"), partition(1, "id_part")], [partition(1, "id_tens", "truncate[10]")]):
        catalog.update_table(table.id, add_and_use_spec(layout(*fields)))
        table.refresh()
        table.commit(*files_of(table, ROWS[3:5]))
    planned = plan(catalog, table.id)
    for path, file in table.data_files().items():
        described = planned.task(path).file
        equal(described["spec-id"], file.spec_id, f"the spec-id of {path}")
        equal(described["partition"], list(file.partition), f"the partition of {path}")


# Statistics of columns


@should("iceberg.scan.value.bounds.{}", operations=PLAN, clause="plan-bounds", each=TYPES)
def test_bounds(catalog: IcebergCatalog, case: str) -> None:
    """Bounds of type {}, if returned, are serialized as the document defines or as hexadecimal bytes."""
    table = new_scan_table(catalog, schema(field(1, "v", case)))
    first, last = SAMPLES[case][0], SAMPLES[case][-1]
    table.commit(table.data({"v": first}, {"v": last}, {"v": None}))
    task = plan(catalog, table.id, stats_fields=["v"]).only
    for name, value in zip(BOUNDS, (first, last), strict=True):
        bounds = {
            id: bound.upper() if bound == packed(case, value).hex() else bound
            for id, bound in pairs(task.file, name).items()
        }
        one_of(bounds, ({}, {1: shown(case, value)}, {1: packed(case, value).hex().upper()}), f"the {name}")


@should("iceberg.scan.stats.counts", operations=PLAN, clause="plan-stats")
def test_statistics_of_wanted_columns(catalog: IcebergCatalog) -> None:
    """Columns in stats-fields, including nested ones, have the counts and bounds of the manifest."""
    table = new_scan_table(catalog, EVENTS)
    file = table.data(*ROWS)
    table.commit(file)
    task = plan(catalog, table.id, stats_fields=["id", "amount", "place.x"]).only
    amounts = [row["amount"] for row in ROWS]
    wanted = {"id": 0, "amount": amounts.count(None), "place.x": sum(row["place"] is None for row in ROWS)}
    ids = {"id": 1, "amount": 4, "place.x": 8}
    maps = {name: pairs(task.file, name) for name in (*COUNTS, *BOUNDS)}
    for name, id in ids.items():
        equal(maps["value-counts"].get(id), len(ROWS), f"the value-counts of {name}")
        equal(maps["null-value-counts"].get(id), wanted[name], f"the null-value-counts of {name}")
        for bounds in BOUNDS:
            contains(maps[bounds], [id], f"the columns with {bounds}")
    equal(maps["nan-value-counts"].get(4), sum(map(is_nan, amounts)), "the nan-value-counts of amount")
    equal(maps["column-sizes"].get(1), file.statistics.column_sizes[1], "the column-sizes of id")


@should("iceberg.scan.stats.others", operations=PLAN, clause="plan-stats")
def test_no_statistics_of_other_columns(catalog: IcebergCatalog) -> None:
    """Columns that are not in stats-fields have no statistics."""
    table = new_scan_table(catalog, EVENTS)
    table.commit(table.data(*ROWS))
    task = plan(catalog, table.id, stats_fields=["id"]).only
    columns = set().union(*(pairs(task.file, name) for name in (*COUNTS, *BOUNDS)))
    nothing(columns - {1}, "id of a column with statistics but 1")


@must("iceberg.scan.stats.same_files", operations=PLAN, clause="plan-complete")
def test_statistics_change_no_files(catalog: IcebergCatalog) -> None:
    """stats-fields, empty or not, does not change the files of a scan."""
    table = new_events(catalog, "identity")
    for names in ([], ["id"], ["name", "place.town"]):
        has_files(plan(catalog, table.id, stats_fields=names), table.data_files())


# Other fields of a file


@must("iceberg.scan.value.file", operations=PLAN, clause="plan-file-fields")
def test_description_of_data_files(catalog: IcebergCatalog) -> None:
    """Data files have the content, format, size, record-count, spec-id and key-metadata of the manifest."""
    table = new_scan_table(catalog, SCHEMA)
    file = table.data(*plain_rows(1, 2), split_offsets=(4,), sort_order_id=0, key_metadata=b"\x00\xab\xff")
    bare = table.data(*plain_rows(3))
    table.commit(file, bare)
    planned = plan(catalog, table.id)
    described = planned.task(file.path).file
    wanted = {"content": "data", "record-count": 2, "file-size-in-bytes": file.size, "spec-id": 0}
    for name, value in wanted.items():
        equal(described[name], value, f"the {name} of the file")
    equal(described["file-format"].lower(), "parquet", "the file-format of the file")
    one_of(described.get("split-offsets"), (None, [4]), "the split-offsets of the file")
    equal(described.get("key-metadata"), "00ABFF", "the key-metadata of the file")
    bare_metadata = planned.task(bare.path).file.get("key-metadata")
    equal(bare_metadata, None, "the key-metadata of a file without any")


@must("iceberg.large.scan", operations=PLAN, clause="plan-file-fields", kind="data")
def test_sizes_of_large_files(catalog: IcebergCatalog) -> None:
    """planTableScan shows the size and the record-count of a data file beyond 2^53 with all digits."""
    table = new_scan_table(catalog, SCHEMA)
    file = replace(table.data(*plain_rows(1)), record_count=PAST_DOUBLE, size=PAST_DOUBLE)
    table.commit(file)
    described = plan(catalog, table.id).task(file.path).file
    for name in ("record-count", "file-size-in-bytes"):
        equal(described[name], PAST_DOUBLE, f"the {name} of the file")


@must("iceberg.scan.value.first_row_id", operations=PLAN, clause="plan-file-fields")
def test_row_ids_of_data_files(catalog: IcebergCatalog) -> None:
    """In format version 3, first-row-id of a data file, if returned, follows from its manifest and the files before."""
    table = new_scan_table(catalog, SCHEMA, version=3)
    files = [table.data(*plain_rows(*range(count))) for count in (2, 3, 1)]
    table.commit(*files[:2])
    table.commit(files[2])
    planned = plan(catalog, table.id)
    row_ids = [planned.task(file.path).file.get("first-row-id") for file in files]
    one_of(row_ids, ([0, 2, 5], [None, None, None]), "the first-row-id of the files")
