"""Snapshots of a table: adding and removing them, their ancestors, and their row ids."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping

from reference_server.iceberg.metadata.builder import Builder
from reference_server.iceberg.metadata.errors import InvalidMetadata, StaleUpdate
from reference_server.iceberg.metadata.reading import Json, integer, is_long, long, optional, text, text_map, texts
from reference_server.iceberg.metadata.refs import remove_ref
from reference_server.iceberg.metadata.statistics import KINDS_OF_STATISTICS

PARENT = "parent-snapshot-id"
FIRST, ADDED = "first-row-id", "added-rows"
OPERATION = "operation"
ROW_LINEAGE_SINCE_VERSION = 3


def ancestors(snapshot: Json | None, by_id: Mapping[int, Json]) -> Iterator[Json]:
    """Yield a snapshot, its parent, and so on, while they exist. The walk ends at a cycle."""
    seen: set[int] = set()
    while snapshot is not None and snapshot["snapshot-id"] not in seen:
        seen.add(snapshot["snapshot-id"])
        yield snapshot
        snapshot = by_id[snapshot[PARENT]] if snapshot.get(PARENT) in by_id else None


def check_lineage(snapshots: Iterable[Json], by_id: Mapping[int, Json]) -> None:
    """Raise InvalidMetadata for a snapshot that is its own ancestor; each snapshot is visited once."""
    known: set[int] = set()
    for start in snapshots:
        walk: set[int] = set()
        snapshot: Json | None = start
        while snapshot is not None and snapshot["snapshot-id"] not in known:
            if snapshot["snapshot-id"] in walk:
                raise InvalidMetadata(f"The snapshot {snapshot['snapshot-id']} would be its own ancestor.")
            walk.add(snapshot["snapshot-id"])
            snapshot = by_id[snapshot[PARENT]] if snapshot.get(PARENT) in by_id else None
        known |= walk


def read_snapshot(node: Json) -> Json:
    """Return a snapshot in its stored form. Raises InvalidMetadata for an invalid one."""
    long(node, "snapshot-id")
    long(node, "timestamp-ms")
    for key in ("parent-snapshot-id", "sequence-number"):
        optional(long, node, key)
    optional(integer, node, "schema-id")
    optional(text, node, "key-id")
    if optional(text, node, "manifest-list") is None:
        texts(node, "manifests")
    _check_rows(node)
    snapshot = {key: value for key, value in node.items() if value is not None}
    if "manifest-list" in snapshot:
        snapshot.pop("manifests", None)  # the table specification omits it beside a manifest list
    summary = optional(text_map, node, "summary") or {}
    if OPERATION not in summary:
        # readers require it, version 1 does not; an overwrite allows any change
        snapshot["summary"] = {OPERATION: "overwrite", **summary}
    return snapshot


def sequence_number(snapshot: Json) -> int:
    """Return a snapshot's sequence number, 0 for those of format version 1."""
    return int(snapshot.get("sequence-number", 0))


def add_snapshot(builder: Builder, snapshot: Json) -> None:
    """Add a snapshot and advance the numbers of the table.

    Raises StaleUpdate when its sequence number or first row id is behind the table's.
    """
    snapshot_id = snapshot["snapshot-id"]
    if not builder.get("schemas") or not builder.get("partition-specs") or not builder.get("sort-orders"):
        raise InvalidMetadata("A snapshot can be added once there are a schema, a partition spec and a sort order.")
    if snapshot_id in builder.snapshots():
        raise InvalidMetadata(f"The snapshot {snapshot_id} exists already.")
    _follow_sequence(builder, snapshot)
    if builder.version >= ROW_LINEAGE_SINCE_VERSION:
        _follow_rows(builder, snapshot)
    builder.snapshots()[snapshot_id] = snapshot
    builder.own("snapshots").append(snapshot)
    builder.added_snapshots[snapshot_id] = snapshot


