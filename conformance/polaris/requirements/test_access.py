"""Authorization of callers: without a token, without privileges, as an administrator of a catalog, on themselves.

test_authorization.py tests what each privilege allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from conformance.author.checks import equal, holds, not_refused, one_of, status_is
from conformance.author.requirement import must, should
from conformance.polaris.callers import EVERY_ROLE
from conformance.polaris.support.access.calls import AccessRequest, calls, operations
from conformance.polaris.support.access.fixture import DENIED, AccessFixture, caller_with
from conformance.polaris.support.access.table import POWERLESS, Grant, rules
from conformance.polaris.support.readables import REFUSED
from conformance.polaris.worlds import ONLY_PLAIN

MakeAccess = Callable[[], AccessFixture]
ALWAYS = [name for name, rule in rules().items() if not rule.since]  # requests of all revisions
OPERATIONS = operations()
SUBJECTS = sorted({OPERATIONS[name] for name in ALWAYS})
TOKENS: dict[str, str | None] = {"no_token": None, "wrong_token": "Bearer lakeproof-wrong-token"}
ADMINISTRATOR = (Grant("CATALOG_MANAGE_ACCESS", "catalog"), Grant("CATALOG_MANAGE_METADATA", "catalog"))
LIST_TABLES = {"type": "catalog", "privilege": "TABLE_LIST"}


@must("polaris.access.{}", operations=SUBJECTS, clause="access-anonymous", kind="auth", each=TOKENS, world=ONLY_PLAIN)
def test_without_a_good_token(make_access: MakeAccess, case: str | None) -> None:
    """Every operation returns 401 without a valid token ({})."""
    access = make_access()
    nobody = access.as_({"Authorization": case})
    for name in filter(lambda name: access.offers(OPERATIONS[name]), ALWAYS):
        status_is(access.send(access.calls[name], nobody).status, 401, f"the status of {OPERATIONS[name]}")


@must(
    "polaris.access.configuration",
    operations=["getConfig"],
    clause="access-configuration",
    kind="auth",
    world=ONLY_PLAIN,
)
def test_configuration_for_everybody(make_access: MakeAccess) -> None:
    """getConfig returns 200 to a principal without any privilege."""
    access = make_access()
    call = AccessRequest("getConfig", query={"warehouse": access.names.catalog})
    status_is(access.send(call, access.caller(POWERLESS, call)).status, 200)


@should(
    "polaris.access.administrator", operations=SUBJECTS, clause="access-administrator", kind="auth", world=ONLY_PLAIN
)
def test_administrator_of_a_catalog(make_access: MakeAccess) -> None:
    """With CATALOG_MANAGE_ACCESS and CATALOG_MANAGE_METADATA a caller gets 403 only for what neither covers."""
    access = make_access()
    held = {grant.privilege for grant in ADMINISTRATOR}
    for name in filter(access.can_ask, ALWAYS):
        answer = access.ask(name, ADMINISTRATOR, spare=True)
        if held & set(rules()[name].suffice):
            holds(answer.status not in DENIED, f"{OPERATIONS[name]} is let through")
        else:
            status_is(answer.status, 403, f"the status of {OPERATIONS[name]}")


@should(
    "polaris.access.own_secret",
    operations=["rotateCredentials"],
    clause="access-oneself",
    kind="auth",
    world=ONLY_PLAIN,
)
def test_own_secret(make_access: MakeAccess) -> None:
    """A principal without any privilege gets 200 from rotateCredentials for itself."""
    access = make_access()
    name, known = access.new_principal()
    call = AccessRequest("rotateCredentials", {"principalName": name})
    status_is(access.send(call, access.log_in(known, EVERY_ROLE)).status, 200)


@should("polaris.access.oneself", operations=["getPrincipal"], clause="access-oneself", kind="auth", world=ONLY_PLAIN)
def test_oneself(make_access: MakeAccess) -> None:
    """A principal without any privilege gets 403 from getPrincipal for itself."""
    access = make_access()
    name, known = access.new_principal()
    call = AccessRequest("getPrincipal", {"principalName": name})
    status_is(access.send(call, access.log_in(known, EVERY_ROLE)).status, 403)


# Missing objects and the content of refusals


@dataclass(frozen=True, slots=True)
class MissingName:
    """Request of the table whose names lack one object: `field` of AccessNames; `id` names the object in words."""

    id: str
    request: str
    field: str


MISSING = {
    missing.id.replace(" ", "_"): missing
    for missing in (
        MissingName("catalog", "get_catalog", "catalog"),
        MissingName("catalog of roles", "list_catalog_roles", "catalog"),
        MissingName("namespace", "load_namespace", "namespace"),
        MissingName("namespace of tables", "list_tables", "namespace"),
        MissingName("parent of a namespace", "create_namespace", "namespace"),
        MissingName("table", "load_table", "table"),
        MissingName("table to rename", "rename_table", "table"),
        MissingName("table of a commit", "commit_nothing", "table"),
        MissingName("view", "load_view", "view"),
        MissingName("catalog role", "get_catalog_role", "role"),
        MissingName("principal", "get_principal", "principal"),
        MissingName("principal role", "get_principal_role", "principal_role"),
        MissingName("table of a grant", "grant_on_table", "table"),
        MissingName("view of a revoke", "revoke_from_view", "view"),
    )
}


@should(
    "polaris.access.missing.{}",
    operations=lambda missing: [OPERATIONS[missing.request]],
    clause="access-names-first",
    kind="error",
    each=MISSING,
    world=ONLY_PLAIN,
)
def test_names_come_before_rights(make_access: MakeAccess, case: MissingName) -> None:
    """A caller without privileges gets 404 for a missing object and 403 for an existing one: {}."""
    access = make_access()
    absent: dict[str, Any] = {case.field: access.names.absent}
    there, missing = (calls(names)[case.request] for names in (access.names, replace(access.names, **absent)))
    access.require(there)
    caller = access.caller(POWERLESS, there)
    answer = access.send(there, caller)
    if answer.status != 403:
        raise not_refused(answer, caller_with(POWERLESS))
    status_is(access.send(missing, caller).status, 404, "the status where it is not there")


@should("polaris.access.silent", operations=SUBJECTS, clause="access-silent", kind="auth", world=ONLY_PLAIN)
def test_refusals_tell_nothing(make_access: MakeAccess) -> None:
    """A 403 to a caller without privileges contains no name and no location that the request did not contain."""
    access = make_access()
    names = access.names
    secret = (names.table, names.second, names.view, names.child, names.role, names.loose_role, names.location)
    for name in filter(access.can_ask, ALWAYS):
        call = access.calls[name]
        said = repr((call.path, call.query, call.body))
        answer = access.ask(name, POWERLESS)
        for word in secret:
            leak = answer.status == 403 and word not in said and word.encode() in answer.body
            holds(not leak, f"the refusal of {OPERATIONS[name]} does not tell {word}")


# Revocation takes effect at once


@must(
    "polaris.access.revoked.grant",
    operations=["revokeGrantFromCatalogRole"],
    clause="access-at-once",
    kind="auth",
    world=ONLY_PLAIN,
)
def test_revoked_grant(make_access: MakeAccess) -> None:
    """After a grant is revoked, the next request that needs it returns 403 or 404; after it is added again, 200."""
    access = make_access()
    role, allowed = _allowed(access)
    path = {"catalogName": access.names.catalog, "catalogRoleName": role}
    access.manage("revokeGrantFromCatalogRole", {"grant": LIST_TABLES}, **path)
    one_of(allowed(), REFUSED, "the status after the revoke")
    access.grant(role, LIST_TABLES)
    equal(allowed(), 200, "the status after the grant")


@must(
    "polaris.access.revoked.catalog_role",
    operations=["revokeCatalogRoleFromPrincipalRole"],
    clause="access-at-once",
    kind="auth",
    world=ONLY_PLAIN,
)
def test_revoked_catalog_role(make_access: MakeAccess) -> None:
    """After revokeCatalogRoleFromPrincipalRole the next request that needs the role returns 403 or 404."""
    access = make_access()
    role, allowed = _allowed(access)
    path = {"principalRoleName": role, "catalogName": access.names.catalog, "catalogRoleName": role}
    access.manage("revokeCatalogRoleFromPrincipalRole", **path)
    one_of(allowed(), REFUSED, "the status after the revoke")


@must(
    "polaris.access.revoked.deleted_role",
    operations=["deleteCatalogRole"],
    clause="access-at-once",
    kind="auth",
    world=ONLY_PLAIN,
)
def test_deleted_role(make_access: MakeAccess) -> None:
    """After deleteCatalogRole the next request that needs a grant of the role returns 403 or 404."""
    access = make_access()
    role, allowed = _allowed(access)
    access.manage("deleteCatalogRole", catalogName=access.names.catalog, catalogRoleName=role)
    one_of(allowed(), REFUSED, "the status after the role was deleted")


def _allowed(access: AccessFixture) -> tuple[str, Callable[[], int]]:
    """Create a role with a grant; return it and a function that sends the request allowed by it, now with 200."""
    call = access.calls["list_tables"]
    access.require(call)
    with access.admin.preparing():
        one_of(access.send(call, access.caller(POWERLESS, call)).status, REFUSED, "the status without a grant")
        role = access.new_role(LIST_TABLES)
        client = access.in_roles([role])
        status_is(access.send(call, client).status, 200, "the status with the grant")
    return role, lambda: int(access.send(call, client).status)
