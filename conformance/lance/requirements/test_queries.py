"""QueryTable without a vector or a text, and what holds for every query and its plans."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from conformance.author.checks import distinct, equal, holds, same_items, text, unequal, within
from conformance.author.requirement import given, must, should
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import read_file, read_rows, stream
from conformance.lance.support.queries import ALL, EXPLAIN, PLANS, QUERY, Query, ask
from conformance.lance.support.query_model import FILTERS, ROWS, SCHEMA, ids, matching, new_queried, search, told
from specs.openapi import Operation

FILE_TYPE = "application/vnd.apache.arrow.file"


# Rows


@must("lance.query.filter", operations=QUERY, clause="query-filter")
@given(filter=st.sampled_from(sorted(FILTERS)))
def test_filter(catalog: LanceCatalog, filter: str) -> None:
    """A query with a filter finds exactly the rows for which it holds, with all their columns."""
    rows = catalog.rows(new_queried(catalog), **told(filter=filter or None))
    same_items(ids(rows), ids(matching(filter)), "the ids of the rows")
    for row in rows:
        equal(row, ROWS[row["id"]], f"the row {row['id']}")


@must("lance.query.k", operations=QUERY, clause="query-k")
@given(k=st.sampled_from([1, 5, 11, 12, 13, 1000]), filter=st.sampled_from(["", "id >= 7"]))
def test_k(catalog: LanceCatalog, k: int, filter: str) -> None:
    """A query gives back k rows, fewer only where there are no more."""
    rows = catalog.rows(new_queried(catalog), k=k, **told(filter=filter or None))
    equal(len(rows), min(k, len(matching(filter))), "the number of rows")
    within(ids(rows), ids(matching(filter)), "the ids of the rows")


MANY = 1500


@must("lance.query.k_large", operations=QUERY, clause="query-k")
def test_large_k(catalog: LanceCatalog) -> None:
    """A query gives back as many rows as k says, also where that is more than a thousand."""
    id = catalog.new_table_of(pa.table({"id": pa.array(range(MANY), pa.int64())}))
    equal(len(catalog.rows(id, k=MANY - 1)), MANY - 1, "the number of rows")
    equal(sorted(ids(catalog.rows(id, k=2 * MANY))), list(range(MANY)), "the ids of the rows")


@should("lance.query.k_zero.{}", operations=QUERY, clause="query-k-zero", each={"scan": {}, "vector": [0.0, 1.0]})
def test_k_zero(catalog: LanceCatalog, case: Any) -> None:
    """Where k is 0, no row is given back ({})."""
    vector = {"single_vector": case} if case else {}
    equal(catalog.rows(new_queried(catalog), k=0, vector=vector), [], "the rows that are found")


@must("lance.query.offset", operations=QUERY, clause="query-offset")
@given(k=st.sampled_from([1, 5, 20]), offset=st.sampled_from([0, 1, 10, 12, 40]))
def test_offset(catalog: LanceCatalog, k: int, offset: int) -> None:
    """With an offset, that many rows are left out first."""
    rows = catalog.rows(new_queried(catalog), k=k, offset=offset)
    equal(len(rows), min(k, max(0, len(ROWS) - offset)), "the number of rows")


@should("lance.query.pages", operations=QUERY, clause="query-offset")
@given(k=st.sampled_from([1, 5, 7]), filter=st.sampled_from(["", "n > 40"]))
def test_pages(catalog: LanceCatalog, k: int, filter: str) -> None:
    """Pages of k rows, taken by offset, have every row once."""
    id, expected = new_queried(catalog), ids(matching(filter))
    pages = [catalog.rows(id, k=k, offset=start, **told(filter=filter or None)) for start in range(0, len(ROWS), k)]
    same_items(ids([row for page in pages for row in page]), expected, "the ids of the rows of all pages")


@should("lance.query.no_vector.{}", operations=QUERY, clause="query-vector-optional", each={"null": None, "absent": ()})
def test_without_vector(catalog: LanceCatalog, case: Any) -> None:
    """A query whose vector is {} is one without a vector, or lacks a field that the document requires: then 400."""
    body: Query = {"k": 100, "filter": "id >= 7", **({"vector": None} if case is None else {})}
    answer = catalog.query_table(new_queried(catalog), **body, expect=200 if case is None else (200, 400))
    if answer.status == 400:
        catalog.check_invalid(answer)
        return
    same_items(ids(read_rows(answer.body)), [7, 8, 9, 10, 11], "the ids of the rows")


@must("lance.query.row_id", operations=QUERY, clause="query-row-id")
@given(vector=st.booleans(), asked=st.sampled_from([True, False, None]))
def test_row_id(catalog: LanceCatalog, vector: bool, asked: bool | None) -> None:
    """With with_row_id every row has an id of its own in the column _rowid, otherwise none has."""
    id, options = new_queried(catalog), told(with_row_id=asked, columns={"column_names": ["id"]})
    rows = search(catalog, id, (0, 0), k=100, **options) if vector else catalog.rows(id, **options)
    row_ids = [row["_rowid"] for row in rows if row.get("_rowid") is not None]
    equal(len(rows), len(ROWS), "the number of rows")
    equal(len(row_ids), len(ROWS) if asked else 0, "the number of rows with a _rowid")
    distinct(row_ids, "the column _rowid")


@must("lance.query.version", operations=QUERY, clause="query-version")
def test_version(catalog: LanceCatalog) -> None:
    """With a version the rows of that version are found, otherwise those of the latest."""
    id = new_queried(catalog, ROWS[:4])
    first = catalog.version(id)
    catalog.insert_into_table(id, stream(pa.Table.from_pylist(ROWS[4:6], schema=SCHEMA)))
    same_items(ids(catalog.rows(id, version=first)), [0, 1, 2, 3], "the ids of the rows of the first version")
    same_items(ids(catalog.rows(id)), [0, 1, 2, 3, 4, 5], "the ids of the rows of the latest version")


@must("lance.query.arrow_file", operations=QUERY, clause="query-arrow-file")
def test_arrow_file(catalog: LanceCatalog) -> None:
    """The answer is an Arrow file of its media type, with the table's columns in their types."""
    answer = catalog.query_table(new_queried(catalog), vector={}, k=5)
    equal(answer.header("content-type").partition(";")[0], FILE_TYPE, "the media type")
    schema = read_file(answer.body).schema
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
    """In a table without rows nothing is found ({})."""
    equal(catalog.rows(new_queried(catalog, []), **{"k": 5, **case}), [], "the rows that are found")


