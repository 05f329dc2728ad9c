"""Commits that are carried out or answered otherwise than their updates say."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, content, fault, request_becomes
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


@fault("commit-answers-before", on=COMMIT)
async def _before(call: Call, proceed: Proceed) -> Reply:
    """A commit is answered with the table as it was before."""
    before = await performed(call, proceed, "loadTable")
    reply = await proceed()
    return before if reply.status == before.status else reply


@fault("stale-table", on=["loadTable"])
async def _remembered(call: Call, proceed: Proceed) -> Reply:
    """A load shows a table for ever as it was when it was first loaded."""
    known: dict[Any, Reply] = call.state.setdefault("stale-table", {})
    key = call.path["namespace"], call.path["table"], call.request.target.partition("?")[2]
    reply = known.get(key) or await proceed()
    if reply.status == 200:
        known[key] = reply
    return Reply(reply.status, reply.body, reply.content_type, dict(reply.headers))


def _without_length(body: Json) -> Json:
    given = body.get("properties", {})
    return {**body, "properties": {key: given[key] for key in given if key != LOG_LENGTH}}


def _steps(updates: list[Json]) -> Iterator[list[Json]]:
    """Return updates one by one; what names what was last added goes with that."""
    step: list[Json] = []
    for update in updates:
        if step and LAST_ADDED not in update.values():
            yield step
            step = []
        step.append(update)
    yield step


@fault("updates-one-by-one", on=COMMIT)
async def _step_by_step(call: Call, proceed: Proceed) -> Reply:
    """The updates of a commit are applied one by one; those before one that fails stay."""
    # Commit the updates one by one, and stop where one fails.
    body = content(call) or {}
    reply = Reply()
    for step in _steps(body["updates"]):
        call.request = call.request.altered(body=orjson.dumps({**body, "updates": step}))
        reply = await proceed()
        if reply.status != 200:
            break
    return reply


async def _skipping(call: Call, proceed: Proceed) -> Reply:
    """Commit the updates one by one, and pass over those that fail."""
    body = content(call) or {}
    for update in body["updates"]:
        await performed(call, proceed, "updateTable", {"requirements": [], "updates": [update]})
    return await performed(call, proceed, "updateTable", {"requirements": [], "updates": []})


_seconds = itertools.count(0, 1000)


fault("metadata-file-reused", "Every commit writes to the same metadata file.", on=TABLES_SHOWN)(
    answer_becomes(metadata_location=lambda location: f"{location.rpartition('/')[0]}/v1.metadata.json")
)
fault("updates-sorted", "The updates of a commit are applied by their kinds, not in their order.", on=TABLE_COMMITS)(
    updates_become(lambda updates: sorted(updates, key=lambda update: str(update.get("action")), reverse=True))
)
fault("empty-commit-refused", "A commit has to have updates.", on=COMMIT)(
    refuses_when(lambda call: (content(call) or {}).get("updates") == [], InvalidInput("There are no updates."))
)
fault("metadata-log-lost", "Nobody notes which metadata files a table had before.", on=TABLES_SHOWN)(
    metadata_become(lambda table: {**table, "metadata-log": []})
)
fault(
    "metadata-log-grows",
    "The log of metadata files is as long as it gets, whatever the table's properties say.",
    on=["createTable"],
)(request_becomes(_without_length))
fault("bad-updates-skipped", "Updates that cannot be applied are passed over.", on=COMMIT)(again(_skipping, 400))
fault("clock-runs-back", "Each time that a table is shown it was last changed a second earlier.", on=TABLES_SHOWN)(
    metadata_become(lambda table: {**table, "last-updated-ms": table["last-updated-ms"] - next(_seconds)})
)
