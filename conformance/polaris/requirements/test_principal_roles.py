"""Principal roles: their effect on principals, and the federated flag."""

from __future__ import annotations

from conformance.author.checks import equal
from conformance.author.requirement import should
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import PRINCIPAL_ROLE, properties_with
from conformance.polaris.support.principals import PRINCIPAL_ROLES

LIST_NAMESPACES = "NAMESPACE_LIST"


@should(
    "polaris.principal_role.effect", operations=["assignPrincipalRole", "revokePrincipalRole"], clause="roles-at-once"
)
def test_roles_hold_at_once(catalog: PolarisCatalog) -> None:
    """After a principal role is revoked, the next request returns 403; after it is assigned again, it succeeds."""
    caller = catalog.new_caller({"type": "catalog", "privilege": LIST_NAMESPACES})
    tables = catalog.within(catalog.home, caller.client)
    given = (caller.principal_role,), (caller.principal,)
    tables.list_namespaces()
    PRINCIPAL_ROLES.take(catalog, *given)
    tables.list_namespaces(expect=403)
    PRINCIPAL_ROLES.give(catalog, *given)
    tables.list_namespaces()


@should(
    "polaris.principal_role.deleted_effect", operations=["deletePrincipalRole"], clause="roles-at-once", kind="auth"
)
def test_deleted_roles_give_nothing(catalog: PolarisCatalog) -> None:
    """After deletePrincipalRole the next request that needs the role returns 403."""
    caller = catalog.new_caller({"type": "catalog", "privilege": LIST_NAMESPACES})
    tables = catalog.within(catalog.home, caller.client)
    tables.list_namespaces()
    catalog.delete(PRINCIPAL_ROLE, (caller.principal_role,))
    tables.list_namespaces(expect=403)


@should(
    "polaris.principal_role.federated.{}",
    operations=["createPrincipalRole", "getPrincipalRole"],
    clause="federated-kept",
    since="1.7",
    each={"true": True, "false": False, "absent": None},
)
def test_federated_roles(catalog: PolarisCatalog, case: bool | None) -> None:
    """getPrincipalRole returns the federated flag as created, and false if it was not given: {}."""
    id = catalog.new(PRINCIPAL_ROLE, **({} if case is None else {"federated": case}))
    equal(catalog.get(PRINCIPAL_ROLE, id).get("federated", False), bool(case), "federated")


@should(
    "polaris.principal_role.federated.updated",
    operations=["updatePrincipalRole", "listPrincipalRoles"],
    clause="federated-kept",
    since="1.7",
)
def test_update_of_a_federated_role(catalog: PolarisCatalog) -> None:
    """A federated principal role is federated after updatePrincipalRole, wherever it is shown."""
    id = catalog.new(PRINCIPAL_ROLE, federated=True)
    before = catalog.get(PRINCIPAL_ROLE, id)
    catalog.control(lambda: equal(before["federated"], True, "federated"))
    version, properties = before["entityVersion"], properties_with(before, "a")
    answer = catalog.update(PRINCIPAL_ROLE, id, currentEntityVersion=version, properties=properties)
    for shown in (answer, catalog.get(PRINCIPAL_ROLE, id), catalog.listed(PRINCIPAL_ROLE, id)):
        equal(shown["federated"], True, "federated")
