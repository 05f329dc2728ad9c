"""Grants that reach too far, or not far enough."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from copy import copy
from dataclasses import dataclass

from reference_server.auth import Principal
from reference_server.context import Reply
from reference_server.faults import Around, Call, Proceed, fault
from reference_server.polaris.access.decision import Authorizer
from reference_server.polaris.entities.grants import StoredGrants, grants_of
from reference_server.polaris.securables import Securable, SecurableType, catalog_role

Reach = Callable[[Securable, Securable], bool]  # whether a grant on the first counts on the second


@dataclass(frozen=True)
class FarAuthorizer(Authorizer):
    """A decision in which a grant on one object counts on others that are related to it."""

    reach: Reach = lambda _granted, _asked: False

    def held(self, principal: Principal, securable: Securable) -> frozenset[str]:
        """Return the privileges held on an object, and those on related ones."""
        held = set(super().held(principal, securable))
        for granted, privilege in self._grants(principal.roles, securable.catalog):
            if granted.kind == securable.kind and granted.path and self.reach(granted, securable):
                held.add(privilege)
        return frozenset(held)

    def _grants(self, roles: Collection[str], catalog: str) -> Iterable[tuple[Securable, str]]:
        if isinstance(self.state, StoredGrants):
            for role in self.state.catalog_roles(roles, catalog):
                yield from grants_of(self.state._store, catalog_role(catalog, role))


def _far(reach: Reach) -> Around:
    """Return a fault that lets grants count on related objects."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        if isinstance(getattr(call.api, "authorizer", None), Authorizer):
            right, call.api = call.api.authorizer, copy(call.api)
            call.api.authorizer = FarAuthorizer(right.rules, right.state, reach)
        return await proceed()

    return around


def _begins(granted: Securable, asked: Securable) -> bool:
    return ".".join(asked.path).startswith(".".join(granted.path)) and asked.path[:-1] == granted.path[:-1]


fault("grants-by-beginnings", "A grant holds for everything whose name begins like the granted one.")(_far(_begins))
fault("grants-by-last-name", "A grant holds for every object of the same name, whatever namespace it is in.")(
    _far(lambda granted, asked: granted.path[-1] == asked.path[-1])
)
fault("grants-reach-upwards", "A grant on a namespace holds for the namespaces around it, too.")(
    _far(lambda granted, asked: granted.path[: len(asked.path)] == asked.path)
)


@dataclass(frozen=True)
class NearAuthorizer(Authorizer):
    """A decision in which a grant on a namespace counts for nothing that lies deeper than directly in it."""

    def held(self, principal: Principal, securable: Securable) -> frozenset[str]:
        """Return the privileges held on an object, none on a namespace of the first or second level."""
        outer = securable.kind is SecurableType.NAMESPACE and len(securable.path) < self.depth
        return frozenset() if outer else super().held(principal, securable)

    depth: int = 0


@fault("grants-one-level-deep")
async def _near(call: Call, proceed: Proceed) -> Reply:
    """A grant on a namespace holds for what is directly in it alone."""
    if isinstance(getattr(call.api, "authorizer", None), Authorizer) and "namespace" in call.path:
        right, call.api = call.api.authorizer, copy(call.api)
        levels = len(call.path["namespace"].replace("%1F", "\x1f").split("\x1f"))
        inside = any(part in call.operation.path for part in ("{namespace}/",))
        call.api.authorizer = NearAuthorizer(right.rules, right.state, levels if inside else levels - 1)
    return await proceed()
