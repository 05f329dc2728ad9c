"""QueryTable without a vector or a text, and rules for every query and its plans."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from conformance.author.checks import distinct, equal, holds, same_items, text, unequal, within
from conformance.author.requirement import given, must, should
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import read_file, read_rows, stream
from conformance.lance.support.queries import (
    ALL,
    EXPLAIN,
    FILTERS,
    PLANS,
    QUERY,
    ROWS,
    SCHEMA,
    Query,
    any_queried,
    ask,
    ids,
    matching,
    new_queried,
    search,
    set_fields,
)
from specs.openapi import Operation

FILE_TYPE = "application/vnd.apache.arrow.file"
DETAILED = {"load_detailed_metadata": True}


# Rows


@must("lance.query.filter", operations=QUERY, clause="query-filter")
@given(filter=st.sampled_from(sorted(FILTERS)))
def test_filter(catalog: LanceCatalog, filter: str) -> None:
    """QueryTable with a filter returns exactly the matching rows, with all their columns."""
    rows = catalog.rows(new_queried(catalog), **set_fields(filter=filter or None))
    same_items(ids(rows), ids(matching(filter)), "the ids of the rows")
    for row in rows:
        equal(row, ROWS[row["id"]], f"the row {row['id']}")


@must("lance.query.k", operations=QUERY, clause="query-k")
@given(k=st.sampled_from([1, 5, 11, 12, 13, 1000]), filter=st.sampled_from(["", "id >= 7"]))
def test_k(catalog: LanceCatalog, k: int, filter: str) -> None:
    """QueryTable returns k matching rows, fewer only when there are no more."""
    rows = catalog.rows(new_queried(catalog), k=k, **set_fields(filter=filter or None))
    equal(len(rows), min(k, len(matching(filter))), "the number of rows")
    within(ids(rows), ids(matching(filter)), "the ids of the rows")


MANY = 1500


@must("lance.query.k_large", operations=QUERY, clause="query-k")
def test_large_k(catalog: LanceCatalog) -> None:
    """QueryTable returns k rows also when k is more than a thousand."""
    id = catalog.new_table_of(pa.table({"id": pa.array(range(MANY), pa.int64())}))
    equal(len(catalog.rows(id, k=MANY - 1)), MANY - 1, "the number of rows")
    equal(sorted(ids(catalog.rows(id, k=2 * MANY))), list(range(MANY)), "the ids of the rows")


@must("lance.query.k_zero.{}", operations=QUERY, clause="query-k-zero", each={"scan": {}, "vector": [0.0, 1.0]})
def test_k_zero(catalog: LanceCatalog, case: Any) -> None:
    """QueryTable with k 0 returns no row, or 400 ({})."""
    vector = {"single_vector": case} if case else {}
    answer = catalog.query_table(new_queried(catalog), k=0, vector=vector, expect=(200, 400))
    if answer.succeeded:
        equal(read_rows(answer.body), [], "the rows that are found")


@must("lance.query.offset", operations=QUERY, clause="query-offset", reads=True)
@given(k=st.sampled_from([1, 5, 20]), offset=st.sampled_from([0, 1, 10, 12, 40]))
def test_offset(catalog: LanceCatalog, k: int, offset: int) -> None:
    """QueryTable with an offset skips that many rows."""
    table = any_queried(catalog)
    count = len(ROWS) if table.version is None else len(catalog.rows(table.id, k=k + offset, **table.fields()))
    rows = catalog.rows(table.id, k=k, offset=offset, **table.fields())
    equal(len(rows), min(k, max(0, count - offset)), "the number of rows")


@should("lance.query.pages", operations=QUERY, clause="query-offset")
@given(k=st.sampled_from([1, 5, 7]), filter=st.sampled_from(["", "n > 40"]))
def test_pages(catalog: LanceCatalog, k: int, filter: str) -> None:
    """Pages of k rows fetched by offset contain every row once."""
    id, expected = new_queried(catalog), ids(matching(filter))
    pages = [
        catalog.rows(id, k=k, offset=start, **set_fields(filter=filter or None)) for start in range(0, len(ROWS), k)
    ]
    same_items(ids([row for page in pages for row in page]), expected, "the ids of the rows of all pages")


@should("lance.query.no_vector.{}", operations=QUERY, clause="query-vector-optional", each={"null": None, "absent": ()})
def test_without_vector(catalog: LanceCatalog, case: Any) -> None:
    """QueryTable whose vector is {} runs as a query without a vector; an absent one may return 400 with code 13."""
    body: Query = {"k": 100, "filter": "id >= 7", **({"vector": None} if case is None else {})}
    answer = catalog.query_table(new_queried(catalog), **body, expect=200 if case is None else (200, 400))
    if answer.status == 400:
        catalog.check_invalid(answer)
        return
    same_items(ids(read_rows(answer.body)), [7, 8, 9, 10, 11], "the ids of the rows")


@must("lance.query.row_id", operations=QUERY, clause="query-row-id")
@given(vector=st.booleans(), asked=st.sampled_from([True, False, None]))
def test_row_id(catalog: LanceCatalog, vector: bool, asked: bool | None) -> None:
    """QueryTable returns a distinct _rowid for every row with with_row_id=true, and none otherwise."""
    id, options = new_queried(catalog), set_fields(with_row_id=asked, columns={"column_names": ["id"]})
    rows = search(catalog, id, (0, 0), k=100, **options) if vector else catalog.rows(id, **options)
    row_ids = [row["_rowid"] for row in rows if row.get("_rowid") is not None]
    equal(len(rows), len(ROWS), "the number of rows")
    equal(len(row_ids), len(ROWS) if asked else 0, "the number of rows with a _rowid")
    distinct(row_ids, "the column _rowid")


@must("lance.query.version", operations=QUERY, clause="query-version")
def test_version(catalog: LanceCatalog) -> None:
    """QueryTable with a version returns the rows of that version, otherwise those of the latest."""
    id = new_queried(catalog, ROWS[:4])
    first = catalog.version(id)
    catalog.insert_into_table(id, stream(pa.Table.from_pylist(ROWS[4:6], schema=SCHEMA)))
    same_items(ids(catalog.rows(id, version=first)), [0, 1, 2, 3], "the ids of the rows of the first version")
    same_items(ids(catalog.rows(id)), [0, 1, 2, 3, 4, 5], "the ids of the rows of the latest version")


@must("lance.query.arrow_file", operations=QUERY, clause="query-arrow-file", reads=True)
def test_arrow_file(catalog: LanceCatalog) -> None:
    """QueryTable returns an Arrow file with its media type and with the table's columns in their types."""
    table = any_queried(catalog)
    answer = catalog.query_table(table.id, vector={}, k=5, **table.fields())
    equal(answer.header("content-type").partition(";")[0], FILE_TYPE, "the media type")
    schema = read_file(answer.body).schema
    if table.version is not None:
        described = catalog.describe_table(table.id, version=table.version, _query=DETAILED)["schema"]
        same_items(schema.names, [field["name"] for field in described["fields"]], "the columns")
        return
    holds(schema.equals(SCHEMA), f"the columns are {_columns(SCHEMA)}, where the answer has {_columns(schema)}")


