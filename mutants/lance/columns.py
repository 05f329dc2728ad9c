"""Wrong columns, schema metadata and statistics."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, answers, body_becomes, fault, request_becomes, status_becomes

ADD, ALTER, DROP = "AlterTableAddColumns", "AlterTableAlterColumns", "AlterTableDropColumns"
METADATA, STATS = "UpdateTableSchemaMetadata", "GetTableStats"
CHANGES = (ADD, ALTER, DROP)


def _each(name: str, edit: Any) -> Any:
    """Return an edit of a body that changes each item of the list of this name."""
    return request_becomes(lambda body: {**body, name: [edit(entry) for entry in body[name]]})


NOT_EMPTY: dict[str, list[Any]] = {
    "new_columns": [{"name": "new", "expression": "1"}],
    "alterations": [{"path": "age", "rename": "years"}],
    "columns": ["age"],
}


@fault("metadata-merged", on=[METADATA])
async def _metadata_merged(call: Call, proceed: Proceed) -> Reply:
    """Metadata of a schema are merged with those that it has."""
    # Keep what is not mentioned: the metadata that the table got before, and the new ones.
    kept: dict[str, Any] = call.state.setdefault("metadata-merged", {})
    merged = {**kept.get(call.path["id"], {}), **orjson.loads(call.request.body)}
    call.request = call.request.altered(body=orjson.dumps(merged))
    reply = await proceed()
    kept[call.path["id"]] = merged
    return reply


@fault("schema-change-empties", on=(*CHANGES, METADATA))
async def _rows_lost(call: Call, proceed: Proceed) -> Reply:
    """A change of columns or metadata loses the rows."""
    # Delete all rows afterwards.
    reply = await proceed()
    call.turn_to("DeleteFromTable")
    call.request = call.request.altered(body=b'{"predicate": "true"}')
    await proceed()
    return reply


@fault("metadata-answer-wrong", on=[METADATA])
async def _answer_invented(_call: Call, proceed: Proceed) -> Reply:
    """The answer has other metadata than the table."""
    reply = await proceed()
    if reply.status == 200:
        reply.body = b'{"more":"than was sent"}'
    return reply


fault(
    "columns-forgotten", "Changes of columns are answered with success, but nothing changes.", on=(*CHANGES, METADATA)
)(answers(200, {"version": 1}))
fault("column-constant", "An added column is the same in every row.", on=[ADD])(
    _each("new_columns", lambda column: {**column, "expression": "42"})
)
fault("columns-empty-means-some", "A request that names no columns changes one.", on=CHANGES)(
    request_becomes(lambda body: {name: value or NOT_EMPTY.get(name, value) for name, value in body.items()})
)
fault(
    "columns-refused-silently",
    "A change of columns that is impossible returns success.",
    on=(*CHANGES, METADATA, STATS),
)(status_becomes(400, 200))
fault("stats-no-bytes", "Statistics tell that a table takes no bytes.", on=[STATS])(
    body_becomes(lambda body: {**body, "total_bytes": 0}, 200)
)
