"""listNamespaces and listTables."""

from __future__ import annotations

from typing import Any

from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.context import IcebergContext, levels

Answer = dict[str, Any]


async def list_namespaces(context: IcebergContext) -> Answer:
    """List the namespaces right below a parent, or those of the first level."""
    context.reusable = True
    parent = context.query("parent")
    page = context.catalog.list_namespaces(levels(parent) if parent else (), context.page)
    return {"namespaces": page.items, "next-page-token": page.token}


async def list_tables(context: IcebergContext) -> Answer:
    """List the tables of a namespace."""
    return list_objects(context, Kind.TABLE)


def list_objects(context: IcebergContext, kind: Kind) -> Answer:
    """Return a page of the tables or views of the namespace in the path. Raises NamespaceNotFound."""
    context.reusable = True
    namespace = context.namespace
    page = context.catalog.list_names(kind, namespace, context.page)
    identifiers = [{"namespace": namespace, "name": name} for name in page.items]
    return {"identifiers": identifiers, "next-page-token": page.token}
