"""Indices that are not built, not described or not dropped as asked for, and queries that suffer from them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from reference_server.context import Reply, json_reply
from reference_server.faults import (
    Call,
    Proceed,
    answers,
    arguments_lost,
    body_becomes,
    declare,
    fields_lost,
    request_becomes,
    status_becomes,
)
from reference_server.lance.faults.building import items

BUILDS = ("CreateTableIndex", "CreateTableScalarIndex")
LIST, STATS, DROP = ["ListTableIndices"], ["DescribeTableIndexStats"], ["DropTableIndex"]
FTS_SETTINGS = (
    *("with_position", "base_tokenizer", "language", "max_token_length", "lower_case", "stem"),
    *("remove_stop_words", "ascii_folding"),
)
GHOST = {"index_name": "ghost", "index_uuid": "0", "columns": ["id"], "status": "SUCCEEDED"}

# Building

declare(
    "index-forgets",
    "Indices are answered with success, but never built.",
    answers(200, {"transaction_id": "t"}),
    kills=[
        "lance.index.create.unnamed.*",
        "lance.index.create.unnamed_twice",
        "lance.index.create.same_name_elsewhere",
        "lance.index.create.empty_table",
        "lance.index.create.hamming",
        "lance.index.*.transaction",
    ],
    on=BUILDS,
)
declare(
    "index-name-lost",
    "The server names indices itself, whatever they shall be called.",
    arguments_lost("name"),
    kills=["lance.index.*.name", "lance.index.create.same_name_elsewhere", "lance.index.unnameable.*"],
    on=BUILDS,
)
declare(
    "index-name-made-up-once",
    "Indices without a name are all given the same.",
    request_becomes(lambda body: {**body, "name": body.get("name") or "idx"}),
    kills=["lance.index.create.unnamed_twice", "lance.index.create.unnamed_other_type"],
    on=BUILDS,
)
declare(
    "index-type-ignored",
    "Whatever type of index is asked for, it is BTREE.",
    request_becomes(lambda body: {**body, "index_type": "BTREE"}),
    kills=[
        "lance.index.*.type_unknown",
        *(f"lance.index.create.unfit.{kind}" for kind in ("label_list", "fts", "ivf_flat", "ivf_pq")),
    ],
    on=BUILDS,
)
declare(
    "index-distance-ignored",
    "Vector indices are always built for l2.",
    arguments_lost("distance_type"),
    kills=[
        *(f"lance.index.create.distance.{name}" for name in ("cosine", "dot")),
        "lance.index.create.distance_unknown",
        "lance.index.create.hamming",
        "lance.index.field_type.distance_type",
    ],
    on=BUILDS,
)
declare(
    "fts-settings-ignored",
    "Indices for full-text search are built with the server's own settings.",
    arguments_lost(*FTS_SETTINGS),
    kills=[
        *(f"lance.index.fts.setting.{name}" for name in ("base_tokenizer", "language", "max_token_length")),
        "lance.index.fts.setting.*_off",
        "lance.index.fts.with_position",
        "lance.index.fts.unknown.*",
        *(f"lance.index.field_type.{name}" for name in ("with_position", "base_tokenizer", "*_length", "lower_case")),
    ],
    on=BUILDS,
)


def _flipped(body: dict[str, Any]) -> dict[str, Any]:
    """Return a request with every switch the other way round, and another tokenizer."""
    switched = {name: not value if isinstance(value, bool) else value for name, value in body.items()}
    return {**switched, "base_tokenizer": "raw"} if "base_tokenizer" in body else switched


declare(
    "fts-settings-flipped",
    "What is switched on for full-text search is off, and the other way round.",
    request_becomes(_flipped),
    kills=[
        *(f"lance.index.fts.setting.{name}*" for name in ("lower_case", "stem", "remove_stop_words", "ascii_folding")),
        "lance.index.fts.setting.base_tokenizer*",
        "lance.index.fts.with_position",
    ],
    on=BUILDS,
)
declare(
    "index-crashes",
    "Building an index ends in an error of the server.",
    status_becomes(200, 500),
    kills=["lance.index.create.null_vectors"],
    on=BUILDS,
)
declare(
    "index-transaction-lost",
    "What changes indices does not say in which transaction.",
    fields_lost("transaction_id"),
    kills=["lance.index.*.transaction"],
    on=[*BUILDS, *DROP],
)

# Listing and describing


def _each(edit: Any) -> Any:
    """Return an edit of every index of a listing: a function of its position and its entry."""
    return body_becomes(items(lambda entries: [{**one, **edit(at, one)} for at, one in enumerate(entries)]), 200)


declare(
    "index-columns-wrong",
    "ListTableIndices shows the name of an index in place of its columns.",
    _each(lambda _, one: {"columns": [one["index_name"] + "_column"]}),
    kills=[
        "lance.index.create.type.*",
        "lance.index.create_scalar.type.*",
        "lance.index.create.other_type.*",
        "lance.index.create*.name",
        "lance.index.create.nested",
        "lance.index.create.unnamed_twice",
        "lance.index.drop.again",
    ],
    on=LIST,
)
declare(
    "index-uuid-new",
    "ListTableIndices makes up a uuid for every answer.",
    _each(lambda *_: {"index_uuid": str(uuid4())}),
    kills=["lance.index.list.uuids"],
    on=LIST,
)
declare(
    "index-status-mixed",
    "Indices in the same state have different words for it.",
    _each(lambda at, _: {"status": f"state {at}"}),
    kills=["lance.index.list.status"],
    on=LIST,
)
declare(
    "index-ghost",
    "ListTableIndices shows an index that the table does not have.",
    body_becomes(items(lambda entries: [*entries, GHOST]), 200),
    kills=[
        "lance.index.list.none",
        "lance.index.list.own",
        "lance.index.list.version",
        "lance.index.drop.gone",
        "lance.pagination.complete.list_table_indices",
        "spark.lance.job.indexed.*",
    ],
    on=LIST,
)
declare(
    "index-figures-zero",
    "The statistics of an index have no figures but 0.",
    body_becomes(lambda body: {**body, "num_indexed_rows": 0, "num_indices": 0}, 200),
    kills=["lance.index.stats.rows", "lance.index.stats.new_rows", "lance.index.stats.num_indices"],
    on=STATS,
)
declare(
    "index-kind-hidden",
    "The statistics say of every index that it is for vectors, with the distance hamming.",
    body_becomes(lambda body: {**body, "index_type": "VECTOR", "distance_type": "hamming"}, 200),
    kills=["lance.index.stats.type.*", "lance.index.stats.no_distance", "lance.index.create.distance.*"],
    on=STATS,
)


async def _refuse_body_name(call: Call, proceed: Proceed) -> Reply:
    if b'"index_name"' in call.request.body:
        return json_reply({"error": "unknown field index_name", "code": 13}, 400)
    return await proceed()


declare(
    "index-distance-hidden",
    "The statistics do not say for which distance an index is built.",
    fields_lost("distance_type"),
    kills=["lance.index.stats.distance"],
    on=STATS,
)
declare(
    "index-body-refused",
    "A body may not repeat the name of the index.",
    _refuse_body_name,
    kills=["lance.index.stats.body_same"],
    on=STATS,
)

# Dropping

declare(
    "index-drop-keeps",
    "Drops of indices are answered with success, but the index stays.",
    answers(200, {"transaction_id": "t"}),
    kills=[
        "lance.index.drop.gone",
        "lance.index.drop.twice",
        "lance.index.drop.stats",
        "lance.index.drop.again",
        "lance.index.drop.index_missing",
        "lance.index.named.*",
    ],
    on=DROP,
)

# Queries


async def _loses_row(call: Call, proceed: Proceed) -> Reply:
    """Leave out the last row of what is found in a table with an index."""
    indexed: set[str] = call.state.setdefault("index-loses-row", set())
    reply = await proceed()
    if reply.status == 200 and call.operation.id == "CreateTableIndex":
        indexed.add(call.path["id"])
    elif call.operation.id == "DropTableIndex":
        indexed.discard(call.path["id"])
    elif reply.status == 200 and call.path["id"] in indexed:
        reply.body = _without_last_row(reply.body)
    return reply


def _without_last_row(body: bytes) -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    table = pa.ipc.open_file(body).read_all()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.slice(0, max(0, table.num_rows - 1)))
    shorter: bytes = sink.getvalue().to_pybytes()
    return shorter


declare(
    "index-loses-row",
    "With an index, queries find one row less.",
    _loses_row,
    kills=["lance.index.answers.*", "lance.index.drop.rows", "lance.index.fts.finds"],
    on=["CreateTableIndex", "DropTableIndex", "QueryTable"],
)
