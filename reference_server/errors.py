"""The errors of a catalog, as one tree. Each API family renders it in its own body.

CatalogError
├── InvalidInput                  400
│   └── TableSchemaValidationError
├── Unauthenticated               401
├── PermissionDenied              403
├── NotFound                      404
│   ├── RouteNotFound
│   ├── NamespaceNotFound
│   ├── TableNotFound
│   ├── TableVersionNotFound
│   ├── TableColumnNotFound
│   ├── TableIndexNotFound
│   ├── TableTagNotFound
│   ├── TransactionNotFound
│   ├── WarehouseNotFound
│   ├── ViewNotFound
│   ├── FunctionNotFound
│   ├── PlanNotFound
│   ├── PlanTaskNotFound
│   └── FileNotFound
├── MethodNotAllowed              405
├── Unsupported                   406
├── Conflict                      409
│   ├── NamespaceAlreadyExists
│   ├── NamespaceNotEmpty
│   ├── TableAlreadyExists
│   ├── TableIndexAlreadyExists
│   ├── TableTagAlreadyExists
│   ├── ViewAlreadyExists
│   ├── ConcurrentModification
│   ├── CommitFailed
│   └── InvalidTableState
├── BodyTooLarge                  413
├── Unprocessable                 422
├── Throttling                    429
├── Internal                      500
│   └── CommitStateUnknown
└── ServiceUnavailable            503

Nothing but a bug is `Internal`; a bug is logged with its traceback and the id that the client got.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from reference_server import limits


class CatalogError(Exception):
    """An answer that is not a success: its status, a message for people, and extra headers.

    `wire_type` is the type that clients know it by, for an error of one API that says it itself.
    """

    status: ClassVar[int] = 500
    wire_type: ClassVar[str] = ""

    def __init__(self, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.headers = dict(headers or {})


def shortened(text: str) -> str:
    """Return a quotation for a message: the beginning of a text that is long."""
    return text if len(text) <= limits.MESSAGE else f"{text[: limits.MESSAGE]}..."


class InvalidInput(CatalogError):
    """The request itself is wrong."""

    status = 400


class TableSchemaValidationError(InvalidInput):
    """The data do not fit the table's schema, or the schema cannot be stored."""


class Unauthenticated(CatalogError):
    """There are no credentials, or wrong ones."""

    status = 401


class PermissionDenied(CatalogError):
    """The caller is authenticated, but not allowed to do this."""

    status = 403


class NotFound(CatalogError):
    """Something that the request names does not exist."""

    status = 404


class RouteNotFound(NotFound):
    """No operation has this path."""


class NamespaceNotFound(NotFound):
    """The namespace does not exist."""


class TableNotFound(NotFound):
    """The table does not exist."""


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


class WarehouseNotFound(NotFound):
    """There is no such warehouse."""


class ViewNotFound(NotFound):
    """The view does not exist."""


class FunctionNotFound(NotFound):
    """The function does not exist."""


class PlanNotFound(NotFound):
    """There is no such plan of a scan."""


class PlanTaskNotFound(NotFound):
    """There is no such task of a plan."""


class FileNotFound(NotFound):
    """A file that the catalog points to is gone."""


class MethodNotAllowed(CatalogError):
    """The path exists, but not with this method."""

    status = 405

    def __init__(self, method: str, allowed: list[str]) -> None:
        super().__init__(f"{method} is not allowed here.", {"Allow": ", ".join(sorted(allowed))})


class Unsupported(CatalogError):
    """The operation is part of the API, but this server does not have it."""

    status = 406


class Conflict(CatalogError):
    """The request contradicts the present state."""

    status = 409


class NamespaceAlreadyExists(Conflict):
    """A namespace has this name already."""


class NamespaceNotEmpty(Conflict):
    """The namespace holds tables or namespaces."""


class TableAlreadyExists(Conflict):
    """A table has this name already."""


class TableIndexAlreadyExists(Conflict):
    """An index of the table has this name already."""


class TableTagAlreadyExists(Conflict):
    """A tag of the table has this name already."""


class ViewAlreadyExists(Conflict):
    """A view has this name already."""


class ConcurrentModification(Conflict):
    """Other requests kept changing the same object at the same time."""


class CommitFailed(Conflict):
    """The state that a commit was based on has changed; nothing was written."""


class InvalidTableState(Conflict):
    """The table is in a state in which this cannot be done."""


class BodyTooLarge(CatalogError):
    """The body is larger than the server takes."""

    status = 413


class Unprocessable(CatalogError):
    """The request is well formed, but contradicts itself or an earlier one."""

    status = 422


class Throttling(CatalogError):
    """Too many requests: come back later."""

    status = 429


class Internal(CatalogError):
    """A bug in the server."""

    status = 500


class CommitStateUnknown(Internal):
    """It is unknown whether the commit happened."""


class ServiceUnavailable(CatalogError):
    """The server cannot serve at the moment."""

    status = 503
