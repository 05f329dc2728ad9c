"""Errors that every catalog has, as one tree.

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
├── TokenExpired                  419
├── Throttling                    429
├── Internal                      500
└── ServiceUnavailable            503

An API renders them in its own body, and adds its own errors to the tree (`reference_server/<api>/errors.py`).

Only a bug is `Internal`; it is logged with its traceback and the request id that the client received.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from reference_server import limits


class CatalogError(Exception):
    """An error response: its status, a message for people, and extra headers.

    `wire_type` is the error type that clients recognize, in an API whose errors have types.
    """

    status: ClassVar[int] = 500
    wire_type: ClassVar[str] = ""

    def __init__(self, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.headers = dict(headers or {})


def error_kind(status: int, name: str = "", wire_type: str = "") -> type[CatalogError]:
    """Return a class of errors with a status: of the tree, or one like the nearest of the tree.

    `name` is its name where an API numbers errors by their names, `wire_type` the type where it has types.
    """
    general = next((kind for kind in GENERAL if kind.status == status), Internal if status >= 500 else InvalidInput)
    if general.status == status and not name and not wire_type:
        return general
    return type(name or general.__name__, (general,), {"status": status, "wire_type": wire_type})


def shortened(text: str) -> str:
    """Return a text for quotation in a message, cut if it is long."""
    return text if len(text) <= limits.MESSAGE else f"{text[: limits.MESSAGE]}..."


def invalid_at(place: str, message: str) -> str:
    """Return a message about a request body: the JSON pointer of the invalid field, and the reason."""
    return f"The request body is invalid at {shortened(place or 'its top')}: {shortened(message)}."


class InvalidInput(CatalogError):
    """The request is invalid."""

    status = 400


class Unauthenticated(CatalogError):
    """Credentials are missing or wrong."""

    status = 401


class PermissionDenied(CatalogError):
    """The caller is authenticated, but lacks the permission."""

    status = 403


class NotFound(CatalogError):
    """An object named by the request does not exist."""

    status = 404


class RouteNotFound(NotFound):
    """No operation matches the path."""


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
    """The API has the operation, but this server does not implement it."""

    status = 406


class Conflict(CatalogError):
    """The request conflicts with the current state."""

    status = 409


class NamespaceAlreadyExists(Conflict):
    """A namespace with this name exists already."""


class NamespaceNotEmpty(Conflict):
    """The namespace contains tables or namespaces."""


class TableAlreadyExists(Conflict):
    """A table with this name exists already."""


class BodyTooLarge(CatalogError):
    """The body is larger than the server accepts."""

    status = 413


class TokenExpired(CatalogError):
    """The token was valid, but has expired: get a new one and retry."""

    status = 419


class Throttling(CatalogError):
    """Too many requests: retry later."""

    status = 429


class Internal(CatalogError):
    """A bug in the server."""

    status = 500


class ServiceUnavailable(CatalogError):
    """The server cannot handle requests at the moment."""

    status = 503


GENERAL: tuple[type[CatalogError], ...] = (
    *(InvalidInput, Unauthenticated, PermissionDenied, NotFound, Unsupported, Conflict, BodyTooLarge, TokenExpired),
    *(Throttling, Internal, ServiceUnavailable),
)
"""The general error of each status; errors with arguments of their own are not among them."""
