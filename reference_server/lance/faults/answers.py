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


async def _skip_without_body(_call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    return Reply(204) if reply.body == b"{}" else reply


async def _with_body(_call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    reply.body = reply.body or b"{}"
    return reply


_elsewhere = body_becomes(lambda body: {**body, "location": body["location"] + "_x"}, 200)


async def _moving(call: Call, proceed: Proceed) -> Reply:
    """Tell where a table lies when that is asked first, and another place later."""
    asked: dict[str, int] = call.state.setdefault("table-moves", {})
    name = call.path["id"]
    asked[name] = asked.get(name, 0) + 1
    return await (proceed() if asked[name] == 1 else _elsewhere(call, proceed))


# Answers
declare("skip-204", "DropNamespace answers mode Skip with an empty 204.", _skip_without_body, on=["DropNamespace"])
declare(
    "exists-with-body", "The exists operations answer with a body.", _with_body, on=["NamespaceExists", "TableExists"]
)
declare(
    "exists-denies",
    "The exists operations find nothing.",
    answers(404, {"error": "not found", "code": 4}),
    on=["NamespaceExists", "TableExists"],
)
declare(
    "exists-finds-all",
    "The operations that test for something find it, whatever it is.",
    answers(200, None),
    on=["NamespaceExists", "TableExists"],
)
declare("location-lost", "Answers do not say where a table lies.", fields_lost("location"))
declare("location-wrong", "DeregisterTable names a place where no table lies.", _elsewhere, on=["DeregisterTable"])
declare(
    "details-lost",
    "DescribeTable leaves out what only the data tell.",
    fields_lost("version", "schema", "stats", "table", "namespace", "table_uri"),
    on=["DescribeTable"],
)
declare(
    "uri-always",
    "DescribeTable has a table_uri that nobody asked for.",
    body_becomes(lambda body: {**body, "table_uri": body["location"]}, 200),
    on=["DescribeTable"],
)
declare(
    "declared-flipped",
    "DescribeTable calls declared tables created, and the other way round.",
    body_becomes(lambda body: {**body, "is_only_declared": not body["is_only_declared"]}, 200),
    on=["DescribeTable"],
)
declare(
    "count-plus-one",
    "CountTableRows counts one row too many.",
    body_becomes(lambda count: count + 1, 200),
    on=["CountTableRows"],
)
declare(
    "table-moves",
    "DescribeTable names another place, where no table lies, to who asks again.",
    _moving,
    on=["DescribeTable"],
)
declare("table-elsewhere", "DescribeTable names a place where no table lies.", _elsewhere, on=["DescribeTable"])
