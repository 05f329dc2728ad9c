"""Scan plans of other snapshots than the requested ones."""

from __future__ import annotations

from mutants.iceberg.blocks import request_follows, table_there
from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.faults.blocks import refused
from reference_server.iceberg.metadata.reading import Json

START = ["planTableScan"]


def snapshots_of(metadata: Json) -> list[int]:
    """Return the ids of all snapshots of a table, oldest first."""
    return [snapshot["snapshot-id"] for snapshot in metadata.get("snapshots") or []]


def _oldest(body: Json, metadata: Json) -> Json:
    snapshots = snapshots_of(metadata)
    return {**body, "snapshot-id": snapshots[0]} if snapshots and "start-snapshot-id" not in body else body


def _known_ones(body: Json, metadata: Json) -> Json:
    known = snapshots_of(metadata)
    odd = any(name.endswith("snapshot-id") and id not in known for name, id in body.items())
    return {name: value for name, value in body.items() if not (odd and name.endswith("snapshot-id"))}


def _one_of_them(body: Json, metadata: Json) -> Json:
    if "snapshot-id" in body:
        return {name: value for name, value in body.items() if name not in ("start-snapshot-id", "end-snapshot-id")}
    if "start-snapshot-id" in body and "end-snapshot-id" not in body:
        return {**body, "end-snapshot-id": metadata["current-snapshot-id"]}
    return body


@fault("scan-empty-refused", on=START)
async def _filled_only(call: Call, proceed: Proceed) -> Reply:
    """A table without snapshots cannot be scanned."""
    metadata = await table_there(call, proceed)
    if metadata is not None and not metadata.get("snapshots"):
        return refused(call, InvalidInput("The table has no snapshot."))
    return await proceed()


fault("scan-oldest", "A scan reads the oldest snapshot, whichever is asked for.", on=START)(request_follows(_oldest))
fault("scan-range-unchecked", "Of snapshots that do not go together those are taken that make sense.", on=START)(
    request_follows(_one_of_them)
)
fault("scan-unknown-ignored", "A scan plan that names a snapshot that is not there reads the newest one.", on=START)(
    request_follows(_known_ones)
)
