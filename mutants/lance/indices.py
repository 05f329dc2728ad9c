"""Indices that are not built, described or dropped as requested, and queries with wrong results because of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from reference_server.context import Reply, json_reply
from reference_server.faults import (
    Around,
    Call,
    Proceed,
    arguments_lost,
    body_becomes,
    fault,
    request_becomes,
    status_becomes,
)
from reference_server.lance.faults.blocks import items

DECLARES = ("DeclareTable", "CreateEmptyTable")


def _without(value: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value[name] for name in value if name not in names}


def lost_anywhere(*names: str) -> Around:
    """Act as if these arguments had not been sent: in the query, in the body, or in the query that a body holds."""

    def edit(body: Any) -> Any:
        if isinstance(body, dict) and isinstance(body.get("query"), dict):
            return {**body, "query": _without(body["query"], names)}
        return body

    outer, inner = arguments_lost(*names), request_becomes(edit)

    async def around(call: Call, proceed: Proceed) -> Reply:
        return await outer(call, lambda: inner(call, proceed) if b'"query"' in call.request.body else proceed())

    return around


BUILDS = ("CreateTableIndex", "CreateTableScalarIndex")
LIST, STATS, DROP = ["ListTableIndices"], ["DescribeTableIndexStats"], ["DropTableIndex"]
GHOST = {"index_name": "ghost", "index_uuid": "0", "columns": ["id"], "status": "SUCCEEDED"}


def _flipped(body: dict[str, Any]) -> dict[str, Any]:
    """Return a request with every switch the other way round, and another tokenizer."""
    switched = {name: not value if isinstance(value, bool) else value for name, value in body.items()}
    return {**switched, "base_tokenizer": "raw"} if "base_tokenizer" in body else switched


def _each(edit: Any) -> Any:
    """Return an edit of every index of a listing: a function of its position and its entry."""
    return body_becomes(items(lambda entries: [{**entry, **edit(at, entry)} for at, entry in enumerate(entries)]), 200)


@fault("index-body-refused", on=STATS)
async def _refuse_body_name(call: Call, proceed: Proceed) -> Reply:
    """A body may not repeat the name of the index."""
    if b'"index_name"' in call.request.body:
        return json_reply({"error": "unknown field index_name", "code": 13}, 400)
    return await proceed()


def _without_last_row(body: bytes) -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    table = pa.ipc.open_file(body).read_all()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.slice(0, max(0, table.num_rows - 1)))
    shorter: bytes = sink.getvalue().to_pybytes()
    return shorter


@fault("index-loses-row", on=["CreateTableIndex", "DropTableIndex", "QueryTable"])
async def _loses_row(call: Call, proceed: Proceed) -> Reply:
    """With an index, queries find one row less."""
    # Leave out the last row of what is found in a table with an index.
    indexed: set[str] = call.state.setdefault("index-loses-row", set())
    reply = await proceed()
    if reply.status == 200 and call.operation.id == "CreateTableIndex":
        indexed.add(call.path["id"])
    elif call.operation.id == "DropTableIndex":
        indexed.discard(call.path["id"])
    elif reply.status == 200 and call.path["id"] in indexed:
        reply.body = _without_last_row(reply.body)
    return reply


fault("index-name-made-up-once", "Indices without a name are all given the same.", on=BUILDS)(
    request_becomes(lambda body: {**body, "name": body.get("name") or "idx"})
)
fault("fts-settings-flipped", "The flags of a full-text index are inverted.", on=BUILDS)(request_becomes(_flipped))
fault("index-crashes", "Building an index ends in an error of the server.", on=BUILDS)(status_becomes(200, 500))

fault("index-uuid-new", "ListTableIndices invents a uuid for every answer.", on=LIST)(
    _each(lambda *_: {"index_uuid": str(uuid4())})
)
fault("index-status-mixed", "Indices in the same state have different words for it.", on=LIST)(
    _each(lambda at, _: {"status": f"state {at}"})
)
fault("index-ghost", "ListTableIndices shows an index that the table does not have.", on=LIST)(
    body_becomes(items(lambda entries: [*entries, GHOST]), 200)
)
fault("index-figures-zero", "The statistics of an index have no figures but 0.", on=STATS)(
    body_becomes(lambda body: {**body, "num_indexed_rows": 0, "num_indices": 0}, 200)
)
fault(
    "index-kind-hidden",
    "The statistics say of every index that it is for vectors, with the distance hamming.",
    on=STATS,
)(body_becomes(lambda body: {**body, "index_type": "VECTOR", "distance_type": "hamming"}, 200))
