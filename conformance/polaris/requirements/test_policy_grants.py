"""Grants on policies, which are securable since 1.7; test_grants.py has the grants on everything else."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must, should
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG_ROLE, SINCE
from conformance.polaris.support.grants import (
    ADD,
    LIST,
    OLDER,
    REVOKE,
    SECURABLES,
    add,
    grants,
    new_role,
    revoke,
)
from conformance.polaris.support.readables import TYPES

POLICY = SECURABLES["policy"]
KEPT, PLAIN = "CATALOG_MANAGE_ACCESS", POLICY.plain
REFUSED = (400, 422)


@must("polaris.grant.policy.other_privilege", operations=[ADD], clause="grant-privileges", kind="error", since=SINCE)
def test_privilege_of_something_else(catalog: PolarisCatalog) -> None:
    """Granting a privilege that the document does not declare for a policy returns 400 or 422 and adds no grant."""
    role, thing, document = new_role(catalog), POLICY.new(catalog), catalog.target.document
    add(catalog, role, POLICY.grant(thing))
    known = {name for securable in OLDER.values() for name in securable.privileges(document)}
    for name in [*sorted(known - set(POLICY.privileges(document))), "LAKEPROOF_NOTHING", "", PLAIN.lower()]:
        add(catalog, role, POLICY.grant(thing, name), expect=REFUSED)
    equal(grants(catalog, role), [POLICY.grant(thing)], "the grants")


@must("polaris.grant.policy.no_privilege", operations=[ADD], clause="grant-privilege-text", kind="error", since=SINCE)
def test_privilege_that_is_no_text(catalog: PolarisCatalog) -> None:
    """Granting on a policy without a privilege, or with one that is not a string, returns 400 or 422."""
    role, thing = new_role(catalog), POLICY.new(catalog)
    catalog.control(lambda: add(catalog, new_role(catalog), POLICY.grant(thing)))
    values: list[Any] = [5, 0, True, [PLAIN], {"name": PLAIN}]
    for value in values:
        add(catalog, role, POLICY.grant(thing, value), expect=REFUSED)
    without = {name: value for name, value in POLICY.grant(thing).items() if name != "privilege"}
    add(catalog, role, without, expect=REFUSED)
    equal(grants(catalog, role), [], "the grants")


@must("polaris.grant.policy.revoked", operations=[REVOKE, ADD, LIST], clause="grant-revoked", since=SINCE)
def test_revoked_grant(catalog: PolarisCatalog) -> None:
    """Revoking a grant on a policy removes only that grant; others of this role and of other roles stay."""
    role, other, thing = new_role(catalog), new_role(catalog), POLICY.new(catalog)
    kept = POLICY.grant(thing, KEPT)
    for holder in (role, other):
        for grant in (kept, POLICY.grant(thing)):
            add(catalog, holder, grant)
    revoke(catalog, role, POLICY.grant(thing), cascade=False)
    equal(grants(catalog, role), [kept], "the grants")
    same_items(grants(catalog, other), [kept, POLICY.grant(thing)], "the grants of another role")


@must(
    "polaris.grant.policy.role_deleted",
    operations=["deleteCatalogRole", LIST],
    clause="grants-go-with-the-role",
    since=SINCE,
)
def test_grants_of_a_deleted_role(catalog: PolarisCatalog) -> None:
    """Deleting a catalog role deletes its grants on policies: a new role of the same name has none."""
    role = new_role(catalog)
    add(catalog, role, POLICY.grant(POLICY.new(catalog)))
    catalog.delete(CATALOG_ROLE, role)
    if catalog.made_again(CATALOG_ROLE, role).succeeded:
        equal(grants(catalog, role), [], "the grants")


@should("polaris.grant.policy.twice", operations=[ADD, LIST, REVOKE], clause="granted-twice", since=SINCE)
def test_grant_twice(catalog: PolarisCatalog) -> None:
    """Granting a privilege on a policy twice succeeds, the grant is listed once, and one revoke removes it."""
    role, thing = new_role(catalog), POLICY.new(catalog)
    for _ in range(2):
        add(catalog, role, POLICY.grant(thing))
    equal(grants(catalog, role), [POLICY.grant(thing)], "the grants")
    revoke(catalog, role, POLICY.grant(thing))
    equal(grants(catalog, role), [], "the grants after one revoke")


@should("polaris.grant.policy.missing", operations=[ADD], clause="grant-on-nothing", kind="error", since=SINCE)
def test_grant_on_what_is_missing(catalog: PolarisCatalog) -> None:
    """Granting on a policy that does not exist returns 404 and adds no grant."""
    role, thing = new_role(catalog), POLICY.new(catalog)
    catalog.control(lambda: add(catalog, new_role(catalog), POLICY.grant(thing)))
    add(catalog, role, POLICY.grant((*thing[:-1], catalog.target.missing_name)), expect=404)
    equal(grants(catalog, role), [], "the grants")


@should(
    "polaris.grant.policy.absent_refused",
    operations=[REVOKE],
    clause="revoked-absent-refused",
    kind="error",
    since=SINCE,
)
def test_revoking_what_was_not_granted(catalog: PolarisCatalog) -> None:
    """Revoking a privilege on a policy that was not granted returns 400 or 404 and changes nothing."""
    role, thing = new_role(catalog), POLICY.new(catalog)
    add(catalog, role, POLICY.grant(thing, KEPT))
    revoke(catalog, role, POLICY.grant(thing), expect=(400, 404))
    equal(grants(catalog, role), [POLICY.grant(thing, KEPT)], "the grants")


DROPPED = {"policy": TYPES["policy"], "generic_table": TYPES["generic_table"]}


@should(
    "polaris.grant.{}.dropped", operations=[ADD, LIST], clause="grants-go-with-the-thing", each=DROPPED, since=SINCE
)
def test_grants_on_what_was_dropped(catalog: PolarisCatalog, case: Any) -> None:
    """Dropping a {} deletes the grants on it."""
    role, thing = new_role(catalog), case.new(catalog)
    add(catalog, role, case.grant(thing))
    with catalog.client.preparing():
        case.drop(catalog, thing)
    equal(grants(catalog, role), [], "the grants after the drop")
