"""The errors that Apache Polaris alone has, by the types that its clients show."""

from __future__ import annotations

from typing import ClassVar

from reference_server.errors import Conflict, InvalidInput, NotFound
from reference_server.iceberg.errors import TokenRefused


class EntityAlreadyExists(Conflict):
    """A catalog, a principal or a role has this name already, or a principal this client id."""

    wire_type: ClassVar[str] = "AlreadyExistsException"


class ValidationFailed(InvalidInput):
    """What was sent contradicts what else there is."""

    wire_type: ClassVar[str] = "ValidationException"


class GrantNotFound(InvalidInput):
    """What is to be revoked was not granted."""

    wire_type: ClassVar[str] = "GRANT_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("Operation failed: GRANT_NOT_FOUND")


class PolicyNotFound(NotFound):
    """The policy does not exist."""

    wire_type: ClassVar[str] = "NoSuchPolicyException"


class RealmNotFound(NotFound):
    """The request names a realm that this server does not have."""

    wire_type: ClassVar[str] = "MissingOrInvalidRealm"


class ClientUnauthorized(TokenRefused):
    """There is no such client, or its secret is wrong."""

    status = 401

    def __init__(self) -> None:
        super().__init__("unauthorized_client", "The client is not authorized")
