"""Branches and tags."""

from __future__ import annotations

from reference_server.iceberg.metadata.builder import MAIN, Builder
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import Json, Reader, integer, long, optional, text

BRANCH, TAG = "branch", "tag"
RETENTION: dict[str, Reader[int]] = {
    "min-snapshots-to-keep": integer,
    "max-snapshot-age-ms": long,
    "max-ref-age-ms": long,
}
"""Minimum retention of a ref's snapshots, and of the ref itself."""
ON_TAGS = "max-ref-age-ms"
"""The only retention of a tag, which is a single snapshot."""


def read_ref(node: Json) -> Json:
    """Return a ref in its stored form. Raises InvalidMetadata for an invalid ref."""
    long(node, "snapshot-id")
    kind = text(node, "type").lower()
    if kind not in (BRANCH, TAG):
        raise InvalidMetadata(f"A ref is a branch or a tag, not a {node['type']!r:.100}.")
    for key, reader in RETENTION.items():
        retention = optional(reader, node, key)
        if retention is not None and (retention <= 0 or (kind == TAG and key != ON_TAGS)):
            raise InvalidMetadata(f"{key} of a {kind} cannot be {retention}.")
    return {**{key: value for key, value in node.items() if value is not None}, "type": kind}


def set_ref(builder: Builder, name: str, ref: Json) -> None:
    """Point a branch or tag to a snapshot. On main, it becomes the table's current snapshot and is logged.

    A snapshot of this commit is logged with its own time, an older one with the time of the commit.
    """
    refs: dict[str, Json] = builder.get("refs")
    if refs.get(name) == ref:
        return
    snapshot_id = ref["snapshot-id"]
    if snapshot_id not in builder.snapshots():
        raise InvalidMetadata(f"The ref {name!r:.100} cannot name the snapshot {snapshot_id}, which does not exist.")
    if name == MAIN:
        if ref["type"] != BRANCH:
            raise InvalidMetadata(f"{MAIN} is a branch and cannot be a tag.")
        added = builder.added_snapshots.get(snapshot_id)
        time = builder.now if added is None else added["timestamp-ms"]
        builder.put("current-snapshot-id", snapshot_id)
        builder.own("snapshot-log").append({"timestamp-ms": time, "snapshot-id": snapshot_id})
        builder.set_on_main.append(snapshot_id)
    builder.own("refs")[name] = ref


def remove_ref(builder: Builder, name: str) -> None:
    """Remove a branch or tag if it exists. Without main the table has no current snapshot."""
    refs: dict[str, Json] = builder.get("refs")
    if name in refs:
        del builder.own("refs")[name]
        if name == MAIN:
            builder.drop("current-snapshot-id")
