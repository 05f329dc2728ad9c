"""Merges, updates and deletions that change other rows than requested, or report wrong counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from mutants.lance.requests import read_body, with_rows
from reference_server.context import Reply, Request, json_reply
from reference_server.faults import Around, Call, Proceed, answers, fault, status_becomes

MERGE, UPDATE, DELETE = ["MergeInsertIntoTable"], ["UpdateTable"], ["DeleteFromTable"]
CLAUSES = ("when_matched_update_all", "when_not_matched_insert_all", "when_not_matched_by_source_delete")
BAD_INPUT: dict[str, Any] = {"error": "not understood", "code": 13}
Query = dict[str, list[str]]


def _query_becomes(edit: Callable[[Query], Query]) -> Around:
    """Act as if another query had been sent."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        call.request = call.request.altered(query=edit(dict(call.request.query)))
        return await proceed()

    return around


def _refused(condition: Callable[[Request], bool]) -> Around:
    """Refuse some requests as bad ones."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        return json_reply(BAD_INPUT, 400) if condition(call.request) else await proceed()

    return around


def _last_of_each(data: Any, request: Request) -> Any:
    """Keep the last of the rows with one key."""
    keys = zip(*(data[name].to_pylist() for name in request.query.get("on", [])), strict=True)
    return data.take(sorted({key: index for index, key in enumerate(keys)}.values()))


def _with_keys(data: Any, request: Request) -> Any:
    """Leave out rows that lack a key."""
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    for name in request.query.get("on", []):
        data = data.filter(pc.is_valid(data[name]))
    return data


@fault("merge-last-wins", on=MERGE)
async def _last_wins(call: Call, proceed: Proceed) -> Reply:
    """Of several rows that match one the last wins, silently."""
    reply = await proceed()
    if reply.status != 400:
        return reply
    call.request = with_rows(call.request, _last_of_each)
    return await proceed()


@fault("merge-null-keys-lost", on=MERGE)
async def _without_null_keys(call: Call, proceed: Proceed) -> Reply:
    """Rows without a key are left out of merges."""
    call.request = with_rows(call.request, _with_keys)
    return await proceed()


@fault("merge-by-place", on=MERGE)
async def _by_place(call: Call, proceed: Proceed) -> Reply:
    """Columns of merged rows go by their place, counted from the last."""
    call.request = with_rows(call.request, lambda data, _: data.rename_columns(data.schema.names[::-1]))
    return await proceed()


@fault("update-in-turn", on=UPDATE)
async def _in_turn(call: Call, proceed: Proceed) -> Reply:
    """Columns are set one after the other, each seeing what the one before has set."""
    body = orjson.loads(call.request.body)
    pairs = body.get("updates")
    if not isinstance(pairs, list) or not pairs:
        return await proceed()
    for pair in pairs:
        call.request = call.request.altered(body=orjson.dumps({**body, "updates": [pair]}))
        reply = await proceed()
    return reply


@fault("update-empty-crashes", on=UPDATE)
async def _empty_crashes(call: Call, proceed: Proceed) -> Reply:
    """An empty list of updates is an internal error."""
    empty = orjson.loads(call.request.body).get("updates") == []
    return json_reply({"error": "empty SET clause", "code": 18}, 500) if empty else await proceed()


@fault("delete-predicates-ignored", on=DELETE)
async def _delete_all(call: Call, proceed: Proceed) -> Reply:
    """DeleteFromTable deletes all rows whatever the predicate."""
    body = orjson.loads(call.request.body)
    if isinstance(body.get("predicate"), str):
        call.request = call.request.altered(body=orjson.dumps({**body, "predicate": "true"}))
    return await proceed()


def _has_odd_names(request: Request) -> bool:
    names = request.query.get("on", [])
    if not names and request.body.startswith(b"{"):
        names = [pair[0] for pair in orjson.loads(request.body).get("updates", []) if pair]
    return any(not (name.isascii() and name.isidentifier() and name.islower()) or name == "select" for name in names)


fault("merge-upserts", "A merge updates and inserts, whatever its clauses.", on=MERGE)(
    _query_becomes(lambda query: {**query, CLAUSES[0]: ["true"], CLAUSES[1]: ["true"], CLAUSES[2]: ["false"]})
)
fault("merge-first-key", "Rows match when they are equal in the first key column.", on=MERGE)(
    _query_becomes(lambda query: {**query, "on": query["on"][:1]} if "on" in query else query)
)
fault("merge-key-guessed", "A merge without a key matches rows by their first column.", on=MERGE)(
    _query_becomes(lambda query: {"on": ["id"], **query})
)
fault("merge-impossible-done", "A merge by columns that are missing is answered as done.", on=MERGE)(
    status_becomes(404, 200)
)
fault("merge-whole-rows", "Merged rows must have all columns.", on=MERGE)(
    _refused(lambda request: len(read_body(request.body).schema.names) < 3)
)
fault("merge-no-index", "A merge that asks for an index is refused.", on=MERGE)(
    _refused(lambda request: request.query.get("use_index") == ["true"])
)
fault("merge-no-timeout", "A merge with a timeout is refused.", on=MERGE)(
    _refused(lambda request: "timeout" in request.query)
)

fault("declared-as-missing", "Changing the rows of a declared table finds no table.", on=[*UPDATE, *DELETE])(
    answers(404, {"error": "no such dataset", "code": 4})
)
fault("odd-columns-refused", "Columns to match or to set must be plain words.", on=[*MERGE, *UPDATE])(
    _refused(_has_odd_names)
)
