"""Answers that leave out or add."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.faults import (
    Call,
    Proceed,
    answers,
    body_becomes,
    declare,
    fields_lost,
)

# Answers


async def _skip_without_body(_call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    return Reply(204) if reply.body == b"{}" else reply


async def _with_body(_call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    reply.body = reply.body or b"{}"
    return reply


_elsewhere = body_becomes(lambda body: {**body, "location": body["location"] + "_x"}, 200)

declare(
    "skip-204",
    "DropNamespace answers mode Skip with an empty 204.",
    _skip_without_body,
    kills=["lance.namespace.drop.skip_json"],
    on=["DropNamespace"],
)
declare(
    "exists-with-body",
    "The exists operations answer with a body.",
    _with_body,
    kills=["lance.*.exists.no_body"],
    on=["NamespaceExists", "TableExists"],
)
declare(
    "exists-denies",
    "The exists operations find nothing.",
    answers(404, {"error": "not found", "code": 4}),
    kills=["lance.namespace.exists.present", "lance.table.exists.present", "spark.lance.error.table-exists"],
    on=["NamespaceExists", "TableExists"],
)
declare(
    "exists-finds-all",
    "The operations that test for something find it, whatever it is.",
    answers(200, None),
    kills=["spark.lance.error.table-missing.drop"],
    on=["NamespaceExists", "TableExists"],
)
declare(
    "location-lost",
    "Answers do not say where a table lies.",
    fields_lost("location"),
    kills=["lance.table.describe.location", "lance.table.declare.exists", "lance.table.create_empty.exists"],
)
declare(
    "location-wrong",
    "DeregisterTable names a place where no table lies.",
    _elsewhere,
    kills=["lance.table.deregister.data", "lance.table.register.rows", "lance.table.register.reported_location"],
    on=["DeregisterTable"],
)
declare(
    "details-lost",
    "DescribeTable leaves out what only the data tell.",
    fields_lost("version", "schema", "stats", "table", "namespace", "table_uri"),
    kills=[
        "lance.table.describe.detailed.*",
        "lance.table.describe.name",
        "lance.table.describe.schema",
        "lance.table.describe.uri",
    ],
    on=["DescribeTable"],
)
declare(
    "uri-always",
    "DescribeTable has a table_uri that nobody asked for.",
    body_becomes(lambda body: {**body, "table_uri": body["location"]}, 200),
    kills=["lance.table.describe.uri_absent"],
    on=["DescribeTable"],
)
declare(
    "declared-flipped",
    "DescribeTable calls declared tables created, and the other way round.",
    body_becomes(lambda body: {**body, "is_only_declared": not body["is_only_declared"]}, 200),
    kills=["lance.table.describe.declared", "lance.table.describe.only_declared"],
    on=["DescribeTable"],
)
declare(
    "count-plus-one",
    "CountTableRows counts one row too many.",
    body_becomes(lambda count: count + 1, 200),
    kills=[
        "lance.table.create.rows",
        "lance.table.create.empty_stream",
        "lance.rows.count.predicate",
        "lance.rows.count.version",
        "lance.rows.insert.append",
        "spark.lance.job.written",
        "spark.lance.other.api-reads",
    ],
    on=["CountTableRows"],
)


async def _moving(call: Call, proceed: Proceed) -> Reply:
    """Tell where a table lies when that is asked first, and another place later."""
    asked: dict[str, int] = call.state.setdefault("table-moves", {})
    name = call.path["id"]
    asked[name] = asked.get(name, 0) + 1
    return await (proceed() if asked[name] == 1 else _elsewhere(call, proceed))


declare(
    "table-moves",
    "DescribeTable names another place, where no table lies, to who asks again.",
    _moving,
    kills=["spark.lance.job.fragments", "spark.lance.job.read", "spark.lance.job.replaced", "spark.lance.job.searched"],
    on=["DescribeTable"],
)
declare(
    "table-elsewhere",
    "DescribeTable names a place where no table lies.",
    _elsewhere,
    kills=[
        "spark.lance.rows.*",
        "spark.lance.table.apart",
        "spark.lance.table.created-as-select",
        "spark.lance.other.pylance-reads",
        "spark.lance.other.spark-reads",
        "spark.lance.other.lancedb",
    ],
    on=["DescribeTable"],
)
