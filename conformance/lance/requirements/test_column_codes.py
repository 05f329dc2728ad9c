"""The error code of a column that the table does not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.author.checks import equal
from conformance.author.requirement import should
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import stream
from conformance.lance.support.merging import UPSERT

Case = tuple[str, Mapping[str, Any]]  # the operation, and the arguments of its request
INDEX: dict[str, Any] = {"body": {"column": "nowhere", "index_type": "BTREE"}}

CASES: dict[str, Case] = {
    "column.alter": ("AlterTableAlterColumns", {"body": {"alterations": [{"path": "nowhere", "rename": "x"}]}}),
    "column.drop": ("AlterTableDropColumns", {"body": {"columns": ["nowhere"]}}),
    "index.create": ("CreateTableIndex", INDEX),
    "index.create_scalar": ("CreateTableScalarIndex", INDEX),
    "rows.merge": ("MergeInsertIntoTable", {"data": stream(tables(1)), "query": {"on": "nowhere", **UPSERT}}),
    "rows.update": ("UpdateTable", {"body": {"updates": [["nowhere", "1"]]}}),
}


def _operation(case: Case) -> list[str]:
    return [case[0]]


@should("lance.{}.column_code", operations=_operation, clause="column-not-found", kind="error", each=CASES)
def test_code_of_missing_column(catalog: LanceCatalog, case: Case) -> None:
    """A request that names a column missing from the table ({}) returns 404 with code 12."""
    operation, options = case
    equal(catalog.send(operation, catalog.new_table(), **options, expect=404).code, 12, "the code of the error")
