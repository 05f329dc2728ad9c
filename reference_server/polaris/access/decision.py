"""Authorization decision: a request is refused with 404 for a missing object, then with 403 for a missing privilege.

Whatever the number of grants, a decision looks up one key for each role and each level above the object.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Protocol

from reference_server.api import RequestTarget
from reference_server.auth import Principal
from reference_server.errors import PermissionDenied
from reference_server.polaris.access.rules import AccessRules, Demand, RequiredPrivilege, chain
from reference_server.polaris.securables import Securable, SecurableType

ROTATION = "rotateCredentials"  # allowed even while a rotation is required
SELF = "SELF"  # held by every principal on itself
Held = Callable[[Securable], frozenset[str]]


class AccessState(Protocol):
    """Existing objects and grants; see StoredAccessState. Roles are principal roles."""

    def exists(self, securable: Securable) -> bool:
        """Return whether an object exists."""

    def require(self, securable: Securable) -> None:
        """Raise NotFound for a missing object."""

    def must_rotate(self, principal: str) -> bool:
        """Return whether a principal must rotate its credentials before any other operation."""

    def catalog_roles(self, roles: Collection[str], catalog: str) -> Collection[str]:
        """Return the roles of a catalog that are assigned to these roles."""

    def granted(self, roles: Collection[str], securable: Securable) -> frozenset[str]:
        """Return the privileges that are granted to these roles directly on a securable."""


@dataclass(frozen=True)
class Authorizer:
    """The decision by the rules of a revision and the grants in a state.

    A subclass may change the privileges that a principal holds (`held`) and those that it needs (`needed`).
    """

    rules: AccessRules
    state: AccessState

    def authorize(self, principal: Principal, operation_id: str, target: RequestTarget) -> None:
        """Authorize a principal for an operation.

        Raises InvalidInput for unreadable names, then NotFound for a missing object in the request, then
        PermissionDenied.
        """
        questions = self.rules.questions(operation_id, target, self.state.exists)
        for securable in questions.existing:
            self.state.require(securable)
        held = cache(partial(self.held, principal))
        barred = operation_id != ROTATION and self.state.must_rotate(principal.name)
        for demand in questions.demands:
            if barred:
                raise PermissionDenied(f"{self._refusal(principal, demand)} because it must rotate credentials first")
            if not self._is_met(demand, held):
                raise PermissionDenied(self._refusal(principal, demand))

    def held(self, principal: Principal, securable: Securable) -> frozenset[str]:
        """Return the privileges that a principal holds on a securable itself."""
        if securable.kind == SecurableType.PRINCIPAL:
            return frozenset({SELF} if securable.path == (principal.name,) else ())
        return self.state.granted(principal.roles, securable)

    def needed(self, needs: Sequence[RequiredPrivilege]) -> Iterable[RequiredPrivilege]:
        """Return the privileges that must be held for a demand that names these together."""
        return needs

    def _is_met(self, demand: Demand, held: Held) -> bool:
        return any(all(self._holds(need, held) for need in self.needed(needs)) for needs in demand.alternatives)

    def _holds(self, need: RequiredPrivilege, held: Held) -> bool:
        """Return whether a privilege is held on an object or around it, directly or conferred by another one."""
        conferring = self.rules.conferring.get(need.privilege, frozenset({need.privilege}))
        return any(conferring & held(securable) for securable in chain(need.securable))

    def _refusal(self, principal: Principal, demand: Demand) -> str:
        """Return the message that clients show and parse: it names the refused step."""
        catalogs = {need.securable.catalog for needs in demand.alternatives for need in needs if need.securable.catalog}
        via = {role for catalog in catalogs for role in self.state.catalog_roles(principal.roles, catalog)}
        return (
            f"Principal '{principal.name}' with activated PrincipalRoles '[{_listed(principal.roles)}]' and "
            f"activated grants via '[{_listed({*via, *principal.roles})}]' is not authorized for op {demand.name}"
        )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
