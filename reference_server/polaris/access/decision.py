"""The decision: first whether what a request names exists (404), then whether the caller holds what it needs (403).

Whatever the number of grants, a decision looks up one key for each role and each level above what is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Protocol

from reference_server.api import Target
from reference_server.auth import Principal
from reference_server.errors import PermissionDenied
from reference_server.polaris.access.rules import Demand, Need, Rules, chain
from reference_server.polaris.securables import Securable, SecurableType

ROTATION = "rotateCredentials"  # what a principal may do that must have another secret
SELF = "SELF"  # what every principal holds on itself
Held = Callable[[Securable], frozenset[str]]


class AccessState(Protocol):
    """What there is, and who is granted what; see StoredAccessState. Roles are principal roles."""

    def exists(self, securable: Securable) -> bool:
        """Return whether there is such a thing."""

    def require(self, securable: Securable) -> None:
        """Raise NotFound for what does not exist."""

    def must_rotate(self, principal: str) -> bool:
        """Return whether a principal must have another secret before it may do anything else."""

    def catalog_roles(self, roles: Collection[str], catalog: str) -> Collection[str]:
        """Return the roles of a catalog that these roles have."""

    def granted(self, roles: Collection[str], securable: Securable) -> frozenset[str]:
        """Return the privileges that are granted to these roles on a securable itself."""


@dataclass(frozen=True)
class Authorizer:
    """The decision by the rules of a revision and the grants in a state.

    A subclass may change the privileges that a principal holds (`held`) and those that it needs (`needed`).
    """

    rules: Rules
    state: AccessState

    def authorize(self, principal: Principal, operation_id: str, target: Target) -> None:
        """Let a principal perform an operation.

        Raises InvalidInput for names that cannot be read, then NotFound for what the request names and does not exist,
        then PermissionDenied.
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

    def needed(self, needs: Sequence[Need]) -> Iterable[Need]:
        """Return all that must be held where a demand names these needs together."""
        return needs

    def _is_met(self, demand: Demand, held: Held) -> bool:
        return any(all(self._holds(need, held) for need in self.needed(needs)) for needs in demand.alternatives)

    def _holds(self, need: Need, held: Held) -> bool:
        """Return whether a privilege is held on a securable or on one that contains it, or conferred by another."""
        conferring = self.rules.conferring.get(need.privilege, frozenset({need.privilege}))
        return any(conferring & held(securable) for securable in chain(need.securable))

    def _refusal(self, principal: Principal, demand: Demand) -> str:
        """Return the sentence that clients show and look for: it names the step that is refused."""
        catalogs = {need.securable.catalog for needs in demand.alternatives for need in needs if need.securable.catalog}
        via = {role for catalog in catalogs for role in self.state.catalog_roles(principal.roles, catalog)}
        return (
            f"Principal '{principal.name}' with activated PrincipalRoles '[{_listed(principal.roles)}]' and "
            f"activated grants via '[{_listed({*via, *principal.roles})}]' is not authorized for op {demand.name}"
        )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
