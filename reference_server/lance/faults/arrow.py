"""Arrow data that are not stored as they were sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference_server.context import Reply, Request
from reference_server.faults import Around, Call, Proceed, fault

WRITES = ("CreateTable", "InsertIntoTable", "MergeInsertIntoTable")


def read_body(body: bytes) -> Any:
    """Return what an Arrow stream holds. Raises pyarrow's errors."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    return pa.ipc.open_stream(body).read_all()


def with_rows(request: Request, edit: Callable[[Any, Request], Any]) -> Request:
    """Return a request whose rows are what `edit` makes of them; one whose body is no stream stays as it is."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        table = edit(read_body(request.body), request)
    except (pa.ArrowException, KeyError):
        return request
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return request.altered(body=sink.getvalue().to_pybytes())


def _rows_become(edit: Callable[[Any, Request], Any]) -> Around:
    async def around(call: Call, proceed: Proceed) -> Reply:
        call.request = with_rows(call.request, edit)
        return await proceed()

    return around


def _without_last_batch(table: Any, _request: Request) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    return pa.Table.from_batches(table.to_batches()[:-1], table.schema)


def _plain_schema(table: Any, _request: Request) -> Any:
    """Drop what a schema says beside names and types."""
    import pyarrow as pa  # noqa: PLC0415

    return table.cast(pa.schema([pa.field(field.name, field.type) for field in table.schema]))


fault("last-batch-lost", "The last batch of every stream is overlooked.", on=WRITES)(_rows_become(_without_last_batch))
fault("schema-simplified", "Of a schema only names and types are kept.", on=WRITES)(_rows_become(_plain_schema))
