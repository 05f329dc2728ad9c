"""Which snapshot comes from which: a walk from a snapshot to its parents always ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import Json

PARENT = "parent-snapshot-id"


def ancestors(snapshot: Json | None, by_id: Mapping[int, Json]) -> Iterator[Json]:
    """Yield a snapshot, its parent, and so on, as far as they are there. A walk in a circle ends."""
    seen: set[int] = set()
    while snapshot is not None and snapshot["snapshot-id"] not in seen:
        seen.add(snapshot["snapshot-id"])
        yield snapshot
        snapshot = by_id[snapshot[PARENT]] if snapshot.get(PARENT) in by_id else None


def check_lineage(snapshots: Iterable[Json], by_id: Mapping[int, Json]) -> None:
    """Raise InvalidMetadata when one of these snapshots is among its own ancestors; each is walked over once."""
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
