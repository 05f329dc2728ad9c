"""Snapshot log and metadata log: current snapshots and metadata files over time."""

from __future__ import annotations

from itertools import pairwise

from reference_server.iceberg.metadata.builder import Builder
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.properties import Properties, integer_property
from reference_server.iceberg.metadata.reading import Json

CLOCK_SKEW_MS = 60_000
"""Clock difference that is tolerated between two committing machines."""
LENGTH_PROPERTY = "write.metadata.previous-versions-max"
LENGTH_DEFAULT = 100


def tidy_snapshot_log(builder: Builder) -> None:
    """Remove entries from the snapshot log that this commit made untrue.

    A snapshot that was main only during the commit was never current. A removed snapshot takes all entries before its
    own along: otherwise the gap would mean that the snapshot before it had stayed current.
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
    """Return the metadata log after a commit: with the file of the base appended, cut to the table's limit."""
    log: list[Json] = base["metadata-log"]
    if previous_file is None:
        return log
    limit = max(1, integer_property(properties, LENGTH_PROPERTY, LENGTH_DEFAULT))
    entry = {"timestamp-ms": base["last-updated-ms"], "metadata-file": previous_file}
    return [*log[max(0, len(log) - limit + 1) :], entry]


def check_times(log: list[Json], name: str, updated: int, checked: int = 0) -> None:
    """Raise InvalidMetadata unless a log is in order and not after the last update, apart from clock skew.

    The first `checked` entries are known to be in order.
    """
    times = [entry["timestamp-ms"] for entry in log[max(0, checked - 1) :]]
    for before, after in pairwise([*times, updated]):
        if after - before < -CLOCK_SKEW_MS:
            raise InvalidMetadata(f"{name}: {after} ms comes after {before} ms, more than a minute too early.")
