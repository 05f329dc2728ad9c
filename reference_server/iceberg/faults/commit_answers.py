"""Commits that are carried out or answered otherwise than their updates say."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, content, declare, request_becomes
from reference_server.iceberg.faults.blocks import (
    TABLE_COMMITS,
    TABLES_SHOWN,
    again,
    answer_becomes,
    metadata_become,
    performed,
    refuses_when,
    updates_become,
)
from reference_server.iceberg.metadata.builder import LAST_ADDED
from reference_server.iceberg.metadata.reading import Json

COMMIT = ["updateTable"]
LOG_LENGTH = "write.metadata.previous-versions-max"


async def _before(call: Call, proceed: Proceed) -> Reply:
    before = await performed(call, proceed, "loadTable")
    reply = await proceed()
    return before if reply.status == before.status else reply


declare(
    "commit-answers-before",
    "A commit is answered with the table as it was before.",
    _before,
    kills=[
        "iceberg.commit.answer",
        "spark.iceberg.other.changed",
        "iceberg.update.properties.*",
        "iceberg.update.location",
        "iceberg.model.catalog",
    ],
    on=COMMIT,
)


async def _remembered(call: Call, proceed: Proceed) -> Reply:
    known: dict[Any, Reply] = call.state.setdefault("stale-table", {})
    key = call.path["namespace"], call.path["table"], call.request.target.partition("?")[2]
    reply = known.get(key) or await proceed()
    if reply.status == 200:
        known[key] = reply
    return Reply(reply.status, reply.body, reply.content_type, dict(reply.headers))


declare(
    "stale-table",
    "loadTable shows a table for ever as it was when it was first loaded.",
    _remembered,
    kills=[
        "iceberg.commit.visible",
        "iceberg.commit.answer",
        "iceberg.transaction.all",
        "iceberg.transaction.files",
        "iceberg.table.rename.same",
        "iceberg.table.drop.gone",
        "iceberg.race.transaction",
        "spark.iceberg.concurrency.seen",
        "spark.iceberg.other.changed",
    ],
    on=["loadTable"],
)
declare(
    "metadata-file-reused",
    "Every commit writes to the same metadata file.",
    answer_becomes(metadata_location=lambda location: f"{location.rpartition('/')[0]}/v1.metadata.json"),
    kills=["iceberg.commit.location", "iceberg.commit.log", "iceberg.transaction.files"],
    on=TABLES_SHOWN,
)
declare(
    "updates-sorted",
    "The updates of a commit are applied by their kinds, not in their order.",
    updates_become(lambda found: sorted(found, key=lambda one: str(one.get("action")), reverse=True)),
    kills=["iceberg.commit.order"],
    on=TABLE_COMMITS,
)
declare(
    "empty-commit-refused",
    "A commit has to have updates.",
    refuses_when(lambda call: (content(call) or {}).get("updates") == [], InvalidInput("There are no updates.")),
    kills=["iceberg.commit.empty"],
    on=COMMIT,
)
declare(
    "metadata-log-lost",
    "Nobody notes which metadata files a table had before.",
    metadata_become(lambda table: {**table, "metadata-log": []}),
    kills=[
        "iceberg.commit.log",
        "iceberg.commit.log_length",
        "iceberg.commit.one_file",
        "iceberg.race.disjoint",
        "spark.iceberg.metadata-table.entries",
    ],
    on=TABLES_SHOWN,
)


def _without_length(body: Json) -> Json:
    given = body.get("properties", {})
    return {**body, "properties": {key: given[key] for key in given if key != LOG_LENGTH}}


declare(
    "metadata-log-grows",
    "The log of metadata files is as long as it gets, whatever the table's properties say.",
    request_becomes(_without_length),
    kills=["iceberg.commit.log_length"],
    on=["createTable"],
)


def _steps(updates: list[Json]) -> Iterator[list[Json]]:
    """Return updates one by one; what names what was last added goes with that."""
    step: list[Json] = []
    for update in updates:
        if step and LAST_ADDED not in update.values():
            yield step
            step = []
        step.append(update)
    yield step


async def _step_by_step(call: Call, proceed: Proceed) -> Reply:
    """Commit the updates one by one, and stop where one fails."""
    body = content(call) or {}
    reply = Reply()
    for step in _steps(body["updates"]):
        call.request = call.request.altered(body=orjson.dumps({**body, "updates": step}))
        reply = await proceed()
        if reply.status != 200:
            break
    return reply


declare(
    "updates-one-by-one",
    "The updates of a commit are applied one by one; those before one that fails stay.",
    _step_by_step,
    kills=[
        "iceberg.commit.one_file",
        "iceberg.commit.unknown_update.*",
        *(f"iceberg.update.unknown_id.{noun}" for noun in ("schema", "spec", "order")),
        "iceberg.race.disjoint",
    ],
    on=COMMIT,
)


async def _skipping(call: Call, proceed: Proceed) -> Reply:
    """Commit the updates one by one, and pass over those that fail."""
    body = content(call) or {}
    for update in body["updates"]:
        await performed(call, proceed, "updateTable", {"requirements": [], "updates": [update]})
    return await performed(call, proceed, "updateTable", {"requirements": [], "updates": []})


declare(
    "bad-updates-skipped",
    "Updates that cannot be applied are passed over.",
    again(_skipping, 400),
    kills=[
        "iceberg.commit.unknown_update.*",
        "iceberg.update.unknown_id.*",
        "iceberg.update.bad_layout.*",
        "iceberg.update.schema.current_stays",
        "iceberg.update.schema.newer_type.*",
        "iceberg.update.spec.default_stays",
        "iceberg.update.format.*",
        "iceberg.ref.unknown_snapshot",
        "iceberg.ref.main_is_a_branch",
        "iceberg.snapshot.doubled",
    ],
    on=COMMIT,
)
_seconds = itertools.count(0, 1000)
declare(
    "clock-runs-back",
    "Each time that a table is shown it was last changed a second earlier.",
    metadata_become(lambda table: {**table, "last-updated-ms": table["last-updated-ms"] - next(_seconds)}),
    kills=["iceberg.commit.time"],
    on=TABLES_SHOWN,
)
