"""The Iceberg error body: message, type and code. Clients tell errors of one status apart by the type.

The token operation has errors of its own, those of OAuth2.
"""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply, Request, json_reply
from reference_server.errors import CatalogError, CommitFailed, InvalidInput
from reference_server.iceberg.metadata.errors import CommitConflict, MetadataError

TYPES = {
    "Unauthenticated": "NotAuthorizedException",
    "PermissionDenied": "ForbiddenException",
    "RouteNotFound": "NoSuchRouteException",
    "WarehouseNotFound": "NoSuchWarehouseException",
    "NamespaceNotFound": "NoSuchNamespaceException",
    "TableNotFound": "NoSuchTableException",
    "ViewNotFound": "NoSuchViewException",
    "FunctionNotFound": "NoSuchFunctionException",
    "PlanNotFound": "NoSuchPlanIdException",
    "PlanTaskNotFound": "NoSuchPlanTaskException",
    "NotFound": "NotFoundException",
    "MethodNotAllowed": "UnsupportedOperationException",
    "Unsupported": "UnsupportedOperationException",
    "NamespaceAlreadyExists": "AlreadyExistsException",
    "TableAlreadyExists": "AlreadyExistsException",
    "ViewAlreadyExists": "AlreadyExistsException",
    "NamespaceNotEmpty": "NamespaceNotEmptyException",
    "Conflict": "CommitFailedException",
    "Unprocessable": "UnprocessableEntityException",
    "InvalidInput": "BadRequestException",
    "IllegalArgument": "IllegalArgumentException",
    "BodyTooLarge": "BadRequestException",
    "Throttling": "SlowDownException",
    "ServiceUnavailable": "SlowDownException",
    "CommitStateUnknown": "CommitStateUnknownException",
    "CatalogError": "InternalServerError",
}
"""The type of each class of errors; one without an entry has that of the nearest class above it."""


class IllegalArgument(InvalidInput):
    """The rules of metadata object to what was sent: the Java client tells this apart from a malformed request."""


class TokenRefused(CatalogError):
    """There is no token for this request; `code` is the error code of OAuth2."""

    status = 400

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ClientRefused(TokenRefused):
    """The client did not prove who it is."""

    status = 401

    def __init__(self, message: str) -> None:
        super().__init__("invalid_client", message)


def type_of(error: CatalogError) -> str:
    """Return the exception type that clients know an error by."""
    return error.wire_type or next(TYPES[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in TYPES)


def error_body(error: CatalogError) -> dict[str, Any]:
    """Return what an answer says about an error, as an object."""
    return {"message": error.message, "type": type_of(error), "code": error.status}


def render_error(error: CatalogError, request: Request) -> Reply:
    """Return the answer for an error; to HEAD it has no body."""
    if isinstance(error, TokenRefused):
        reply = json_reply({"error": error.code, "error_description": error.message}, error.status)
    else:
        reply = json_reply({"error": error_body(error)}, error.status)
    if request.method == "HEAD":
        reply.body = b""
    reply.headers.update(error.headers)
    return reply


def as_catalog_error(error: CatalogError | MetadataError) -> CatalogError:
    """Return an error of the metadata rules as an answer: 409 where a retry can succeed, else 400."""
    if isinstance(error, CatalogError):
        return error
    return CommitFailed(error.message) if isinstance(error, CommitConflict) else IllegalArgument(error.message)
