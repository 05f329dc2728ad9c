"""MergeInsertIntoTable: keys, matching rows, and rows that do not fit the schema."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from conformance.author.checks import equal, one_of, same_items
from conformance.author.requirement import may, must, should
from conformance.author.strategies import COLUMN_NAMES
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import BROKEN_STREAMS, stream
from conformance.lance.support.columns import check_no_column
from conformance.lance.support.merging import SCHEMA, SOURCE, TARGET, UPSERT, Row, new_target, rows_stream
from conformance.lance.support.ordinary import accepts

MERGE = ["MergeInsertIntoTable"]


def _rows_are(catalog: LanceCatalog, id: Names, expected: list[Row]) -> None:
    same_items(catalog.rows(id), expected, "the rows of the table")


# Keys


@must("lance.rows.merge.on_required", operations=MERGE, clause="request-schemas", kind="error")
def test_merge_without_key(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable without `on` returns 400 with code 13 and changes nothing."""
    accepts(catalog, "MergeInsertIntoTable")
    id = new_target(catalog)
    refused = catalog.merge_insert_into_table(id, rows_stream(SOURCE), **UPSERT, expect=400)
    equal(refused.code, 13, "the code of the error")
    _rows_are(catalog, id, TARGET)


@must("lance.rows.merge.column_missing", operations=MERGE, clause="query-column", kind="error")
def test_merge_on_missing_column(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable on a missing column returns 404 with code 12 or 400 with code 13 and changes nothing."""
    accepts(catalog, "MergeInsertIntoTable")
    id = new_target(catalog)
    options = {**UPSERT, "on": "nowhere"}
    check_no_column(catalog.merge_insert_into_table(id, rows_stream(SOURCE), **options, expect=(400, 404)))
    _rows_are(catalog, id, TARGET)


@must("lance.rows.merge.source_key_missing", operations=MERGE, clause="merge-schema", kind="error")
def test_merge_rows_without_key(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable of rows without the key column returns 400 or 404 and changes nothing."""
    accepts(catalog, "MergeInsertIntoTable")
    id = new_target(catalog)
    rows = [{"n": 1, "name": "x"}]
    source = rows_stream(rows, pa.schema([SCHEMA.field("n"), SCHEMA.field("name")]))
    catalog.merge_insert_into_table(id, source, on="id", **UPSERT, expect=(400, 404))
    _rows_are(catalog, id, TARGET)


@should("lance.rows.merge.composite_key", operations=MERGE, clause="merge-composite-key")
def test_merge_on_two_columns(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable with `on` repeated matches rows only when all of these columns are equal."""
    id = new_target(catalog)
    source = [{"id": 2, "n": 20, "name": "both"}, {"id": 3, "n": 31, "name": "id only"}]
    catalog.merge_insert_into_table(id, rows_stream(source), on=["id", "n"], **UPSERT)
    _rows_are(catalog, id, [TARGET[0], TARGET[2], *source])


DOUBLED = [{"id": 2, "n": 1, "name": "one"}, {"id": 2, "n": 2, "name": "other"}]


@must("lance.rows.merge.doubled", operations=MERGE, clause="merge-doubled")
def test_merge_doubled_rows(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable with two source rows for one target row returns 400, or keeps one of the two."""
    id = new_target(catalog)
    answer = catalog.merge_insert_into_table(id, rows_stream(DOUBLED), on="id", **UPSERT, expect=(200, 400))
    rows = catalog.rows(id, filter="id = 2")
    allowed = [[row] for row in DOUBLED] if answer.succeeded else [[TARGET[1]]]
    one_of(rows, allowed, "the rows with the key 2")


@should(
    "lance.rows.merge.doubled_refused",
    operations=MERGE,
    clause="merge-doubled-refused",
    kind="error",
    needs=["lance.rows.merge.doubled"],
)
def test_merge_doubled_rows_refused(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable with two source rows for one target row returns 400 with code 13."""
    refused = catalog.merge_insert_into_table(new_target(catalog), rows_stream(DOUBLED), on="id", **UPSERT, expect=400)
    equal(refused.code, 13, "the code of the error")


@should("lance.rows.merge.null_key", operations=MERGE, clause="merge-null-key")
def test_merge_null_key(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable inserts a row with a null key and keeps existing rows with a null key."""
    nameless: Row = {"id": None, "n": 5, "name": "old"}
    id = new_target(catalog, [*TARGET, nameless])
    source: list[Row] = [{"id": None, "n": 6, "name": "new"}]
    catalog.merge_insert_into_table(id, rows_stream(source), on="id", **UPSERT)
    _rows_are(catalog, id, [*TARGET, nameless, *source])


KEY_NAMES = {**COLUMN_NAMES, "ampersand": "a&on=b", "comma": "a,b", "dollar": "a$b"}


@must("lance.rows.merge.key_name.{}", operations=MERGE, clause="merge-on", kind="hostile", each=KEY_NAMES)
def test_merge_on_odd_name(catalog: LanceCatalog, case: str) -> None:
    """MergeInsertIntoTable accepts a key column with an unusual name ({})."""
    id = catalog.new_table_of(pa.table({case: [1, 2], "n": [10, 20]}))
    catalog.merge_insert_into_table(id, stream(pa.table({case: [2, 3], "n": [200, 300]})), on=case, **UPSERT)
    same_items([row["n"] for row in catalog.rows(id)], [10, 200, 300], "the values of n")


# Rows that do not fit

WIDER = pa.table({"id": [2], "n": pa.array([1], pa.int32()), "name": ["x"], "extra": [True]})
MISFITS = {
    "other_type": pa.table({"id": [2], "n": ["one"], "name": ["x"]}),
    "other_key_type": pa.table({"id": ["two"], "n": pa.array([1], pa.int32()), "name": ["x"]}),
}


@must("lance.rows.merge.schema.{}", operations=MERGE, clause="merge-schema", kind="error", each=MISFITS)
def test_merge_misfit(catalog: LanceCatalog, case: Any) -> None:
    """MergeInsertIntoTable of rows that do not fit the schema ({}) returns 400 and changes nothing."""
    accepts(catalog, "MergeInsertIntoTable")
    id = new_target(catalog)
    catalog.merge_insert_into_table(id, stream(case), on="id", **UPSERT, expect=400)
    _rows_are(catalog, id, TARGET)


@must("lance.rows.merge.schema.extra_column", operations=MERGE, clause="merge-schema", kind="error")
def test_merge_extra_column(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable of rows with an extra column returns 400, or adds the column and merges them."""
    id = new_target(catalog)
    answer = catalog.merge_insert_into_table(id, stream(WIDER), on="id", **UPSERT, expect=(200, 400))
    if answer.status == 400:
        _rows_are(catalog, id, TARGET)
        return
    kept = [{**row, "extra": None} for row in TARGET if row["id"] != 2]
    _rows_are(catalog, id, [*kept, *WIDER.to_pylist()])


@must("lance.rows.merge.column_order", operations=MERGE, clause="merge-by-name")
def test_merge_other_column_order(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable of rows in another column order returns 400 or merges them by column name."""
    schema = pa.schema([("id", pa.int64()), ("a", pa.int64()), ("b", pa.int64())])
    id = catalog.new_table_of(pa.Table.from_pylist([{"id": 1, "a": 2, "b": 3}], schema=schema))
    source = pa.table({"b": [30], "a": [20], "id": [1]})
    answer = catalog.merge_insert_into_table(id, stream(source), on="id", **UPSERT, expect=(200, 400))
    expected = {"id": 1, "a": 20, "b": 30} if answer.succeeded else {"id": 1, "a": 2, "b": 3}
    equal(catalog.rows(id), [expected], "the rows of the table")


@may("lance.rows.merge.partial", operations=MERGE, clause="merge-partial")
def test_merge_some_columns(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable of rows without a nullable column keeps its old values and inserts null for new rows."""
    id = new_target(catalog)
    source = pa.table({"id": [2, 4], "name": ["new 2", "new 4"]})
    catalog.merge_insert_into_table(id, stream(source), on="id", **UPSERT)
    changed = [{**TARGET[1], "name": "new 2"}, {"id": 4, "n": None, "name": "new 4"}]
    _rows_are(catalog, id, [TARGET[0], TARGET[2], *changed])


@must("lance.rows.merge.stream.{}", operations=MERGE, clause="arrow-stream", kind="error", each=BROKEN_STREAMS)
def test_merge_broken_stream(catalog: LanceCatalog, case: bytes) -> None:
    """MergeInsertIntoTable with an invalid Arrow stream ({}) returns 400 with code 13 and changes nothing."""
    accepts(catalog, "MergeInsertIntoTable")
    id = new_target(catalog)
    refused = catalog.merge_insert_into_table(id, case, on="id", **UPSERT, expect=400)
    equal(refused.code, 13, "the code of the error")
    _rows_are(catalog, id, TARGET)
