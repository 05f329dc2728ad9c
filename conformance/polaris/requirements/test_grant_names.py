"""Names in grants: nested namespaces, namesakes, missing parents and objects of another kind; and cascading revokes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must, should
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import SINCE, Names
from conformance.polaris.support.grants import (
    ADD,
    LIST,
    OLDER,
    REVOKE,
    SECURABLES,
    Grant,
    GrantableType,
    add,
    grants,
    new_role,
    revoke,
)
from conformance.polaris.support.readables import TYPES, new_generic_table
from conformance.values.outcomes import Unoffered

NOT_DONE = (400, 404, 406, 501)
NAMED = {name: securable for name, securable in SECURABLES.items() if name != "catalog"}
MISSING = 404


def _created(catalog: PolarisCatalog, case: GrantableType, id: Names) -> Names:
    """Create an object of a kind under an id."""
    return TYPES[case.id].new(catalog, id)


def _inner(catalog: PolarisCatalog, *names: str) -> Names:
    """Create a namespace in the home of the example, by the first name that the server takes, and return its id."""
    catalog.tables.require_nested()
    for name in names[:-1]:
        id = (*catalog.tables.home, name)
        if catalog.tables.create_namespace(id, expect=(200, 400)).succeeded:
            return id
    return TYPES["namespace"].new(catalog, (*catalog.tables.home, names[-1]))


@must("polaris.grant.{}.nested", operations=[ADD, LIST, REVOKE], clause="grant-names-one", each=NAMED)
def test_grant_in_a_nested_namespace(catalog: PolarisCatalog, case: GrantableType) -> None:
    """A grant on a {} in a nested namespace is listed with all levels of its name, and revoked by them."""
    inner = _inner(catalog, "in.ner", "inner")
    role, thing = new_role(catalog), _created(catalog, case, (*inner, "o"))
    add(catalog, role, case.grant(thing))
    equal(grants(catalog, role), [case.grant(thing)], "the grants")
    revoke(catalog, role, case.grant(thing))
    equal(grants(catalog, role), [], "the grants after the revoke")


@must("polaris.grant.{}.namesake", operations=[ADD, LIST, REVOKE], clause="grant-names-one", each=NAMED)
def test_grants_on_namesakes(catalog: PolarisCatalog, case: GrantableType) -> None:
    """Grants on a {} and on one of the same name in a namespace inside are two, and are revoked one by one."""
    inner = _inner(catalog, "n")
    role, things = new_role(catalog), [_created(catalog, case, (*space, "o")) for space in (inner[:-1], inner)]
    both = [case.grant(thing) for thing in things]
    for grant in both:
        add(catalog, role, grant)
    same_items(grants(catalog, role), both, "the grants")
    revoke(catalog, role, both[0])
    equal(grants(catalog, role), both[1:], "the grants after the revoke of one")
    add(catalog, role, both[0])
    revoke(catalog, role, both[1])
    equal(grants(catalog, role), both[:1], "the grants after the revoke of the other one")


@must("polaris.grant.mixed", operations=[ADD, LIST, REVOKE], clause="grant-revoked")
def test_grants_of_all_kinds(catalog: PolarisCatalog) -> None:
    """One role has grants on objects of all kinds; each is listed as it was granted until it is revoked."""
    role = new_role(catalog)
    held: list[Grant] = []
    for case in OLDER.values():
        thing = case.new(catalog)
        held += [case.grant(thing), case.grant(thing, "CATALOG_MANAGE_ACCESS")]
    for grant in held:
        add(catalog, role, grant)
    same_items(grants(catalog, role), held, "the grants")
    while held:
        revoke(catalog, role, held.pop(len(held) // 2))
        same_items(grants(catalog, role), held, "the grants that are left")


# Names of nothing


@should("polaris.grant.{}.missing_parents", operations=[ADD], clause="grant-on-nothing", kind="error", each=NAMED)
def test_grant_below_missing_parents(catalog: PolarisCatalog, case: GrantableType) -> None:
    """Granting on a {} whose parents of one or two levels do not exist returns 404 and adds no grant."""
    role, thing = new_role(catalog), case.new(catalog)
    missing = catalog.target.missing_name
    catalog.control(lambda: add(catalog, new_role(catalog), case.grant(thing)))
    for id in ((*thing[:-1], missing, missing), (missing, missing, thing[-1])):
        add(catalog, role, case.grant(id), expect=MISSING)
    equal(grants(catalog, role), [], "the grants")


@dataclass(frozen=True, slots=True)
class OtherKind:
    """Grant that names an object of another kind: the words for both, the kind of the grant, and the other kind."""

    id: str
    named: str
    existing: str


OTHERS = {
    "table_as_view": OtherKind("a view, naming a table", "view", "table"),
    "view_as_table": OtherKind("a table, naming a view", "table", "view"),
    "table_as_namespace": OtherKind("a namespace, naming a table", "namespace", "table"),
}


@should("polaris.grant.other_kind.{}", operations=[ADD], clause="grant-on-nothing", kind="error", each=OTHERS)
def test_grant_on_another_kind(catalog: PolarisCatalog, case: OtherKind) -> None:
    """A grant on {}, returns 404 and adds no grant."""
    role, kind = new_role(catalog), OLDER[case.existing]
    thing = kind.new(catalog)
    catalog.control(lambda: add(catalog, new_role(catalog), kind.grant(thing)))
    add(catalog, role, OLDER[case.named].grant(thing), expect=MISSING)
    equal(grants(catalog, role), [], "the grants")


@should("polaris.grant.generic_table", operations=[ADD, LIST, REVOKE], clause="grant-on-generic-table", since=SINCE)
def test_grant_on_a_generic_table(catalog: PolarisCatalog) -> None:
    """A grant on a generic table has the type table, is listed as it was granted, and can be revoked."""
    role, id, case = new_role(catalog), catalog.tables.table_id("g"), OLDER["table"]
    with catalog.client.preparing():
        new_generic_table(catalog, id)
    add(catalog, role, case.grant(id))
    equal(grants(catalog, role), [case.grant(id)], "the grants")
    revoke(catalog, role, case.grant(id))
    equal(grants(catalog, role), [], "the grants after the revoke")


# Revokes with and without what lies below

PRIVILEGE = "TABLE_DROP"


@dataclass(frozen=True, slots=True)
class Below:
    """Object around others: the grant on it, those inside it, and those that are outside."""

    around: Grant
    inside: list[Grant]
    outside: list[Grant]


def _of_catalog(catalog: PolarisCatalog, table: Names) -> Below:
    catalog_grant, space, one = (OLDER[name] for name in ("catalog", "namespace", "table"))
    inside = [space.grant(table[:-1], PRIVILEGE), one.grant(table, PRIVILEGE)]
    return Below(catalog_grant.grant((), PRIVILEGE), inside, [catalog_grant.grant((), "TABLE_LIST")])


def _of_namespace(catalog: PolarisCatalog, table: Names) -> Below:
    catalog_grant, space, one = (OLDER[name] for name in ("catalog", "namespace", "table"))
    beside = catalog.tables.new_namespace()
    outside = [catalog_grant.grant((), PRIVILEGE), space.grant(beside, PRIVILEGE)]
    return Below(space.grant(table[:-1], PRIVILEGE), [one.grant(table, PRIVILEGE)], outside)


def _of_nested(catalog: PolarisCatalog, table: Names) -> Below:
    space, one = OLDER["namespace"], OLDER["table"]
    inner = _inner(catalog, "n")
    deep = _created(catalog, one, (*inner, "o"))
    inside = [space.grant(inner, PRIVILEGE), one.grant(table, PRIVILEGE), one.grant(deep, PRIVILEGE)]
    return Below(space.grant(table[:-1], PRIVILEGE), inside, [OLDER["catalog"].grant((), PRIVILEGE)])


def _holding(catalog: PolarisCatalog, make: Callable[[PolarisCatalog, Names], Below]) -> tuple[Names, Below]:
    """Create a role with all grants around, inside and outside an object."""
    below, role = make(catalog, catalog.tables.new_table()), new_role(catalog)
    for grant in (below.around, *below.inside, *below.outside):
        add(catalog, role, grant)
    return role, below


PLACES = {"catalog": _of_catalog, "namespace": _of_namespace, "nested": _of_nested}
ALONE: dict[str, Any] = {f"{name}.{how}": (name, how) for name in PLACES for how in ("absent", "false")}


@must("polaris.grant.alone.{}", operations=[REVOKE], clause="revoke-alone", each=ALONE)
def test_revoke_without_cascade(catalog: PolarisCatalog, case: tuple[str, str]) -> None:
    """A revoke without cascade, or with cascade=false, leaves the grants on everything inside: {}."""
    place, how = case
    role, below = _holding(catalog, PLACES[place])
    revoke(catalog, role, below.around, cascade=None if how == "absent" else False)
    same_items(grants(catalog, role), [*below.inside, *below.outside], "the grants")


@must("polaris.grant.cascade.{}", operations=[REVOKE], clause="revoke-cascade", each=PLACES)
def test_revoke_with_cascade(catalog: PolarisCatalog, case: Callable[[PolarisCatalog, Names], Below]) -> None:
    """A revoke with cascade=true, unless the server rejects it, revokes the privilege on all that lies inside: {}."""
    role, below = _holding(catalog, case)
    other = new_role(catalog)
    for grant in (below.around, *below.inside):
        add(catalog, other, grant)
    answer = revoke(catalog, role, below.around, cascade=True, expect=(201, *NOT_DONE))
    same_items(grants(catalog, other), [below.around, *below.inside], "the grants of another role")
    if answer.status in NOT_DONE:
        same_items(grants(catalog, role), [below.around, *below.inside, *below.outside], "the grants after a refusal")
        raise Unoffered("the server revokes nothing with all that lies below")
    same_items(grants(catalog, role), below.outside, "the grants")
