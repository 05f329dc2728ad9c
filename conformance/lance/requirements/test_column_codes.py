"""A column that the table does not have: the code that the error list has for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.author.checks import equal
from conformance.author.requirement import should
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import stream

Case = tuple[str, Mapping[str, Any]]  # the operation, and what it is asked for
INDEX: dict[str, Any] = {"body": {"column": "nowhere", "index_type": "BTREE"}}
UPSERT = {"on": "nowhere", "when_matched_update_all": True, "when_not_matched_insert_all": True}
CASES: dict[str, Case] = {
    "column.alter": ("AlterTableAlterColumns", {"body": {"alterations": [{"path": "nowhere", "rename": "x"}]}}),
    "column.drop": ("AlterTableDropColumns", {"body": {"columns": ["nowhere"]}}),
    "index.create": ("CreateTableIndex", INDEX),
    "index.create_scalar": ("CreateTableScalarIndex", INDEX),
    "rows.merge": ("MergeInsertIntoTable", {"data": stream(tables(1)), "query": UPSERT}),
    "rows.update": ("UpdateTable", {"body": {"updates": [["nowhere", "1"]]}}),
}


def _operation(case: Case) -> list[str]:
    return [case[0]]


@should("lance.{}.column_code", operations=_operation, clause="column-not-found", kind="error", each=CASES)
def test_code_of_missing_column(catalog: LanceCatalog, case: Case) -> None:
    """A column that the table does not have ({}) is refused with 404 and code 12."""
    operation, options = case
    equal(catalog.send(operation, catalog.new_table(), **options, expect=404).code, 12, "the code of the error")
