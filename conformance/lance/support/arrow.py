"""Arrow bodies of requests and responses: valid streams, broken streams, files."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from conformance.author.strategies import tables
from conformance.lance.support.extra_column import narrowed
from conformance.values.json_values import strict
from conformance.values.outcomes import Violation


def stream(table: Any, *, batch_rows: int = 1000) -> bytes:
    """Return a table as an Arrow IPC stream in batches of at most `batch_rows` rows."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=batch_rows)
    body: bytes = sink.getvalue().to_pybytes()
    return body


def batches(table: Any) -> bytes:
    """Return a table as an Arrow IPC stream in the table's own batches, empty ones included."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        for batch in table.to_batches():
            writer.write_batch(batch)
    body: bytes = sink.getvalue().to_pybytes()
    return body


def file(table: Any) -> bytes:
    """Return a table in the Arrow file format, which no request accepts."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    body: bytes = sink.getvalue().to_pybytes()
    return body


def read_file(body: bytes) -> pa.Table:
    """Return the table of an Arrow file. Raises Violation when the body is not an Arrow file."""
    try:
        table = pa.ipc.open_file(body).read_all()
        table.validate(full=True)  # reading an invalid table may crash the process
    except (pa.ArrowException, OSError) as error:
        raise Violation(f"the body is no Arrow file: {error}") from None
    return narrowed(table)


def read_rows(body: bytes) -> Any:
    """Return the rows of an Arrow file. Raises Violation when the body has no readable rows."""
    try:
        return strict(read_file(body).to_pylist())
    except (ValueError, OverflowError, LookupError):  # a name that is not UTF-8, a date after 9999, an unknown zone
        raise Violation("the Arrow file of the body has values or names that cannot be read") from None


BROKEN_STREAMS = {
    "garbage": b"this is not an Arrow stream",
    "truncated": stream(tables(3))[:-60],
    "file_format": file(tables(3)),
    "absent": b"",
}
