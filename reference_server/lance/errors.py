"""The Lance error body: a number for the kind of error, a text for people, an id for the log."""

from __future__ import annotations

from reference_server.context import Reply, Request, json_reply
from reference_server.errors import BodyTooLarge, CatalogError, MethodNotAllowed, RouteNotFound
from specs.lance.errors import error_codes

# Errors that the Lance list does not name, and the entry that says the same to a client.
STANDS_FOR = {RouteNotFound: "Unsupported", MethodNotAllowed: "Unsupported", BodyTooLarge: "InvalidInput"}


def code_of(error: CatalogError) -> int:
    """Return the number of an error: that of its class, or of the nearest class above that has one."""
    for kind in type(error).__mro__:
        name = STANDS_FOR.get(kind, kind.__name__)
        if name in error_codes():
            return error_codes()[name].code
    return error_codes()["Internal"].code


def render_error(error: CatalogError, request: Request) -> Reply:
    """Return the answer for an error."""
    body = {"error": error.message, "code": code_of(error), "instance": f"{request.path}#{request.id}"}
    reply = json_reply(body, error.status)
    reply.headers.update(error.headers)
    return reply
