"""MergeInsertIntoTable: clauses, filters, other arguments and the response."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from conformance.author.checks import equal, same_items
from conformance.author.requirement import given, must, should
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.merging import (
    DELETE_FILTERS,
    SOURCE,
    TARGET,
    UPDATE_FILTERS,
    UPSERT,
    Clauses,
    Row,
    merged,
    new_target,
    rows_stream,
)
from conformance.lance.support.ordinary import accepts
from conformance.lance.support.versions import check_transaction

MERGE = ["MergeInsertIntoTable"]
COUNTS = ("num_updated_rows", "num_inserted_rows", "num_deleted_rows")


def check_rows(catalog: LanceCatalog, id: Names, expected: list[Row]) -> None:
    """Check the rows of a table, in any order."""
    same_items(catalog.rows(id), expected, "the rows of the table")


# Clauses


@must("lance.rows.merge.upsert", operations=MERGE, clause="merge-update")
def test_merge_upsert(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable with update and insert clauses updates matching rows and inserts the others."""
    id = new_target(catalog)
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **UPSERT)
    check_rows(catalog, id, [TARGET[0], *SOURCE])


@must("lance.rows.merge.update_only", operations=MERGE, clause="merge-update")
def test_merge_update_only(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable with when_matched_update_all alone updates matching rows and inserts none."""
    id = new_target(catalog)
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", when_matched_update_all=True)
    check_rows(catalog, id, [TARGET[0], *SOURCE[:2]])


@must("lance.rows.merge.insert_only", operations=MERGE, clause="merge-insert")
@given(update=st.sampled_from([None, False]))
def test_merge_insert_only(catalog: LanceCatalog, update: bool | None) -> None:
    """MergeInsertIntoTable with when_not_matched_insert_all alone inserts new rows and keeps matching rows."""
    id = new_target(catalog)
    clauses: dict[str, Any] = {"when_not_matched_insert_all": True, "when_matched_update_all": update}
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **clauses)
    check_rows(catalog, id, [*TARGET, SOURCE[2]])


@must("lance.rows.merge.delete", operations=MERGE, clause="merge-delete")
@given(matching=st.integers(0, 3))
def test_merge_delete(catalog: LanceCatalog, matching: int) -> None:
    """MergeInsertIntoTable with when_not_matched_by_source_delete deletes the target rows absent from the source."""
    id = new_target(catalog)
    source = rows_stream(TARGET[:matching])
    catalog.merge_insert_into_table(id, source, on="id", when_not_matched_by_source_delete=True)
    check_rows(catalog, id, TARGET[:matching])


@should("lance.rows.merge.update_filter", operations=MERGE, clause="merge-update-filter")
@given(bound=st.sampled_from([0, 20, 30]), side=st.sampled_from(["target.n > {}", "source.n > {}0"]))
def test_merge_update_filter(catalog: LanceCatalog, bound: int, side: str) -> None:
    """when_matched_update_all_filt limits a merge's updates to matching rows for which the filter holds."""
    id = new_target(catalog)
    clauses: dict[str, Any] = {**UPSERT, "when_matched_update_all_filt": side.format(bound)}
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **clauses)
    expected = [new if old["n"] > bound else old for old, new in zip(TARGET[1:], SOURCE[:2], strict=True)]
    check_rows(catalog, id, [TARGET[0], *expected, SOURCE[2]])


@must("lance.rows.merge.delete_filter", operations=MERGE, clause="merge-delete-filter")
@given(bound=st.integers(0, 3))
def test_merge_delete_filter(catalog: LanceCatalog, bound: int) -> None:
    """when_not_matched_by_source_delete_filt limits a merge's deletes to unmatched rows for which the filter holds."""
    id = new_target(catalog)
    clauses: dict[str, Any] = {
        "when_not_matched_by_source_delete": True,
        "when_not_matched_by_source_delete_filt": f"id <= {bound}",
    }
    catalog.merge_insert_into_table(id, rows_stream(TARGET[1:]), on="id", **clauses)
    check_rows(catalog, id, TARGET[min(bound, 1) :])


ROWS = st.dictionaries(st.integers(0, 4), st.sampled_from([None, 0, 1, 2]), max_size=4)


