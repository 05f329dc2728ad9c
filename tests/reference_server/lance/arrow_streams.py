"""Arrow streams as tests send them."""

from __future__ import annotations

import io

import pyarrow as pa

ARROW = {"Content-Type": "application/vnd.apache.arrow.stream"}


def stream(table, compression=None):
    """Return the stream of a table."""
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue()
