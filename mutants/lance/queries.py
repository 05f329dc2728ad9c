"""Queries that are misread, or answered in another shape: rows, columns, vectors, plans."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import orjson

from reference_server.context import Reply, json_reply
from reference_server.faults import Around, Call, Proceed, body_becomes, fault, request_becomes

QUERY = ["QueryTable"]
PLANS = ["ExplainTableQueryPlan", "AnalyzeTableQueryPlan"]
ALL = [*QUERY, *PLANS]
EVERYTHING = 100_000
EFFORTS = ("nprobes", "refine_factor", "ef", "bypass_vector_index", "fast_search")
ADDED = ("_distance", "_score", "query_index")
SWAPPED = {"lower_bound": "upper_bound", "upper_bound": "lower_bound"}
PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")
Json = dict[str, Any]


def queries_become(edit: Callable[[Json], Json]) -> Around:
    """Do what a query would ask for after `edit`, also where it is a part of the body."""
    return request_becomes(lambda body: {**body, "query": edit(body["query"])} if "query" in body else edit(body))


LONG_NUMBER = re.compile(rb"\b\d{16,18}\b")


@fault(
    "numbers-in-sql-as-doubles",
    on=["CountTableRows", "UpdateTable", "DeleteFromTable", "AlterTableAddColumns", *QUERY],
)
async def _as_doubles(call: Call, proceed: Proceed) -> Reply:
    """Large numbers in predicates and expressions lose their last digits."""
    body = LONG_NUMBER.sub(lambda match: b"%d" % int(float(match[0])), call.request.body)
    call.request = call.request.altered(body=body)
    return await proceed()


def refused_if(wrong: Callable[[Json], bool], status: int = 400) -> Around:
    """Refuse the queries that something is wrong with."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        body = orjson.loads(call.request.body)
        if wrong(body.get("query", body)):
            return json_reply({"error": "refused", "code": 13 if status == 400 else 18}, status)
        return await proceed()

    return around


def table_becomes(edit: Callable[[Any], Any]) -> Around:
    """Answer with what `edit` makes of the Arrow table of rows."""

    async def around(_call: Call, proceed: Proceed) -> Reply:
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        reply = await proceed()
        if reply.status == 200:
            table = edit(pa.ipc.open_file(reply.body).read_all())
            sink = pa.BufferOutputStream()
            with pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
            reply.body = sink.getvalue().to_pybytes()
        return reply

    return around


def _latest(query: Json) -> Json:
    searches = query.get("full_text_query") or any((query.get("vector") or {}).values())
    return {name: value for name, value in query.items() if name != "version" or not searches}


fault("queries-capped", "Queries give back 600 rows at most.", on=QUERY)(
    queries_become(lambda query: {**query, "k": min(query["k"], 600)} if isinstance(query.get("k"), int) else query)
)
fault(
    "searches-of-latest", "Searches for vectors and texts are about the latest version, whatever they name.", on=QUERY
)(queries_become(_latest))


