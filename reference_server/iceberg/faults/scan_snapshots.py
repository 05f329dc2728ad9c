"""Scan plans of other snapshots than those that were asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Around, Call, Proceed, content, fault
from reference_server.iceberg.faults.blocks import refused, table_there
from reference_server.iceberg.metadata.reading import Json

START = ["planTableScan"]


def plans_follow(edit: Callable[[Json, Json], Json]) -> Around:
    """Plan what `edit` makes of a request, given the metadata of its table."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        body, metadata = content(call), await table_there(call, proceed)
        if body is not None and metadata is not None:
            call.request = call.request.altered(body=orjson.dumps(edit(body, metadata)))
        return await proceed()

    return around


def snapshots_of(metadata: Json) -> list[int]:
    """Return the ids of all snapshots of a table, oldest first."""
    return [snapshot["snapshot-id"] for snapshot in metadata.get("snapshots") or []]


def _newest(body: Json, metadata: Json) -> Json:
    snapshots = snapshots_of(metadata)
    return body if "snapshot-id" in body or "start-snapshot-id" in body else {**body, "snapshot-id": snapshots[-1]}


def _oldest(body: Json, metadata: Json) -> Json:
    snapshots = snapshots_of(metadata)
    return {**body, "snapshot-id": snapshots[0]} if snapshots and "start-snapshot-id" not in body else body


def _from_start_on(body: Json, metadata: Json) -> Json:
    parents = {
        snapshot["snapshot-id"]: snapshot.get("parent-snapshot-id") for snapshot in metadata.get("snapshots") or []
    }
    start, end = body.get("start-snapshot-id"), body.get("end-snapshot-id")
    if start not in parents or end not in parents or "snapshot-id" in body:
        return body
    before = parents[start]
    kept = {name: body[name] for name in body if name != "start-snapshot-id"}
    if before is not None:
        return {**kept, "start-snapshot-id": before}
    return {**{name: kept[name] for name in kept if name != "end-snapshot-id"}, "snapshot-id": end}


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


def _reachable(metadata: Json) -> set[int]:
    """Return the snapshots that a branch or tag leads to."""
    parents = {
        snapshot["snapshot-id"]: snapshot.get("parent-snapshot-id") for snapshot in metadata.get("snapshots") or []
    }
    reachable: set[int] = set()
    waiting = [ref["snapshot-id"] for ref in (metadata.get("refs") or {}).values()]
    while waiting:
        snapshot_id = waiting.pop()
        reachable.add(snapshot_id)
        waiting += [parent for parent in [parents.get(snapshot_id)] if parent is not None and parent not in reachable]
    return reachable


@fault("scan-detached-refused", on=START)
async def _attached_only(call: Call, proceed: Proceed) -> Reply:
    """A snapshot that no branch or tag leads to cannot be scanned."""
    body, metadata = content(call) or {}, await table_there(call, proceed) or {}
    if body.get("snapshot-id") in set(snapshots_of(metadata)) - _reachable(metadata):
        return refused(call, InvalidInput("No branch leads to this snapshot."))
    return await proceed()


@fault("scan-empty-refused", on=START)
async def _filled_only(call: Call, proceed: Proceed) -> Reply:
    """A table without snapshots cannot be scanned."""
    metadata = await table_there(call, proceed)
    if metadata is not None and not metadata.get("snapshots"):
        return refused(call, InvalidInput("The table has no snapshot."))
    return await proceed()


@fault("scan-kept", on=START)
async def _as_before(call: Call, proceed: Proceed) -> Reply:
    """A scan plan of a table is answered as the first one like it was."""
    # Answer a scan plan as it was answered the first time.
    kept: dict[Any, bytes] = call.state.setdefault("scan-kept", {})
    reply = await proceed()
    if reply.status == 200:
        reply.body = kept.setdefault((tuple(sorted(call.path.items())), call.request.body), reply.body)
    return reply


fault("scan-newest-commit", "A scan reads the snapshot that was committed last, on whatever branch.", on=START)(
    plans_follow(_newest)
)
fault("scan-oldest", "A scan reads the oldest snapshot, whichever is asked for.", on=START)(plans_follow(_oldest))
fault("scan-range-inclusive", "A range has the files of its first snapshot too.", on=START)(
    plans_follow(_from_start_on)
)
fault("scan-range-unchecked", "Of snapshots that do not go together those are taken that make sense.", on=START)(
    plans_follow(_one_of_them)
)
fault("scan-unknown-ignored", "A scan plan that names a snapshot that is not there reads the newest one.", on=START)(
    plans_follow(_known_ones)
)