def _clauses(update_filters: st.SearchStrategy[str]) -> st.SearchStrategy[Clauses]:
    return st.builds(
        Clauses,
        update=st.booleans(),
        update_filter=update_filters,
        insert=st.booleans(),
        delete=st.booleans(),
        delete_filter=st.sampled_from(sorted(DELETE_FILTERS)),
    )


Numbers = dict[int, int | None]


def _check_like_model(catalog: LanceCatalog, target: Numbers, source: Numbers, clauses: Clauses) -> None:
    before = [{"id": key, "n": n, "name": "old"} for key, n in {0: 1, **target}.items()]
    given_rows = [{"id": key, "n": n, "name": "new"} for key, n in source.items()]
    id = new_target(catalog, before)
    answer = catalog.merge_insert_into_table(id, rows_stream(given_rows), on="id", **clauses.query())
    expected, counts = merged(before, given_rows, clauses)
    check_rows(catalog, id, expected)
    for name, count in zip(COUNTS, counts, strict=True):
        equal(answer.get(name, count), count, f"the {name}")


@must("lance.rows.merge.model", operations=MERGE, clause="merge-update", kind="model")
@given(target=ROWS, source=ROWS, clauses=_clauses(st.just("")))
def test_merge_like_model(catalog: LanceCatalog, target: Numbers, source: Numbers, clauses: Clauses) -> None:
    """For every combination of merge clauses, rows and counts match a reference merge."""
    _check_like_model(catalog, target, source, clauses)


@should(
    "lance.rows.merge.model_filtered",
    operations=MERGE,
    clause="merge-update-filter",
    kind="model",
    needs=["lance.rows.merge.update_filter"],
)
@given(target=ROWS, source=ROWS, clauses=_clauses(st.sampled_from(sorted(UPDATE_FILTERS))))
def test_filtered_merge_like_model(catalog: LanceCatalog, target: Numbers, source: Numbers, clauses: Clauses) -> None:
    """For every combination of merge clauses and filters, rows and counts match a reference merge."""
    _check_like_model(catalog, target, source, clauses)


@must("lance.rows.merge.no_clause", operations=MERGE, clause="merge-defaults")
def test_merge_without_clause(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable without any clause returns 400 or changes nothing."""
    id = new_target(catalog)
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", expect=(200, 400))
    check_rows(catalog, id, TARGET)


@must("lance.rows.merge.again", operations=MERGE, clause="merge-update")
def test_merge_again(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable repeated with the same upsert leaves the same rows."""
    id = new_target(catalog)
    for _ in range(2):
        catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **UPSERT)
    check_rows(catalog, id, [TARGET[0], *SOURCE])


