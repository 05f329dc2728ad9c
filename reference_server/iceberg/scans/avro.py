"""Avro files of tables, read by field ids: the table specification fixes these, not the names.

Logical types are ignored, so that a date is a number of days and a decimal is bytes: Python's own dates end with the
year 9999, and fastavro fails on later ones.
"""

from __future__ import annotations

import bz2
import io
import json
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from reference_server import limits
from reference_server.errors import InvalidInput

Record = dict[str, Any]
ID = "field-id"
SYNC = {"type": "fixed", "name": "sync", "size": 16}
HEADER = {
    "type": "record",
    "name": "header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": 4}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
        {"name": "sync", "type": SYNC},
    ],
}
MAGIC = b"Obj\x01"
CODECS: dict[str, Callable[[], Any]] = {
    "deflate": lambda: zlib.decompressobj(-zlib.MAX_WBITS),
    "bzip2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
}


@dataclass(frozen=True, slots=True)
class AvroFile:
    """An Avro file: its header, and its records with the keys of `key`."""

    header: dict[str, str]
    records: list[Record]


def key(field_id: int) -> str:
    """Return the key of a field in the records of an AvroFile."""
    return f"f{field_id}"


def read_avro(location: str, data: bytes) -> AvroFile:
    """Read an Avro file. Raises InvalidInput for another or a damaged file, and one that is too large when unpacked."""
    try:
        return _read(data)
    except Exception as error:  # a broken file can raise any error in the decoder
        raise InvalidInput(f"The file {location!r:.300} is not an Avro file of a table: {error}.") from None


def _read(data: bytes) -> AvroFile:
    import fastavro  # noqa: PLC0415 - slow to import

    stream = io.BytesIO(data)
    header: Any = fastavro.schemaless_reader(stream, HEADER, None)
    if header["magic"] != MAGIC:
        raise ValueError("it does not begin like one")
    meta = {name: value.decode() for name, value in header["meta"].items()}
    schema = fastavro.parse_schema(_by_ids(json.loads(meta["avro.schema"])))
    blocks = _blocks(stream, meta.get("avro.codec", "null"), header["sync"])
    return AvroFile(meta, [record for count, block in blocks for record in _decode(count, block, schema)])


def _blocks(stream: io.BytesIO, codec: str, sync: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the number of records of each block and its bytes. Raises ValueError.

    fastavro's own reader unpacks blocks of any size, and a small file can unpack to any size.
    """
    import fastavro  # noqa: PLC0415 - slow to import

    left = limits.MANIFEST
    while stream.tell() < len(stream.getbuffer()):
        count: Any = fastavro.schemaless_reader(stream, "long", None)
        size: Any = fastavro.schemaless_reader(stream, "long", None)
        block = _unpacked(codec, stream.read(size), left)
        if stream.read(len(sync)) != sync:
            raise ValueError("a block does not end where it says")
        left -= len(block)
        yield count, block


def _unpacked(codec: str, data: bytes, most: int) -> bytes:
    if codec != "null" and codec not in CODECS:
        raise ValueError(f"its codec is {codec!r:.50}, known are {', '.join(CODECS)}")
    block: bytes = data if codec == "null" else CODECS[codec]().decompress(data, most + 1)
    if len(block) > most:
        raise ValueError(f"it unpacks to more than {limits.MANIFEST} bytes")
    return block


def _decode(count: int, block: bytes, schema: Any) -> Iterator[Any]:
    """Yield the records of a block. Raises ValueError for an impossible count: no record is empty."""
    import fastavro  # noqa: PLC0415 - slow to import

    if count > len(block):
        raise ValueError("it counts more records than it has bytes")
    stream = io.BytesIO(block)
    for _ in range(count):
        yield fastavro.schemaless_reader(stream, schema, None)


def pairs(entries: list[Record] | None) -> dict[int, Any]:
    """Return a map with integer keys, which Avro stores as a list of records of two fields."""
    return dict(tuple(entry.values()) for entry in entries or ())


def _by_ids(node: Any) -> Any:
    """Return a schema without logical types, with ids as the names of its fields."""
    if isinstance(node, list):
        return [_by_ids(item) for item in node]
    if not isinstance(node, dict):
        return node
    changed = {name: _by_ids(value) for name, value in node.items() if name not in ("logicalType", "default")}
    return {**changed, "name": key(node[ID])} if ID in node else changed
