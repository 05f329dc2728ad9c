"""CreateMaterializedView, RefreshMaterializedView.

A view is a table that starts without rows, with its query in the metadata of the schema. The query is a text in a form
of the client, which no server interprets: a worker of the client refreshes the view through the table. The server
itself runs neither such queries nor functions of users, and rejects requests for them.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from typing import TYPE_CHECKING

from reference_server.context import Reply, json_reply
from reference_server.errors import InvalidInput, Unsupported
from reference_server.lance.catalog.recovery import current_table
from reference_server.lance.context import LanceContext
from reference_server.lance.data.arrow_schema import check_schema
from reference_server.lance.handlers.creation import create_with_data

if TYPE_CHECKING:
    import pyarrow as pa

QUERY = "query"
SOURCE_QUERY, KIND = "materialized_view.source_query", "materialized_view.kind"
CREATED = 201
OPAQUE = "The query of a materialized view is a text in a form of the client, which this server cannot run."


async def create_materialized_view(context: LanceContext) -> Reply:
    """Create a view without rows. Raises TableAlreadyExists, and Unsupported for what the server would have to run."""
    body = context.body
    kind, function = body["kind"], body.get("udtf_spec")
    if (kind == QUERY) != (function is None):
        raise InvalidInput(f"A view of kind {QUERY!r} has no udtf_spec, a view of another kind has one.")
    if function is not None and function["kind"] != kind:
        raise InvalidInput(f"The view is of kind {kind!r}, its udtf_spec of kind {function['kind']!r}.")
    if kind != QUERY:
        raise Unsupported(f"This server runs no functions of users: views of kind {kind!r} are not supported.")
    if body.get("with_no_data") is False or body.get("auto_refresh"):
        raise Unsupported(f"{OPAQUE} Create the view with with_no_data and without auto_refresh.")
    schema = _schema(body["output_schema"])
    described = schema.with_metadata({**(schema.metadata or {}), KIND: kind, SOURCE_QUERY: body["source_query"]})
    made = await create_with_data(context, context.table_id, described.empty_table(), {}, "Create")
    return json_reply({"version": made["version"]}, CREATED)


async def refresh_materialized_view(context: LanceContext) -> Reply:
    """Refuse to refresh a view. Raises TableNotFound, and InvalidInput for a table that is no view."""
    table = await current_table(context, context.table_id)
    metadata = await context.read(table, lambda dataset: dataset.schema.metadata) if table.created else None
    if KIND.encode() not in (metadata or {}):
        raise InvalidInput("The table is no materialized view: CreateMaterializedView did not create it.")
    if context.body and context.body.get("output_limit") is not None:
        raise InvalidInput("output_limit is for views of kind 'chunker'; this one has kind 'query'.")
    raise Unsupported(OPAQUE)


def _schema(text: str) -> pa.Schema:
    """Return an Arrow schema in base64. Raises InvalidInput, and TableSchemaValidationError as for other tables."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    try:
        schema = pa.ipc.read_schema(pa.py_buffer(b64decode(text, validate=True)))
        check_schema(schema)
    except (binascii.Error, pa.ArrowException, OSError, ValueError) as error:
        raise InvalidInput(f"The output_schema is not an Arrow schema in base64: {error}.") from None
    return schema
