"""Wrong on the wire: routes, statuses, error bodies and codes."""

from __future__ import annotations

from dataclasses import replace

from reference_server.context import Reply
from reference_server.faults import (
    Call,
    Proceed,
    answers,
    body_becomes,
    declare,
    fields_lost,
    status_becomes,
)
from reference_server.lance.faults.building import (
    is_root,
)


async def _unrouted(call: Call, proceed: Proceed) -> Reply:
    return await proceed() if is_root(call) else Reply(404)


async def _with_status(proceed: Proceed, status: int) -> Reply:
    return replace(await proceed(), status=status)


# The wire
declare("unrouted", "Operations are missing: an empty 404 instead of 406 with code 0.", _unrouted)
declare(
    "undeclared-status",
    "Every answer has status 299, which no operation declares.",
    lambda call, proceed: _with_status(proceed, 299),
)
declare("error-without-code", "Error bodies have no code.", fields_lost("code"))
declare(
    "foreign-code",
    "Errors have a code that no list has.",
    body_becomes(lambda body: {**body, "code": 99}, 400, 401, 404, 409),
)
declare(
    "conflict-code",
    "Errors have the code of a table that exists, whatever their status.",
    body_becomes(lambda body: {**body, "code": 5}, 400, 401, 404),
)

# Statuses
declare("conflict-as-400", "What exists already is refused as a bad request.", status_becomes(409, 400))
declare("not-found-as-400", "What does not exist is refused as a bad request.", status_becomes(404, 400))
declare("bad-input-accepted", "Bad requests are answered with success and an error body.", status_becomes(400, 200))
declare("credentials-ignored", "Who shows no credentials, or wrong ones, is let in.", status_becomes(401, 200))
declare(
    "unsupported",
    "Operations are refused as the API wants it for those that a server does not have.",
    answers(406, {"error": "This server does not have the operation.", "code": 0}),
)
declare(
    "unavailable",
    "The server cannot serve at the moment.",
    answers(503, {"error": "come back later", "code": 17}, {"Retry-After": "1"}),
)
declare(
    "throttled",
    "The caller sends too many requests.",
    answers(429, {"error": "too many requests", "code": 21}, {"Retry-After": "1"}),
)
declare("forbidden", "The caller may not do this.", answers(403, {"error": "not allowed", "code": 15}))
