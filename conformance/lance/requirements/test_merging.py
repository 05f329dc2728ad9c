"""MergeInsertIntoTable."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from conformance.author.checks import equal, same_items
from conformance.author.requirement import given, must, should
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.merge_model import DELETE_FILTERS, UPDATE_FILTERS, Clauses, Row, merged
from conformance.lance.support.merging import SOURCE, TARGET, UPSERT, new_target, rows_stream
from conformance.lance.support.ordinary import accepts
from conformance.lance.support.rows import check_transaction

MERGE = ["MergeInsertIntoTable"]
COUNTS = ("num_updated_rows", "num_inserted_rows", "num_deleted_rows")


def check_rows(catalog: LanceCatalog, id: Names, expected: list[Row]) -> None:
    """Check which rows a table has, in any order."""
    same_items(catalog.rows(id), expected, "the rows of the table")


# What the clauses do


@must("lance.rows.merge.upsert", operations=MERGE, clause="merge-update")
def test_merge_upsert(catalog: LanceCatalog) -> None:
    """Merging with both clauses updates the rows that match and inserts the others."""
    id = new_target(catalog)
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **UPSERT)
    check_rows(catalog, id, [TARGET[0], *SOURCE])


@must("lance.rows.merge.update_only", operations=MERGE, clause="merge-update")
def test_merge_update_only(catalog: LanceCatalog) -> None:
    """With when_matched_update_all alone the rows that match are updated and none is inserted."""
    id = new_target(catalog)
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", when_matched_update_all=True)
    check_rows(catalog, id, [TARGET[0], *SOURCE[:2]])


@must("lance.rows.merge.insert_only", operations=MERGE, clause="merge-insert")
@given(update=st.sampled_from([None, False]))
def test_merge_insert_only(catalog: LanceCatalog, update: bool | None) -> None:
    """With when_not_matched_insert_all alone new rows are inserted and those that match stay as they are."""
    id = new_target(catalog)
    clauses: dict[str, Any] = {"when_not_matched_insert_all": True, "when_matched_update_all": update}
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **clauses)
    check_rows(catalog, id, [*TARGET, SOURCE[2]])


@must("lance.rows.merge.delete", operations=MERGE, clause="merge-delete")
@given(matching=st.integers(0, 3))
def test_merge_delete(catalog: LanceCatalog, matching: int) -> None:
    """With when_not_matched_by_source_delete the rows that the request lacks are deleted, all if it has none."""
    id = new_target(catalog)
    source = rows_stream(TARGET[:matching])
    catalog.merge_insert_into_table(id, source, on="id", when_not_matched_by_source_delete=True)
    check_rows(catalog, id, TARGET[:matching])


@should("lance.rows.merge.update_filter", operations=MERGE, clause="merge-update-filter")
@given(bound=st.sampled_from([0, 20, 30]), side=st.sampled_from(["target.n > {}", "source.n > {}0"]))
def test_merge_update_filter(catalog: LanceCatalog, bound: int, side: str) -> None:
    """Only matching rows for which the filter holds, over target.COLUMN and source.COLUMN, are updated."""
    id = new_target(catalog)
    clauses: dict[str, Any] = {**UPSERT, "when_matched_update_all_filt": side.format(bound)}
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **clauses)
    expected = [new if old["n"] > bound else old for old, new in zip(TARGET[1:], SOURCE[:2], strict=True)]
    check_rows(catalog, id, [TARGET[0], *expected, SOURCE[2]])


@must("lance.rows.merge.delete_filter", operations=MERGE, clause="merge-delete-filter")
@given(bound=st.integers(0, 3))
def test_merge_delete_filter(catalog: LanceCatalog, bound: int) -> None:
    """Only unmatched rows for which the filter holds are deleted."""
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
    """Any clauses together leave the rows, and tell the counts, that a merge by hand leaves and tells."""
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
    """Any clauses with a filter over both rows leave what a merge by hand leaves."""
    _check_like_model(catalog, target, source, clauses)


@must("lance.rows.merge.no_clause", operations=MERGE, clause="merge-defaults")
def test_merge_without_clause(catalog: LanceCatalog) -> None:
    """Merging without a clause is refused with 400 or changes nothing: each of them is off by default."""
    id = new_target(catalog)
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", expect=(200, 400))
    check_rows(catalog, id, TARGET)


@must("lance.rows.merge.again", operations=MERGE, clause="merge-update")
def test_merge_again(catalog: LanceCatalog) -> None:
    """The same merge for the second time leaves the same rows."""
    id = new_target(catalog)
    for _ in range(2):
        catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **UPSERT)
    check_rows(catalog, id, [TARGET[0], *SOURCE])


@must("lance.rows.merge.declared", operations=MERGE, clause="merge-declared")
def test_merge_into_declared_table(catalog: LanceCatalog) -> None:
    """Merging into a table that was only declared makes the table of the rows."""
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
    """A filter of matching rows that cannot be evaluated ({}) is refused with 400 and code 13, and changes nothing."""
    _check_bad_filter(catalog, {**UPSERT, "when_matched_update_all_filt": case})


@must(
    "lance.rows.merge.delete_filter.{}", operations=MERGE, clause="merge-filters", kind="error", each=_bad_filters("")
)
def test_merge_bad_delete_filter(catalog: LanceCatalog, case: str) -> None:
    """A filter of unmatched rows that cannot be evaluated ({}) is refused with 400 and code 13, and changes nothing."""
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
    """The flag {} that is neither true nor false is refused with 400 and code 13, and changes nothing."""
    accepts(catalog, "MergeInsertIntoTable")
    id = new_target(catalog)
    flags = {**UPSERT, case: "perhaps"}
    refused = catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **flags, expect=400)
    equal(refused.code, 13, "the code of the error")
    check_rows(catalog, id, TARGET)


@must("lance.rows.merge.timeout", operations=MERGE, clause="merge-timeout")
@given(timeout=st.sampled_from(["30s", "5m"]))
def test_merge_timeout(catalog: LanceCatalog, timeout: str) -> None:
    """A merge that ends before its timeout is not touched by it."""
    id = new_target(catalog)
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", timeout=timeout, **UPSERT)
    check_rows(catalog, id, [TARGET[0], *SOURCE])


BAD_TIMEOUTS = {"word": "soon", "no_unit": "30", "no_number": "s", "negative": "-5s", "unknown_unit": "5parsecs"}


@should("lance.rows.merge.timeout.{}", operations=MERGE, clause="merge-timeout-form", kind="error", each=BAD_TIMEOUTS)
def test_merge_bad_timeout(catalog: LanceCatalog, case: str) -> None:
    """A timeout that is no number with a unit ({}) is refused with 400 and code 13, and nothing changes."""
    id = new_target(catalog)
    refused = catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", timeout=case, **UPSERT, expect=400)
    equal(refused.code, 13, "the code of the error")
    check_rows(catalog, id, TARGET)


@must("lance.rows.merge.use_index", operations=MERGE, clause="merge-use-index")
@given(indexed=st.booleans(), use_index=st.booleans())
def test_merge_with_index(catalog: LanceCatalog, indexed: bool, use_index: bool) -> None:
    """use_index changes nothing about the outcome, whether the key has an index or not."""
    id = new_target(catalog)
    if indexed:
        catalog.create_table_scalar_index(id, column="id", index_type="BTREE")
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", use_index=use_index, **UPSERT)
    check_rows(catalog, id, [TARGET[0], *SOURCE])


@must("lance.rows.merge.missing", operations=MERGE, clause="table-not-found", kind="error")
def test_merge_into_missing_table(catalog: LanceCatalog) -> None:
    """Merging into a table that does not exist is refused with 404 and code 4; none is created."""
    id = catalog.table_id("missing")
    refused = catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **UPSERT, expect=404)
    equal(refused.code, 4, "the code of the error")
    catalog.table_exists(id, expect=404)


# The answer


@should("lance.rows.merge.counts", operations=MERGE, clause="merge-answer")
def test_merge_tells_counts(catalog: LanceCatalog) -> None:
    """The answer tells how many rows were updated, inserted and deleted."""
    clauses = {**UPSERT, "when_not_matched_by_source_delete": True}
    answer = catalog.merge_insert_into_table(new_target(catalog), rows_stream(SOURCE), on="id", **clauses)
    for name, count in zip(COUNTS, (2, 1, 1), strict=True):
        equal(answer[name], count, f"the {name}")


@should("lance.rows.merge.version", operations=MERGE, clause="merge-answer")
def test_merge_tells_version(catalog: LanceCatalog) -> None:
    """The answer tells the version that the merge made, which is the latest of the table."""
    id = new_target(catalog)
    answer = catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **UPSERT)
    equal(answer["version"], catalog.version(id), "the version in the answer")


@should("lance.rows.merge.transaction", operations=MERGE, clause="transaction-known")
def test_merge_transaction_is_known(catalog: LanceCatalog) -> None:
    """A transaction_id in the answer is one that DescribeTransaction knows."""
    answer = catalog.merge_insert_into_table(new_target(catalog), rows_stream(SOURCE), on="id", **UPSERT)
    check_transaction(catalog, answer)
