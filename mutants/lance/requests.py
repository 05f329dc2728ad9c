"""Arguments, nulls and Arrow streams that are ignored, rejected or changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mutants.lance.indices import lost_anywhere
from reference_server.context import Reply, Request, json_reply
from reference_server.faults import Around, Call, Proceed, answers, arguments_lost, content, fault

UNKNOWN = ("from_the_future", "identity", "context")


@fault("unknown-keys-refused")
async def _refuse_unknown_keys(call: Call, proceed: Proceed) -> Reply:
    """Fields that the server does not know are refused."""
    unknown = [name for name in UNKNOWN if name.encode() in call.request.body]
    if unknown:
        return json_reply({"error": f"unknown field {unknown[0]}", "code": 13}, 400)
    return await proceed()


@fault("body-id-refused")
async def _refuse_body_id(call: Call, proceed: Proceed) -> Reply:
    """A body may not repeat the id."""
    if b'"id"' in call.request.body:
        return json_reply({"error": "unknown field id", "code": 13}, 400)
    return await proceed()


fault("modes-ignored", "Modes and behaviors are ignored.")(arguments_lost("mode", "behavior"))
fault("versions-ignored", "The latest version is used whichever is asked for.")(lost_anywhere("version"))

WRITES = ("CreateTable", "InsertIntoTable", "MergeInsertIntoTable")


def read_body(body: bytes) -> Any:
    """Return the table in an Arrow stream. Raises pyarrow's errors."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    return pa.ipc.open_stream(body).read_all()


def with_rows(request: Request, edit: Callable[[Any, Request], Any]) -> Request:
    """Return a request with its rows edited; a request whose body is no Arrow stream stays the same."""
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

REFUSED = {"error": "A field may not be null.", "code": 13}


@fault("null-refused")
async def _refuse_null(call: Call, proceed: Proceed) -> Reply:
    """Optional fields may not be null."""
    if None in (content(call) or {}).values():
        return await answers(400, REFUSED)(call, proceed)
    return await proceed()


@fault("null-identity-fails")
async def _fail_without_identity(call: Call, proceed: Proceed) -> Reply:
    """An identity that is null is a failure of the server."""
    reply = await proceed()
    if (content(call) or {}).get("identity", "") is None:
        reply.status = 500
    return reply
