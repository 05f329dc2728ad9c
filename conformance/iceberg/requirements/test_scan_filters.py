"""planTableScan with filters: no file with a matching row is lost, and residuals decide as the filter does."""

from __future__ import annotations

from hypothesis import strategies as st

from conformance.author.checks import nothing
from conformance.author.requirement import given, must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.content import field, layout, partition, schema
from conformance.iceberg.support.scans.manifests import Statistics
from conformance.iceberg.support.scans.plans import PLAN, has_files, plan
from conformance.iceberg.support.scans.predicates import Json, both, compared, either, opposite, single_test, unary
from conformance.iceberg.support.scans.samples import EVENTS, LAYOUTS, NAN, ROWS, TYPES, files_of, new_events
from conformance.iceberg.support.scans.soundness import (
    conditions,
    every_test,
    known_values,
    loses_nothing,
    residuals_decide_alike,
)
from conformance.iceberg.support.scans.tables import ScanTable, new_scan_table, usable
from conformance.iceberg.support.scans.transforms import transformed
from conformance.iceberg.support.scans.values import SAMPLES, base
from conformance.iceberg.support.updates import add_and_use_schema, add_and_use_spec
from conformance.values.json_values import shown

TREES = st.lists(conditions(), min_size=1, max_size=8)
KINDS = {base(name): name for name in SAMPLES}
MIXED = ("none", "several", "void")


def keeps_what_fits(catalog: IcebergCatalog, table: ScanTable, condition: Json) -> None:
    """Plan with a filter. Raises Violation for files that are lost, duplicated or not of the table."""
    planned = plan(catalog, table.id, filter=condition)
    nothing(planned.doubled, "file with several tasks")
    nothing(set(planned.paths) - set(table.data_files()), "task for a file that is none of the table")
    loses_nothing(table, condition, planned)


def leaves_what_decides(catalog: IcebergCatalog, table: ScanTable, condition: Json) -> None:
    """Plan with a filter. Raises Violation for rows that a residual decides otherwise than the filter."""
    residuals_decide_alike(table, condition, plan(catalog, table.id, filter=condition))


def _conditions_on(layout: str) -> list[Json]:
    columns = LAYOUTS[layout][1]
    return [
        condition for column in columns for condition in every_test(column, TYPES[column], known_values(column)[1::2])
    ]


@must(
    "iceberg.scan.filter.layout.{}",
    operations=PLAN,
    clause="plan-filter",
    kind="data",
    each={name: name for name in LAYOUTS},
)
def test_filter_loses_nothing(catalog: IcebergCatalog, case: str) -> None:
    """A filtered plan contains every file with a matching row, with the partition layout {}."""
    table = new_events(catalog, case)
    for condition in _conditions_on(case):
        keeps_what_fits(catalog, table, condition)


@must("iceberg.scan.filter.type.{}", operations=PLAN, clause="plan-filter", each=KINDS)
def test_filter_on_each_type(catalog: IcebergCatalog, case: str) -> None:
    """A plan filtered on a column of type {} contains every file with a matching row."""
    table = new_scan_table(catalog, schema(field(1, "v", case)))
    table.commit(*(table.data({"v": value}) for value in (*SAMPLES[case], None)))
    for condition in every_test("v", case, SAMPLES[case]):
        keeps_what_fits(catalog, table, condition)


@must("iceberg.scan.filter.tree.{}", operations=PLAN, clause="plan-filter", each={name: name for name in MIXED})
@given(trees=TREES)
def test_trees_of_conditions(catalog: IcebergCatalog, case: str, trees: list[Json]) -> None:
    """A plan filtered by nested conditions contains every file with a matching row, with the partition layout {}."""
    table = new_events(catalog, case)
    for condition in trees:
        keeps_what_fits(catalog, table, condition)


@must("iceberg.scan.filter.version.{}", operations=PLAN, clause="plan-filter", each={"v1": 1, "v3": 3})
def test_filter_in_each_format_version(catalog: IcebergCatalog, case: int) -> None:
    """A filtered plan of a table of format {} contains every file with a matching row."""
    table = new_events(catalog, "several", version=case)
    for condition in _conditions_on("several")[::4]:
        keeps_what_fits(catalog, table, condition)


# Statistics, schemas and specs of files


@must("iceberg.scan.filter.no_statistics", operations=PLAN, clause="plan-filter")
def test_files_without_statistics(catalog: IcebergCatalog) -> None:
    """A filtered plan contains every file with a matching row, even without column statistics in manifests."""
    table = new_scan_table(catalog, EVENTS)
    table.commit(table.data(*ROWS, statistics=Statistics()))
    for condition in _conditions_on("none")[::3]:
        keeps_what_fits(catalog, table, condition)


@must("iceberg.scan.filter.cut_bounds", operations=PLAN, clause="plan-filter")
def test_bounds_that_are_cut(catalog: IcebergCatalog) -> None:
    """A filtered plan contains every file with a matching row, even if the bounds of its strings are truncated."""
    table = new_scan_table(catalog, EVENTS)
    row = next(row for row in ROWS if row["name"] == "bananas")
    cut = Statistics(value_counts={2: 1}, null_value_counts={2: 0}, lower_bounds={2: b"ban"}, upper_bounds={2: b"bao"})
    table.commit(table.data(row, statistics=cut))
    for condition in every_test("name", "string", ["ban", "banana", "bananas", "bao", "b"]):
        keeps_what_fits(catalog, table, condition)


