"""Contents of data and delete files: columns, statistics, and deletion vectors in Puffin files."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.iceberg.support.scans.manifests import Row, Statistics
from conformance.iceberg.support.scans.values import is_nan, packed

PATH_FIELD, POSITION_FIELD = 2147483546, 2147483545  # reserved ids of the columns of position deletes
POSITION_DELETE_FIELDS = [
    {"id": PATH_FIELD, "name": "file_path", "type": "string", "required": True},
    {"id": POSITION_FIELD, "name": "pos", "type": "long", "required": True},
]


@dataclass(frozen=True, slots=True)
class Leaf:
    """Column of a primitive type, possibly within structs: its id, full name and type."""

    id: int
    name: str
    type: str

    def value(self, row: Row) -> Any:
        """Return the value of a row in this column, None where an outer struct is null."""
        value: Any = row
        for level in self.name.split("."):
            value = value.get(level) if isinstance(value, Mapping) else None
        return value


def leaves(fields: Sequence[Mapping[str, Any]], above: str = "") -> Iterator[Leaf]:
    """Yield the columns of primitive types outside of lists and maps."""
    for field in fields:
        name = f"{above}{field['name']}"
        if isinstance(field["type"], str):
            yield Leaf(field["id"], name, field["type"])
        elif field["type"]["type"] == "struct":
            yield from leaves(field["type"]["fields"], f"{name}.")


def statistics(fields: Sequence[Mapping[str, Any]], rows: Sequence[Row], sizes: Mapping[int, int]) -> Statistics:
    """Return the exact counts and bounds of rows for a manifest."""
    columns = {leaf.id: (leaf, [leaf.value(row) for row in rows]) for leaf in leaves(fields)}
    ordered = {id: (leaf.type, sorted(filter(_comparable, values))) for id, (leaf, values) in columns.items()}
    return Statistics(
        column_sizes=sizes,
        value_counts={id: len(values) for id, (_, values) in columns.items()},
        null_value_counts={id: values.count(None) for id, (_, values) in columns.items()},
        nan_value_counts={
            id: sum(map(is_nan, values)) for id, (leaf, values) in columns.items() if leaf.type in ("float", "double")
        },
        lower_bounds={id: packed(type, values[0]) for id, (type, values) in ordered.items() if values},
        upper_bounds={id: packed(type, values[-1]) for id, (type, values) in ordered.items() if values},
    )


def _comparable(value: Any) -> bool:
    return value is not None and not is_nan(value)


# Deletion vectors in Puffin files

MAGIC = b"PFA1"
VECTOR_MAGIC = bytes((0xD1, 0xD3, 0x39, 0x64))
NO_RUNS = 12346  # the cookie of a bitmap without run-length containers
CONTAINER = 1 << 16
MOST = 4096  # positions that a container holds as a list
ROW_POSITION = 2147483645  # the reserved id of a row's position in its file


def deletion_vector(positions: Sequence[int]) -> bytes:
    """Return the blob of a deletion vector for at most MOST positions below 2^16."""
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
