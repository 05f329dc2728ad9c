"""Authorization decision: a request is refused with 404 for a missing object, then with 403 for a missing privilege.

Whatever the number of grants, a decision looks up one key for each role and each level above the object.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol

from reference_server.api import RequestTarget
from reference_server.auth import Principal
from reference_server.errors import PermissionDenied
from reference_server.polaris.access.rules import AccessRules, Demand, RequiredPrivilege, chain
from reference_server.polaris.securables import ROOT, Securable, SecurableType

ROTATION = "rotateCredentials"  # allowed even while a rotation is required
SELF = "SELF"  # held by every principal on itself
CATALOG_ACCESS, SERVICE_ACCESS = "CATALOG_MANAGE_ACCESS", "SERVICE_MANAGE_ACCESS"
MANAGING = frozenset({SELF, CATALOG_ACCESS, SERVICE_ACCESS})


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


@dataclass(frozen=True, slots=True)
class Misjudgement:
    """What faults make of a decision: privileges that everybody is taken to hold, and such that are needed too.

    The latter not by those who manage access, or nobody could grant them; but access to a catalog may need that to the
    service.
    """

    held: frozenset[str] = frozenset()
    wanted: frozenset[str] = frozenset()


# What faults change; it is theirs alone to set, for one request.
MISJUDGED: ContextVar[Misjudgement] = ContextVar("misjudged", default=Misjudgement())  # noqa: B039 - it is frozen


@dataclass(frozen=True, slots=True)
class PrivilegeHolder:
    """A principal with the roles of its token, and its privileges."""

    principal: Principal
    state: AccessState
    _granted: dict[Securable, frozenset[str]] = field(default_factory=dict)

    def holds(self, need: RequiredPrivilege, rules: AccessRules) -> bool:
        """Return whether a privilege is held on an object or around it, directly or conferred by another privilege."""
        conferring = rules.conferring.get(need.privilege, frozenset({need.privilege}))
        return any(conferring & self._held(securable) for securable in chain(need.securable))

    def _held(self, securable: Securable) -> frozenset[str]:
        if securable not in self._granted:
            self._granted[securable] = self._look_up(securable)
        return self._granted[securable]

    def _look_up(self, securable: Securable) -> frozenset[str]:
        held = MISJUDGED.get().held
        if securable.kind == SecurableType.PRINCIPAL:
            return held | {SELF} if securable.path == (self.principal.name,) else held
        return held | self.state.granted(self.principal.roles, securable)


def authorize(
    principal: Principal, operation_id: str, target: RequestTarget, rules: AccessRules, state: AccessState
) -> None:
    """Authorize a principal for an operation.

    Raises InvalidInput for unreadable names, then NotFound for a missing object in the request, then PermissionDenied.
    """
    questions = rules.questions(operation_id, target, state.exists)
    for securable in questions.existing:
        state.require(securable)
    caller = PrivilegeHolder(principal, state)
    barred = operation_id != ROTATION and state.must_rotate(principal.name)
    for demand in questions.demands:
        if barred:
            raise PermissionDenied(f"{_refusal(caller, demand)} because it must rotate credentials first")
        if not _is_met(demand, caller, rules):
            raise PermissionDenied(_refusal(caller, demand))


def _is_met(demand: Demand, caller: PrivilegeHolder, rules: AccessRules) -> bool:
    return any(all(caller.holds(need, rules) for need in _all_of(needs)) for needs in demand.alternatives)


def _all_of(needs: Sequence[RequiredPrivilege]) -> Iterator[RequiredPrivilege]:
    yield from needs
    for privilege in MISJUDGED.get().wanted:
        for need in needs:
            if privilege == SERVICE_ACCESS and need.privilege == CATALOG_ACCESS:
                yield RequiredPrivilege(privilege, ROOT)
            elif privilege != SERVICE_ACCESS and need.privilege not in MANAGING:
                yield RequiredPrivilege(privilege, need.securable)


def _refusal(caller: PrivilegeHolder, demand: Demand) -> str:
    """Return the message that clients show and parse: it names the refused step."""
    principal = caller.principal
    catalogs = {need.securable.catalog for needs in demand.alternatives for need in needs if need.securable.catalog}
    via = {role for catalog in catalogs for role in caller.state.catalog_roles(principal.roles, catalog)}
    return (
        f"Principal '{principal.name}' with activated PrincipalRoles '[{_listed(principal.roles)}]' and "
        f"activated grants via '[{_listed({*via, *principal.roles})}]' is not authorized for op {demand.name}"
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
