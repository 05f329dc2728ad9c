"""Grants to catalog roles: add, list, revoke, and their end with the role or the securable."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import contains, equal, holds, same_items
from conformance.author.requirement import must, should
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.support.grants import (
    ADD,
    LIST,
    OLDER,
    REVOKE,
    SECURABLES,
    GrantableType,
    add,
    grants,
    new_role,
    revoke,
)
from conformance.polaris.worlds import ONLY_PLAIN
from conformance.values.outcomes import Unoffered

NOT_DONE = (400, 404, 406, 501)
REFUSED = (400, 422)


@must(
    "polaris.grant.{}.every_privilege",
    operations=[ADD, LIST],
    clause="grant-privileges",
    each=SECURABLES,
    world=ONLY_PLAIN,
)
def test_every_privilege(catalog: PolarisCatalog, case: GrantableType) -> None:
    """Every privilege that the document declares for a {} can be granted, and is listed as it was granted."""
    role, thing = new_role(catalog), case.new(catalog)
    wanted = [case.grant(thing, name) for name in case.privileges(catalog.target.document)]
    for grant in wanted:
        add(catalog, role, grant)
    same_items(grants(catalog, role), wanted, "the grants")


@must("polaris.grant.{}.other_privilege", operations=[ADD], clause="grant-privileges", kind="error", each=OLDER)
def test_privilege_of_something_else(catalog: PolarisCatalog, case: GrantableType) -> None:
    """Granting a privilege that the document does not declare for a {} returns 400 or 422 and adds no grant."""
    role, thing = new_role(catalog), case.new(catalog)
    add(catalog, role, case.grant(thing))
    document = catalog.target.document
    known = {name for securable in SECURABLES.values() for name in securable.privileges(document)}
    others = sorted(known - set(case.privileges(document)) - {"VIEW_CREATE", "VIEW_READ_PROPERTIES"})
    for name in [*others, "LAKEPROOF_NOTHING", "", case.plain.lower()]:
        add(catalog, role, case.grant(thing, name), expect=REFUSED)
    equal(grants(catalog, role), [case.grant(thing)], "the grants")


@must("polaris.grant.{}.no_privilege", operations=[ADD], clause="grant-privilege-text", kind="error", each=OLDER)
def test_privilege_that_is_no_text(catalog: PolarisCatalog, case: GrantableType) -> None:
    """Granting on a {} without a privilege, or with one that is not a string, returns 400 or 422."""
    role, thing = new_role(catalog), case.new(catalog)
    catalog.control(lambda: add(catalog, new_role(catalog), case.grant(thing)))
    values: list[Any] = [5, 0, True, [case.plain], {"name": case.plain}]
    bodies = [case.grant(thing, value) for value in values]
    without = {name: value for name, value in case.grant(thing).items() if name != "privilege"}
    for body in [*bodies, {**without, "privilege": None}, without]:
        add(catalog, role, body, expect=REFUSED)
    equal(grants(catalog, role), [], "the grants")


@must("polaris.grant.type", operations=[ADD], clause="grant-type", kind="error")
def test_grant_on_no_kind_of_thing(catalog: PolarisCatalog) -> None:
    """addGrantToCatalogRole with a missing or unknown type returns 400 or 422 and adds no grant."""
    role, case = new_role(catalog), OLDER["catalog"]
    catalog.control(lambda: add(catalog, new_role(catalog), case.grant(())))
    for changed in ({"type": "principal"}, {"type": ""}, {"type": 1}, {"type": None}):
        add(catalog, role, {**case.grant(()), **changed}, expect=REFUSED)
    add(catalog, role, {"privilege": case.plain}, expect=REFUSED)
    equal(grants(catalog, role), [], "the grants")


@should("polaris.grant.{}.bare_body", operations=[ADD, LIST], clause="bare-bodies", each=OLDER)
def test_grant_without_a_wrapper(catalog: PolarisCatalog, case: GrantableType) -> None:
    """addGrantToCatalogRole accepts a grant on a {} as the body itself, without the field around it."""
    role, thing = new_role(catalog), case.new(catalog)
    add(catalog, role, case.grant(thing), bare=True)
    equal(grants(catalog, role), [case.grant(thing)], "the grants")


@should("polaris.grant.{}.twice", operations=[ADD, LIST, REVOKE], clause="granted-twice", each=OLDER)
def test_grant_twice(catalog: PolarisCatalog, case: GrantableType) -> None:
    """Granting a privilege on a {} twice succeeds, the grant is listed once, and one revoke removes it."""
    role, thing = new_role(catalog), case.new(catalog)
    add(catalog, role, case.grant(thing))
    add(catalog, role, case.grant(thing))
    equal(grants(catalog, role), [case.grant(thing)], "the grants")
    revoke(catalog, role, case.grant(thing))
    equal(grants(catalog, role), [], "the grants after one revoke")


@must("polaris.grant.{}.revoked", operations=[REVOKE, ADD, LIST], clause="grant-revoked", each=OLDER)
def test_revoked_grant(catalog: PolarisCatalog, case: GrantableType) -> None:
    """Revoking a grant on a {} removes only that grant; others of this role and of other roles stay."""
    role, other, thing = new_role(catalog), new_role(catalog), case.new(catalog)
    kept = case.grant(thing, "CATALOG_MANAGE_ACCESS")
    for holder in (role, other):
        for grant in (kept, case.grant(thing)):
            add(catalog, holder, grant)
    revoke(catalog, role, case.grant(thing), cascade=False)
    equal(grants(catalog, role), [kept], "the grants")
    same_items(grants(catalog, other), [kept, case.grant(thing)], "the grants of another role")


@should("polaris.grant.{}.absent_silent", operations=[REVOKE], clause="revoked-absent-silently", each=OLDER)
def test_revoking_what_was_not_granted(catalog: PolarisCatalog, case: GrantableType) -> None:
    """Revoking a privilege on a {} that was not granted succeeds and changes nothing."""
    role, thing = new_role(catalog), case.new(catalog)
    kept = case.grant(thing, "CATALOG_MANAGE_ACCESS")
    add(catalog, role, kept)
    revoke(catalog, role, case.grant(thing))
    equal(grants(catalog, role), [kept], "the grants")


@should(
    "polaris.grant.{}.absent_refused",
    operations=[REVOKE],
    clause="revoked-absent-refused",
    kind="error",
    each=OLDER,
    since="1.7",
)
def test_revoking_what_was_not_granted_is_refused(catalog: PolarisCatalog, case: GrantableType) -> None:
    """Revoking a privilege on a {} that was not granted returns 400 or 404 and changes nothing."""
    role, thing = new_role(catalog), case.new(catalog)
    kept = case.grant(thing, "CATALOG_MANAGE_ACCESS")
    add(catalog, role, kept)
    revoke(catalog, role, case.grant(thing), expect=(400, 404))
    equal(grants(catalog, role), [kept], "the grants")


@must("polaris.grant.{}.of_role", operations=[ADD, LIST], clause="grants-of-a-role", each=OLDER)
def test_grants_belong_to_their_role(catalog: PolarisCatalog, case: GrantableType) -> None:
    """A grant on a {} is listed for its role beside grants on other objects, and for no other role."""
    role, other = new_role(catalog), new_role(catalog)
    wanted = [case.grant(case.new(catalog)), OLDER["namespace"].grant(catalog.tables.home, "NAMESPACE_LIST")]
    for grant in wanted:
        add(catalog, role, grant)
    contains(grants(catalog, role), wanted, "the grants")
    equal(grants(catalog, other), [], "the grants of another role")


@should("polaris.grant.cascade", operations=[REVOKE], clause="revoke-cascade")
def test_revoking_with_all_below(catalog: PolarisCatalog) -> None:
    """A cascading revoke on a namespace also removes the privilege from its tables, if the server supports it."""
    role, table = new_role(catalog), catalog.tables.new_table()
    above, below = OLDER["namespace"], OLDER["table"]
    privilege = "TABLE_DROP"
    kept = below.grant(table, "TABLE_LIST")
    for grant in (above.grant(table[:-1], privilege), below.grant(table, privilege), kept):
        add(catalog, role, grant)
    answer = revoke(catalog, role, above.grant(table[:-1], privilege), cascade=True, expect=(201, *NOT_DONE))
    if answer.status in NOT_DONE:
        raise Unoffered("the server revokes nothing with all that lies below")
    equal(grants(catalog, role), [kept], "the grants")


# Grants after a change of the role or the securable


GONE = {name: OLDER[name] for name in ("table", "view")}


@should("polaris.grant.{}.dropped", operations=[ADD, LIST], clause="grants-go-with-the-thing", each=GONE)
def test_grants_on_what_was_dropped(catalog: PolarisCatalog, case: GrantableType) -> None:
    """Dropping a {} deletes the grants on it: a new one of the same name has none."""
    role, thing = new_role(catalog), case.new(catalog)
    add(catalog, role, case.grant(thing))
    drop = catalog.tables.drop_table if case.id == "table" else catalog.tables.drop_view
    with catalog.client.preparing():
        drop(thing)
    equal(grants(catalog, role), [], "the grants after the drop")
    case.new(catalog)
    equal(grants(catalog, role), [], "the grants when the name is given again")


@must("polaris.grant.{}.renamed", operations=[ADD, LIST], clause="grants-follow", each=GONE)
def test_grants_on_what_was_renamed(catalog: PolarisCatalog, case: GrantableType) -> None:
    """A grant on a {} follows a rename, and a new one under the old name has none."""
    role, thing = new_role(catalog), case.new(catalog)
    add(catalog, role, case.grant(thing))
    other = catalog.tables.table_id("renamed")
    rename = catalog.tables.rename_table if case.id == "table" else catalog.tables.rename_view
    with catalog.client.preparing():
        rename(thing, other)
    equal(grants(catalog, role), [case.grant(other)], "the grants after the rename")
    case.new(catalog)
    equal(grants(catalog, role), [case.grant(other)], "the grants when the old name is given again")


@should("polaris.grant.namespace.dropped", operations=[ADD, LIST], clause="grants-go-with-the-thing")
def test_grants_on_a_dropped_namespace(catalog: PolarisCatalog) -> None:
    """Dropping a namespace deletes the grants on it: a new one of the same name has none."""
    role, namespace = new_role(catalog), catalog.tables.new_namespace()
    add(catalog, role, OLDER["namespace"].grant(namespace))
    with catalog.client.preparing():
        catalog.tables.drop_namespace(namespace)
    equal(grants(catalog, role), [], "the grants after the drop")
    with catalog.client.preparing():
        catalog.tables.create_namespace(namespace)
    equal(grants(catalog, role), [], "the grants when the name is given again")


MISSING = {name: securable for name, securable in OLDER.items() if name != "catalog"}


@should("polaris.grant.{}.missing", operations=[ADD], clause="grant-on-nothing", kind="error", each=MISSING)
def test_grant_on_what_is_missing(catalog: PolarisCatalog, case: GrantableType) -> None:
    """Granting on a {} that does not exist returns 404 and adds no grant."""
    role, thing = new_role(catalog), case.new(catalog)
    catalog.control(lambda: add(catalog, new_role(catalog), case.grant(thing)))
    add(catalog, role, case.grant((*thing[:-1], catalog.target.missing_name)), expect=404)
    equal(grants(catalog, role), [], "the grants")


@should("polaris.grant.effect", operations=[ADD, REVOKE], clause="grants-at-once", kind="auth")
def test_grants_hold_at_once(catalog: PolarisCatalog) -> None:
    """A grant and its revocation take effect from the next request on: listTables returns 200, then 403."""
    grant = OLDER["namespace"].grant(catalog.tables.home, "TABLE_LIST")
    caller = catalog.new_caller()
    role = (catalog.home, caller.catalog_role)
    tables = catalog.within(catalog.home, caller.client)
    tables.list_tables(catalog.tables.home, expect=403)
    add(catalog, role, grant)
    holds(tables.list_tables(catalog.tables.home, expect=(200, 403)).succeeded, "who was granted TABLE_LIST lists")
    revoke(catalog, role, grant)
    tables.list_tables(catalog.tables.home, expect=403)
