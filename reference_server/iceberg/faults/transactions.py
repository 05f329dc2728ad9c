"""Transactions over several tables that are none, and commits that cannot be read."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import Internal, InvalidInput
from reference_server.faults import Call, Proceed, content, declare, request_becomes
from reference_server.iceberg.faults.blocks import again, performed, refuses_when
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.requirements import CREATE

COMMIT = ["commitTransaction"]

CHANGES = "table-changes"

PAUSE_SECONDS = 0.002


def _changes(call: Call) -> list[Any]:
    found = (content(call) or {}).get(CHANGES)
    return found if isinstance(found, list) else []


def _changes_become(edit: Any) -> Any:
    return request_becomes(lambda body: {**body, CHANGES: edit(body[CHANGES])})


async def _torn(call: Call, proceed: Proceed) -> Reply:
    """Make the changes one after the other; a failure is told, but the others are made."""
    failures: list[Reply] = []
    reply = Reply(204)
    for one in _changes(call):
        call.request = call.request.altered(body=orjson.dumps({CHANGES: [one]}))
        reply = await proceed()
        await asyncio.sleep(PAUSE_SECONDS)
        failures += [reply] if reply.status >= 400 else []
    return failures[0] if failures else reply


def _last_of(*key: str) -> Any:
    """Return an edit of changes that keeps the last one for each table, known by these parts of its identifier."""

    def edit(found: list[Json]) -> list[Json]:
        named = [one for one in found if "identifier" in one]
        return list({orjson.dumps([one["identifier"][part] for part in key]): one for one in named}.values())

    return edit


async def _nothing(_call: Call, _proceed: Proceed) -> Reply:
    return Reply(204)


async def _empty(call: Call, proceed: Proceed) -> Reply:
    return await performed(call, proceed, "updateTable", {"requirements": [], "updates": []})


declare(
    "first-change-only",
    "Of a transaction only the first change is made.",
    _changes_become(lambda found: found[:1]),
    on=COMMIT,
)
declare(
    "transaction-torn",
    "The changes of a transaction are made one after the other, also when one of them fails.",
    _torn,
    on=COMMIT,
)
declare(
    "nameless-changes-skipped",
    "A change of a transaction that names no table is passed over.",
    _changes_become(lambda found: [one for one in found if "identifier" in one]),
    on=COMMIT,
)
declare(
    "transaction-never-creates",
    "A transaction cannot create tables.",
    refuses_when(
        lambda call: any(one.get("type") == CREATE for change in _changes(call) for one in change["requirements"]),
        InvalidInput("assert-create is not supported in a transaction."),
    ),
    on=COMMIT,
)
declare(
    "last-change-wins",
    "Of several changes of one table in a transaction only the last is made.",
    _changes_become(_last_of("namespace", "name")),
    on=COMMIT,
)
declare(
    "namespaces-confused",
    "In a transaction tables of the same name are taken for one, whichever namespaces they lie in.",
    _changes_become(_last_of("name")),
    on=COMMIT,
)
declare(
    "empty-transaction-fails",
    "A transaction without changes makes the server fail.",
    refuses_when(lambda call: content(call) == {CHANGES: []}, Internal("Index 0 out of bounds for length 0")),
    on=COMMIT,
)

# Commits that cannot be read
declare(
    "unreadable-transaction-empty",
    "A transaction that cannot be read is taken for one that changes nothing.",
    again(_nothing, 400),
    on=COMMIT,
)
declare(
    "unreadable-commit-empty",
    "A commit that cannot be read is taken for one that changes nothing.",
    again(_empty, 400),
    on=["updateTable"],
)
