"""The errors of a Lance namespace, and their body: a number for the kind of error, a text for people, an id."""

from __future__ import annotations

from reference_server.context import Reply, Request, json_reply
from reference_server.errors import (
    BodyTooLarge,
    CatalogError,
    Conflict,
    InvalidInput,
    MethodNotAllowed,
    NotFound,
    RouteNotFound,
)
from specs.lance.errors import error_codes

# Errors that the Lance list does not name, and the entry that says the same to a client.
STANDS_FOR = {RouteNotFound: "Unsupported", MethodNotAllowed: "Unsupported", BodyTooLarge: "InvalidInput"}


class TableSchemaValidationError(InvalidInput):
    """The data do not fit the table's schema, or the schema cannot be stored."""


class TableVersionNotFound(NotFound):
    """The table has no such version."""


class TableColumnNotFound(NotFound):
    """The table has no such column."""


class TableIndexNotFound(NotFound):
    """The table has no such index."""


class TableTagNotFound(NotFound):
    """The table has no such tag."""


class TransactionNotFound(NotFound):
    """There is no such transaction."""


class TableIndexAlreadyExists(Conflict):
    """An index of the table has this name already."""


class TableTagAlreadyExists(Conflict):
    """A tag of the table has this name already."""


class ConcurrentModification(Conflict):
    """Other requests kept changing the same object at the same time."""


class InvalidTableState(Conflict):
    """The table is in a state in which this cannot be done."""


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
