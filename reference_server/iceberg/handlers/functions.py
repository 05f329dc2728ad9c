"""listFunctions and loadFunction, and loading the functions of a folder into the catalog at the start.

A function is an entry of its namespace like a table: the namespace exists, is listed, and cannot be dropped while it
contains a function. Every warehouse has the same functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.iceberg.catalog.initial_namespaces import make_namespaces
from reference_server.iceberg.catalog.keys import Kind, object_key
from reference_server.iceberg.catalog.names import Path, show
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.errors import FunctionNotFound
from reference_server.iceberg.metadata.reading import Json
from reference_server.storage import Storage, pack
from reference_server.storage.transactions import Transaction


async def list_functions(context: IcebergContext) -> dict[str, Any]:
    """List the functions of a namespace by namespace and name."""
    context.reusable = True
    namespace = context.namespace
    page = await context.names(Kind.FUNCTION, namespace)
    return {"identifiers": [(*namespace, name) for name in page.items], "next-page-token": page.token}


async def load_function(context: IcebergContext) -> Reply:
    """Return a function with all its overloads."""
    context.reusable = True
    path = context.object_path("function")
    context.catalog.require_namespace(path[:-1])
    function = context.catalog.find(Kind.FUNCTION, path)
    if function is None:
        raise FunctionNotFound(f"Function does not exist: {show(path)}")
    return Reply(200, function.encode())


async def set_functions(storage: Storage[bytes], warehouse: str, functions: Mapping[Path, Json]) -> None:
    """Replace the functions of a warehouse; missing namespaces are created."""
    await make_namespaces(storage, warehouse, {path[:-1]: None for path in functions})
    transaction = Transaction(storage)
    entries = {
        object_key(Kind.FUNCTION, warehouse, path): orjson.dumps(function, option=orjson.OPT_SORT_KEYS)
        for path, function in functions.items()
    }
    for key, _ in transaction.scan(pack(Kind.FUNCTION, warehouse)):
        if key not in entries:
            transaction.put(key, None)
    for key, value in entries.items():
        if transaction.get(key) != value:
            transaction.put(key, value)
    await transaction.commit()
