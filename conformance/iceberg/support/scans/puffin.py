"""Deletion vectors: which positions of a data file are deleted, as a blob in a Puffin file."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence

MAGIC = b"PFA1"
VECTOR_MAGIC = bytes((0xD1, 0xD3, 0x39, 0x64))
NO_RUNS = 12346  # the cookie of a bitmap without run-length containers
CONTAINER = 1 << 16
MOST = 4096  # positions that a container holds as a list
ROW_POSITION = 2147483645  # the reserved id of a row's position in its file


def deletion_vector(positions: Sequence[int]) -> bytes:
    """Return the blob for at most MOST positions below 2^16."""
    ordered = sorted(set(positions))
    if not 0 < len(ordered) <= MOST or ordered[-1] >= CONTAINER:
        raise ValueError(f"positions are from 0 to 65535, and there are 1 to {MOST} of them")
    head = struct.pack("<II", NO_RUNS, 1)
    described = struct.pack("<HH", 0, len(ordered) - 1)
    offset = struct.pack("<I", len(head) + len(described) + 4)
    bitmap = head + described + offset + struct.pack(f"<{len(ordered)}H", *ordered)
    vector = VECTOR_MAGIC + struct.pack("<QI", 1, 0) + bitmap
    return struct.pack(">I", len(vector)) + vector + struct.pack(">I", zlib.crc32(vector))


def puffin_file(blob: bytes, *, referenced: str, count: int) -> tuple[bytes, int]:
    """Return a Puffin file with the deletion vector of a data file, and the offset of the blob in it."""
    described = {
        "type": "deletion-vector-v1",
        "fields": [ROW_POSITION],
        "snapshot-id": -1,
        "sequence-number": -1,
        "offset": len(MAGIC),
        "length": len(blob),
        "properties": {"referenced-data-file": referenced, "cardinality": str(count)},
    }
    payload = json.dumps({"blobs": [described], "properties": {"created-by": "lakeproof"}}).encode()
    footer = MAGIC + payload + struct.pack("<II", len(payload), 0) + MAGIC
    return MAGIC + blob + footer, len(MAGIC)
