"""Avro files of tables, read by the ids of their fields: these are what the table specification fixes, not the names.

Logical types are left aside, so that a date is a number of days and a decimal is bytes: Python's own dates end with
the year 9999, and fastavro fails on later ones.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reference_server.errors import InvalidInput

Record = dict[str, Any]
ID = "field-id"


@dataclass(frozen=True, slots=True)
class AvroFile:
    """An Avro file: what its header says, and its records, whose keys are made by `key`."""

    header: dict[str, str]
    records: list[Record]


def key(field_id: int) -> str:
    """Return the key of a field in the records of an AvroFile."""
    return f"f{field_id}"


def read_avro(location: str, data: bytes) -> AvroFile:
    """Read an Avro file. Raises InvalidInput for another or a damaged file."""
    import fastavro  # noqa: PLC0415 - slow to import

    try:
        blocks = fastavro.block_reader(io.BytesIO(data))
        schema = fastavro.parse_schema(_by_ids(json.loads(blocks.metadata["avro.schema"])))
        records = [record for block in blocks for record in _decode(block, schema)]
    except Exception as error:  # whatever a broken file makes of a decoder
        raise InvalidInput(f"The file {location!r:.300} is not an Avro file of a table: {error}.") from None
    return AvroFile(dict(blocks.metadata), records)


def _decode(block: Any, schema: Any) -> Iterator[Any]:
    """Yield the records of a block. Raises ValueError for a count that cannot be: no record is empty."""
    import fastavro  # noqa: PLC0415 - slow to import

    if block.num_records > len(block.bytes_.getbuffer()):
        raise ValueError("it counts more records than it has bytes")
    for _ in range(block.num_records):
        yield fastavro.schemaless_reader(block.bytes_, schema, None)


def pairs(entries: list[Record] | None) -> dict[int, Any]:
    """Return a map with integer keys, which Avro can only write as a list of records of two fields."""
    return dict(tuple(entry.values()) for entry in entries or ())


def _by_ids(node: Any) -> Any:
    """Return a schema without logical types in which fields are called by their ids."""
    if isinstance(node, list):
        return [_by_ids(item) for item in node]
    if not isinstance(node, dict):
        return node
    changed = {name: _by_ids(value) for name, value in node.items() if name not in ("logicalType", "default")}
    return {**changed, "name": key(node[ID])} if ID in node else changed