HUGE: dict[str, Query] = {
    "k": {"k": 2**63},
    "offset": {"offset": 2**63},
    "version": {"version": 2**63},
    "float_k": {"k": 5.0},
}


@must("lance.query.huge.{}", operations=QUERY, clause="query-numbers", kind="hostile", each=HUGE)
@given(vector=st.sampled_from([{}, {"single_vector": [0, 1]}]))
def test_huge_numbers(catalog: LanceCatalog, case: Query, vector: Any) -> None:
    """A number beyond all rows is listened to or refused, never an internal error ({})."""
    catalog.query_table(new_queried(catalog), **{"vector": vector, "k": 5, **case}, expect=(200, 400, 404))


# Plans


@must("lance.query.{}.text", clause="query-plan", each=PLANS)
@given(vector=st.sampled_from([{}, {"single_vector": [1, 2]}]), filter=st.sampled_from([None, "id > 3"]))
def test_plan(catalog: LanceCatalog, case: Operation, vector: Any, filter: str | None) -> None:
    """The answer to {} is a string of JSON with something in it."""
    plan = ask(catalog, case, new_queried(catalog), told(vector=vector, filter=filter)).json
    holds(text(plan, "the plan").strip(), "the plan is more than blanks")


@must("lance.query.explain.verbose", operations=EXPLAIN, clause="query-plan")
@given(verbose=st.booleans())
def test_verbose_plan(catalog: LanceCatalog, verbose: bool) -> None:
    """A plan is told with verbose on or off."""
    query = {"vector": {"single_vector": [1, 2]}, "k": 3}
    plan = catalog.explain_table_query_plan(new_queried(catalog), query=query, verbose=verbose).json
    holds(text(plan, "the plan").strip(), "the plan is more than blanks")


@must("lance.query.{}.no_change", clause="query-plan", each=PLANS)
def test_plan_changes_nothing(catalog: LanceCatalog, case: Operation) -> None:
    """Asking for a plan ({}) leaves the table with its rows and its version."""
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
    """The plan of a query with more to do than reading rows ({}) has other steps than that of reading them."""
    id = new_queried(catalog)
    plan, query = case
    plain, other = ({"columns": {"column_names": ["id"]}, **query} for query in ({}, query))
    plans = [text(ask(catalog, ALL[plan], id, request).json, "the plan") for request in (plain, other)]
    without, lines = (content.count("\n") + 1 for content in plans)
    unequal(lines, without, "the number of lines of the plan")
