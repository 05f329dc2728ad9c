"""The errors that every catalog has, as one tree.

CatalogError
├── InvalidInput                  400
├── Unauthenticated               401
├── PermissionDenied              403
├── NotFound                      404
│   ├── RouteNotFound
│   ├── NamespaceNotFound
│   └── TableNotFound
├── MethodNotAllowed              405
├── Unsupported                   406
├── Conflict                      409
│   ├── NamespaceAlreadyExists
│   ├── NamespaceNotEmpty
│   └── TableAlreadyExists
├── BodyTooLarge                  413
├── Throttling                    429
├── Internal                      500
└── ServiceUnavailable            503

An API renders them in its own body, and adds its own errors to the tree (`reference_server/<api>/errors.py`).

Nothing but a bug is `Internal`; a bug is logged with its traceback and the id that the client got.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from reference_server import limits


class CatalogError(Exception):
    """An answer that is not a success: its status, a message for people, and extra headers.

    `wire_type` is the type that clients know it by, for an error of one API whose errors have types.
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


def invalid_at(place: str, message: str) -> str:
    """Return a message about a request body: the JSON pointer of the field that is wrong, and the reason."""
    return f"The request body is invalid at {shortened(place or 'its top')}: {shortened(message)}."


class InvalidInput(CatalogError):
    """The request itself is wrong."""

    status = 400


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


class BodyTooLarge(CatalogError):
    """The body is larger than the server takes."""

    status = 413


class Throttling(CatalogError):
    """Too many requests: come back later."""

    status = 429


class Internal(CatalogError):
    """A bug in the server."""

    status = 500


class ServiceUnavailable(CatalogError):
    """The server cannot serve at the moment."""

    status = 503
