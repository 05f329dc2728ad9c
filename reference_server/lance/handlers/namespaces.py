"""CreateNamespace, ListNamespaces, DescribeNamespace, DropNamespace, NamespaceExists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from reference_server.errors import NamespaceAlreadyExists, NamespaceNotFound
from reference_server.lance.catalog.entries import ListRequest, Table
from reference_server.lance.context import LanceContext
from reference_server.lance.data.table_data import TableData

Answer = dict[str, Any]
AT_ONCE = 100
"""Number of tables whose data one call of a thread deletes."""


async def create_namespace(context: LanceContext) -> Answer:
    """Create a namespace; the mode decides about an existing one."""
    mode = context.choice("mode", "Create", "ExistOk", "Overwrite")
    properties = context.properties()
    try:
        await context.catalog.create_namespace(context.id, properties)
    except NamespaceAlreadyExists:
        if mode == "Create":
            raise
        if mode == "ExistOk":
            return {"properties": context.catalog.namespace(context.id)}
        with suppress(NamespaceNotFound):
            await _drop(context, cascade=True)
        await context.catalog.create_namespace(context.id, properties)
    return {"properties": properties}


async def list_namespaces(context: LanceContext) -> Answer:
    """List the names of the direct child namespaces."""
    page = context.catalog.list_namespaces(context.id, list_request(context))
    context.reusable = True
    return {"namespaces": page.items, "page_token": page.token}


async def describe_namespace(context: LanceContext) -> Answer:
    """Return the properties of a namespace."""
    context.reusable = True
    return {"properties": context.catalog.namespace(context.id)}


async def drop_namespace(context: LanceContext) -> Answer:
    """Drop a namespace.

    A missing one is an error in mode Fail, and a JSON answer in mode Skip: the official client cannot read the empty
    204 that the document specifies there.
    """
    mode = context.choice("mode", "Fail", "Skip")
    behavior = context.choice("behavior", "Restrict", "Cascade")
    try:
        properties = context.catalog.namespace(context.id)
        await _drop(context, cascade=behavior == "Cascade")
    except NamespaceNotFound:
        if mode == "Fail":
            raise
        return {}
    return {"properties": properties}


async def _drop(context: LanceContext, *, cascade: bool) -> None:
    with context.catalog.locations.unfinished() as note:
        dropped = list((await context.catalog.drop_namespace(context.id, note, cascade=cascade)).items())
        for begin in range(0, len(dropped), AT_ONCE):
            tables = dict(dropped[begin : begin + AT_ONCE])
            async with context.alone(*tables):
                await delete_data(context, tables.values())


async def namespace_exists(context: LanceContext) -> None:
    """Return nothing. Raises NamespaceNotFound."""
    context.reusable = True
    context.catalog.namespace(context.id)


def list_request(context: LanceContext) -> ListRequest:
    """Return the requested page of a listing."""
    return ListRequest(context.query("page_token"), context.query("limit"), context.page_size)


async def delete_data(context: LanceContext, tables: Iterable[Table]) -> None:
    """Delete the data of tables that are in no catalog any more."""
    await context.run(_delete, context.data, [table.location for table in tables])


def _delete(data: TableData, locations: Sequence[str]) -> None:
    for location in locations:
        data.delete(location)
