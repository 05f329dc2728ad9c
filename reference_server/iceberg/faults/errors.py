"""Errors that clients cannot tell apart, read or trust, and requests that end in the wrong one."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.errors import Internal, InvalidInput
from reference_server.faults import Call, Proceed, body_becomes, each_of, fault
from reference_server.iceberg.faults.blocks import error_becomes, error_field_becomes

STATUSES = {200: 201, 204: 200, 400: 422, 404: 410, 406: 405, 422: 400}

TRACE = "\n\tat java.util.Optional.get(Optional.java:143)"


@fault("statuses-of-its-own")
async def _own_statuses(_call: Call, proceed: Proceed) -> Reply:
    """Answers have statuses that the document does not declare: 201 for 200, 410 for 404, and so on."""
    reply = await proceed()
    reply.status = STATUSES.get(reply.status, reply.status)
    return reply


@fault("paths-for-people", on=[""])
async def _page_of_the_proxy(_call: Call, proceed: Proceed) -> Reply:
    """A path that leads nowhere is answered with a page for people."""
    reply = await proceed()
    return Reply(reply.status, b"<html><h1>Not Found</h1></html>", "text/html")


fault("errors-unwrapped", "Error bodies have message, type and code at their top instead of under error.")(
    body_becomes(lambda body: body.get("error", body) if isinstance(body, dict) else body)
)
fault("errors-with-texts-as-codes", "The code of an error is a text.")(error_field_becomes("code", str))
fault("errors-of-one-type", "All errors have the same type, that of the base class.")(
    error_field_becomes("type", lambda _: "RESTException")
)
fault("errors-with-traces", "The message of an error ends with a stack trace.")(
    error_field_becomes("message", lambda text: f"{text}{TRACE}")
)
fault("errors-of-the-framework", "Errors are those of the web framework: its types, a stack trace and no code.")(
    each_of(
        error_field_becomes("type", lambda _: "Internal"),
        error_field_becomes("code", lambda _: 0),
        error_field_becomes("message", lambda text: f"{text}{TRACE}"),
    )
)
fault("missing-as-bad-request", "What does not exist is refused as a bad request.")(
    error_becomes(404, InvalidInput("It does not exist."))
)
fault("conflicts-as-bad-requests", "What contradicts the state of the catalog is refused as a bad request.")(
    error_becomes(409, InvalidInput("The request cannot be processed."))
)
fault("bad-requests-crash", "A request that cannot be carried out ends in an error of the server.")(
    error_becomes(400, Internal("Unexpected error"))
)
