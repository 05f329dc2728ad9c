"""A small world for decisions about access, and the requests of the suite's table in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cache

from conformance.polaris.support.access.calls import AccessNames, AccessRequest
from conformance.polaris.support.access.table import Grant
from reference_server.api import RequestTarget
from reference_server.auth import Principal
from reference_server.context import Request
from reference_server.errors import CatalogError, NotFound
from reference_server.polaris.access.decision import Authorizer
from reference_server.polaris.access.rules import AccessRules, rules_of
from reference_server.polaris.securables import (
    ROOT,
    Securable,
    SecurableType,
    catalog,
    catalog_role,
    principal,
    principal_role,
)
from specs.profiles import find_profile

NAMES = AccessNames(
    catalog="c",
    namespace="n",
    child="child",
    other="z",
    table="t",
    second="t2",
    view="v",
    generic="g",
    policy="p",
    absent="nothing",
    role="cr",
    loose_role="cr2",
    principal="somebody",
    principal_role="pr",
    location="file:///lake/none",
    catalog_value={"name": "c"},
)
ADMIN = "service_admin"
WHERE = {
    "root": ROOT,
    "catalog": catalog("c"),
    "namespace": Securable(SecurableType.NAMESPACE, "c", ("n",)),
    "table": Securable(SecurableType.TABLE, "c", ("n", "t")),
    "view": Securable(SecurableType.VIEW, "c", ("n", "v")),
    "policy": Securable(SecurableType.POLICY, "c", ("n", "p")),
}
GENERIC = Securable(SecurableType.TABLE, "c", ("n", "g"))
THERE = frozenset(
    {
        *WHERE.values(),
        Securable(SecurableType.NAMESPACE, "c", ("n", "child")),
        Securable(SecurableType.NAMESPACE, "c", ("z",)),
        *(Securable(SecurableType.TABLE, "c", path) for path in (("n", "t2"), ("z", "t2"))),
        GENERIC,
        catalog_role("c", "cr"),
        catalog_role("c", "cr2"),
        catalog_role("c", "catalog_admin"),
        principal("somebody"),
        principal("root"),
        principal_role("pr"),
    }
)


class World:
    """AccessState: what there is, and grants to the one role of a catalog; it counts what is looked up."""

    def __init__(self, grants: Iterable[Grant] = (), *, generic: bool = False) -> None:
        self.asked = 0
        self.grants: dict[Securable, set[str]] = {}
        for grant in grants:
            securable = GENERIC if generic and grant.level == "table" else WHERE[grant.level]
            self.grants.setdefault(securable, set()).add(grant.privilege)

    def exists(self, securable: Securable) -> bool:
        """Return whether an object exists, and count the question."""
        self.asked += 1
        return securable in THERE

    def require(self, securable: Securable) -> None:
        """Raise NotFound for a missing object."""
        if not self.exists(securable):
            raise NotFound(str(securable))

    def must_rotate(self, principal: str) -> bool:
        """Return False: no principal must rotate."""
        return False

    def catalog_roles(self, roles: Collection[str], catalog: str) -> Collection[str]:
        """Return the role of the catalog, for callers with a role."""
        return [f"{catalog}-role"] if "role" in roles else []

    def granted(self, roles: Collection[str], securable: Securable) -> frozenset[str]:
        """Return the privileges of the world, and count the question."""
        self.asked += 1
        if securable == ROOT:
            return frozenset({"SERVICE_MANAGE_ACCESS"} if ADMIN in roles else ())
        return frozenset(self.grants.get(securable, ()) if "role" in roles else ())


@cache
def rules_for(revision: str) -> AccessRules:
    """Return the rules of a revision."""
    return rules_of(find_profile(f"polaris/{revision}"))


def outcome(
    call: AccessRequest,
    world: World,
    *,
    roles: tuple[str, ...] = ("role",),
    caller: str = "x",
    revision: str,
    authorizer: Callable[[AccessRules, World], Authorizer] = Authorizer,
) -> str:
    """Return "" for a call that is let through, or what it is refused with."""
    request = Request("1", "POST", "/x", dict(call.headers))
    request._query = {name: [value] for name, value in call.query.items()}
    target = RequestTarget(dict(call.path), call.body, request)
    try:
        authorizer(rules_for(revision), world).authorize(Principal(caller, roles), call.operation, target)
    except CatalogError as error:
        return f"{error.status} {error.message}"
    return ""
