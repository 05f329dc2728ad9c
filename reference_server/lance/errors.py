"""Errors of a Lance namespace, and their body: a number for the kind of error, a text for people, an id."""

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
from specs.lance.errors import codes_of, error_codes

# Errors that Lance's error list does not name, and the entry with the same meaning for clients.
STANDS_FOR = {RouteNotFound: "Unsupported", MethodNotAllowed: "Unsupported", BodyTooLarge: "InvalidInput"}

USUAL = "TableNotFound"  # of an operation on a part of a table, too


class TableSchemaValidationError(InvalidInput):
    """The data do not fit the table's schema, or the schema cannot be stored."""


class TableVersionNotFound(NotFound):
    """The table does not have this version."""


class TableColumnNotFound(NotFound):
    """The table does not have this column."""


class TableIndexNotFound(NotFound):
    """The table does not have this index."""


class TableTagNotFound(NotFound):
    """The table does not have this tag."""


class TableBranchNotFound(NotFound):
    """The table does not have this branch."""


class TransactionNotFound(NotFound):
    """The transaction does not exist."""


class TableIndexAlreadyExists(Conflict):
    """An index with this name exists already."""


class TableTagAlreadyExists(Conflict):
    """A tag with this name exists already."""


class TableBranchAlreadyExists(Conflict):
    """A branch with this name exists already."""


class ConcurrentModification(Conflict):
    """Other requests changed the same object at the same time, repeatedly."""


class InvalidTableState(Conflict):
    """The state of the table does not allow this operation."""


def code_of(error: CatalogError) -> int:
    """Return the number of an error: that of its class, or of the nearest base class with one."""
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


def usual_name(operation_id: str, status: int) -> str:
    """Return the name of the error that an operation usually returns with a status, "" where it lists none."""
    codes = codes_of(operation_id)
    own = [error for error in error_codes().values() if error.code in codes and error.status == status]
    names = [error.name for error in sorted(own, key=lambda error: error.name != USUAL)]
    return names[0] if names else ""
