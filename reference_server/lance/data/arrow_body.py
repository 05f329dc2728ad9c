"""Arrow streams in request bodies, read whole and checked before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_server.context import Request
from reference_server.errors import InvalidInput
from reference_server.lance.data.arrow_decoded import check_decoded
from reference_server.lance.data.arrow_limits import check_stream
from reference_server.lance.data.arrow_schema import check_schema

if TYPE_CHECKING:
    import pyarrow as pa

STREAM_TYPE = "application/vnd.apache.arrow.stream"
FILE_MAGIC = b"ARROW1"


def check_stream_type(request: Request) -> None:
    """Raise InvalidInput when the body is not declared to be an Arrow stream, or is missing."""
    kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind != STREAM_TYPE:
        raise InvalidInput(f"The request needs an Arrow stream with Content-Type {STREAM_TYPE}, not {kind or 'none'}.")
    if not request.body:
        raise InvalidInput("The request body is empty; an Arrow stream has at least a schema.")
    if request.body.startswith(FILE_MAGIC):
        raise InvalidInput("The body is in the Arrow file format; send the stream format.")


def read_stream(body: bytes) -> pa.Table:
    """Return what an Arrow stream holds, fully validated.

    Raises InvalidInput for bytes that are not a stream or break off, and for what `arrow_limits.py` or
    `arrow_decoded.py` finds too large; TableSchemaValidationError for a schema of which no table can be made.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    # Lance panics over buffers that do not lie where their type wants them.
    aligned = pa.ipc.IpcReadOptions(ensure_alignment=pa.ipc.Alignment.At64Byte)
    try:
        check_stream(body)
        table = pa.ipc.open_stream(body, options=aligned).read_all()
        table.validate()
        check_decoded(table)
        table.validate(full=True)  # reads every value that a view stands for
        check_schema(table.schema)  # names need not be in UTF-8
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InvalidInput(f"The body is not a whole Arrow stream: {error}.") from None
    return table
