"""The operations of the Iceberg REST catalog, for requirements that hold for each of them."""

from __future__ import annotations

from specs.openapi import JSON_TYPE, Operation
from specs.profiles import every_operation

OPERATIONS: dict[str, Operation] = {operation.name: operation for operation in every_operation("iceberg")}
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
JSON_OPERATIONS = {
    name: operation
    for name, operation in OPERATIONS.items()
    if operation.request is not None and JSON_TYPE in operation.request.content
}
HEAD_OPERATIONS = {name: operation for name, operation in OPERATIONS.items() if operation.method == "HEAD"}


def subject(operation: Operation) -> list[str]:
    """Return the operation as the subject of a requirement."""
    return [operation.id]


def endpoint(operation: Operation) -> str:
    """Return the operation as `endpoints` names it."""
    return f"{operation.method} {operation.own_path}"
