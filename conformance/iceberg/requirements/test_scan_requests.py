"""planTableScan: forms of filters, names of fields, and invalid requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.content import NESTED_SCHEMA, SCHEMA, field, schema
from conformance.iceberg.support.metadata import current_schema
from conformance.iceberg.support.scans.plans import PLAN, has_files, plan
from conformance.iceberg.support.scans.predicates import (
    COMPARISONS,
    NAN_TESTS,
    NULL_TESTS,
    SETS,
    Json,
    compared,
    single_test,
)
from conformance.iceberg.support.scans.samples import EVENTS, ROWS, TYPES, any_events, new_events, plain_rows
from conformance.iceberg.support.scans.soundness import loses_nothing, residuals_decide_alike
from conformance.iceberg.support.scans.tables import ScanTable, new_scan_table
from conformance.iceberg.support.updates import add_and_use_schema

NEW = "Predicate"  # the schema that introduced the newer names of operands
PLAN_ONLY = ["planTableScan"]


@dataclass(frozen=True, slots=True)
class Spelling:
    """Filter as written, the plain filter that it means, and the schema that introduced this form."""

    written: Json
    means: Json
    schema: str = "PlanTableScanRequest"


def _named(name: str) -> Json:
    return {"type": "reference", "name": name}


def _literal(value: Json, **more: Json) -> Json:
    return {"type": "literal", "value": value, **more}


BY_ID = compared("eq", "id", 9)
NAMES = ["apple", "banana"]
BY_NAME = {"type": "in", "term": "name", "values": NAMES}
IS_NULL = {"type": "is-null", "term": "name"}
SPELLINGS = {
    "true": Spelling(True, True),
    "false": Spelling(False, False),
    "true_object": Spelling({"type": "true"}, True),
    "false_object": Spelling({"type": "false"}, False),
    "transform": Spelling(
        {"type": "eq", "term": {"type": "transform", "transform": "truncate[2]", "term": "name"}, "value": "ap"},
        {"type": "starts-with", "term": "name", "value": "ap"},
    ),
    "nested": Spelling(compared("eq", "place.x", 1), compared("eq", "place.x", 1)),
    "new_names": Spelling({"type": "eq", "left": _named("id"), "right": 9}, BY_ID, NEW),
    "new_names_literal": Spelling({"type": "eq", "left": _named("id"), "right": _literal(9)}, BY_ID, NEW),
    "new_names_typed": Spelling(
        {"type": "eq", "left": _named("id"), "right": _literal(9, **{"data-type": "long"})}, BY_ID, NEW
    ),
    "new_names_other_way": Spelling({"type": "lt", "left": 9, "right": _named("id")}, compared("gt", "id", 9), NEW),
    "new_names_unary": Spelling({"type": "is-null", "child": _named("name")}, IS_NULL, NEW),
    "new_names_set": Spelling({"type": "in", "child": _named("name"), "values": NAMES}, BY_NAME, NEW),
    "new_names_typed_set": Spelling(
        {
            "type": "in",
            "child": _named("name"),
            "values": {"type": "literals", "values": NAMES, "data-type": "string"},
        },
        BY_NAME,
        NEW,
    ),
    "literal_object": Spelling({"type": "eq", "term": "id", "value": _literal(9)}, BY_ID, NEW),
    "by_id": Spelling({"type": "eq", "left": {"type": "reference", "id": 1}, "right": 9}, BY_ID, NEW),
}


@must("iceberg.scan.spelling.{}", operations=PLAN, clause="plan-expressions", kind="data", each=SPELLINGS)
def test_spellings_of_conditions(catalog: IcebergCatalog, case: Spelling) -> None:
    """A plan with a filter in the form '{}' contains every file with a matching row, and correct residuals."""
    catalog.revision.require_schema(case.schema)
    table = new_files(catalog)
    planned = plan(catalog, table.id, filter=case.written)
    loses_nothing(table, case.means, planned)
    residuals_decide_alike(table, case.means, planned)


def new_files(catalog: IcebergCatalog) -> ScanTable:
    """Return a table with one data file for each of ROWS."""
    table = new_scan_table(catalog, EVENTS)
    table.commit(*(table.data(row) for row in ROWS))
    return table


VALUES: dict[str, tuple[str, list[Any]]] = {
    **dict.fromkeys((*NULL_TESTS, "starts-with", "not-starts-with"), ("name", ["ban"])),
    **dict.fromkeys(NAN_TESTS, ("amount", [])),
    **dict.fromkeys(("lt", "lt-eq", "gt", "gt-eq", "eq", "not-eq"), ("id", [9])),
    **dict.fromkeys(SETS, ("id", [9, 10])),
}


@must(
    "iceberg.scan.operator.{}",
    operations=PLAN,
    clause="plan-expressions",
    kind="data",
    each={name.replace("-", "_"): name for name in (*NULL_TESTS, *NAN_TESTS, *COMPARISONS, *SETS)},
    statement="A plan filtered by {}, alone or inside not, and, or, contains every matching file.".format,
)
def test_operators(catalog: IcebergCatalog, case: str) -> None:
    """A plan filtered by an operator contains every matching file, and residuals decide as the filter does."""
    table = new_files(catalog)
    column, values = VALUES[case]
    test = single_test(case, column, TYPES[column], *values)
    other = compared("gt", "id", 0)
    trees: list[Json] = [test, {"type": "not", "child": test}]
    trees += [{"type": name, "left": test, "right": other} for name in ("and", "or")]
    for condition in trees:
        planned = plan(catalog, table.id, filter=condition)
        loses_nothing(table, condition, planned)
        residuals_decide_alike(table, condition, planned)


NO_CONDITIONS: dict[str, Json] = {
    "operator": {"type": "like", "term": "name", "value": "ban%"},
    "no_type": {"term": "id", "value": 1},
    "no_operand": {"type": "eq", "value": 1},
    "no_value": {"type": "eq", "term": "id"},
    "no_values": {"type": "in", "term": "id"},
    "values_no_list": {"type": "in", "term": "id", "values": 1},
    "one_side": {"type": "and", "left": True},
    "no_child": {"type": "not"},
    "number": 7,
    "text": "id = 1",
    "list": [BY_ID],
    "nested_operator": {"type": "or", "left": BY_ID, "right": {"type": "xor", "left": True, "right": True}},
}


@must(
    "iceberg.scan.no_condition.{}",
    operations=PLAN_ONLY,
    clause="plan-expressions",
    kind="error",
    each=NO_CONDITIONS,
    reads=True,
)
def test_filters_that_are_none(catalog: IcebergCatalog, case: Json) -> None:
    """planTableScan with a malformed filter ({}) returns 400."""
    id = any_events(catalog)
    column = current_schema(catalog.metadata(id))["fields"][0]["name"]
    catalog.plan_table_scan(id, filter=case, expect=400)
    catalog.control(lambda: catalog.plan_table_scan(id, filter={"type": "not-null", "term": column}))


UNBOUND: dict[str, Json] = {
    "column": compared("eq", "nowhere", 1),
    "nested_column": compared("eq", "place.nowhere", 1),
    "text_for_number": compared("eq", "id", "nine"),
    "text_for_date": compared("lt", "day", "yesterday"),
    "number_for_text": compared("eq", "name", {"a": 1}),
    "no_date": compared("lt", "day", "2024-13-45"),
    "prefix_of_number": compared("starts-with", "id", 9),
    "struct": compared("eq", "place", 1),
}


@should("iceberg.scan.unbound.{}", operations=PLAN_ONLY, clause="plan-filter-unbound", kind="error", each=UNBOUND)
def test_filters_that_do_not_fit(catalog: IcebergCatalog, case: Json) -> None:
    """planTableScan with a filter that does not fit the table's schema ({}) returns 400."""
    table = new_events(catalog)
    catalog.plan_table_scan(table.id, filter=case, expect=400)
    catalog.control(lambda: catalog.plan_table_scan(table.id, filter=compared("eq", "id", 1)))


