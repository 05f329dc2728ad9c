"""Limits on the size of an Arrow stream, computed from its headers: a few bytes may expand to terabytes.

A record batch declares the number of values of each array and the positions of its buffers in the message; a compressed
buffer begins with its decompressed size. A header is a flatbuffer: tables whose field positions are in a table of their
own.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from reference_server.errors import InvalidInput

UNPACKED = 256 << 20
"""Maximum number of bytes of a stream's buffers when they are unpacked."""
VALUES = 1 << 28
"""Maximum number of values of a stream's arrays together, including nulls and values without bytes."""
RECORD_BATCH, DICTIONARY_BATCH = 3, 2
HEADER_TYPE, HEADER = 1, 2  # fields of a message
LENGTH, NODES, BUFFERS, COMPRESSION = range(4)  # fields of a record batch
DATA = 1  # field of a dictionary batch
PAIR = struct.Struct("<qq")


class Header:
    """A table of a flatbuffer. Raises struct.error and IndexError for malformed bytes."""

    def __init__(self, data: bytes, position: int) -> None:
        self._data = data
        self._position = position
        table = position - self._number("<i", position)
        if table < 0:
            raise IndexError(table)
        self._table, self._size = table, self._number("<H", table)

    def number(self, field: int, form: str) -> int:
        """Return a number, 0 for an absent field."""
        place = self._place(field)
        return self._number(form, place) if place else 0

    def table(self, field: int) -> Header | None:
        """Return a table, None for an absent field."""
        place = self._place(field)
        return Header(self._data, place + self._number("<I", place)) if place else None

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """Yield the structs of two integers in a vector."""
        place = self._place(field)
        if place:
            start = place + self._number("<I", place)
            for index in range(self._number("<I", start)):
                yield PAIR.unpack_from(self._data, start + 4 + index * PAIR.size)

    def _place(self, field: int) -> int:
        """Return the position of a field, 0 for an absent one."""
        entry = 4 + 2 * field
        offset = self._number("<H", self._table + entry) if entry + 2 <= self._size else 0
        return self._position + offset if offset else 0

    def _number(self, form: str, position: int) -> int:
        return int(struct.unpack_from(form, self._data, position)[0])


def check_stream(body: bytes) -> None:
    """Raise InvalidInput for a stream that would become too large, or whose headers are malformed."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    values = unpacked = 0
    reader = pa.ipc.MessageReader.open_stream(body)
    while True:
        try:
            message = reader.read_next_message()
        except StopIteration:
            return
        try:
            of_values, of_bytes = _cost(message)
        except (struct.error, IndexError) as error:
            raise InvalidInput(f"The body is not a whole Arrow stream: a header is broken: {error}.") from None
        values, unpacked = values + of_values, unpacked + of_bytes
        if values > VALUES:
            raise InvalidInput(f"The stream has {values} values or more; a request has at most {VALUES}.")
        if unpacked > UNPACKED:
            raise InvalidInput(f"The stream has {unpacked} bytes or more when unpacked; at most {UNPACKED} are read.")


def _cost(message: Any) -> tuple[int, int]:
    """Return the number of values of a message, and its unpacked bytes."""
    data = message.metadata.to_pybytes()
    root = Header(data, struct.unpack_from("<I", data)[0])
    batch = root.table(HEADER)
    if root.number(HEADER_TYPE, "<B") == DICTIONARY_BATCH and batch is not None:
        batch = batch.table(DATA)
    elif root.number(HEADER_TYPE, "<B") != RECORD_BATCH:
        return 0, 0
    if batch is None:
        return 0, 0
    values = max(abs(batch.number(LENGTH, "<q")), sum(abs(length) for length, _ in batch.pairs(NODES)))
    packed = batch.table(COMPRESSION) is not None
    sizes = (_size(message.body, offset, length, packed=packed) for offset, length in batch.pairs(BUFFERS))
    return values, sum(sizes)


def _size(body: Any, offset: int, length: int, *, packed: bool) -> int:
    """Return the unpacked size of a buffer; the size -1 marks a buffer that is stored uncompressed."""
    if not packed or length < 8:
        return max(length, 0)
    (size,) = struct.unpack_from("<q", body, offset)
    return length if size == -1 else abs(size)