@must("lance.rows.merge.declared", operations=MERGE, clause="merge-declared")
def test_merge_into_declared_table(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable with an insert clause on a declared-only table stores the source rows in it."""
    id = catalog.new_declared_table()
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **UPSERT)
    check_rows(catalog, id, SOURCE)


# Other arguments


def _bad_filters(row: str) -> dict[str, str]:
    return {
        "syntax": "(((",
        "column": f"{row}nowhere > 1",
        "type": f"{row}name + 1 > 2",
        "value": f"{row}n",
        "leftover": f"{row}name IS NOT NULL AN {row}n > 1000",
    }


@must(
    "lance.rows.merge.update_filter.{}",
    operations=MERGE,
    clause="merge-filters",
    kind="error",
    each=_bad_filters("target."),
)
def test_merge_bad_update_filter(catalog: LanceCatalog, case: str) -> None:
    """A merge with an invalid when_matched_update_all_filt ({}) returns 400 with code 13 and changes nothing."""
    _check_bad_filter(catalog, {**UPSERT, "when_matched_update_all_filt": case})


@must(
    "lance.rows.merge.delete_filter.{}", operations=MERGE, clause="merge-filters", kind="error", each=_bad_filters("")
)
def test_merge_bad_delete_filter(catalog: LanceCatalog, case: str) -> None:
    """A merge with an invalid when_not_matched_by_source_delete_filt ({}) returns 400 with code 13 and no change."""
    clauses = {"when_not_matched_by_source_delete": True, "when_not_matched_by_source_delete_filt": case}
    _check_bad_filter(catalog, clauses)


def _check_bad_filter(catalog: LanceCatalog, clauses: dict[str, Any]) -> None:
    accepts(catalog, "MergeInsertIntoTable")
    id = new_target(catalog)
    refused = catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **clauses, expect=400)
    equal(refused.code, 13, "the code of the error")
    check_rows(catalog, id, TARGET)


FLAGS = ("when_matched_update_all", "when_not_matched_insert_all", "when_not_matched_by_source_delete", "use_index")


@must(
    "lance.rows.merge.flag_type.{}",
    operations=MERGE,
    clause="request-schemas",
    kind="error",
    each={name: name for name in FLAGS},
)
def test_merge_flag_of_wrong_type(catalog: LanceCatalog, case: str) -> None:
    """MergeInsertIntoTable with a non-boolean {} returns 400 with code 13 and changes nothing."""
    accepts(catalog, "MergeInsertIntoTable")
    id = new_target(catalog)
    flags = {**UPSERT, case: "perhaps"}
    refused = catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **flags, expect=400)
    equal(refused.code, 13, "the code of the error")
    check_rows(catalog, id, TARGET)


@must("lance.rows.merge.timeout", operations=MERGE, clause="merge-timeout")
@given(timeout=st.sampled_from(["30s", "5m"]))
def test_merge_timeout(catalog: LanceCatalog, timeout: str) -> None:
    """MergeInsertIntoTable with a timeout of 30s or 5m merges the rows."""
    id = new_target(catalog)
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", timeout=timeout, **UPSERT)
    check_rows(catalog, id, [TARGET[0], *SOURCE])


BAD_TIMEOUTS = {"word": "soon", "no_unit": "30", "no_number": "s", "negative": "-5s", "unknown_unit": "5parsecs"}


@should("lance.rows.merge.timeout.{}", operations=MERGE, clause="merge-timeout-form", kind="error", each=BAD_TIMEOUTS)
def test_merge_bad_timeout(catalog: LanceCatalog, case: str) -> None:
    """MergeInsertIntoTable with an invalid timeout ({}) returns 400 with code 13 and changes nothing."""
    id = new_target(catalog)
    refused = catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", timeout=case, **UPSERT, expect=400)
    equal(refused.code, 13, "the code of the error")
    check_rows(catalog, id, TARGET)


@must("lance.rows.merge.use_index", operations=MERGE, clause="merge-use-index")
@given(indexed=st.booleans(), use_index=st.booleans())
def test_merge_with_index(catalog: LanceCatalog, indexed: bool, use_index: bool) -> None:
    """MergeInsertIntoTable has the same result for either use_index, with and without an index on the key."""
    id = new_target(catalog)
    if indexed:
        catalog.create_table_scalar_index(id, column="id", index_type="BTREE")
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", use_index=use_index, **UPSERT)
    check_rows(catalog, id, [TARGET[0], *SOURCE])


@must("lance.rows.merge.missing", operations=MERGE, clause="table-not-found", kind="error")
def test_merge_into_missing_table(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable on a missing table returns 404 with code 4 and creates no table."""
    id = catalog.table_id("missing")
    refused = catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **UPSERT, expect=404)
    equal(refused.code, 4, "the code of the error")
    catalog.table_exists(id, expect=404)


# The response


@should("lance.rows.merge.counts", operations=MERGE, clause="merge-answer")
def test_merge_tells_counts(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable returns the numbers of updated, inserted and deleted rows."""
    clauses = {**UPSERT, "when_not_matched_by_source_delete": True}
    answer = catalog.merge_insert_into_table(new_target(catalog), rows_stream(SOURCE), on="id", **clauses)
    for name, count in zip(COUNTS, (2, 1, 1), strict=True):
        equal(answer[name], count, f"the {name}")


@should("lance.rows.merge.version", operations=MERGE, clause="merge-answer")
def test_merge_tells_version(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable returns the latest version of the table, which it created."""
    id = new_target(catalog)
    answer = catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **UPSERT)
    equal(answer["version"], catalog.version(id), "the version in the answer")


@should("lance.rows.merge.transaction", operations=MERGE, clause="transaction-known")
def test_merge_transaction_is_known(catalog: LanceCatalog) -> None:
    """DescribeTransaction knows the transaction_id that MergeInsertIntoTable returns."""
    answer = catalog.merge_insert_into_table(new_target(catalog), rows_stream(SOURCE), on="id", **UPSERT)
    check_transaction(catalog, answer)
