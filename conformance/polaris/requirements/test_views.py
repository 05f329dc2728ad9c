"""Entities as all operations and callers see them after a change: one state, and nothing else changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import contains, equal, find, unequal
from conformance.author.requirement import must
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import (
    CATALOG,
    CATALOG_ROLE,
    ENTITIES,
    PRINCIPAL,
    PRINCIPAL_ROLE,
    EntityType,
    Names,
    of,
    properties_with,
)
from conformance.polaris.support.grants import LIST, OLDER, add, grants
from conformance.polaris.support.principals import ASSIGNMENTS, CATALOG_ROLES, PRINCIPAL_ROLES, Assignment, opens
from conformance.polaris.worlds import EMPTY
from conformance.values.outcomes import Unoffered

LIST_NAMESPACES = OLDER["catalog"].grant((), "NAMESPACE_LIST")
VERSIONED = ("entityVersion", "lastUpdateTimestamp")
DONE, NOT_FOUND = 200, 404


def _set(catalog: PolarisCatalog, entity: EntityType, id: Names, value: str) -> dict[str, Any]:
    """Set one property of an entity and return the answer."""
    before = catalog.get(entity, id)
    properties = properties_with(before, "view", value)
    answer = catalog.update(entity, id, currentEntityVersion=before["entityVersion"], properties=properties)
    return dict(catalog.documented(answer.json))


@must("polaris.{}.update.listed", operations=of("update", "list", "get"), clause="update-applied", each=ENTITIES)
def test_update_is_listed(catalog: PolarisCatalog, case: EntityType) -> None:
    """After each update of a {}, the list and the {} itself are what the update returned."""
    id = catalog.new(case)
    catalog.listed(case, id)  # a server that caches this must not return it below
    for value in ("1", "2"):
        updated = _set(catalog, case, id, value)
        equal(catalog.documented(catalog.get(case, id).json), updated, f"the {case.id}")
        equal(catalog.documented(catalog.listed(case, id)), updated, f"the {case.id} in the list")


@must("polaris.assignment.{}.updated", operations=of("list_given", "list_takers"), clause="assigned", each=ASSIGNMENTS)
def test_assignments_show_updates(catalog: PolarisCatalog, case: Assignment) -> None:
    """The lists of a {} assignment, from both ends, show the current state of both after an update."""
    role, taker = catalog.new(case.given), catalog.new(case.taker)
    case.give(catalog, role, taker)
    path = {name: value for name, value in case.place(role, taker).items() if name != case.given.path[-1]}
    for entity, id, operation, place in (
        (case.given, role, case.list_given, path),
        (case.taker, taker, case.list_takers, case.given.place(role)),
    ):
        catalog.send(operation, place)  # a server that caches this must not return it below
        updated = _set(catalog, entity, id, "1")
        shown = catalog.documented(catalog.own(catalog.send(operation, place)[entity.listed]))
        equal(shown, [updated], f"the {entity.id} in the list of the assignment")


@must("polaris.{}.update.back", operations=of("update", "get"), clause="version-changes", each=ENTITIES)
def test_update_back(catalog: PolarisCatalog, case: EntityType) -> None:
    """A {} that is updated and updated back equals the earlier one, except for its version and time."""
    id = catalog.new(case)
    states = [_set(catalog, case, id, value) for value in ("1", "2", "1")]
    first, last = ({name: state[name] for name in state if name not in VERSIONED} for state in (states[0], states[-1]))
    equal(last, first, f"the {case.id} after the way back")
    versions = [state["entityVersion"] for state in states]
    for earlier in versions[:-1]:
        unequal(versions[-1], earlier, "the entityVersion after the way back")


# What an update and a refused creation leave alone


def _keeps_assignments(catalog: PolarisCatalog, case: Assignment) -> Callable[[Names, Names], Callable[[], None]]:
    def watch(role: Names, taker: Names) -> Callable[[], None]:
        case.give(catalog, role, taker)

        def check() -> None:
            equal(case.of_taker(catalog, role, taker), [role[-1]], "what is assigned")
            equal(case.takers(catalog, role), [taker[-1]], "whom it is assigned to")

        return check

    return watch


def _principal(catalog: PolarisCatalog) -> tuple[Names, Callable[[], None]]:
    id, known = catalog.new_principal()
    assigned = _keeps_assignments(catalog, PRINCIPAL_ROLES)(catalog.new(PRINCIPAL_ROLE), id)

    def check() -> None:
        opens(catalog, known)
        equal(catalog.get(PRINCIPAL, id).get("clientId", known.id), known.id, "the clientId of the principal")
        assigned()

    return id, check


def _principal_role(catalog: PolarisCatalog) -> tuple[Names, Callable[[], None]]:
    id = catalog.new(PRINCIPAL_ROLE)
    above = _keeps_assignments(catalog, PRINCIPAL_ROLES)(id, catalog.new(PRINCIPAL))
    below = _keeps_assignments(catalog, CATALOG_ROLES)(catalog.new(CATALOG_ROLE), id)

    def check() -> None:
        above()
        below()

    return id, check


def _catalog_role(catalog: PolarisCatalog) -> tuple[Names, Callable[[], None]]:
    id = catalog.new(CATALOG_ROLE)
    add(catalog, id, LIST_NAMESPACES)
    assigned = _keeps_assignments(catalog, CATALOG_ROLES)(id, catalog.new(PRINCIPAL_ROLE))

    def check() -> None:
        equal(grants(catalog, id), [LIST_NAMESPACES], "the grants")
        assigned()

    return id, check


def _catalog(catalog: PolarisCatalog) -> tuple[Names, Callable[[], None]]:
    (name,) = catalog.new(CATALOG)
    role, namespace = (name, catalog.target.new_name()), (catalog.target.new_name(),)
    catalog.create(CATALOG_ROLE, role)
    add(catalog, role, LIST_NAMESPACES)
    catalog.within(name).create_namespace(namespace)

    def check() -> None:
        equal(grants(catalog, role), [LIST_NAMESPACES], "the grants of a role of the catalog")
        contains(catalog.within(name).list_namespaces()["namespaces"], [list(namespace)], "the namespaces")

    return (name,), check


RELATED = {
    "catalog": _catalog,
    "principal": _principal,
    "principal_role": _principal_role,
    "catalog_role": _catalog_role,
}


@dataclass(frozen=True, slots=True)
class RelatedCase:
    """Entity type, with a function that creates one with everything that belongs to it.

    The function returns the id and a check that all of it is still there.
    """

    id: str
    entity: EntityType
    create: Callable[[PolarisCatalog], tuple[Names, Callable[[], None]]]


WITH_RELATIONS: Mapping[str, RelatedCase] = {
    name: RelatedCase(entity.id, entity, RELATED[name]) for name, entity in ENTITIES.items()
}


def _prepared(catalog: PolarisCatalog, case: RelatedCase) -> tuple[Names, Callable[[], None]]:
    with catalog.client.preparing():
        id, check = case.create(catalog)
        check()
    return id, check


@must(
    "polaris.{}.update.keeps",
    operations=lambda case: [case.entity.update],
    clause="update-keeps-relations",
    each=WITH_RELATIONS,
)
def test_update_keeps_relations(catalog: PolarisCatalog, case: RelatedCase) -> None:
    """Updating the properties of a {} keeps its credentials, roles, grants and contents."""
    id, check = _prepared(catalog, case)
    _set(catalog, case.entity, id, "1")
    check()


@must(
    "polaris.{}.create.conflict_keeps",
    operations=lambda case: [case.entity.create],
    clause="refused-creation",
    kind="error",
    each=WITH_RELATIONS,
)
def test_refused_creation_keeps_relations(catalog: PolarisCatalog, case: RelatedCase) -> None:
    """When creating a {} with an existing name is rejected, the existing one keeps all that belongs to it."""
    id, check = _prepared(catalog, case)
    stated = case.entity is CATALOG  # of the other kinds the document does not say that names are unique
    if catalog.create(case.entity, id, expect=(409,) if stated else (201, 400, 409)).succeeded:
        raise Unoffered(f"the server gives the name of a {case.entity.id} twice")
    check()


# Deletion, as all operations see it


def _asked(catalog: PolarisCatalog, case: EntityType, id: Names) -> list[tuple[str, dict[str, str], Any]]:
    """Return requests on an entity, of operations for which the document declares 404."""
    value = {"name": catalog.target.missing_name}
    update = {"currentEntityVersion": 1, "properties": catalog.value(case, id).get("properties", {})}
    requests: list[tuple[str, dict[str, str], Any]] = [(case.update, case.place(id), update)]
    for link in ASSIGNMENTS.values():
        if link.given is case:
            requests.append((link.list_takers, case.place(id), None))
        if link.taker is case:
            path = dict(link.place((catalog.home, "x"), id).items())
            path.pop(link.given.path[-1])
            requests.append((link.list_given, path, None))
    if case is PRINCIPAL:
        requests.append((PRINCIPAL_ROLES.assign, case.place(id), PRINCIPAL_ROLE.wrapped(value)))
        requests.append(("rotateCredentials", case.place(id), None))
    if case is CATALOG_ROLE:
        requests.append(("addGrantToCatalogRole", case.place(id), {"grant": LIST_NAMESPACES}))
        requests.append(("revokeGrantFromCatalogRole", case.place(id), {"grant": LIST_NAMESPACES}))
    if case is CATALOG:
        requests.append((CATALOG_ROLE.create, case.place(id), CATALOG_ROLE.wrapped(value)))
        requests.append((CATALOG_ROLE.get, {**case.place(id), CATALOG_ROLE.path[-1]: value["name"]}, None))
    return requests


@must(
    "polaris.{}.delete.everywhere",
    operations=of("delete"),
    clause="deleted-is-gone",
    kind="error",
    each=ENTITIES,
    world=EMPTY,
)
def test_deleted_everywhere(catalog: PolarisCatalog, case: EntityType) -> None:
    """After a {} was deleted, every operation on it for which the document declares 404 returns 404."""
    id = catalog.new(case)
    for operation, path, _ in _asked(catalog, case, id):
        if operation in (PRINCIPAL_ROLES.list_given, PRINCIPAL_ROLES.list_takers, CATALOG_ROLES.list_takers):
            catalog.send(operation, path)  # a server that caches this must not return it below
    catalog.delete(case, id)
    for operation, path, body in _asked(catalog, case, id):
        catalog.send(operation, path, body, expect=NOT_FOUND)


@must("polaris.{}.delete.neighbours", operations=of("delete"), clause="deleted-alone", each=ENTITIES)
def test_neighbours_of_what_was_deleted(catalog: PolarisCatalog, case: EntityType) -> None:
    """Deleting a {} leaves those alone whose names begin with its name, and those that its name begins with."""
    name = catalog.target.new_name()
    ids = [catalog.id(case, f"{name}{end}") for end in ("", "n", "nn")]
    with catalog.client.preparing():
        for id in ids:
            catalog.create(case, id)
        linked = [_link(catalog, case, id) for id in ids]
    catalog.delete(case, ids[1])
    for id, check in ((ids[0], linked[0]), (ids[2], linked[2])):
        catalog.get(case, id)
        check()


def _link(catalog: PolarisCatalog, case: EntityType, id: Names) -> Callable[[], None]:
    """Grant or assign something to an entity, or create something in it; return a check that it is still there."""
    if case is CATALOG:
        role = (*id, catalog.target.new_name())
        catalog.create(CATALOG_ROLE, role)
        if id[-1].endswith("n") and not id[-1].endswith("nn"):
            catalog.delete(CATALOG_ROLE, role)  # the one that is deleted has to be empty
        return lambda: equal(catalog.get(CATALOG_ROLE, role)["name"], role[-1], "the name of a role of the catalog")
    if case is CATALOG_ROLE:
        add(catalog, id, LIST_NAMESPACES)
        return lambda: equal(grants(catalog, id), [LIST_NAMESPACES], "the grants")
    if case is PRINCIPAL:
        return _keeps_assignments(catalog, PRINCIPAL_ROLES)(catalog.new(PRINCIPAL_ROLE), id)
    return _keeps_assignments(catalog, CATALOG_ROLES)(catalog.new(CATALOG_ROLE), id)


# Another caller

SEEN: Mapping[str, EntityType] = {"catalog": CATALOG, "catalog_role": CATALOG_ROLE}


@must("polaris.{}.other_caller", operations=of("get", "update"), clause="update-applied", each=SEEN)
def test_another_caller_sees_the_same(catalog: PolarisCatalog, case: EntityType) -> None:
    """Another caller that may load a {} sees what its creator sees, before and after an update."""
    (name,) = catalog.new(CATALOG)
    id = (name,) if case is CATALOG else (name, catalog.target.new_name())
    with catalog.client.preparing():
        if case is CATALOG_ROLE:
            catalog.create(case, id)
        manages = [OLDER["catalog"].grant((), f"CATALOG_MANAGE_{what}") for what in ("ACCESS", "METADATA")]
        other = catalog.called_by(catalog.new_caller(*manages, catalog=name).client)
        other.send(case.get, case.place(id), expect=DONE)
    for value in ("1", "2"):
        _set(catalog, case, id, value)
        seen = catalog.documented(other.send(case.get, case.place(id)).json)
        equal(seen, catalog.documented(catalog.get(case, id).json), f"the {case.id} as another caller sees it")


@must("polaris.catalog_role.other_caller.list", operations=["listCatalogRoles", LIST], clause="lists-complete")
def test_another_caller_lists_the_same(catalog: PolarisCatalog) -> None:
    """Another caller that may list the roles of a catalog and their grants gets the same lists as their creator."""
    (name,) = catalog.new(CATALOG)
    role = (name, catalog.target.new_name())
    with catalog.client.preparing():
        caller = catalog.new_caller(OLDER["catalog"].grant((), "CATALOG_MANAGE_ACCESS"), catalog=name)
        other = catalog.called_by(caller.client)
        other.send("listCatalogRoles", {"catalogName": name}, expect=DONE)
    catalog.create(CATALOG_ROLE, role)
    add(catalog, role, LIST_NAMESPACES)
    listed = [catalog.own(side.send("listCatalogRoles", {"catalogName": name})["roles"]) for side in (catalog, other)]
    equal(catalog.documented(listed[1]), catalog.documented(listed[0]), "the roles as another caller sees them")
    find(listed[1], lambda entry: entry["name"] == role[-1], "the new role in the list of another caller")
    shown = catalog.documented(other.send(LIST, CATALOG_ROLE.place(role))["grants"])
    equal(shown, [LIST_NAMESPACES], "the grants as another caller sees them")