@fault("query-as-stream", on=QUERY)
async def _as_stream(_call: Call, proceed: Proceed) -> Reply:
    """Rows come as an Arrow stream instead of a file."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    reply = await proceed()
    if reply.status == 200:
        table = pa.ipc.open_file(reply.body).read_all()
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        reply.body = sink.getvalue().to_pybytes()
        reply.content_type = "application/vnd.apache.arrow.stream"
    return reply


@fault("query-crashes", on=ALL)
async def _crash(_call: Call, proceed: Proceed) -> Reply:
    """Queries end in an error of the server."""
    await proceed()
    return json_reply({"error": "internal error", "code": 18}, 500)


def _named(query: Json) -> list[str]:
    """Return the columns that a query asks for."""
    columns = query.get("columns") or {}
    return [*columns.get("column_names", ()), *columns.get("column_aliases", {}).values()]


def _is_plain(name: str) -> bool:
    return bool(PLAIN_NAME.fullmatch(name)) and name != "select"


def _only_first(query: Json) -> Json:
    several = (query.get("vector") or {}).get("multi_vector")
    return {**query, "vector": {"single_vector": several[0]}} if several else query


def _absolute(query: Json) -> Json:
    several = (query.get("vector") or {}).get("multi_vector")
    if not several:
        return query
    positive = [[abs(number) if isinstance(number, int | float) else number for number in one] for one in several]
    return {**query, "vector": {"multi_vector": positive}}


def _of_nothing(body: Json) -> Json:
    plain = {"vector": {}, "k": 5}
    return {"query": plain} if "query" in body else plain


@fault("query-plan-commits", on=[*PLANS, "DescribeTable"])
async def _plan_commits(call: Call, proceed: Proceed) -> Reply:
    """Asking for a plan makes a version."""
    # Let every plan of a table count as a new version of it.
    planned: dict[str, int] = call.state.setdefault("query-plan-commits", {})
    reply = await proceed()
    if call.operation.id in PLANS and reply.status == 200:
        planned[call.path["id"]] = planned.get(call.path["id"], 0) + 1
    elif call.operation.id == "DescribeTable" and reply.status == 200 and call.path["id"] in planned:
        body = orjson.loads(reply.body)
        reply.body = orjson.dumps({**body, "version": body["version"] + planned[call.path["id"]]})
    return reply


fault("query-k-ignored", "A query gives back all rows, whatever its k.", on=ALL)(
    queries_become(lambda query: {**query, "k": EVERYTHING})
)
fault("query-offset-within-k", "The rows that an offset leaves out count among the k.", on=ALL)(
    queries_become(lambda query: {**query, "k": max(0, query["k"] - query.get("offset", 0))})
)
fault("query-vector-required", "A query must have an object as its vector.", on=ALL)(
    refused_if(lambda query: query.get("vector") is None)
)

fault("query-odd-columns-refused", "Only columns whose names are words of small letters can be asked for.", on=ALL)(
    refused_if(lambda query: not all(map(_is_plain, _named(query))))
)
fault(
    "query-missing-column-crashes", "A query of a column that does not exist ends in an error of the server.", on=ALL
)(refused_if(lambda query: "nowhere" in str(query), 500))

fault("query-farthest-first", "The rows that a query finds come the other way round.", on=QUERY)(
    table_becomes(lambda table: table.take(list(range(table.num_rows))[::-1]) if table.num_rows else table)
)
fault("query-measures-hidden", "Queries return no distances, no scores and no index of the query vector.", on=QUERY)(
    table_becomes(lambda table: table.drop_columns([name for name in ADDED if name in table.schema.names]))
)
fault("query-prefilter-always", "The filter is always applied ahead of the search.", on=ALL)(
    queries_become(lambda query: {**query, "prefilter": True})
)
fault("query-bounds-swapped", "The lower bound is taken as the upper one, and the other way round.", on=ALL)(
    queries_become(lambda query: {SWAPPED.get(name, name): value for name, value in query.items()})
)
fault("query-vector-column-required", "A search for a vector must name its column.", on=ALL)(
    refused_if(lambda query: bool(query.get("vector")) and "vector_column" not in query)
)
fault("query-batch-absolute", "Several vectors are searched for without the signs of their numbers.", on=ALL)(
    queries_become(_absolute)
)
fault("query-batch-first-only", "Of several vectors only the first is searched for.", on=ALL)(
    queries_become(_only_first)
)
fault("query-effort-refused", "A query must not say how hard to search.", on=ALL)(
    refused_if(lambda query: any(name in query for name in EFFORTS))
)

fault("query-plan-of-nothing", "Whatever the query, the plan is that of reading rows.", on=PLANS)(
    request_becomes(_of_nothing)
)
fault("query-plan-as-object", "A plan comes in an object.", on=PLANS)(body_becomes(lambda plan: {"plan": plan}, 200))