# Names

BY_CASE: tuple[dict[str, Any], ...] = ({}, {"case_sensitive": True})


@must("iceberg.scan.case.filter", operations=PLAN, clause="plan-case", kind="data")
def test_case_in_filters(catalog: IcebergCatalog) -> None:
    """With case-sensitive=false, column names in a filter match in any letter case."""
    table = new_files(catalog)
    condition = compared("gt-eq", "ID", 9)
    planned = plan(catalog, table.id, filter=condition, case_sensitive=False)
    loses_nothing(table, compared("gt-eq", "id", 9), planned)
    nested = plan(catalog, table.id, filter=compared("eq", "PLACE.X", 1), case_sensitive=False)
    loses_nothing(table, compared("eq", "place.x", 1), nested)


@should("iceberg.scan.case.unbound", operations=PLAN_ONLY, clause="plan-filter-unbound", kind="error")
def test_other_case_in_filters(catalog: IcebergCatalog) -> None:
    """A filter with a column name in the wrong letter case returns 400 unless case-sensitive is false."""
    table = new_files(catalog)
    for request in BY_CASE:
        catalog.plan_table_scan(table.id, filter=compared("gt-eq", "ID", 9), **request, expect=400)
    catalog.control(lambda: catalog.plan_table_scan(table.id, filter=compared("gt-eq", "id", 9)))


