"""Arrow streams in request bodies, read completely and checked before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_server.context import Request
from reference_server.errors import InvalidInput
from reference_server.lance.data.arrow_decoded import check_decoded
from reference_server.lance.data.arrow_limits import check_stream
from reference_server.lance.data.arrow_schema import check_schema
from specs.openapi import media_type_of

if TYPE_CHECKING:
    import pyarrow as pa

STREAM_TYPE = "application/vnd.apache.arrow.stream"
FILE_MAGIC = b"ARROW1"


def check_stream_type(request: Request) -> None:
    """Raise InvalidInput for an absent body and for one of another type. The client for Rust sends no type."""
    kind = media_type_of(request.headers.get("Content-Type", ""))
    if kind not in ("", STREAM_TYPE):
        raise InvalidInput(f"The request needs an Arrow stream with Content-Type {STREAM_TYPE}, not {kind}.")
    if not request.body:
        raise InvalidInput("The request body is empty; an Arrow stream has at least a schema.")
    if request.body.startswith(FILE_MAGIC):
        raise InvalidInput("The body is in the Arrow file format; send the stream format.")


def read_stream(body: bytes) -> pa.Table:
    """Return the table of an Arrow stream, fully validated.

    Raises InvalidInput for bytes that are not a complete stream, and for streams that are too large for
    `arrow_limits.py` or `arrow_decoded.py`; TableSchemaValidationError for a schema that no table can have.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    # Lance panics over buffers that are not aligned to their type.
    aligned = pa.ipc.IpcReadOptions(ensure_alignment=pa.ipc.Alignment.At64Byte)
    try:
        check_stream(body)
        table = pa.ipc.open_stream(body, options=aligned).read_all()
        table.validate()
        check_decoded(table)
        table.validate(full=True)  # reads every value of a view
        check_schema(table.schema)  # names may be invalid UTF-8
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InvalidInput(f"The body is not a whole Arrow stream: {error}.") from None
    return table
