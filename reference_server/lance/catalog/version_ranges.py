"""Ranges of versions in requests: from a start up to, not including, an end, -1 for no end."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

from reference_server import limits
from reference_server.errors import InvalidInput
from reference_server.lance.catalog.dataset_files import VersionName
from reference_server.lance.catalog.version_files import DatasetVersions

NO_END = -1
Range = tuple[int, float]


def versions_in(files: DatasetVersions, ranges: Sequence[dict[str, int]]) -> list[VersionName]:
    """Return the listed versions in any of the ranges, oldest first.

    Raises InvalidInput for a range that ends before it starts, and for too many ranges.
    """
    merged = _merged([_read(bounds) for bounds in _limited(ranges)])
    versions = files.page()
    spans = [
        (bisect_left(versions, start, key=_number), bisect_left(versions, end, key=_number)) for start, end in merged
    ]
    return [version for begin, end in spans for version in versions[begin:end]]


def _limited(ranges: Sequence[dict[str, int]]) -> Sequence[dict[str, int]]:
    if len(ranges) > limits.OPERATIONS:
        raise InvalidInput(f"A request has at most {limits.OPERATIONS} ranges of versions, and this one {len(ranges)}.")
    return ranges


def _read(bounds: dict[str, int]) -> Range:
    start, end = bounds["start_version"], bounds["end_version"]
    if start < 0:
        raise InvalidInput(f"Invalid range of versions: start {start} is below 0.")
    if end != NO_END and end < start:
        raise InvalidInput(f"Invalid range of versions: end {end} is before start {start}.")
    return start, math.inf if end == NO_END else end


def _merged(ranges: list[Range]) -> list[Range]:
    """Return equivalent ranges that do not overlap, in order."""
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _number(version: VersionName) -> int:
    return version.version