def _columns(schema: pa.Schema) -> str:
    return ", ".join(f"{field.name} of {field.type}" for field in schema)


EMPTY: dict[str, Query] = {
    "scan": {},
    "filter": {"filter": "id > 1"},
    "vector": {"vector": {"single_vector": [1, 2]}},
    "prefilter": {"vector": {"single_vector": [1, 2]}, "filter": "id > 1", "prefilter": True},
}


@must("lance.query.empty_table.{}", operations=QUERY, clause="query-empty", each=EMPTY)
def test_empty_table(catalog: LanceCatalog, case: Query) -> None:
    """QueryTable on an empty table returns no rows ({})."""
    id = catalog.new_empty_table(pa.Table.from_pylist(ROWS, schema=SCHEMA))
    equal(catalog.rows(id, **{"k": 5, **case}), [], "the rows that are found")


HUGE: dict[str, Query] = {
    "k": {"k": 2**63},
    "offset": {"offset": 2**63},
    "version": {"version": 2**63},
    "float_k": {"k": 5.0},
}


@must("lance.query.huge.{}", operations=QUERY, clause="query-numbers", kind="hostile", each=HUGE)
@given(vector=st.sampled_from([{}, {"single_vector": [0, 1]}]))
def test_huge_numbers(catalog: LanceCatalog, case: Query, vector: Any) -> None:
    """QueryTable with a huge or fractional number ({}) returns 200, 400 or 404."""
    catalog.query_table(new_queried(catalog), **{"vector": vector, "k": 5, **case}, expect=(200, 400, 404))


# Plans


@must("lance.query.{}.text", clause="query-plan", each=PLANS, reads=True)
@given(vector=st.sampled_from([{}, {"single_vector": [1, 2]}]), filter=st.sampled_from([None, "id > 3"]))
def test_plan(catalog: LanceCatalog, case: Operation, vector: Any, filter: str | None) -> None:
    """{} returns a non-blank JSON string."""
    table = any_queried(catalog)
    plan = ask(catalog, case, table.id, table.fields(vector=vector, filter=filter)).json
    holds(text(plan, "the plan").strip(), "the plan is more than blanks")


@must("lance.query.explain.verbose", operations=EXPLAIN, clause="query-plan")
@given(verbose=st.booleans())
def test_verbose_plan(catalog: LanceCatalog, verbose: bool) -> None:
    """ExplainTableQueryPlan returns a non-blank plan with verbose on and off."""
    query = {"vector": {"single_vector": [1, 2]}, "k": 3}
    plan = catalog.explain_table_query_plan(new_queried(catalog), query=query, verbose=verbose).json
    holds(text(plan, "the plan").strip(), "the plan is more than blanks")


@must("lance.query.{}.no_change", clause="query-plan", each=PLANS, twin=True)
def test_plan_changes_nothing(catalog: LanceCatalog, case: Operation) -> None:
    """{} leaves the rows and the version of the table unchanged."""
    id = new_queried(catalog)
    version = catalog.version(id)
    ask(catalog, case, id, {"filter": "id > 3"})
    equal(catalog.version(id), version, "the version after the plan was told")
    same_items(ids(catalog.rows(id)), ids(ROWS), "the ids of the rows")


STEPS: dict[str, Query] = {
    "vector": {"vector": {"single_vector": [1, 2]}},
    "text": {"full_text_query": {"string_query": {"query": "red", "columns": ["color"]}}},
    "filter": {"filter": "n > 40"},
}
PLANNED = {f"{plan}.{name}": (plan, query) for plan in PLANS for name, query in STEPS.items()}


@should(
    "lance.query.{}.planned",
    operations=lambda case: [ALL[case[0]].id],
    clause="query-plan-of-query",
    each=PLANNED,
)
def test_plans_differ(catalog: LanceCatalog, case: tuple[str, Query]) -> None:
    """The plan of a query with a search or a filter ({}) has another number of lines than the plan of a scan."""
    id = new_queried(catalog)
    plan, query = case
    plain, other = ({"columns": {"column_names": ["id"]}, **query} for query in ({}, query))
    plans = [text(ask(catalog, ALL[plan], id, request).json, "the plan") for request in (plain, other)]
    without, lines = (content.count("\n") + 1 for content in plans)
    unequal(lines, without, "the number of lines of the plan")
