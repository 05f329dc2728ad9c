"""UpdateTable and DeleteFromTable."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from conformance.author.checks import equal, same_items
from conformance.author.requirement import given, must, should
from conformance.author.strategies import COLUMN_NAMES, tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.columns import check_no_column
from conformance.lance.support.ordinary import accepts
from conformance.lance.support.rows import BAD_PREDICATES
from conformance.lance.support.versions import check_transaction
from conformance.values.outcomes import Unoffered

COUNT = ["CountTableRows"]
UPDATE = ["UpdateTable"]
DELETE = ["DeleteFromTable"]


def _check_rows(catalog: LanceCatalog, id: Names, expected: list[tuple[int, str]]) -> None:
    """Check the rows of a table made of `tables()`, in any order."""
    rows = [(row["id"], row["name"]) for row in catalog.rows(id)]
    same_items(rows, expected, "the rows of the table")


# UpdateTable


@must("lance.rows.update.all", operations=UPDATE, clause="update-table")
@given(body=st.sampled_from([{}, {"predicate": None}]))
def test_update_all_rows(catalog: LanceCatalog, body: dict[str, None]) -> None:
    """UpdateTable without a predicate, or with null, updates every row and counts them in updated_rows."""
    id = catalog.new_table(rows=3)
    answer = catalog.update_table(id, updates=[["name", "'new'"]], **body)
    _check_rows(catalog, id, [(0, "new"), (1, "new"), (2, "new")])
    equal(answer["updated_rows"], 3, "the updated_rows")


@must("lance.rows.update.predicate", operations=UPDATE, clause="update-predicate")
@given(bound=st.integers(-1, 3))
def test_update_with_predicate(catalog: LanceCatalog, bound: int) -> None:
    """UpdateTable with a predicate updates the matching rows only and counts them in updated_rows."""
    id = catalog.new_table(rows=3)
    answer = catalog.update_table(id, updates=[["name", "'new'"]], predicate=f"id > {bound}")
    expected = [(i, "new" if i > bound else f"row {i}") for i in range(3)]
    _check_rows(catalog, id, expected)
    equal(answer["updated_rows"], sum(i > bound for i in range(3)), "the updated_rows")


@must("lance.rows.update.expression", operations=UPDATE, clause="update-table")
def test_update_by_expressions(catalog: LanceCatalog) -> None:
    """UpdateTable computes new values by SQL expressions over any column, NULL included."""
    id = catalog.new_table_of(pa.table({"id": [1, 2], "a": [10, 20], "b": [7, 7], "c": ["x", "y"]}))
    catalog.update_table(id, updates=[["a", "a + id"], ["b", "NULL"], ["c", "'it''s ' || c"]])
    expected = [{"id": 1, "a": 11, "b": None, "c": "it's x"}, {"id": 2, "a": 22, "b": None, "c": "it's y"}]
    same_items(catalog.rows(id), expected, "the rows of the table")


@must("lance.rows.update.old_values", operations=UPDATE, clause="update-old-values")
def test_update_swaps(catalog: LanceCatalog) -> None:
    """UpdateTable evaluates all expressions on the old row: it can swap two columns."""
    id = catalog.new_table_of(pa.table({"id": [1, 2], "a": [10, 20], "b": [30, 40]}))
    catalog.update_table(id, updates=[["a", "b"], ["b", "a"]], predicate="id = 2")
    expected = [{"id": 1, "a": 10, "b": 30}, {"id": 2, "a": 40, "b": 20}]
    same_items(catalog.rows(id), expected, "the rows of the table")


QUOTED = {**COLUMN_NAMES, "double_quote": 'a"b'}


@must("lance.rows.update.column_name.{}", operations=UPDATE, clause="update-table", kind="hostile", each=QUOTED)
def test_update_odd_column(catalog: LanceCatalog, case: str) -> None:
    """UpdateTable updates a column with an unusual name ({})."""
    id = catalog.new_table_of(pa.table({"id": [1, 2], case: [10, 20]}))
    catalog.update_table(id, updates=[[case, "id + 5"]])
    same_items([row[case] for row in catalog.rows(id)], [6, 7], "the values of the column")


@must("lance.rows.update.column_missing", operations=UPDATE, clause="query-column", kind="error")
def test_update_missing_column(catalog: LanceCatalog) -> None:
    """UpdateTable of a missing column returns 404 with code 12 or 400 with code 13 and changes nothing."""
    accepts(catalog, "UpdateTable")
    id = catalog.new_table(rows=2)
    check_no_column(catalog.update_table(id, updates=[["name", "'new'"], ["nowhere", "1"]], expect=(400, 404)))
    _check_rows(catalog, id, [(0, "row 0"), (1, "row 1")])


BAD_EXPRESSIONS = {
    "syntax": "(((",
    "empty": "",
    "column": "nowhere + 1",
    "function": "no_such_function(id)",
    "type": "'text'",
    "row_type": "name",
    "several": "id + 1, id",
}


@must(
    "lance.rows.update.expression.{}",
    operations=UPDATE,
    clause="update-expressions",
    kind="error",
    each=BAD_EXPRESSIONS,
)
def test_update_with_bad_expression(catalog: LanceCatalog, case: str) -> None:
    """UpdateTable with an invalid expression ({}) returns 400 with code 13 and changes nothing."""
    _check_bad_update(catalog, updates=[["id", case]])


@must(
    "lance.rows.update.predicate.{}", operations=UPDATE, clause="predicate-invalid", kind="error", each=BAD_PREDICATES
)
def test_update_with_bad_predicate(catalog: LanceCatalog, case: str) -> None:
    """UpdateTable with an invalid predicate ({}) returns 400 with code 13 and changes nothing."""
    _check_bad_update(catalog, updates=[["name", "'new'"]], predicate=case)


BAD_UPDATES = {
    "absent": {},
    "null": {"updates": None},
    "object": {"updates": {"name": "'new'"}},
    "no_pair": {"updates": ["name", "'new'"]},
    "single": {"updates": [["name"]]},
    "triple": {"updates": [["name", "'new'", "'newer'"]]},
    "number": {"updates": [["name", 17]]},
}


@must("lance.rows.update.shape.{}", operations=UPDATE, clause="request-schemas", kind="error", each=BAD_UPDATES)
def test_update_of_wrong_shape(catalog: LanceCatalog, case: dict[str, Any]) -> None:
    """UpdateTable whose updates are not a list of string pairs ({}) returns 400 with code 13 and changes nothing."""
    _check_bad_update(catalog, **case)


def _check_bad_update(catalog: LanceCatalog, **body: Any) -> None:
    accepts(catalog, "UpdateTable")
    id = catalog.new_table(rows=2)
    refused = catalog.update_table(id, expect=400, **body)
    equal(refused.code, 13, "the code of the error")
    _check_rows(catalog, id, [(0, "row 0"), (1, "row 1")])


@must("lance.rows.update.nothing", operations=UPDATE, clause="update-table")
def test_update_of_nothing(catalog: LanceCatalog) -> None:
    """UpdateTable with an empty list of updates returns 400 or changes nothing."""
    id = catalog.new_table(rows=2)
    catalog.update_table(id, updates=[], expect=(200, 400))
    _check_rows(catalog, id, [(0, "row 0"), (1, "row 1")])


@must("lance.rows.update.version", operations=UPDATE, clause="update-version")
def test_update_tells_version(catalog: LanceCatalog) -> None:
    """UpdateTable returns the latest version of the table, which it created."""
    id = catalog.new_table(rows=2)
    answer = catalog.update_table(id, updates=[["name", "'new'"]])
    equal(answer["version"], catalog.version(id), "the version in the answer")


@must("lance.rows.update.history", operations=[*UPDATE, *COUNT], clause="count-version")
def test_update_keeps_old_version(catalog: LanceCatalog) -> None:
    """After UpdateTable, the version before it still has the old values."""
    id = catalog.new_table(rows=3)
    before = catalog.version(id)
    catalog.update_table(id, updates=[["name", "'new'"]])
    equal(catalog.count_table_rows(id, predicate="name = 'new'").json, 3, "the count of rows")
    equal(catalog.count_table_rows(id, version=before, predicate="name = 'new'").json, 0, "the count of rows")


@should("lance.rows.update.properties", operations=UPDATE, clause="update-properties")
def test_update_properties(catalog: LanceCatalog) -> None:
    """On servers that store table properties, UpdateTable stores the properties of the request and returns them."""
    id = catalog.new_declared_table(properties={"owner": "somebody"})
    catalog.insert_into_table(id, stream(tables(1)))
    if not catalog.describe_table(id).get("properties"):
        raise Unoffered("the server keeps no properties of tables")
    answer = catalog.update_table(id, updates=[["name", "'new'"]], properties={"colour": "green"})
    for description in (answer, catalog.describe_table(id)):
        equal((description.get("properties") or {}).get("colour"), "green", "the property colour")


@should("lance.rows.update.transaction", operations=UPDATE, clause="transaction-known")
def test_update_transaction_is_known(catalog: LanceCatalog) -> None:
    """DescribeTransaction knows the transaction_id that UpdateTable returns."""
    check_transaction(catalog, catalog.update_table(catalog.new_table(), updates=[["name", "'new'"]]))


@should("lance.rows.update.declared", operations=UPDATE, clause="rows-of-declared", kind="error")
def test_update_declared_table(catalog: LanceCatalog) -> None:
    """UpdateTable on a declared-only table returns 409 with code 19."""
    refused = catalog.update_table(catalog.new_declared_table(), updates=[["name", "'new'"]], expect=409)
    equal(refused.code, 19, "the code of the error")


# DeleteFromTable


@must("lance.rows.delete.predicate", operations=DELETE, clause="delete-rows")
@given(bound=st.integers(-1, 3))
def test_delete_rows(catalog: LanceCatalog, bound: int) -> None:
    """DeleteFromTable deletes exactly the rows that match the predicate."""
    id = catalog.new_table(rows=3)
    catalog.delete_from_table(id, predicate=f"id > {bound}")
    _check_rows(catalog, id, [(i, f"row {i}") for i in range(3) if i <= bound])


@must("lance.rows.delete.all", operations=DELETE, clause="delete-rows")
def test_delete_all_rows(catalog: LanceCatalog) -> None:
    """DeleteFromTable of all rows keeps the table, and later inserts add rows to it."""
    id = catalog.new_table(rows=3)
    catalog.delete_from_table(id, predicate="true")
    equal(catalog.count_table_rows(id).json, 0, "the count of rows")
    catalog.insert_into_table(id, stream(tables(2)))
    _check_rows(catalog, id, [(0, "row 0"), (1, "row 1")])


PREDICATE_SHAPES = {"absent": {}, "null": {"predicate": None}, "boolean": {"predicate": True}}


@must("lance.rows.delete.shape.{}", operations=DELETE, clause="request-schemas", kind="error", each=PREDICATE_SHAPES)
def test_delete_without_predicate(catalog: LanceCatalog, case: dict[str, Any]) -> None:
    """DeleteFromTable whose predicate is not a string ({}) returns 400 with code 13 and deletes nothing."""
    _check_bad_delete(catalog, **case)


@must(
    "lance.rows.delete.predicate.{}", operations=DELETE, clause="predicate-invalid", kind="error", each=BAD_PREDICATES
)
def test_delete_with_bad_predicate(catalog: LanceCatalog, case: str) -> None:
    """DeleteFromTable with an invalid predicate ({}) returns 400 with code 13 and deletes nothing."""
    _check_bad_delete(catalog, predicate=case)


def _check_bad_delete(catalog: LanceCatalog, **body: Any) -> None:
    accepts(catalog, "DeleteFromTable")
    id = catalog.new_table(rows=3)
    refused = catalog.delete_from_table(id, expect=400, **body)
    equal(refused.code, 13, "the code of the error")
    equal(catalog.count_table_rows(id).json, 3, "the count of rows")


@should("lance.rows.delete.version", operations=DELETE, clause="delete-version")
def test_delete_tells_version(catalog: LanceCatalog) -> None:
    """DeleteFromTable returns the latest version of the table, which it created."""
    id = catalog.new_table(rows=3)
    answer = catalog.delete_from_table(id, predicate="id > 0")
    equal(answer["version"], catalog.version(id), "the version in the answer")


@should("lance.rows.delete.transaction", operations=DELETE, clause="transaction-known")
def test_delete_transaction_is_known(catalog: LanceCatalog) -> None:
    """DescribeTransaction knows the transaction_id that DeleteFromTable returns."""
    check_transaction(catalog, catalog.delete_from_table(catalog.new_table(), predicate="id > 0"))


@should("lance.rows.delete.declared", operations=DELETE, clause="rows-of-declared", kind="error")
def test_delete_from_declared_table(catalog: LanceCatalog) -> None:
    """DeleteFromTable on a declared-only table returns 409 with code 19."""
    refused = catalog.delete_from_table(catalog.new_declared_table(), predicate="true", expect=409)
    equal(refused.code, 19, "the code of the error")


# Blank predicates

BLANK: dict[str, tuple[str, dict[str, Any]]] = {
    "count": ("CountTableRows", {}),
    "update": ("UpdateTable", {"updates": [["name", "'new'"]]}),
    "delete": ("DeleteFromTable", {}),
}


@should(
    "lance.rows.{}.predicate_blank",
    operations=lambda case: [case[0]],
    clause="predicate-blank",
    kind="error",
    each=BLANK,
)
def test_blank_predicate(catalog: LanceCatalog, case: tuple[str, dict[str, Any]]) -> None:
    """A request to {} rows with an empty or blank predicate returns 400 with code 13 and changes nothing."""
    operation, body = case
    id = catalog.new_table(rows=2)
    for predicate in ("", "   "):
        catalog.check_invalid(catalog.send(operation, id, {**body, "predicate": predicate}, expect=400))
    _check_rows(catalog, id, [(0, "row 0"), (1, "row 1")])