def remove_snapshots(builder: Builder, snapshot_ids: Collection[int]) -> None:
    """Remove snapshots with their statistics and refs; unknown ids are ignored.

    Children keep the id of a removed parent.
    """
    removed = builder.snapshots().keys() & set(snapshot_ids)
    if not removed:
        return
    builder.remove("snapshots", "snapshot-id", removed)
    for snapshot_id in removed:
        del builder.snapshots()[snapshot_id]
    for key in KINDS_OF_STATISTICS:
        if any(ref["snapshot-id"] in removed for ref in builder.get(key)):
            builder.remove(key, "snapshot-id", removed)
    for name, ref in list(builder.get("refs").items()):
        if ref["snapshot-id"] in removed:
            remove_ref(builder, name)
    builder.removed_snapshots = True


def _check_rows(node: Json) -> None:
    first, added = optional(long, node, "first-row-id"), optional(long, node, "added-rows")
    if min(first or 0, added or 0) < 0:
        raise InvalidMetadata("first-row-id and added-rows are never negative.")
    if first is not None and added is None:
        raise InvalidMetadata("A snapshot with a first-row-id says how many added-rows it has.")


def _follow_sequence(builder: Builder, snapshot: Json) -> None:
    """Advance the sequence number. A snapshot without a parent may repeat the last one, but not be behind it."""
    number = sequence_number(snapshot)
    if builder.version == 1:
        if number:
            raise InvalidMetadata(f"Format version 1 has no sequence numbers, and the snapshot has {number}.")
        return
    if "manifest-list" not in snapshot:
        raise InvalidMetadata("manifest-list is missing; only format version 1 lists manifests in the snapshot.")
    last = builder.get("last-sequence-number")
    if number <= last and "parent-snapshot-id" in snapshot:
        raise StaleUpdate(f"The sequence number {number} is not after the table's last one, {last}.")
    if number < last:
        raise InvalidMetadata(f"The sequence number {number} is before the table's last one, {last}.")
    builder.put("last-sequence-number", number)


def _follow_rows(builder: Builder, snapshot: Json) -> None:
    """Advance the row ids by those of the snapshot."""
    first, expected = snapshot.get("first-row-id"), builder.get("next-row-id")
    if first is None:
        raise InvalidMetadata("first-row-id is missing; format version 3 tracks rows.")
    if first < expected:
        raise StaleUpdate(f"The first-row-id {first} is before the table's next-row-id, {expected}.")
    last = max(first, expected) + snapshot["added-rows"]
    if not is_long(last):
        raise InvalidMetadata(f"The rows of the snapshot would be numbered up to {last}, beyond 64 bits.")
    builder.put("next-row-id", expected + snapshot["added-rows"])


def with_added_rows(snapshots: list[Json], next_row_id: int) -> list[Json]:
    """Return snapshots in which each with a `first-row-id` also has `added-rows`, as format version 3 requires.

    Some writers omit it; PyIceberg and iceberg-rust read such snapshots, Java does not. The added value is an upper
    bound: the ids up to the first one of another snapshot, or up to the next id of the table. Raises InvalidMetadata
    for a first id beyond that.
    """
    firsts = sorted(first for snapshot in snapshots if (first := optional(long, snapshot, FIRST)) is not None)
    return [
        {**snapshot, ADDED: _room(snapshot[FIRST], firsts, next_row_id)}
        if snapshot.get(FIRST) is not None and snapshot.get(ADDED) is None
        else snapshot
        for snapshot in snapshots
    ]


def _room(first: int, firsts: list[int], next_row_id: int) -> int:
    """Count the row ids from `first` up to the next snapshot's first, or up to the next id of the table."""
    if first > next_row_id:
        raise InvalidMetadata(f"A snapshot has the {FIRST} {first}, which is after next-row-id, {next_row_id}.")
    after = bisect_right(firsts, first)
    return (firsts[after] if after < len(firsts) else next_row_id) - first
