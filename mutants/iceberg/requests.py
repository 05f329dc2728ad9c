"""Requests that are read too strictly or too leniently, and wrong error bodies."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from mutants.iceberg.blocks import when
from reference_server.context import Reply
from reference_server.errors import CatalogError, Internal, InvalidInput
from reference_server.faults import NOWHERE, Call, Proceed, fault, status_becomes
from reference_server.iceberg.faults.blocks import error_becomes, refuses_when
from specs.openapi import JSON_TYPE

THREADS = ThreadPoolExecutor(2, "fault")
UNAUTHORIZED = 401
STATUSES = {200: 201, 204: 200, 400: 422, 404: 410, 406: 405, 422: 400}


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


# A path that leads nowhere is no missing object: with one answer for both, no operation would look offered.
fault("missing-as-bad-request", "A missing object returns 400.")(
    when(lambda call: call.operation is not NOWHERE, error_becomes(404, InvalidInput("It does not exist.")))
)
fault("conflicts-as-bad-requests", "A conflict with the state of the catalog returns 400.")(
    error_becomes(409, InvalidInput("The request cannot be processed."))
)
fault("bad-requests-crash", "A request that cannot be carried out ends in an error of the server.")(
    error_becomes(400, Internal("Unexpected error"))
)

FLAGS = ("true", "false")


def _unusual_media_type(call: Call) -> bool:
    return call.request.headers.get("Content-Type", JSON_TYPE) != JSON_TYPE


@fault("bad-flags-ignored", on=["dropTable"])
async def _flags_forgiven(call: Call, proceed: Proceed) -> Reply:
    """A flag that is neither true nor false counts as not given."""
    query = call.request.query
    kept = {name: values for name, values in query.items() if values[-1].lower() in FLAGS}
    call.request = call.request.altered(query=kept)
    return await proceed()


@fault(
    "success-with-a-body",
    on=["dropNamespace", "dropTable", "renameTable", "commitTransaction", "dropView", "renameView"],
)
async def _said_in_a_body(_call: Call, proceed: Proceed) -> Reply:
    """Success that has nothing to tell comes as 200 with a body."""
    reply = await proceed()
    if reply.status == 204:
        reply.status, reply.body = 200, b'{"status":"ok"}'
    return reply


fault("unknown-fields-refused", "A field of a body that the server does not know is an error.")(
    refuses_when(lambda call: b'"x-' in call.request.body, InvalidInput("Unrecognized field."))
)
fault("media-type-to-the-letter", "A body is read only if its media type is written exactly as in the document.")(
    refuses_when(_unusual_media_type, InvalidInput("The media type is not supported."))
)
fault("bad-requests-fail", "A bad request is answered as a failure of the server.")(status_becomes(400, 500))
fault("anybody-let-in", "Requests without credentials, or with wrong ones, succeed.")(status_becomes(401, 200))


@fault("credentials-only-for-errors")
async def _only_for_errors(call: Call, proceed: Proceed) -> Reply:
    """A valid request without a body needs no credentials; of an invalid one they are looked at."""
    reply = await proceed()
    if reply.status != UNAUTHORIZED or call.api is None:
        return reply
    try:
        carried_out: Reply = await call.api.answer(call.request, call.operation, call.path, THREADS)
    except CatalogError:
        return reply
    return carried_out
