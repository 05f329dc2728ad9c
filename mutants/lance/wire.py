"""Wrong routes, statuses, error bodies and fields of answers."""

from __future__ import annotations

from dataclasses import replace

from reference_server.context import Reply
from reference_server.faults import NOWHERE, Call, Proceed, answers, body_becomes, each_of, fault, status_becomes
from reference_server.lance.faults.blocks import location_elsewhere


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
    """Mode Overwrite writes its rows into the existing table, which keeps its tags and versions."""
    if call.request.query.get("mode", [""])[-1].lower() == "overwrite":
        call.turn_to("InsertIntoTable")
    return await proceed()


@fault("table-moves", on=["DescribeTable"])
async def _moving(call: Call, proceed: Proceed) -> Reply:
    """DescribeTable names another place, where no table lies, to who asks again."""
    # Tell where a table lies when that is asked first, and another place later.
    asked: dict[str, int] = call.state.setdefault("table-moves", {})
    name = call.path["id"]
    asked[name] = asked.get(name, 0) + 1
    return await (proceed() if asked[name] == 1 else location_elsewhere(call, proceed))


fault("exists-denies", "The exists operations find nothing.", on=["NamespaceExists", "TableExists"])(
    answers(404, {"error": "not found", "code": 4})
)
fault(
    "exists-finds-all",
    "The operations that test for something find it, whatever it is.",
    on=["NamespaceExists", "TableExists"],
)(answers(200, None))
fault("uri-always", "DescribeTable has a table_uri that nobody asked for.", on=["DescribeTable"])(
    body_becomes(lambda body: {**body, "table_uri": body["location"]}, 200)
)
fault("no-properties-null", "Objects without properties return null instead of an empty object.")(
    body_becomes(
        lambda body: {**body, "properties": None} if isinstance(body, dict) and body.get("properties") == {} else body,
        200,
    )
)
fault("properties-of-declared", "Only tables that were just declared have properties.", on=["DescribeTable"])(
    body_becomes(lambda body: body if body.get("is_only_declared") else {**body, "properties": {}}, 200)
)


@fault("plans-not-implemented", on=["AnalyzeTableQueryPlan", "ExplainTableQueryPlan"])
async def _not_implemented(_call: Call, _proceed: Proceed) -> Reply:
    """Operations that are missing are refused with 501, as servers do that know no other word for it."""
    return Reply(501, b'{"error": "Not implemented", "code": 0}')


async def _with_status(proceed: Proceed, status: int) -> Reply:
    return replace(await proceed(), status=status)


fault("undeclared-status", "Every answer has status 299, which no operation declares.")(
    lambda call, proceed: _with_status(proceed, 299)
)
fault("foreign-code", "Errors have a code that no list has.")(
    body_becomes(lambda body: {**body, "code": 99}, 400, 401, 404, 409)
)
fault("conflict-code", "Errors have the code of a table that exists, whatever their status.")(
    body_becomes(lambda body: {**body, "code": 5}, 400, 401, 404)
)


@fault("paths-cut")
async def _cut_paths(call: Call, proceed: Proceed) -> Reply:
    """A path that no operation has is answered with success."""
    reply = await proceed()
    return Reply(200, b"{}") if call.operation is NOWHERE and reply.status == 404 else reply


fault("methods-ignored", "A method that an operation does not have is answered with success.")(status_becomes(405, 200))
fault("conflict-as-unsupported", "A conflict with an existing object returns the error of an unsupported operation.")(
    each_of(status_becomes(409, 406), body_becomes(lambda body: {**body, "code": 0}, 409))
)
fault("bad-input-accepted", "Bad requests are answered with success and an error body.")(status_becomes(400, 200))
fault("credentials-ignored", "Requests without credentials, or with wrong ones, succeed.")(status_becomes(401, 200))
