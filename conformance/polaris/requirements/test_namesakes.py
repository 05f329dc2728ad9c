"""Namesakes: catalogs whose roles and contents have the same names, and catalogs whose names differ in case alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must, should
from conformance.iceberg.client import IcebergClient
from conformance.iceberg.support.assertions import ours
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.polaris.callers import DROPS
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.client import PolarisClient
from conformance.polaris.entities import CATALOG, CATALOG_ROLE, PRINCIPAL_ROLE, Names, properties_with
from conformance.polaris.support.grants import LIST, OLDER, add, grants, revoke
from conformance.polaris.support.policies import COMPACTION, ON
from conformance.polaris.support.principals import CATALOG_ROLES
from conformance.polaris.support.readables import DENIED, FORMAT, TYPES, ReadableType
from conformance.values.outcomes import Unoffered

ON_CATALOG = OLDER["catalog"]
LIST_NAMESPACES, LIST_TABLES = (ON_CATALOG.grant((), f"{what}_LIST") for what in ("NAMESPACE", "TABLE"))
Sides = tuple[str, str]


def _two(catalog: PolarisCatalog) -> tuple[Names, Names]:
    """Create two catalogs with a role of the same name; return the ids of the roles."""
    name = catalog.target.new_name()
    (first,), (second,) = catalog.new(CATALOG), catalog.new(CATALOG)
    with catalog.client.preparing():
        for side in (first, second):
            catalog.create(CATALOG_ROLE, (side, name))
    return (first, name), (second, name)


# Roles of the same name


@must("polaris.namesake.role.grants", operations=["addGrantToCatalogRole", LIST], clause="roles-of-catalogs")
def test_grants_of_a_namesake(catalog: PolarisCatalog) -> None:
    """Grants and revokes of a catalog role do not change those of the role of the same name in another catalog."""
    role, other = _two(catalog)
    add(catalog, role, LIST_NAMESPACES)
    add(catalog, role, LIST_TABLES)
    equal(grants(catalog, other), [], "the grants of the role in the other catalog")
    add(catalog, other, LIST_NAMESPACES)
    revoke(catalog, role, LIST_NAMESPACES)
    equal(grants(catalog, role), [LIST_TABLES], "the grants of the role")
    equal(grants(catalog, other), [LIST_NAMESPACES], "the grants of the role in the other catalog")


@must(
    "polaris.namesake.role.assigned",
    operations=[CATALOG_ROLES.assign, CATALOG_ROLES.revoke],
    clause="roles-of-catalogs",
)
def test_assignments_of_a_namesake(catalog: PolarisCatalog) -> None:
    """Assignments of a catalog role are not those of the role of the same name in another catalog."""
    (role, other), taker = _two(catalog), catalog.new(PRINCIPAL_ROLE)
    CATALOG_ROLES.give(catalog, role, taker)
    equal(CATALOG_ROLES.of_taker(catalog, other, taker), [], "what is assigned in the other catalog")
    equal(CATALOG_ROLES.takers(catalog, other), [], "whom the role in the other catalog is assigned to")
    CATALOG_ROLES.give(catalog, other, taker)
    CATALOG_ROLES.take(catalog, role, taker)
    equal(CATALOG_ROLES.of_taker(catalog, role, taker), [], "what is assigned")
    equal(CATALOG_ROLES.of_taker(catalog, other, taker), [other[-1]], "what is assigned in the other catalog")
    equal(CATALOG_ROLES.takers(catalog, other), [taker[-1]], "whom the role in the other catalog is assigned to")


@must("polaris.namesake.role.deleted", operations=["deleteCatalogRole"], clause="roles-of-catalogs")
def test_deleted_namesake(catalog: PolarisCatalog) -> None:
    """Deleting a catalog role leaves the role of the same name in another catalog, its grants and its assignments."""
    (role, other), taker = _two(catalog), catalog.new(PRINCIPAL_ROLE)
    with catalog.client.preparing():
        add(catalog, other, LIST_NAMESPACES)
        CATALOG_ROLES.give(catalog, other, taker)
    catalog.delete(CATALOG_ROLE, role)
    equal(grants(catalog, other), [LIST_NAMESPACES], "the grants of the role in the other catalog")
    equal(CATALOG_ROLES.takers(catalog, other), [taker[-1]], "whom the role in the other catalog is assigned to")


@must("polaris.namesake.role.updated", operations=["updateCatalogRole"], clause="roles-of-catalogs")
def test_updated_namesake(catalog: PolarisCatalog) -> None:
    """Updating a catalog role leaves the role of the same name in another catalog as it is."""
    role, other = _two(catalog)
    before, known = catalog.documented(catalog.get(CATALOG_ROLE, other).json), catalog.get(CATALOG_ROLE, role)
    properties = properties_with(known, "a")
    catalog.update(CATALOG_ROLE, role, currentEntityVersion=known["entityVersion"], properties=properties)
    equal(catalog.documented(catalog.get(CATALOG_ROLE, other).json), before, "the role in the other catalog")


@must("polaris.namesake.role.access", operations=[CATALOG_ROLES.assign], clause="roles-of-catalogs", kind="auth")
def test_access_by_a_namesake(catalog: PolarisCatalog) -> None:
    """A catalog role gives no access to another catalog, whose role of the same name has the same grant."""
    role, other = _two(catalog)
    caller = catalog.new_caller()
    with catalog.client.preparing():
        for one in (role, other):
            add(catalog, one, LIST_NAMESPACES)
        catalog.within(role[0], caller.client).list_namespaces(expect=DENIED)
        CATALOG_ROLES.give(catalog, role, (caller.principal_role,))
        catalog.within(role[0], caller.client).list_namespaces()
    CATALOG_ROLES.give(catalog, role, (caller.principal_role,))
    catalog.within(other[0], caller.client).list_namespaces(expect=DENIED)


# Contents of the same names


CREATE: dict[str, Callable[[IcebergClient, Names], Any]] = {
    "namespace": lambda client, id: client.create_namespace(id),
    "table": lambda client, id: client.create_table(id, SCHEMA),
    "view": lambda client, id: client.create_view(id, **view_body(id[:-1])),
    "policy": lambda client, id: PolarisClient(client.client).create_policy(
        id[:-1], name=id[-1], type=COMPACTION, content=ON
    ),
    "generic table": lambda client, id: PolarisClient(client.client).create_generic_table(
        id[:-1], name=id[-1], format=FORMAT
    ),
}


def _shown(catalog: PolarisCatalog, client: PolarisClient, kind: ReadableType, id: Names) -> Any:
    """Return an object, without the properties and the configuration of the server, which may change at any time."""
    answer = catalog.documented(client.send(kind.reads, kind.path(id)).json)
    return ours(catalog.tables, answer.get("metadata", answer))


def _alike(catalog: PolarisCatalog, kind: ReadableType, sides: Sides) -> None:
    """Create the same object in two catalogs, drop one, and check the other."""
    clients = [catalog.within(name) for name in sides]
    name = catalog.target.new_name()
    id = (name, "o") if kind.field else (name,)
    if kind.field:
        with catalog.client.preparing():
            for client in clients:
                client.create_namespace(id[:-1], expect=(200, 409))
    first, second = (PolarisClient(client.client) for client in clients)
    CREATE[kind.id](clients[0], id)
    second.send(kind.reads, kind.path(id), expect=404)
    CREATE[kind.id](clients[1], id)
    shown = _shown(catalog, second, kind, id)
    first.send(kind.drops, kind.path(id))
    equal(_shown(catalog, second, kind, id), shown, f"the {kind.id} of the other catalog")
    first.send(kind.reads, kind.path(id), expect=404)


def _operations(kind: ReadableType) -> list[str]:
    return [kind.creates, kind.drops]


@must("polaris.namesake.content.{}", operations=_operations, clause="catalogs-apart", each=TYPES)
def test_contents_of_a_namesake(catalog: PolarisCatalog, case: ReadableType) -> None:
    """A {} in one catalog is not in another one, and its drop leaves the {} of the same name there."""
    _alike(catalog, case, (catalog.new(CATALOG, properties=DROPS)[0], catalog.new(CATALOG, properties=DROPS)[0]))


# Another case


def _two_cases(catalog: PolarisCatalog) -> Sides:
    """Create two catalogs whose names differ in case alone. Raises Unoffered if the server rejects the second."""
    name = catalog.target.new_name()
    sides = (f"{name}lower", f"{name}LOWER")
    with catalog.client.preparing():
        catalog.create(CATALOG, (sides[0],))
        if not catalog.create(CATALOG, (sides[1],), expect=(201, 400, 409)).succeeded:
            raise Unoffered("the server has no catalogs whose names differ in case alone")
    return sides


@must("polaris.namesake.case.content", operations=["createTable", "dropTable"], clause="catalogs-apart")
def test_contents_under_another_case(catalog: PolarisCatalog) -> None:
    """Catalogs whose names differ in case alone have contents of their own."""
    _alike(catalog, TYPES["table"], _two_cases(catalog))


@must("polaris.namesake.case.access", operations=["addGrantToCatalogRole"], clause="roles-of-catalogs", kind="auth")
def test_access_under_another_case(catalog: PolarisCatalog) -> None:
    """A grant on a catalog gives no access to a catalog whose name differs in case alone."""
    first, second = _two_cases(catalog)
    caller = catalog.new_caller(LIST_NAMESPACES, catalog=first)
    with catalog.client.preparing():
        catalog.within(first, caller.client).list_namespaces()
    add(catalog, (first, caller.catalog_role), LIST_NAMESPACES)
    catalog.within(second, caller.client).list_namespaces(expect=DENIED)


@should("polaris.namesake.case.config", operations=["getConfig"], clause="config-of-catalog")
def test_configuration_under_another_case(catalog: PolarisCatalog) -> None:
    """getConfig returns each of two catalogs whose names differ in case alone, and no catalog for a third case."""
    sides = _two_cases(catalog)
    prefixes = [catalog.within(name).get_config(warehouse=name)["overrides"]["prefix"] for name in sides]
    same_items(prefixes, sides, "the prefixes")
    third = sides[0].replace("lower", "Lower")
    catalog.within(third).get_config(warehouse=third, expect=(400, 404))


@must("polaris.namesake.case.deleted", operations=["deleteCatalog"], clause="deleted-alone")
def test_deleted_catalog_of_another_case(catalog: PolarisCatalog) -> None:
    """Deleting a catalog leaves the catalog whose name differs in case alone."""
    first, second = _two_cases(catalog)
    catalog.delete(CATALOG, (first,))
    equal(catalog.get(CATALOG, (second,))["name"], second, "the name of the other catalog")
    catalog.get(CATALOG, (first,), expect=404)
