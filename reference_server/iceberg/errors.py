"""Errors of an Iceberg catalog, and their body: message, type and code.

Clients distinguish errors of one status by the type. The token operation has the errors of OAuth2.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from reference_server.context import Reply, Request, json_reply
from reference_server.errors import (
    BodyTooLarge,
    CatalogError,
    Conflict,
    Internal,
    InvalidInput,
    MethodNotAllowed,
    NamespaceAlreadyExists,
    NamespaceNotEmpty,
    NamespaceNotFound,
    NotFound,
    PermissionDenied,
    RouteNotFound,
    ServiceUnavailable,
    TableAlreadyExists,
    TableNotFound,
    Throttling,
    TokenExpired,
    Unauthenticated,
    Unsupported,
    error_kind,
)
from reference_server.iceberg.metadata.errors import MetadataError, StaleCommit
from specs.iceberg.errors import OAUTH_OPERATION, usual_type

TYPES: Mapping[type, str] = {
    Unauthenticated: "NotAuthorizedException",
    PermissionDenied: "ForbiddenException",
    RouteNotFound: "NoSuchRouteException",
    NamespaceNotFound: "NoSuchNamespaceException",
    TableNotFound: "NoSuchTableException",
    NotFound: "NotFoundException",
    MethodNotAllowed: "UnsupportedOperationException",
    Unsupported: "UnsupportedOperationException",
    NamespaceAlreadyExists: "AlreadyExistsException",
    TableAlreadyExists: "AlreadyExistsException",
    NamespaceNotEmpty: "NamespaceNotEmptyException",
    Conflict: "CommitFailedException",
    InvalidInput: "BadRequestException",
    BodyTooLarge: "BadRequestException",
    TokenExpired: "AuthenticationTimeoutException",
    Throttling: "SlowDownException",
    ServiceUnavailable: "SlowDownException",
    CatalogError: "InternalServerError",
}
"""The type of each general error; an error without an entry has the type of its nearest base class."""


class WarehouseNotFound(NotFound):
    """The warehouse does not exist."""

    wire_type = "NoSuchWarehouseException"


class ViewNotFound(NotFound):
    """The view does not exist."""

    wire_type = "NoSuchViewException"


class FunctionNotFound(NotFound):
    """The function does not exist."""

    wire_type = "NoSuchFunctionException"


class PlanNotFound(NotFound):
    """The scan plan does not exist."""

    wire_type = "NoSuchPlanIdException"


class PlanTaskNotFound(NotFound):
    """The task of a scan plan does not exist."""

    wire_type = "NoSuchPlanTaskException"


class FileNotFound(NotFound):
    """A file that the catalog points to is missing."""


class ViewAlreadyExists(Conflict):
    """A view with this name exists already."""

    wire_type = "AlreadyExistsException"


class CommitFailed(Conflict):
    """The state that a commit was based on has changed; nothing was written."""

    wire_type = "CommitFailedException"


class Unprocessable(CatalogError):
    """The request is well-formed, but contradicts itself or an earlier request."""

    status = 422
    wire_type = "UnprocessableEntityException"


class CommitStateUnknown(Internal):
    """The outcome of the commit is unknown."""

    wire_type = "CommitStateUnknownException"


class IllegalArgument(InvalidInput):
    """The metadata rules reject the request; the Java client distinguishes this from a malformed request."""

    wire_type = "IllegalArgumentException"


OAUTH_CODES = (
    *("invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "invalid_scope"),
    "unsupported_grant_type",
)


class TokenRefused(CatalogError):
    """No token is issued for this request; `code` is the error code of OAuth2."""

    status = 400

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ClientRefused(TokenRefused):
    """The client's authentication failed."""

    status = 401

    def __init__(self, message: str) -> None:
        super().__init__("invalid_client", message)


def stated_error(operation_id: str, status: int, name: str, message: str) -> CatalogError:
    """Return an error of an operation with any status; `name` is its type, or its code where a token is refused."""
    if operation_id != OAUTH_OPERATION:
        return error_kind(status, wire_type=name or usual_type(operation_id, status))(message)
    kind = type(TokenRefused.__name__, (TokenRefused,), {"status": status})
    refused: CatalogError = kind(name or OAUTH_CODES[status == HTTPStatus.UNAUTHORIZED], message)
    return refused


def type_of(error: CatalogError) -> str:
    """Return the exception type by which clients recognize an error."""
    return error.wire_type or next(TYPES[kind] for kind in type(error).__mro__ if kind in TYPES)


def error_body(error: CatalogError) -> dict[str, Any]:
    """Return the error object of an answer."""
    return {"message": error.message, "type": type_of(error), "code": error.status}


def render_error(error: CatalogError, request: Request) -> Reply:
    """Return the answer for an error; without a body for HEAD."""
    if isinstance(error, TokenRefused):
        reply = json_reply({"error": error.code, "error_description": error.message}, error.status)
    else:
        reply = json_reply({"error": error_body(error)}, error.status)
    if request.method == "HEAD":
        reply.body = b""
    reply.headers.update(error.headers)
    return reply


def as_catalog_error(error: CatalogError | MetadataError) -> CatalogError:
    """Convert an error of the metadata rules to an answer: 409 where a retry can succeed, else 400."""
    if isinstance(error, CatalogError):
        return error
    return CommitFailed(error.message) if isinstance(error, StaleCommit) else IllegalArgument(error.message)
