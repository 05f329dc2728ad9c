"""InsertIntoTable and CountTableRows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from conformance.author.checks import equal, number, same_items, unequal
from conformance.author.requirement import given, must, should
from conformance.author.strategies import row_counts, spellings, tables
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import BROKEN_STREAMS, stream
from conformance.lance.support.ordinary import accepts
from conformance.lance.support.queries import any_queried
from conformance.lance.support.rows import BAD_PREDICATES
from conformance.lance.support.versions import check_transaction
from conformance.values.outcomes import Skipped

INSERT = ["InsertIntoTable"]
COUNT = ["CountTableRows"]
INSERTED = "the num_inserted_rows"
MOST_READ = 1000  # rows of an existing table


# InsertIntoTable


@must("lance.rows.insert.append", operations=INSERT, clause="insert-append")
@given(rows=row_counts(), mode=spellings("Append"))
def test_insert_append(catalog: LanceCatalog, rows: int, mode: str) -> None:
    """InsertIntoTable in mode Append adds the rows of the stream."""
    id = catalog.new_table(rows=3)
    catalog.insert_into_table(id, stream(tables(rows, first=3)), mode=mode)
    equal(catalog.count_table_rows(id).json, 3 + rows, "the count of rows")


@must("lance.rows.insert.default_mode", operations=INSERT, clause="insert-append")
def test_insert_without_mode(catalog: LanceCatalog) -> None:
    """InsertIntoTable without a mode adds the rows of the stream."""
    id = catalog.new_table(rows=3)
    catalog.insert_into_table(id, stream(tables(2)))
    equal(catalog.count_table_rows(id).json, 5, "the count of rows")


@must("lance.rows.insert.overwrite", operations=INSERT, clause="insert-overwrite")
@given(mode=spellings("Overwrite"))
def test_insert_overwrite(catalog: LanceCatalog, mode: str) -> None:
    """InsertIntoTable in mode Overwrite replaces all rows by those of the stream."""
    id = catalog.new_table(rows=5)
    catalog.insert_into_table(id, stream(tables(2, first=100)), mode=mode)
    equal(catalog.count_table_rows(id).json, 2, "the count of rows")
    equal(catalog.count_table_rows(id, predicate="id >= 100").json, 2, "the count of rows")


@must("lance.rows.insert.mode_unknown", operations=INSERT, clause="modes-closed", kind="error")
def test_insert_unknown_mode(catalog: LanceCatalog) -> None:
    """InsertIntoTable with an unknown mode returns 400 with code 13 and inserts nothing."""
    accepts(catalog, "InsertIntoTable")
    id = catalog.new_table(rows=3)
    refused = catalog.insert_into_table(id, stream(tables(1)), mode="Perhaps", expect=400)
    equal(refused.code, 13, "the code of the error")
    equal(catalog.count_table_rows(id).json, 3, "the count of rows")


@must("lance.rows.insert.missing", operations=INSERT, clause="table-not-found", kind="error")
def test_insert_into_missing_table(catalog: LanceCatalog) -> None:
    """InsertIntoTable on a missing table returns 404 with code 4 and creates no table."""
    id = catalog.table_id("missing")
    refused = catalog.insert_into_table(id, stream(tables(1)), expect=404)
    equal(refused.code, 4, "the code of the error")
    catalog.table_exists(id, expect=404)


@must("lance.rows.insert.declared", operations=INSERT, clause="insert-declared")
def test_insert_into_declared_table(catalog: LanceCatalog) -> None:
    """InsertIntoTable on a declared-only table stores the rows in it."""
    id = catalog.new_declared_table()
    catalog.insert_into_table(id, stream(tables(3)))
    equal(catalog.count_table_rows(id).json, 3, "the count of rows")


MODES = {"append": "Append", "overwrite": "Overwrite"}


@must("lance.rows.insert.count.{}", operations=INSERT, clause="insert-count", each=MODES)
@given(rows=row_counts())
def test_insert_counts_its_rows(catalog: LanceCatalog, case: str, rows: int) -> None:
    """The num_inserted_rows of InsertIntoTable in mode {}, if returned, is the number of rows in the stream."""
    id = catalog.new_table(rows=3)
    answer = catalog.insert_into_table(id, stream(tables(rows, first=3)), mode=case)
    equal(answer.get("num_inserted_rows", rows), rows, INSERTED)


@must("lance.rows.insert.count.declared", operations=INSERT, clause="insert-count")
def test_insert_counts_the_rows_of_a_declared_table(catalog: LanceCatalog) -> None:
    """The num_inserted_rows of InsertIntoTable on a declared-only table, if returned, is the number of its rows."""
    answer = catalog.insert_into_table(catalog.new_declared_table(), stream(tables(3)))
    equal(answer.get("num_inserted_rows", 3), 3, INSERTED)


@must("lance.rows.insert.version", operations=INSERT, clause="insert-version")
@given(mode=st.sampled_from(sorted(MODES.values())))
def test_insert_returns_its_version(catalog: LanceCatalog, mode: str) -> None:
    """The version of InsertIntoTable, if returned, is the latest version of the table, which the insert created."""
    id = catalog.new_table(rows=3)
    before = catalog.version(id)
    answer = catalog.insert_into_table(id, stream(tables(2, first=3)), mode=mode)
    latest = catalog.version(id)
    unequal(latest, before, "the version of the table")
    equal(answer.get("version", latest), latest, "the version in the answer")


@should("lance.rows.insert.told", operations=INSERT, clause="insert-answer")
def test_insert_tells_count_and_version(catalog: LanceCatalog) -> None:
    """InsertIntoTable returns the number of inserted rows and the version that they created."""
    id = catalog.new_table(rows=3)
    answer = catalog.insert_into_table(id, stream(tables(2, first=3)))
    equal(answer.get("num_inserted_rows"), 2, INSERTED)
    equal(answer.get("version"), catalog.version(id), "the version in the answer")


WIDER = pa.table({"id": [1], "name": ["x"], "extra": [True]})
MISFITS = {
    "other_column": pa.table({"another": [1.5]}),
    "other_type": pa.table({"id": ["one"], "name": ["x"]}),
}


@must("lance.rows.insert.schema.{}", operations=INSERT, clause="insert-schema", kind="error", each=MISFITS)
def test_insert_misfit(catalog: LanceCatalog, case: Any) -> None:
    """InsertIntoTable of rows that do not fit the schema ({}) returns 400 with code 20 and inserts nothing."""
    accepts(catalog, "InsertIntoTable")
    id = catalog.new_table(rows=3)
    refused = catalog.insert_into_table(id, stream(case), expect=400)
    equal(refused.code, 20, "the code of the error")
    equal(catalog.count_table_rows(id).json, 3, "the count of rows")


@must("lance.rows.insert.schema.extra_column", operations=INSERT, clause="insert-schema", kind="error")
def test_insert_extra_column(catalog: LanceCatalog) -> None:
    """InsertIntoTable of rows with an extra column returns 400 with code 20, or adds the column and the rows."""
    id = catalog.new_table(rows=3)
    answer = catalog.insert_into_table(id, stream(WIDER), expect=(200, 400))
    if answer.status == 400:
        equal(answer.code, 20, "the code of the error")
        equal(catalog.count_table_rows(id).json, 3, "the count of rows")
        return
    rows = [*tables(3).append_column("extra", pa.nulls(3, pa.bool_())).to_pylist(), *WIDER.to_pylist()]
    same_items(catalog.rows(id), rows, "the rows of the table")


@must("lance.rows.insert.stream.{}", operations=INSERT, clause="arrow-stream", kind="error", each=BROKEN_STREAMS)
def test_insert_broken_stream(catalog: LanceCatalog, case: bytes) -> None:
    """InsertIntoTable with an invalid Arrow stream ({}) returns 400 with code 13 and inserts nothing."""
    accepts(catalog, "InsertIntoTable")
    id = catalog.new_table(rows=3)
    refused = catalog.insert_into_table(id, case, expect=400)
    equal(refused.code, 13, "the code of the error")
    equal(catalog.count_table_rows(id).json, 3, "the count of rows")


# CountTableRows


@must("lance.rows.count.all", operations=[*COUNT, "QueryTable"], clause="count-version", reads=True)
def test_count_of_all_rows(catalog: LanceCatalog) -> None:
    """CountTableRows without a predicate returns the number of rows that QueryTable returns without a filter."""
    table = any_queried(catalog)
    count = number(catalog.count_table_rows(table.id, **table.fields()).json, "the count of rows")
    if count > MOST_READ:
        raise Skipped(
            f"the table has {count:,} rows, and this reads {MOST_READ:,} at most", "--table with a smaller one"
        )
    equal(count, len(catalog.rows(table.id, k=MOST_READ + 1, **table.fields())), "the count of rows")


@must("lance.rows.count.predicate", operations=COUNT, clause="count-predicate")
@given(bound=st.integers(-1, 4))
def test_count_with_predicate(catalog: LanceCatalog, bound: int) -> None:
    """CountTableRows with a predicate counts the matching rows only."""
    id = catalog.new_table(rows=3)
    equal(
        catalog.count_table_rows(id, predicate=f"id >= {bound}").json,
        min(3, max(0, 3 - max(bound, 0))),
        "the count of rows",
    )


@must("lance.rows.count.version", operations=COUNT, clause="count-version")
def test_count_old_version(catalog: LanceCatalog) -> None:
    """CountTableRows with a version counts the rows of that version, otherwise those of the latest."""
    id = catalog.new_table(rows=3)
    first = catalog.describe_table(id, _query={"load_detailed_metadata": True})["version"]
    catalog.insert_into_table(id, stream(tables(2)))
    equal(catalog.count_table_rows(id, version=first).json, 3, "the count of rows")
    equal(catalog.count_table_rows(id).json, 5, "the count of rows")


@must(
    "lance.rows.count.predicate.{}",
    operations=COUNT,
    clause="predicate-invalid",
    kind="error",
    each=BAD_PREDICATES,
)
def test_count_with_bad_predicate(catalog: LanceCatalog, case: str) -> None:
    """CountTableRows with an invalid predicate ({}) returns 400 with code 13."""
    id = catalog.new_table()
    catalog.control(lambda: catalog.count_table_rows(id, predicate="id >= 1"))
    refused = catalog.count_table_rows(id, predicate=case, expect=400)
    equal(refused.code, 13, "the code of the error")


@should("lance.rows.insert.fresh", operations=[*INSERT, *COUNT], clause="read-your-writes")
@given(steps=st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_inserts_are_counted_at_once(catalog: LanceCatalog, steps: list[int]) -> None:
    """CountTableRows counts the rows of an insert as soon as the insert has returned."""
    id = catalog.new_table(rows=1)
    expected = 1
    for rows in steps:
        catalog.insert_into_table(id, stream(tables(rows)))
        expected += rows
        equal(catalog.count_table_rows(id).json, expected, "the count of rows")


@should("lance.rows.insert.transaction", operations=INSERT, clause="transaction-known")
def test_insert_transaction_is_known(catalog: LanceCatalog) -> None:
    """DescribeTransaction knows the transaction_id that InsertIntoTable returns."""
    check_transaction(catalog, catalog.insert_into_table(catalog.new_table(), stream(tables(1))))


ON_ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "insert": ("InsertIntoTable", {"data": stream(tables(1))}),
    "merge": ("MergeInsertIntoTable", {"data": stream(tables(1)), "query": {"on": "id"}}),
    "count": ("CountTableRows", {"body": {}}),
    "update": ("UpdateTable", {"body": {"updates": [["name", "'new'"]]}}),
    "delete": ("DeleteFromTable", {"body": {"predicate": "true"}}),
}


@should(
    "lance.rows.{}.namespace_code",
    operations=lambda case: [case[0]],
    clause="namespace-before-table",
    kind="error",
    each=ON_ROWS,
    reads=True,
)
def test_rows_in_missing_namespace(catalog: LanceCatalog, case: tuple[str, dict[str, Any]]) -> None:
    """A request to {} rows of a table in a missing namespace returns 404 with code 1, not 4."""
    catalog.require_namespaces()
    operation, arguments = case
    refused = catalog.send(operation, (*catalog.missing_namespace(), "t"), expect=404, **arguments)
    equal(refused.code, 1, "the code of the error")
