"""Requests for tables in missing namespaces, with tables as namespaces, and with namespaces as tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.author.checks import equal
from conformance.author.requirement import must, should
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.operations import OPERATIONS
from conformance.lance.support.arrow import stream
from conformance.lance.support.checks import NO_NAMESPACE, table_is_missing
from conformance.lance.support.refusing import without_defect
from specs.openapi import Operation

# Operations whose missing namespace is tested by requirements of their own.
ELSEWHERE = ("DescribeTable", "RenameTable", "QueryTable", "ExplainTableQueryPlan", "AnalyzeTableQueryPlan")
MAKERS = ("CreateTable", "DeclareTable", "CreateEmptyTable", "RegisterTable")
ON_TABLES = {
    name: operation
    for name, operation in OPERATIONS.items()
    if "/table/{id}" in operation.path and operation.id not in (*ELSEWHERE, *MAKERS) and operation.resource != "index"
}


def _in_missing_namespace(catalog: LanceCatalog, operation: Operation) -> Any:
    """Send a plain request for a table in a missing namespace; return the response, which has status 404."""
    catalog.require_levels()
    request = replace(without_defect(catalog, operation), id=(*catalog.missing_namespace(), "t"))
    return request.send(catalog, operation.id, expect=404)


@must("lance.place.namespace_missing.{}", clause="table-not-found", kind="error", each=ON_TABLES, reads=True)
def test_table_in_missing_namespace(catalog: LanceCatalog, case: Operation) -> None:
    """{} on a table in a missing namespace returns 404 with code 1 or 4, or the one for a part of the table."""
    refused = _in_missing_namespace(catalog, case)
    if refused.body or case.id != "TableExists":  # an error of TableExists may have no body
        table_is_missing(refused, case.id, NO_NAMESPACE)


CODED = {name: operation for name, operation in ON_TABLES.items() if operation.id != "TableExists"}


@should("lance.place.namespace_code.{}", clause="namespace-before-table", kind="error", each=CODED, reads=True)
def test_code_of_missing_namespace(catalog: LanceCatalog, case: Operation) -> None:
    """{} on a table in a missing namespace returns 404 with code 1, not 4."""
    catalog.require_namespaces()
    equal(_in_missing_namespace(catalog, case).code, 1, "the code of the error")


# Tables named as namespaces, and namespaces as tables

TABLE_AS_NAMESPACE: dict[str, tuple[str, Any]] = {
    "describe": ("DescribeNamespace", {}),
    "exists": ("NamespaceExists", {}),
    "list": ("ListNamespaces", None),
    "list_tables": ("ListTables", None),
}
NAMESPACE_AS_TABLE: dict[str, tuple[str, Any]] = {
    "describe": ("DescribeTable", {}),
    "exists": ("TableExists", {}),
    "drop": ("DropTable", None),
    "deregister": ("DeregisterTable", {}),
    "count": ("CountTableRows", {}),
}


def _operation(case: tuple[str, Any]) -> list[str]:
    return [case[0]]


@must(
    "lance.place.table_as_namespace.{}",
    operations=_operation,
    clause="namespace-not-found",
    kind="error",
    each=TABLE_AS_NAMESPACE,
)
def test_table_is_no_namespace(catalog: LanceCatalog, case: tuple[str, Any]) -> None:
    """A request that names a table as a namespace ({}) returns 404 with code 1."""
    id = catalog.new_table()
    catalog.require_nested()
    equal(catalog.send(case[0], id, case[1], expect=404).code, 1, "the code of the error")


@must(
    "lance.place.namespace_as_table.{}",
    operations=_operation,
    clause="table-not-found",
    kind="error",
    each=NAMESPACE_AS_TABLE,
)
def test_namespace_is_no_table(catalog: LanceCatalog, case: tuple[str, Any]) -> None:
    """A request that names a namespace as a table ({}) returns 404 with code 4 and keeps the namespace."""
    id = catalog.new_namespace()
    equal(catalog.send(case[0], id, case[1], expect=404).code, 4, "the code of the error")
    catalog.namespace_exists(id)


@must("lance.place.below_table", operations=["CreateTable"], clause="namespace-not-found", kind="error")
def test_nothing_is_made_below_a_table(catalog: LanceCatalog) -> None:
    """CreateTable with a table as its parent namespace returns 404 with code 1."""
    catalog.require_nested()
    id: Names = catalog.new_table()
    refused = catalog.create_table((*id, "t"), stream(tables(1)), expect=404)
    equal(refused.code, 1, "the code of the error")
