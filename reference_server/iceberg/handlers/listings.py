"""listNamespaces and listTables."""

from __future__ import annotations

from typing import Any

from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.context import IcebergContext

Answer = dict[str, Any]


async def list_namespaces(context: IcebergContext) -> Answer:
    """List the direct children of a namespace, or the top-level namespaces."""
    context.reusable = True
    parent = context.query("parent")
    path = context.levels(parent) if parent else ()
    page = await context.names(Kind.NAMESPACE, path)
    return {"namespaces": [(*path, name) for name in page.items], "next-page-token": page.token}


async def list_tables(context: IcebergContext) -> Answer:
    """List the tables of a namespace."""
    return await list_objects(context, Kind.TABLE)


async def list_objects(context: IcebergContext, kind: Kind) -> Answer:
    """Return a page of the tables or views of the namespace in the path. Raises NamespaceNotFound."""
    context.reusable = True
    namespace = context.namespace
    page = await context.names(kind, namespace)
    identifiers = [{"namespace": namespace, "name": name} for name in page.items]
    return {"identifiers": identifiers, "next-page-token": page.token}
