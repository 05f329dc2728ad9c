"""What was answered as done and is not."""

from __future__ import annotations

import orjson

from reference_server.context import Reply
from reference_server.faults import (
    Call,
    Proceed,
    answers,
    arguments_lost,
    declare,
)
from reference_server.lance.faults.building import (
    DROPS,
)

# State

declare(
    "create-forgets",
    "Creations are answered with success, but nothing is created.",
    answers(200, {"location": "file:///nowhere", "properties": {}}),
    kills=[
        "lance.namespace.create.describable",
        "lance.namespace.create.nested",
        "lance.identifier.delimiter",
        "lance.name.case",
    ],
    on=["CreateNamespace"],
)
declare(
    "create-table-forgets",
    "CreateTable is answered with success, but nothing is created.",
    answers(200, {"location": "file:///nowhere", "properties": {}}),
    kills=["lance.table.create.rows", "lance.table.create.empty_stream", "lance.table.create.fills_declared"],
    on=["CreateTable"],
)
declare(
    "drop-keeps",
    "Drops are answered with success, but what was dropped stays.",
    answers(200, {}),
    kills=[
        "lance.namespace.drop.gone",
        "lance.namespace.drop.recreated_empty",
        "lance.table.drop.*",
        "lance.table.deregister.*",
        "lance.table.describe.fresh",
        "lance.model.catalog",
    ],
    on=DROPS,
)
declare(
    "rename-forgets",
    "RenameTable is answered with success, but the name stays.",
    answers(200, {}),
    kills=["lance.table.rename.moves", "lance.table.rename.namespace"],
    on=["RenameTable"],
)
declare(
    "insert-forgets",
    "InsertIntoTable is answered with success, but no row is added.",
    answers(200, {}),
    kills=["lance.rows.insert.append", "lance.rows.insert.default_mode", "lance.rows.insert.declared"],
    on=["InsertIntoTable"],
)


async def _cascading(call: Call, proceed: Proceed) -> Reply:
    body = orjson.loads(call.request.body or b"{}")
    call.request = call.request.altered(body=orjson.dumps({**body, "behavior": "Cascade"}))
    return await proceed()


declare(
    "restrict-ignored",
    "DropNamespace always cascades.",
    _cascading,
    kills=["lance.namespace.drop.restrict_*"],
    on=["DropNamespace"],
)
declare(
    "properties-lost",
    "Properties are not kept.",
    arguments_lost("properties"),
    kills=[
        "lance.namespace.create.properties",
        "lance.table.declare.properties",
        "lance.table.create_empty.properties",
    ],
)
