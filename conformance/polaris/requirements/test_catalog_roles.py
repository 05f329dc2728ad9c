"""Catalog roles: catalog_admin of every new catalog, roles per catalog, and their effect on principal roles."""

from __future__ import annotations

from conformance.author.checks import contains, equal, find
from conformance.author.requirement import should
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG, CATALOG_ROLE
from conformance.polaris.inventory import CATALOG_ADMIN
from conformance.polaris.support.grants import OLDER, grants
from conformance.polaris.support.principals import CATALOG_ROLES

ON_CATALOG = OLDER["catalog"]
LIST_NAMESPACES = "NAMESPACE_LIST"


@should("polaris.catalog_role.admin", operations=["createCatalog", "listCatalogRoles"], clause="catalog-admin")
def test_role_of_a_new_catalog(catalog: PolarisCatalog) -> None:
    """createCatalog creates the role catalog_admin with CATALOG_MANAGE_ACCESS and CATALOG_MANAGE_METADATA."""
    (name,) = catalog.new(CATALOG)
    roles = catalog.send("listCatalogRoles", {"catalogName": name})["roles"]
    find(roles, lambda role: role["name"] == CATALOG_ADMIN, f"the role {CATALOG_ADMIN}")
    wanted = [ON_CATALOG.grant((), f"CATALOG_MANAGE_{what}") for what in ("ACCESS", "METADATA")]
    contains(grants(catalog, (name, CATALOG_ADMIN)), wanted, "the grants of catalog_admin")


@should(
    "polaris.catalog_role.admin_stays", operations=["deleteCatalogRole"], clause="catalog-admin-stays", kind="error"
)
def test_role_of_a_catalog_stays(catalog: PolarisCatalog) -> None:
    """deleteCatalogRole of catalog_admin returns 400 and deletes nothing."""
    (name,) = catalog.new(CATALOG)
    catalog.delete(CATALOG_ROLE, (name, CATALOG_ADMIN), expect=400)
    catalog.get(CATALOG_ROLE, (name, CATALOG_ADMIN))


@should(
    "polaris.catalog_role.own_catalog", operations=["createCatalogRole", "listCatalogRoles"], clause="role-in-catalog"
)
def test_roles_belong_to_their_catalog(catalog: PolarisCatalog) -> None:
    """Catalog roles of one name in two catalogs are independent, and each is listed in its own catalog."""
    (first,), (second,) = catalog.new(CATALOG), catalog.new(CATALOG)
    role = catalog.target.new_name()
    catalog.create(CATALOG_ROLE, (first, role), {"name": role, "properties": {"of": "first"}})
    equal(catalog.names(CATALOG_ROLE, (second, role)), [], "the roles of the other catalog")
    catalog.create(CATALOG_ROLE, (second, role), {"name": role, "properties": {"of": "second"}})
    for name, of in ((first, "first"), (second, "second")):
        equal(catalog.get(CATALOG_ROLE, (name, role))["properties"]["of"], of, "the property of the role")
    catalog.delete(CATALOG_ROLE, (first, role))
    catalog.get(CATALOG_ROLE, (second, role))


@should(
    "polaris.catalog_role.assigned_per_catalog",
    operations=["listCatalogRolesForPrincipalRole"],
    clause="role-in-catalog",
)
def test_assigned_roles_of_one_catalog(catalog: PolarisCatalog) -> None:
    """listCatalogRolesForPrincipalRole returns the roles of the given catalog and none of another one."""
    other = catalog.new(CATALOG)
    own, foreign = catalog.new(CATALOG_ROLE), (other[0], catalog.target.new_name())
    taker = catalog.new(CATALOG_ROLES.taker)
    with catalog.client.preparing():
        catalog.create(CATALOG_ROLE, foreign)
        for role in (own, foreign):
            CATALOG_ROLES.give(catalog, role, taker)
    for role in (own, foreign):
        equal(CATALOG_ROLES.of_taker(catalog, role, taker), [role[-1]], "what is assigned in this catalog")


@should(
    "polaris.catalog_role.effect",
    operations=["assignCatalogRoleToPrincipalRole", "revokeCatalogRoleFromPrincipalRole"],
    clause="roles-at-once",
    kind="auth",
)
def test_catalog_roles_hold_at_once(catalog: PolarisCatalog) -> None:
    """After a catalog role is revoked, the next request returns 403; after it is assigned again, it succeeds."""
    caller = catalog.new_caller(ON_CATALOG.grant((), LIST_NAMESPACES))
    tables = catalog.within(catalog.home, caller.client)
    given = (catalog.home, caller.catalog_role), (caller.principal_role,)
    tables.list_namespaces()
    CATALOG_ROLES.take(catalog, *given)
    tables.list_namespaces(expect=403)
    CATALOG_ROLES.give(catalog, *given)
    tables.list_namespaces()


@should("polaris.catalog_role.deleted_effect", operations=["deleteCatalogRole"], clause="roles-at-once", kind="auth")
def test_deleted_catalog_roles_give_nothing(catalog: PolarisCatalog) -> None:
    """After deleteCatalogRole the next request that needs the role returns 403."""
    caller = catalog.new_caller(ON_CATALOG.grant((), LIST_NAMESPACES))
    tables = catalog.within(catalog.home, caller.client)
    tables.list_namespaces()
    catalog.delete(CATALOG_ROLE, (catalog.home, caller.catalog_role))
    tables.list_namespaces(expect=403)
