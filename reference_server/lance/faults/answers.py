"""Answers that leave out or add."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, answers, body_becomes, fault, fields_lost


@fault("skip-204", on=["DropNamespace"])
async def _skip_without_body(_call: Call, proceed: Proceed) -> Reply:
    """DropNamespace answers mode Skip with an empty 204."""
    reply = await proceed()
    return Reply(204) if reply.body == b"{}" else reply


@fault("exists-with-body", on=["NamespaceExists", "TableExists"])
async def _with_body(_call: Call, proceed: Proceed) -> Reply:
    """The exists operations answer with a body."""
    reply = await proceed()
    reply.body = reply.body or b"{}"
    return reply


@fault("details-always", on=["DescribeTable"])
async def _with_details(call: Call, proceed: Proceed) -> Reply:
    """Every description of a table is a detailed one."""
    call.request = call.request.altered(query={**call.request.query, "load_detailed_metadata": ["true"]})
    return await proceed()


@fault("overwritten-in-place", on=["CreateTable"])
async def _overwrite_in_place(call: Call, proceed: Proceed) -> Reply:
    """Mode Overwrite writes its rows over the table that is there, which keeps its tags and versions."""
    if call.request.query.get("mode", [""])[-1].lower() == "overwrite":
        call.turn_to("InsertIntoTable")
    return await proceed()


_elsewhere = body_becomes(lambda body: {**body, "location": body["location"] + "_x"}, 200)


@fault("table-moves", on=["DescribeTable"])
async def _moving(call: Call, proceed: Proceed) -> Reply:
    """DescribeTable names another place, where no table lies, to who asks again."""
    # Tell where a table lies when that is asked first, and another place later.
    asked: dict[str, int] = call.state.setdefault("table-moves", {})
    name = call.path["id"]
    asked[name] = asked.get(name, 0) + 1
    return await (proceed() if asked[name] == 1 else _elsewhere(call, proceed))


# Answers
fault("exists-denies", "The exists operations find nothing.", on=["NamespaceExists", "TableExists"])(
    answers(404, {"error": "not found", "code": 4})
)
fault(
    "exists-finds-all",
    "The operations that test for something find it, whatever it is.",
    on=["NamespaceExists", "TableExists"],
)(answers(200, None))
fault("location-lost", "Answers do not say where a table lies.")(fields_lost("location"))
fault("uri-always", "DescribeTable has a table_uri that nobody asked for.", on=["DescribeTable"])(
    body_becomes(lambda body: {**body, "table_uri": body["location"]}, 200)
)
fault("no-properties-null", "What has no properties is answered with null instead of an empty object.")(
    body_becomes(
        lambda body: {**body, "properties": None} if isinstance(body, dict) and body.get("properties") == {} else body,
        200,
    )
)
fault("properties-of-declared", "Only tables that were just declared have properties.", on=["DescribeTable"])(
    body_becomes(lambda body: body if body.get("is_only_declared") else {**body, "properties": {}}, 200)
)
fault("count-plus-one", "CountTableRows counts one row too many.", on=["CountTableRows"])(
    body_becomes(lambda count: count + 1, 200)
)
fault("table-elsewhere", "DescribeTable names a place where no table lies.", on=["DescribeTable"])(_elsewhere)
