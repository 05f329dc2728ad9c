"""Wrong on the wire: routes, statuses, error bodies and codes."""

from __future__ import annotations

from dataclasses import replace

from reference_server.context import Reply
from reference_server.faults import NOWHERE, Call, Proceed, body_becomes, each_of, fault, fields_lost, status_becomes
from reference_server.lance.faults.building import is_root


@fault("unrouted")
async def _unrouted(call: Call, proceed: Proceed) -> Reply:
    """Operations are missing: an empty 404 instead of 406 with code 0."""
    return await proceed() if is_root(call) else Reply(404)


@fault("plans-not-implemented", on=["AnalyzeTableQueryPlan", "ExplainTableQueryPlan"])
async def _not_implemented(_call: Call, _proceed: Proceed) -> Reply:
    """Operations that are missing are refused with 501, as servers do that know no other word for it."""
    return Reply(501, b'{"error": "Not implemented", "code": 0}')


async def _with_status(proceed: Proceed, status: int) -> Reply:
    return replace(await proceed(), status=status)


# The wire
fault("undeclared-status", "Every answer has status 299, which no operation declares.")(
    lambda call, proceed: _with_status(proceed, 299)
)
fault("error-without-code", "Error bodies have no code.")(fields_lost("code"))
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


# Statuses
fault("methods-ignored", "A method that an operation does not have is answered with success.")(status_becomes(405, 200))
fault("conflict-as-unsupported", "What exists already is refused as if the operation were not supported.")(
    each_of(status_becomes(409, 406), body_becomes(lambda body: {**body, "code": 0}, 409))
)
fault("conflict-as-400", "What exists already is refused as a bad request.")(status_becomes(409, 400))
fault("not-found-as-400", "What does not exist is refused as a bad request.")(status_becomes(404, 400))
fault("bad-input-accepted", "Bad requests are answered with success and an error body.")(status_becomes(400, 200))
fault("credentials-ignored", "Who shows no credentials, or wrong ones, is let in.")(status_becomes(401, 200))
