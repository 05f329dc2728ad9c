"""Columns, metadata and statistics, changed or told carelessly."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, answers, body_becomes, declare, request_becomes, status_becomes

ADD, ALTER, DROP = "AlterTableAddColumns", "AlterTableAlterColumns", "AlterTableDropColumns"

METADATA, STATS = "UpdateTableSchemaMetadata", "GetTableStats"

CHANGES = (ADD, ALTER, DROP)


def _each(name: str, edit: Any) -> Any:
    """Return an edit of a body that changes each item of the list of this name."""
    return request_becomes(lambda body: {**body, name: [edit(one) for one in body[name]]})


NOT_EMPTY: dict[str, list[Any]] = {
    "new_columns": [{"name": "new", "expression": "1"}],
    "alterations": [{"path": "age", "rename": "years"}],
    "columns": ["age"],
}


async def _listing_kept(call: Call, proceed: Proceed) -> Reply:
    """Answer with the first indices that a table was seen to have."""
    seen: dict[str, Reply] = call.state.setdefault("column-indices-stale", {})
    reply = await proceed()
    if reply.status == 200 and orjson.loads(reply.body)["indexes"]:
        return seen.setdefault(call.path["id"], reply)
    return seen.get(call.path["id"], reply)


async def _metadata_merged(call: Call, proceed: Proceed) -> Reply:
    """Keep what is not mentioned: the metadata that the table got before, and the new ones."""
    kept: dict[str, Any] = call.state.setdefault("metadata-merged", {})
    merged = {**kept.get(call.path["id"], {}), **orjson.loads(call.request.body)}
    call.request = call.request.altered(body=orjson.dumps(merged))
    reply = await proceed()
    kept[call.path["id"]] = merged
    return reply


async def _rows_lost(call: Call, proceed: Proceed) -> Reply:
    """Delete all rows afterwards."""
    reply = await proceed()
    call.turn_to("DeleteFromTable")
    call.request = call.request.altered(body=b'{"predicate": "true"}')
    await proceed()
    return reply


async def _answer_invented(_call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    if reply.status == 200:
        reply.body = b'{"more":"than was sent"}'
    return reply


def _off_by(amount: int) -> Any:
    def edit(body: dict[str, Any]) -> dict[str, Any]:
        return {key: value + amount if isinstance(value, int) else value for key, value in body.items()}

    return edit


declare(
    "columns-forgotten",
    "Changes of columns are answered with success, but nothing changes.",
    answers(200, {"version": 1}),
    on=(*CHANGES, METADATA),
)
declare(
    "column-constant",
    "An added column is the same in every row.",
    _each("new_columns", lambda one: {**one, "expression": "42"}),
    on=[ADD],
)
declare(
    "columns-empty-means-some",
    "A request that names no columns changes one.",
    request_becomes(lambda body: {name: value or NOT_EMPTY.get(name, value) for name, value in body.items()}),
    on=CHANGES,
)
declare(
    "column-type-misread",
    "The type in an alteration is taken for another.",
    _each("alterations", lambda one: {**one, "data_type": {"type": "float64"}}),
    on=[ALTER],
)
declare(
    "column-transaction-invented",
    "Changes of columns tell a transaction that nobody knows.",
    body_becomes(lambda body: {**body, "transaction_id": body["transaction_id"] + "0"}, 200),
    on=CHANGES,
)
declare(
    "column-indices-stale",
    "A list of indices does not notice that columns were renamed or dropped.",
    _listing_kept,
    on=["ListTableIndices"],
)
declare(
    "columns-refused-silently",
    "What cannot be changed about columns is answered with success.",
    status_becomes(400, 200),
    on=(*CHANGES, METADATA, STATS),
)
declare(
    "column-missing-as-400",
    "A column that does not exist is refused as a bad request.",
    status_becomes(404, 400),
    on=(*CHANGES, METADATA, STATS),
)
declare("metadata-merged", "Metadata of a schema are merged with those that it has.", _metadata_merged, on=[METADATA])
declare(
    "metadata-id-taken-out",
    "A key of the metadata that is called like a field of other requests is taken for that.",
    request_becomes(lambda body: {key: value for key, value in body.items() if key != "id"}),
    on=[METADATA],
)
declare(
    "metadata-forgotten",
    "Metadata of a schema are answered as if they were kept, and are not.",
    answers(200, {}),
    on=[METADATA],
)
declare("schema-change-empties", "A change of columns or metadata loses the rows.", _rows_lost, on=(*CHANGES, METADATA))
declare("metadata-answer-wrong", "The answer has other metadata than the table.", _answer_invented, on=[METADATA])
declare(
    "stats-off-by-one", "Statistics tell one row and one index too many.", body_becomes(_off_by(1), 200), on=[STATS]
)
declare(
    "stats-no-bytes",
    "Statistics tell that a table takes no bytes.",
    body_becomes(lambda body: {**body, "total_bytes": 0}, 200),
    on=[STATS],
)
declare(
    "stats-lengths-wrong",
    "Statistics mix up the lengths of fragments.",
    body_becomes(
        lambda body: {
            **body,
            "fragment_stats": {
                **body["fragment_stats"],
                "lengths": {**body["fragment_stats"]["lengths"], "p25": 10_000, "max": 1, "mean": 0},
            },
        },
        200,
    ),
    on=[STATS],
)
