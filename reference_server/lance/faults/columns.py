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


declare(
    "columns-forgotten",
    "Changes of columns are answered with success, but nothing changes.",
    answers(200, {"version": 1}),
    kills=[
        "lance.column.add.together",
        "lance.column.add.empty",
        "lance.column.add.name.*",
        "lance.column.alter.rename",
        "lance.column.alter.version",
        "lance.column.alter.nested",
        "lance.column.alter.type",
        "lance.column.alter.nullable",
        "lance.column.drop.gone",
        "lance.column.drop.again",
        "lance.column.alter.same_type.*",
        "lance.column.alter.index",
        "lance.column.drop.index",
        "lance.column.*.missing",
        "lance.column.*.declared",
    ],
    on=(*CHANGES, METADATA),
)
declare(
    "column-constant",
    "An added column is the same in every row.",
    _each("new_columns", lambda one: {**one, "expression": "42"}),
    kills=[
        *(f"lance.column.add.{case}" for case in ("number", "several", "text", "constant", "default", "nested")),
        "lance.column.add.fragments",
        "lance.column.add.refused.placeholder",
        "lance.column.add.leftover",
        "lance.column.add.refused.syntax",
        "lance.column.add.refused.missing_column",
        "lance.column.add.refused.type",
        "lance.column.add.refused.no_expression",
    ],
    on=[ADD],
)
NOT_EMPTY: dict[str, list[Any]] = {
    "new_columns": [{"name": "new", "expression": "1"}],
    "alterations": [{"path": "age", "rename": "years"}],
    "columns": ["age"],
}

declare(
    "columns-empty-means-some",
    "A request that names no columns changes one.",
    request_becomes(lambda body: {name: value or NOT_EMPTY.get(name, value) for name, value in body.items()}),
    kills=["lance.column.*.nothing", "lance.column.*.refused.none"],
    on=CHANGES,
)
declare(
    "column-type-misread",
    "The type in an alteration is taken for another.",
    _each("alterations", lambda one: {**one, "data_type": {"type": "float64"}}),
    kills=["lance.column.alter.type", "lance.column.alter.same_type.*"],
    on=[ALTER],
)
declare(
    "column-transaction-invented",
    "Changes of columns tell a transaction that nobody knows.",
    body_becomes(lambda body: {**body, "transaction_id": body["transaction_id"] + "0"}, 200),
    kills=["lance.column.*.transaction"],
    on=CHANGES,
)


async def _listing_kept(call: Call, proceed: Proceed) -> Reply:
    """Answer with the first indices that a table was seen to have."""
    seen: dict[str, Reply] = call.state.setdefault("column-indices-stale", {})
    reply = await proceed()
    if reply.status == 200 and orjson.loads(reply.body)["indexes"]:
        return seen.setdefault(call.path["id"], reply)
    return seen.get(call.path["id"], reply)


declare(
    "column-indices-stale",
    "A list of indices does not notice that columns were renamed or dropped.",
    _listing_kept,
    kills=["lance.column.alter.index", "lance.column.drop.index"],
    on=["ListTableIndices"],
)
declare(
    "columns-refused-silently",
    "What cannot be changed about columns is answered with success.",
    status_becomes(400, 200),
    kills=[
        "lance.column.add.refused.*",
        "lance.column.add.taken",
        "lance.column.add.taken_code",
        "lance.column.add.name.empty",
        "lance.column.add.name.row_id",
        "lance.column.alter.refused.*",
        "lance.column.alter.not_null",
        "lance.column.drop.refused.*",
        "lance.metadata.update.type.*",
        "lance.stats.declared",
    ],
    on=(*CHANGES, METADATA, STATS),
)
declare(
    "column-missing-as-400",
    "A column that does not exist is refused as a bad request.",
    status_becomes(404, 400),
    kills=["lance.column.*.column_missing", "lance.column.*.missing", "lance.stats.missing"],
    on=(*CHANGES, METADATA, STATS),
)


async def _metadata_merged(call: Call, proceed: Proceed) -> Reply:
    """Keep what is not mentioned: the metadata that the table got before, and the new ones."""
    kept: dict[str, Any] = call.state.setdefault("metadata-merged", {})
    merged = {**kept.get(call.path["id"], {}), **orjson.loads(call.request.body)}
    call.request = call.request.altered(body=orjson.dumps(merged))
    reply = await proceed()
    kept[call.path["id"]] = merged
    return reply


declare(
    "metadata-merged",
    "Metadata of a schema are merged with those that it has.",
    _metadata_merged,
    kills=["lance.metadata.update.replaces"],
    on=[METADATA],
)
declare(
    "metadata-id-taken-out",
    "A key of the metadata that is called like a field of other requests is taken for that.",
    request_becomes(lambda body: {key: value for key, value in body.items() if key != "id"}),
    kills=["lance.metadata.update.words_of_requests"],
    on=[METADATA],
)
declare(
    "metadata-forgotten",
    "Metadata of a schema are answered as if they were kept, and are not.",
    answers(200, {}),
    kills=[f"lance.metadata.update.{case}" for case in ("one", "several", "unicode", "words_of_requests", "replaces")],
    on=[METADATA],
)


async def _rows_lost(call: Call, proceed: Proceed) -> Reply:
    """Delete all rows afterwards."""
    reply = await proceed()
    call.turn_to("DeleteFromTable")
    call.request = call.request.altered(body=b'{"predicate": "true"}')
    await proceed()
    return reply


declare(
    "schema-change-empties",
    "A change of columns or metadata loses the rows.",
    _rows_lost,
    kills=["lance.metadata.update.rows", "lance.column.add.others", "lance.column.alter.rename"],
    on=(*CHANGES, METADATA),
)


async def _answer_invented(_call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    if reply.status == 200:
        reply.body = b'{"more":"than was sent"}'
    return reply


declare(
    "metadata-answer-wrong",
    "The answer has other metadata than the table.",
    _answer_invented,
    kills=["lance.metadata.update.none"],
    on=[METADATA],
)


def _off_by(amount: int) -> Any:
    def edit(body: dict[str, Any]) -> dict[str, Any]:
        return {key: value + amount if isinstance(value, int) else value for key, value in body.items()}

    return edit


declare(
    "stats-off-by-one",
    "Statistics tell one row and one index too many.",
    body_becomes(_off_by(1), 200),
    kills=["lance.stats.rows", "lance.stats.deleted", "lance.stats.indices"],
    on=[STATS],
)
declare(
    "stats-no-bytes",
    "Statistics tell that a table takes no bytes.",
    body_becomes(lambda body: {**body, "total_bytes": 0}, 200),
    kills=["lance.stats.bytes"],
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
    kills=["lance.stats.lengths", "lance.stats.fragments"],
    on=[STATS],
)
