"""Row ids in the metadata of others: how many of them a snapshot takes."""

from __future__ import annotations

from bisect import bisect_right

from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import Json, long, optional

FIRST, ADDED = "first-row-id", "added-rows"


def with_added_rows(snapshots: list[Json], next_row_id: int) -> list[Json]:
    """Return snapshots of which each with a `first-row-id` has `added-rows` too, as format version 3 requires it.

    Some writers leave it out; PyIceberg and iceberg-rust read that, and Java does not. It is an upper bound: the ids up
    to the first one of another snapshot, or up to the next id of the table. Raises InvalidMetadata where none are left.
    """
    firsts = sorted(first for snapshot in snapshots if (first := optional(long, snapshot, FIRST)) is not None)
    return [
        {**snapshot, ADDED: _room(snapshot[FIRST], firsts, next_row_id)}
        if snapshot.get(FIRST) is not None and snapshot.get(ADDED) is None
        else snapshot
        for snapshot in snapshots
    ]


def _room(first: int, firsts: list[int], next_row_id: int) -> int:
    """Count the row ids from `first` up to those of the next snapshot, or up to the next id of the table."""
    if first > next_row_id:
        raise InvalidMetadata(f"A snapshot has the {FIRST} {first}, which is after next-row-id, {next_row_id}.")
    after = bisect_right(firsts, first)
    return (firsts[after] if after < len(firsts) else next_row_id) - first
