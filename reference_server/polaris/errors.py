"""Errors that only Apache Polaris has, by the types that its clients recognize."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from reference_server.errors import Conflict, InvalidInput, NotFound
from reference_server.iceberg.errors import TokenRefused


class EntityAlreadyExists(Conflict):
    """A catalog, a principal or a role with this name exists already, or a principal with this client id."""

    wire_type: ClassVar[str] = "AlreadyExistsException"


class ValidationFailed(InvalidInput):
    """The request contradicts the existing entities."""

    wire_type: ClassVar[str] = "ValidationException"


class InvalidValue(InvalidInput):
    """The request has a value that the document forbids."""

    wire_type: ClassVar[str] = "ResteasyReactiveViolationException"


class OlderInvalidValue(InvalidValue):
    """The same error of the first revision."""

    wire_type: ClassVar[str] = "JerseyViolationException"


class GrantNotFound(InvalidInput):
    """The privilege or role to revoke was not granted."""

    wire_type: ClassVar[str] = "GRANT_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("Operation failed: GRANT_NOT_FOUND")


class PolicyNotFound(NotFound):
    """The policy does not exist."""

    wire_type: ClassVar[str] = "NoSuchPolicyException"


def policy_not_found(path: Sequence[str]) -> PolicyNotFound:
    """Return the error of a missing policy; clients match the message, which has the form of Polaris' own classes."""
    namespace, name = ".".join(path[:-1]), path[-1]
    shown = f"class PolicyIdentifier {{\n    namespace: {namespace:.300}\n    name: {name:.300}\n}}"
    return PolicyNotFound(f"Policy does not exist: {shown}")


class RealmNotFound(NotFound):
    """The request names an unknown realm."""

    wire_type: ClassVar[str] = "MissingOrInvalidRealm"


class ClientUnauthorized(TokenRefused):
    """The client is unknown, or its secret is wrong."""

    status = 401

    def __init__(self) -> None:
        super().__init__("unauthorized_client", "The client is not authorized")


class InvalidPolicy(InvalidInput):
    """The content of a policy does not fit its type."""

    wire_type: ClassVar[str] = "InvalidPolicyException"


class PolicyInUse(InvalidInput):
    """The policy is attached to a target."""

    wire_type: ClassVar[str] = "PolicyInUseException"


class PolicyAlreadyExists(Conflict):
    """A policy with this name exists already."""

    wire_type: ClassVar[str] = "AlreadyExistsException"


class PolicyVersionMismatch(Conflict):
    """The policy has another version than the request expects."""

    wire_type: ClassVar[str] = "PolicyVersionMismatchException"


class MappingAlreadyExists(Conflict):
    """Another policy of the type is attached to the target."""

    wire_type: ClassVar[str] = "PolicyMappingAlreadyExistsException"
