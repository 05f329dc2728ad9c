"""Versions that clients keep through the catalog, and batches, done carelessly."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson

from reference_server.context import Reply, json_reply
from reference_server.faults import (
    Around,
    Call,
    Proceed,
    answers,
    arguments_lost,
    body_becomes,
    declare,
    request_becomes,
    status_becomes,
)

BATCHES = ("BatchCreateTableVersions", "BatchCommitTables")
COMMITS = ("CreateTableVersion", *BATCHES)
TORN_SECONDS = 0.02


def _shifted(value: Any) -> Any:
    """Return JSON with every version number that it has one higher."""
    if isinstance(value, list):
        return [_shifted(one) for one in value]
    if isinstance(value, dict):
        return {
            key: one + 1 if key == "version" and isinstance(one, int) else _shifted(one) for key, one in value.items()
        }
    return value


declare(
    "version-forgets",
    "CreateTableVersion is answered with success, but no version is made.",
    answers(200, {}),
    kills=["lance.version.create.latest", "lance.version.create.next"],
    on=["CreateTableVersion"],
)
declare(
    "version-conflict-hidden",
    "CreateTableVersion tells everybody that they succeeded.",
    status_becomes(409, 200),
    kills=["lance.version.create.taken", "lance.version.create.next", "lance.race.version"],
    on=["CreateTableVersion"],
)
declare(
    "version-answer-wrong",
    "The version in the answer is not the one that was made.",
    body_becomes(_shifted, 200),
    kills=["lance.version.create.answer", "lance.version.batch_create.all", "lance.batch.results"],
    on=COMMITS,
)


declare(
    "version-record-lost",
    "What a client tells of a version that it makes is not kept.",
    arguments_lost("e_tag", "metadata"),
    kills=["lance.version.create.told"],
    on=["CreateTableVersion"],
)
declare(
    "naming-scheme-ignored",
    "Any word is taken for a naming scheme.",
    arguments_lost("naming_scheme"),
    kills=["lance.version.create.scheme"],
    on=["CreateTableVersion"],
)


async def _managed_in_vain(call: Call, proceed: Proceed) -> Reply:
    """Say that versions are kept through the catalog, and refuse to keep them."""
    if call.operation.id == "CreateTableVersion":
        return json_reply({"error": "This server does not have the operation.", "code": 0}, 406)
    return await body_becomes(lambda body: {**body, "managed_versioning": True}, 200)(call, proceed)


declare(
    "managed-in-vain",
    "Clients are told to keep versions through the catalog, which has no operation for it.",
    _managed_in_vain,
    kills=["lance.version.managed"],
    on=["DescribeTable", "CreateTableVersion"],
)
declare(
    "ranges-closed",
    "Ranges of versions include their end.",
    request_becomes(lambda body: {**body, "ranges": [_longer(one) for one in body["ranges"]]}),
    kills=[f"lance.version.delete.range.{case}" for case in ("one", "several", "none", "two_ranges", "from_zero")],
    on=["BatchDeleteTableVersions"],
)
declare(
    "ranges-ignored",
    "BatchDeleteTableVersions deletes the oldest versions, whichever are asked for.",
    request_becomes(lambda body: {**body, "ranges": [{"start_version": 0, "end_version": 3}]}),
    kills=[
        "lance.version.delete.all",
        "lance.version.delete.count",
        *(f"lance.version.delete.range.{case}" for case in ("one", "none", "overlapping", "beyond", "no_range")),
    ],
    on=["BatchDeleteTableVersions"],
)
declare(
    "versions-kept",
    "BatchDeleteTableVersions is answered with success, but all versions stay.",
    answers(200, {"deleted_count": 0}),
    kills=[
        "lance.version.delete.gone",
        *(f"lance.version.delete.range.{case}" for case in ("several", "two_ranges", "from_zero")),
    ],
    on=["BatchDeleteTableVersions"],
)


async def _rows_deleted(call: Call, proceed: Proceed) -> Reply:
    """Delete the rows of a table together with all of its versions."""
    if orjson.loads(call.request.body)["ranges"] != [{"start_version": 0, "end_version": -1}]:
        return await proceed()
    operation, request = call.operation, call.request
    call.turn_to("DeleteFromTable")
    call.request = request.altered(body=b'{"predicate": "true"}')
    await proceed()
    call.operation, call.request = operation, request
    return await proceed()


declare(
    "versions-hold-rows",
    "The rows of a table go with its versions.",
    _rows_deleted,
    kills=["lance.version.delete.all_rows"],
    on=["BatchDeleteTableVersions"],
)


def _longer(one: dict[str, int]) -> dict[str, int]:
    return {**one, "end_version": one["end_version"] + 1}


def _parts(call: Call) -> tuple[str, list[Any]]:
    """Return the name of the list in the body of a batch, and the list."""
    name = "entries" if call.operation.id == BATCHES[0] else "operations"
    return name, orjson.loads(call.request.body)[name]


async def _torn(call: Call, proceed: Proceed) -> Reply:
    """Do the parts of a batch one after the other, and stop where one fails."""
    name, parts = _parts(call)
    results: dict[str, list[Any]] = {}
    for part in parts:
        call.request = call.request.altered(body=orjson.dumps({name: [part]}))
        reply = await proceed()
        if reply.status != 200:
            return reply
        for key, value in orjson.loads(reply.body).items():
            results.setdefault(key, []).extend(value if isinstance(value, list) else [])
        await asyncio.sleep(TORN_SECONDS)
    return json_reply(results)


def _parts_become(*edits: Any) -> Around:
    async def around(call: Call, proceed: Proceed) -> Reply:
        name, parts = _parts(call)
        for edit in edits:
            parts = edit(parts)
        call.request = call.request.altered(body=orjson.dumps({name: parts}))
        return await proceed()

    return around


declare(
    "torn-batch",
    "Batches are done part by part: others see half of them, and what fails leaves half of them.",
    _torn,
    kills=[
        "lance.version.batch_create.none.*",
        "lance.version.batch_create.twice",
        "lance.version.batch_create.again",
        "lance.batch.none.*",
        "lance.batch.conflicting",
        "lance.race.batch",
    ],
    on=BATCHES,
)
declare(
    "batch-forgets-last",
    "The last part of a batch is not done.",
    _parts_become(lambda parts: parts[:-1]),
    kills=[
        "lance.version.batch_create.all",
        "lance.batch.declare",
        "lance.batch.deregister",
        "lance.batch.versions",
        "lance.batch.results",
    ],
    on=BATCHES,
)
declare(
    "batch-reversed",
    "The parts of a batch are done, and answered, the other way round.",
    _parts_become(lambda parts: parts[::-1]),
    kills=["lance.version.batch_create.all", "lance.batch.results", "lance.batch.swap"],
    on=BATCHES,
)
declare(
    "batch-first-field",
    "Of an operation that is two, the first is done.",
    _parts_become(lambda parts: [dict([*part.items()][:1]) for part in parts]),
    kills=["lance.batch.two_at_once"],
    on=["BatchCommitTables"],
)
