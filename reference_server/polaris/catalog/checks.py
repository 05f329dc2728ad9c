"""Refusals of a catalog before the handler of an operation is called, beyond those of the Iceberg API.

An external catalog accepts no changes except registrations, namespaces and notifications. Names may be restricted, and
so may the requests of a client that loads a table.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

from reference_server.errors import InvalidInput, PermissionDenied
from reference_server.iceberg.catalog.delegation import VENDED, access_modes
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.metadata.requirements import is_creation
from reference_server.polaris.catalog.rules import PREFIX, PURGE, VENDING, VIEW_FILES
from reference_server.polaris.catalog.served import ServedCatalog, served_catalog
from reference_server.polaris.catalog.vending import require_vending

NOT_EXTERNAL = {
    "createTable": "create table",
    "updateTable": "update table",
    "commitTransaction": "update table",
    "renameTable": "rename table",
    "createView": "create view",
    "replaceView": "replace view",
    "renameView": "rename view",
}
SHOWING = frozenset({"createTable", "registerTable", "loadTable", "loadCredentials"})
FORBIDDEN = frozenset('/\\:*?"<>|#+`')
"""Characters that plain names must not contain."""


def check_catalog(context: IcebergContext) -> None:
    """Raise InvalidInput or PermissionDenied for an operation that the catalog does not support."""
    catalog, operation = served_catalog(context), context.operation.id
    if catalog.rules.plain_names:
        for name in _new_names(operation, context):
            _check_name(name)
    if catalog.is_external:
        _check_external(context, catalog)
    purged = _purged(context, catalog)
    if purged is not None and not catalog.has(PURGE):
        raise PermissionDenied(
            f"Unable to purge entity: {purged:.300}. To enable this feature, set the Polaris configuration "
            f"DROP_WITH_PURGE_ENABLED or the catalog configuration {PREFIX}{PURGE}"
        )
    if operation in SHOWING:
        _check_access(context, catalog)
    if operation == "loadTable" and catalog.rules.no_star:
        _check_condition(context)


def _purged(context: IcebergContext, catalog: ServedCatalog) -> str | None:
    """Return the name of the table or view whose files a request deletes, None for none.

    A view takes its metadata file along, unless the catalog says otherwise.
    """
    if context.operation.id == "dropTable" and context.query("purgeRequested"):
        return context.path["table"]
    return context.path["view"] if context.operation.id == "dropView" and catalog.has(VIEW_FILES) else None


def _check_external(context: IcebergContext, catalog: ServedCatalog) -> None:
    operation = context.operation.id
    if operation in NOT_EXTERNAL:
        raise InvalidInput(f"Cannot {NOT_EXTERNAL[operation]} on {catalog.rules.external}.")
    if operation == "dropTable" and context.query("purgeRequested"):
        raise InvalidInput(f"Cannot drop table with purge on {catalog.rules.external}.")
    if operation == "registerTable" and context.body.get("overwrite"):
        raise InvalidInput("Registering a table with overwrite is only supported for internal Polaris catalogs")


def _check_access(context: IcebergContext, catalog: ServedCatalog) -> None:
    """Refuse credentials that the catalog does not vend. Other ways of access are ignored."""
    if VENDED in access_modes(context.request) or context.operation.id == "loadCredentials":
        if catalog.is_external and not catalog.has(VENDING):
            raise catalog.rules.unvended()
        name = context.path["table"] if "table" in context.path else context.body["name"]
        require_vending(context, (*context.namespace, name))


def _check_condition(context: IcebergContext) -> None:
    condition = context.request.headers.get("If-None-Match")
    if condition is not None and condition.strip() == "*":
        raise InvalidInput("If-None-Match may not take the value of '*'")


def _check_name(name: str) -> None:
    control = any(unicodedata.category(character) == "Cc" for character in name)
    if control or FORBIDDEN & set(name) or name in (".", "..") or name != name.strip():
        raise InvalidInput(f"Entity name {name!r:.300} is invalid or contains a forbidden character")


def _new_names(operation: str, context: IcebergContext) -> Iterable[str]:
    return NAMING[operation](context) if operation in NAMING else ()


def _named(context: IcebergContext) -> Iterable[str]:
    return (context.body["name"],)


def _renamed(context: IcebergContext) -> Iterable[str]:
    return (context.body["destination"]["name"],)


def _levels(context: IcebergContext) -> Iterable[str]:
    levels: Iterable[str] = context.body["namespace"]
    return levels


def _created(context: IcebergContext) -> Iterable[str]:
    return (context.path["table"],) if is_creation(context.body["requirements"]) else ()


def _all_created(context: IcebergContext) -> Iterable[str]:
    changes: list[dict[str, Any]] = context.body["table-changes"]
    creations = [change for change in changes if is_creation(change["requirements"]) and change.get("identifier")]
    return [change["identifier"]["name"] for change in creations]


NAMING: dict[str, Callable[[IcebergContext], Iterable[str]]] = {
    "createNamespace": _levels,
    "createTable": _named,
    "registerTable": _named,
    "createView": _named,
    "registerView": _named,
    "createGenericTable": _named,
    "renameTable": _renamed,
    "renameView": _renamed,
    "updateTable": _created,
    "commitTransaction": _all_created,
}
