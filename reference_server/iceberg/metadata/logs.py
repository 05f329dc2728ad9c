"""The snapshot log and the metadata log: what was current when, and which file held it."""

from __future__ import annotations

from itertools import pairwise

from reference_server.iceberg.metadata.builder import Builder
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.properties import Properties, integer_property
from reference_server.iceberg.metadata.reading import Json

CLOCK_SKEW_MS = 60_000
"""How far two machines that commit may disagree about the time."""
LENGTH_PROPERTY = "write.metadata.previous-versions-max"
LENGTH_DEFAULT = 100


def tidy_snapshot_log(builder: Builder) -> None:
    """Take out of the snapshot log what this commit made untrue.

    A snapshot that was main only in the middle of the commit was never current. A snapshot that is gone takes
    all entries before its own along, as the gap would be read as if the one before had stayed current.
    """
    current = builder.fields.get("current-snapshot-id")
    passing = {
        snapshot_id
        for snapshot_id in builder.set_on_main
        if snapshot_id in builder.added_snapshots and snapshot_id != current
    }
    if not passing and not builder.removed_snapshots:
        return
    snapshots = builder.snapshots()
    entries: list[Json] = []
    for entry in builder.get("snapshot-log"):
        if entry["snapshot-id"] not in snapshots:
            entries = [] if builder.removed_snapshots else entries
        elif entry["snapshot-id"] not in passing:
            entries.append(entry)
    if entries and current is not None and entries[-1]["snapshot-id"] != current:
        raise InvalidMetadata("The last entry of the snapshot log would not be the current snapshot.")
    builder.put("snapshot-log", entries)


def next_metadata_log(base: Json, previous_file: str | None, properties: Properties) -> list[Json]:
    """Return the metadata log after a commit: the file of the base at its end, cut to the table's limit."""
    log: list[Json] = base["metadata-log"]
    if previous_file is None:
        return log
    limit = max(1, integer_property(properties, LENGTH_PROPERTY, LENGTH_DEFAULT))
    entry = {"timestamp-ms": base["last-updated-ms"], "metadata-file": previous_file}
    return [*log[max(0, len(log) - limit + 1) :], entry]


def check_times(log: list[Json], name: str, updated: int, checked: int = 0) -> None:
    """Raise InvalidMetadata unless a log is in order and not after the last update, clock skew granted.

    The first `checked` entries are known to be in order.
    """
    times = [entry["timestamp-ms"] for entry in log[max(0, checked - 1) :]]
    for before, after in pairwise([*times, updated]):
        if after - before < -CLOCK_SKEW_MS:
            raise InvalidMetadata(f"{name}: {after} ms comes after {before} ms, more than a minute too early.")
