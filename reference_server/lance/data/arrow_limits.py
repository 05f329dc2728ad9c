"""What an Arrow stream makes when it is read, found out from its headers: a few bytes may stand for terabytes.

A record batch counts the values of each of its arrays and places its buffers in the message; one that is compressed
begins with its size afterwards. A header is a flatbuffer: tables that say in a table of their own where fields lie.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from reference_server.errors import InvalidInput

UNPACKED = 256 << 20
"""The most bytes that the buffers of a stream may have when they are unpacked."""
VALUES = 1 << 28
"""The most values that the arrays of a stream may have together, nulls and values without bytes too."""
RECORD_BATCH, DICTIONARY_BATCH = 3, 2
HEADER_TYPE, HEADER = 1, 2  # fields of a message
LENGTH, NODES, BUFFERS, COMPRESSION = range(4)  # fields of a record batch
DATA = 1  # field of a dictionary batch
PAIR = struct.Struct("<qq")


class Header:
    """A table of a flatbuffer. Raises struct.error and IndexError where its bytes are not one."""

    def __init__(self, data: bytes, position: int) -> None:
        self._data = data
        self._position = position
        table = position - self._number("<i", position)
        if table < 0:
            raise IndexError(table)
        self._table, self._size = table, self._number("<H", table)

    def number(self, field: int, form: str) -> int:
        """Return a number, 0 where it is not written."""
        place = self._place(field)
        return self._number(form, place) if place else 0

    def table(self, field: int) -> Header | None:
        """Return a table, None where it is not written."""
        place = self._place(field)
        return Header(self._data, place + self._number("<I", place)) if place else None

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """Yield the structs of two integers that a vector holds."""
        place = self._place(field)
        if place:
            start = place + self._number("<I", place)
            for index in range(self._number("<I", start)):
                yield PAIR.unpack_from(self._data, start + 4 + index * PAIR.size)

    def _place(self, field: int) -> int:
        """Return where a field lies, 0 where it is not written."""
        entry = 4 + 2 * field
        offset = self._number("<H", self._table + entry) if entry + 2 <= self._size else 0
        return self._position + offset if offset else 0

    def _number(self, form: str, position: int) -> int:
        return int(struct.unpack_from(form, self._data, position)[0])


def check_stream(body: bytes) -> None:
    """Raise InvalidInput for a stream that would become too large, or whose headers cannot be read."""
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
    """Return how many values a message makes, and how many bytes."""
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
    """Return the size of a buffer when it is unpacked; one that would not get smaller says -1 and is as it is."""
    if not packed or length < 8:
        return max(length, 0)
    (size,) = struct.unpack_from("<q", body, offset)
    return length if size == -1 else abs(size)