@must("iceberg.scan.filter.nan", operations=PLAN, clause="plan-filter")
def test_numbers_that_are_none(catalog: IcebergCatalog) -> None:
    """A filtered plan contains every file with a matching row, even if its column has NaN, which no bounds cover."""
    table = new_scan_table(catalog, EVENTS)
    rows = [{**ROWS[0], "amount": amount} for amount in (NAN, 1.0, None)]
    table.commit(*(table.data(row) for row in rows), table.data(*rows))
    for condition in every_test("amount", "double", [0.0, 1.0, 2.0]):
        keeps_what_fits(catalog, table, condition)


@must("iceberg.scan.filter.new_column", operations=PLAN, clause="plan-filter")
def test_column_that_is_newer_than_files(catalog: IcebergCatalog) -> None:
    """A plan filtered on an added column treats older files as null in it and contains every matching file."""
    table = new_scan_table(catalog, EVENTS)
    table.commit(*files_of(table, ROWS[:2]))
    wider = {**EVENTS, "fields": [*EVENTS["fields"], field(10, "extra")]}
    catalog.update_table(table.id, add_and_use_schema(wider))
    table.refresh()
    table.commit(table.data({**ROWS[2], "extra": 5}))
    for condition in every_test("extra", "long", [4, 5]):
        keeps_what_fits(catalog, table, condition)


@must("iceberg.scan.filter.old_spec", operations=PLAN, clause="plan-filter")
def test_filter_over_partition_specs(catalog: IcebergCatalog) -> None:
    """A filtered plan contains every file with a matching row, including files of older partition specs."""
    table = new_events(catalog, "bucket")
    catalog.update_table(table.id, add_and_use_spec(layout(partition(2, "name_start", "truncate[1]"))))
    table.refresh()
    table.commit(*files_of(table, ROWS))
    for condition in _conditions_on("bucket"):
        keeps_what_fits(catalog, table, condition)


# Pruning


@should(
    "iceberg.scan.pruned.{}",
    operations=PLAN,
    clause="plan-pruning",
    each={name: name for name in LAYOUTS if name not in ("none", "void", "several")},
)
def test_partitions_are_left_out(catalog: IcebergCatalog, case: str) -> None:
    """A plan filtered on one value leaves out files of other partitions, with the partition layout {}."""
    table = new_events(catalog, case)
    column = LAYOUTS[case][1][0]
    transform = table.metadata["partition-specs"][0]["fields"][0]["transform"]
    for value in known_values(column):
        planned = plan(catalog, table.id, filter=single_test("eq", column, TYPES[column], value))
        with usable("the partition spec of the table does not fit its columns"):
            there = (transformed(transform, value),)
        wanted = {path for path, file in table.data_files().items() if file.partition == there}
        nothing(set(planned.paths) - wanted, f"planned file that cannot have {shown(value)} in {column}")


@should("iceberg.scan.pruned_by_bounds", operations=PLAN, clause="plan-pruning")
def test_bounds_leave_files_out(catalog: IcebergCatalog) -> None:
    """A plan filtered on one value leaves out files whose column bounds exclude the value."""
    table = new_scan_table(catalog, EVENTS)
    files = [table.data(row) for row in ROWS]
    table.commit(*files)
    for row, file in zip(ROWS, files, strict=True):
        has_files(plan(catalog, table.id, filter=compared("eq", "id", row["id"])), [file.path])


@should("iceberg.scan.pruned_never", operations=PLAN, clause="plan-pruning")
def test_filter_that_never_holds(catalog: IcebergCatalog) -> None:
    """A plan with the filter false contains no files."""
    table = new_events(catalog)
    has_files(plan(catalog, table.id, filter=False), [])


# Residuals


@must("iceberg.scan.residual.layout.{}", operations=PLAN, clause="plan-residual", each={name: name for name in LAYOUTS})
def test_residuals(catalog: IcebergCatalog, case: str) -> None:
    """In every planned file the residual filter selects the rows that the filter selects (partition layout {})."""
    table = new_events(catalog, case)
    for condition in _conditions_on(case):
        leaves_what_decides(catalog, table, condition)


@must("iceberg.scan.residual.tree.{}", operations=PLAN, clause="plan-residual", each={name: name for name in MIXED})
@given(trees=TREES)
def test_residuals_of_trees(catalog: IcebergCatalog, case: str, trees: list[Json]) -> None:
    """Residuals of nested conditions decide every row as the conditions do, with the partition layout {}."""
    table = new_events(catalog, case)
    for condition in trees:
        leaves_what_decides(catalog, table, condition)


@must("iceberg.scan.residual.several_specs", operations=PLAN, clause="plan-residual")
def test_residuals_over_partition_specs(catalog: IcebergCatalog) -> None:
    """The residual filter of a file follows from the file's own partition spec, not from the newest one."""
    table = new_scan_table(catalog, EVENTS)
    table.commit(*files_of(table, ROWS))
    catalog.update_table(table.id, add_and_use_spec(layout(partition(2, "name_part"))))
    table.refresh()
    table.commit(*files_of(table, ROWS))
    for condition in _conditions_on("identity"):
        leaves_what_decides(catalog, table, condition)
        leaves_what_decides(catalog, table, opposite(either(condition, compared("gt", "id", 9))))
    leaves_what_decides(catalog, table, both(unary("not-null", "name"), compared("lt", "id", 10)))