@should("iceberg.scan.case.select", operations=PLAN, clause="plan-select-unknown")
def test_case_in_selections(catalog: IcebergCatalog) -> None:
    """A selected name in the wrong letter case returns 400, and succeeds with case-sensitive=false."""
    table = new_files(catalog)
    for request in BY_CASE:
        catalog.plan_table_scan(table.id, select=["ID"], **request, expect=400)
    has_files(plan(catalog, table.id, select=["ID"], case_sensitive=False), table.data_files())


@must("iceberg.scan.select", operations=PLAN, clause="plan-select")
def test_selected_fields(catalog: IcebergCatalog) -> None:
    """planTableScan accepts full names in select, also inside structs, lists and maps, and plans the same files."""
    table = new_scan_table(catalog, NESTED_SCHEMA)
    row = {"id": 1, "place": {"x": 0.5, "y": None}, "tags": ["a"], "counts": [("b", 1)]}
    table.commit(table.data(row))
    for names in (["id"], ["place.x"], ["place", "id"], ["tags.element"], ["counts.key", "counts.value"]):
        has_files(plan(catalog, table.id, select=names), table.data_files())


@should("iceberg.scan.select_unknown", operations=PLAN_ONLY, clause="plan-select-unknown", kind="error")
def test_selected_fields_that_are_not_there(catalog: IcebergCatalog) -> None:
    """planTableScan with an unknown field in select returns 400."""
    table = new_events(catalog)
    for names in (["nowhere"], ["id", "place.nowhere"]):
        catalog.plan_table_scan(table.id, select=names, expect=400)
    catalog.control(lambda: catalog.plan_table_scan(table.id, select=["id"]))


def _renamed(catalog: IcebergCatalog) -> tuple[ScanTable, int]:
    """Return a table whose column `name` was renamed to `title` after its only snapshot, and that snapshot's id."""
    table = new_scan_table(catalog, SCHEMA)
    snapshot = table.commit(*(table.data(row) for row in plain_rows(1, 2)))
    columns = [
        field(column["id"], "title", "string") if column["name"] == "name" else column for column in table.fields
    ]
    catalog.update_table(table.id, add_and_use_schema(schema(*columns)))
    return table, snapshot


@should("iceberg.scan.schema.table", operations=PLAN, clause="plan-schema")
def test_names_of_the_table(catalog: IcebergCatalog) -> None:
    """Without use-snapshot-schema, filters use the column names of the table's schema, also for an older snapshot."""
    table, snapshot = _renamed(catalog)
    requests: tuple[dict[str, Any], ...] = ({}, {"snapshot_id": snapshot, "use_snapshot_schema": False})
    for request in requests:
        planned = plan(catalog, table.id, filter=compared("eq", "title", "n1"), **request)
        loses_nothing(table, compared("eq", "name", "n1"), planned)
        catalog.plan_table_scan(table.id, filter=compared("eq", "name", "n1"), **request, expect=400)


@should("iceberg.scan.schema.snapshot", operations=PLAN, clause="plan-schema")
def test_names_of_the_snapshot(catalog: IcebergCatalog) -> None:
    """With use-snapshot-schema, filters use the column names of the snapshot's schema; others return 400."""
    table, snapshot = _renamed(catalog)
    request: dict[str, Any] = {"snapshot_id": snapshot, "use_snapshot_schema": True}
    condition = compared("eq", "name", "n1")
    loses_nothing(table, condition, plan(catalog, table.id, filter=condition, **request))
    catalog.plan_table_scan(table.id, filter=compared("eq", "title", "n1"), **request, expect=400)
