"""The operations of the Iceberg REST catalog, for requirements that hold for each of them."""

from __future__ import annotations

from conformance.common.operations import operations_of, with_json_body
from specs.openapi import Operation

OPERATIONS = operations_of("iceberg")
# What a catalog without `endpoints` in its configuration has, by the document.
DEFAULT_OPERATIONS = frozenset(
    {
        "listNamespaces",
        "createNamespace",
        "loadNamespaceMetadata",
        "dropNamespace",
        "updateProperties",
        "listTables",
        "createTable",
        "loadTable",
        "updateTable",
        "dropTable",
        "renameTable",
        "registerTable",
        "reportMetrics",
        "commitTransaction",
    }
)
ALWAYS = frozenset({"getConfig", "getToken"})  # not for `endpoints` to name: they come before it
JSON_OPERATIONS = with_json_body(OPERATIONS)
HEAD_OPERATIONS = {name: operation for name, operation in OPERATIONS.items() if operation.method == "HEAD"}


def endpoint(operation: Operation) -> str:
    """Return the operation as `endpoints` names it."""
    return f"{operation.method} {operation.own_path}"


def with_slash(entry: object) -> str:
    """Return an entry of `endpoints` with the slash that its path begins with."""
    method, _, path = str(entry).partition(" ")
    return f"{method} /{path.removeprefix('/')}"
