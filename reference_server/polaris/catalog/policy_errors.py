"""The errors of policies, by the types that clients know."""

from __future__ import annotations

from typing import ClassVar

from reference_server.errors import Conflict, InvalidInput


class InvalidPolicy(InvalidInput):
    """The content of a policy does not fit its type."""

    wire_type: ClassVar[str] = "InvalidPolicyException"


class PolicyInUse(InvalidInput):
    """The policy is attached to something."""

    wire_type: ClassVar[str] = "PolicyInUseException"


class PolicyAlreadyExists(Conflict):
    """A policy has this name already."""

    wire_type: ClassVar[str] = "AlreadyExistsException"


class PolicyVersionMismatch(Conflict):
    """The policy has another version than the one that a change is meant for."""

    wire_type: ClassVar[str] = "PolicyVersionMismatchException"


class MappingAlreadyExists(Conflict):
    """Another policy of the type is attached to it."""

    wire_type: ClassVar[str] = "PolicyMappingAlreadyExistsException"
