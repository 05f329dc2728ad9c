"""Decisions about access: names first, who is special, which step a refusal names, and what is looked up for one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.polaris.support.access.calls import AccessRequest, calls
from conformance.polaris.support.access.content import SNAPSHOT, commit
from conformance.polaris.support.access.table import Grant
from reference_server.polaris.access.rules import chain
from reference_server.polaris.securables import ROOT, Securable, SecurableType, catalog, catalog_role, principal
from specs.profiles import find_profile
from tests.reference_server.polaris.access_world import ADMIN, NAMES, World, outcome, rules_for

CALLS = calls(NAMES)
REVISIONS = ("2024-09", "1.7")
NOTHING = World()
CATALOG_ADMIN = (Grant("CATALOG_MANAGE_ACCESS", "catalog"), Grant("CATALOG_MANAGE_METADATA", "catalog"))
DATA = {
    "load_table_delegated",
    "create_table_delegated",
    "stage_table_delegated",
    "register_table_delegated",
    "overwrite_table_delegated",
    "overwrite_absent_table_delegated",
    "load_credentials",
    "purge_table",
    "report_scan",
    "report_commit",
}
SERVER = {
    "list_catalogs",
    "create_catalog",
    "delete_catalog",
    "list_principals",
    "create_principal",
    "get_principal",
    "update_principal",
    "delete_principal",
    "list_principal_roles_assigned",
    "assign_principal_role",
    "revoke_principal_role",
    "list_principal_roles",
    "create_principal_role",
    "get_principal_role",
    "update_principal_role",
    "delete_principal_role",
    "list_assignee_principals",
    "list_catalog_roles_of_principal_role",
}
OTHERS = {"rotate_of_another", "reset_of_another"}


def refused_of(world, revision="1.7", **caller):
    return {name for name, call in CALLS.items() if outcome(call, world, revision=revision, **caller)}


# Who is special


def test_nobody_in_particular_gets_a_token_and_the_configuration():
    assert refused_of(NOTHING) == set(CALLS)
    for revision in REVISIONS:
        assert outcome(AccessRequest("getConfig"), NOTHING, roles=(), revision=revision) == ""
        assert outcome(AccessRequest("getToken"), NOTHING, roles=(), revision=revision) == ""


def test_who_administers_a_catalog_does_not_reach_its_data():
    assert refused_of(World(CATALOG_ADMIN)) == DATA | SERVER | OTHERS


def test_who_administers_the_service_reaches_no_content():
    catalogs = {"get_catalog", "update_catalog"}
    assert refused_of(NOTHING, roles=(ADMIN,)) == set(CALLS) - SERVER - catalogs
    assert refused_of(World(CATALOG_ADMIN), roles=(ADMIN, "role")) == DATA | OTHERS


def test_until_a_revision_roles_are_assigned_by_who_administers_both():
    for name in ("assign_catalog_role", "revoke_catalog_role"):
        world, call = World(CATALOG_ADMIN), CALLS[name]
        allowed = [
            (revision, roles)
            for revision in REVISIONS
            for roles in (("role",), (ADMIN,), ("role", ADMIN))
            if not outcome(call, world, roles=roles, revision=revision)
        ]
        assert allowed == [("2024-09", ("role", ADMIN)), ("1.7", ("role",)), ("1.7", ("role", ADMIN))]


def test_everybody_rotates_the_own_secret_alone():
    call = CALLS["rotate_of_another"]
    for roles in ((), ("role",), (ADMIN,)):
        assert outcome(call, NOTHING, caller="somebody", roles=roles, revision="1.7") == ""
        assert "ROTATE_CREDENTIALS" in outcome(call, NOTHING, caller="another", roles=roles, revision="1.7")


def test_the_principal_named_root_resets_credentials_whatever_its_roles():
    call = CALLS["reset_of_another"]
    assert outcome(call, NOTHING, caller="root", roles=(), revision="1.7") == ""
    assert "RESET_CREDENTIALS" in outcome(call, NOTHING, caller="somebody", roles=(ADMIN,), revision="1.7")


def test_a_principal_does_not_see_itself():
    for name in ("get_principal", "list_principal_roles_assigned"):
        assert outcome(CALLS[name], NOTHING, caller="somebody", revision="1.7").startswith("403")


def test_reports_are_for_all_until_a_revision():
    for name in ("report_scan", "report_commit"):
        assert [outcome(CALLS[name], NOTHING, revision=revision) == "" for revision in REVISIONS] == [True, False]


# Names first

GONE = "gone"
MISSING: dict[str, dict[str, Any]] = {
    "load_table": {"table": GONE},
    "load_credentials": {"table": GONE},
    "list_tables": {"namespace": GONE},
    "create_table": {"namespace": GONE},
    "create_view": {"namespace": GONE},
    "load_view": {"view": GONE},
    "rename_table": {"table": GONE},
    "rename_table_across": {"other": GONE},
    "commit_transaction_of_two": {"second": GONE},
    "commit_set_properties": {"table": GONE},
    "commit_creation": {"namespace": GONE},
    "list_namespaces": {"namespace": GONE},
    "create_namespace": {"namespace": GONE},
    "register_table": {"namespace": GONE},
    "get_catalog": {"catalog": GONE},
    "get_catalog_role": {"role": GONE},
    "delete_catalog_role": {"catalog": GONE},
    "grant_on_catalog": {"catalog": GONE},
    "grant_on_table": {"table": GONE},
    "revoke_from_view": {"view": GONE},
    "revoke_from_policy": {"policy": GONE},
    "attach_table": {"table": GONE},
    "detach_namespace": {"policy": GONE},
    "policies_of_table": {"table": GONE},
    "get_principal": {"principal": GONE},
    "rotate_of_another": {"principal": GONE},
    "reset_of_another": {"principal": GONE},
    "assign_principal_role": {"principal_role": GONE},
    "revoke_principal_role": {"principal": GONE},
    "assign_catalog_role": {"role": GONE},
    "revoke_catalog_role": {"principal_role": GONE},
    "list_catalog_roles_of_principal_role": {"catalog": GONE},
    "send_notification": {"catalog": GONE},
}


@pytest.mark.parametrize("name", MISSING)
def test_what_is_named_and_not_there_is_told_before_rights(name):
    assert outcome(CALLS[name], NOTHING, revision="1.7").startswith("403")
    missing = calls(replace(NAMES, **MISSING[name]))[name]
    assert outcome(missing, NOTHING, revision="1.7").startswith("404")


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("create_table", {"table": GONE}),
        ("register_table", {"table": GONE}),
        ("overwrite_table", {"table": GONE}),
        ("commit_creation", {"table": GONE}),
        ("create_catalog", {"catalog": GONE}),
        ("create_catalog_role", {"role": GONE}),
        ("create_policy", {"policy": GONE}),
        ("create_namespace", {"child": GONE}),
        ("send_notification", {"table": GONE}),
        ("send_notification", {"namespace": GONE}),
        ("create_principal", {"principal": GONE}),
    ],
)
def test_what_is_made_need_not_be_there(name, changes):
    call = calls(replace(NAMES, **changes))[name]
    assert outcome(call, NOTHING, revision="1.7").startswith("403")


@pytest.mark.parametrize(
    "body",
    [
        {"grant": {"type": "namespace", "namespace": [], "privilege": "TABLE_LIST"}},
        {"grant": {"type": "table", "namespace": [], "tableName": "t", "privilege": "TABLE_LIST"}},
        {"grant": {"type": "view", "namespace": ["", "n"], "viewName": "v", "privilege": "VIEW_LIST"}},
    ],
)
def test_names_without_all_parts_are_refused(body):
    assert outcome(replace(CALLS["grant_on_table"], body=body), NOTHING, revision="1.7").startswith("400")


def test_a_transaction_that_creates_needs_the_namespace_of_its_table():
    creation = {**commit([], "n", GONE), "requirements": [{"type": "assert-create"}]}
    call = replace(CALLS["commit_transaction"], body={"table-changes": [creation]})
    assert outcome(call, NOTHING, revision="1.7").startswith("403")
    assert outcome(call, World([Grant("TABLE_FULL_METADATA", "namespace")]), revision="1.7") == ""
    empty = replace(call, body={"table-changes": []})
    assert outcome(empty, NOTHING, revision="1.7").startswith("403")


# Which step a refusal names


@pytest.mark.parametrize(
    ("name", "revision", "step"),
    [
        ("load_table", "1.7", "LOAD_TABLE"),
        ("load_table_delegated", "1.7", "LOAD_TABLE_WITH_READ_DELEGATION"),
        ("load_credentials", "1.7", "LOAD_TABLE_WITH_READ_DELEGATION"),
        ("create_table_delegated", "1.7", "CREATE_TABLE_DIRECT_WITH_WRITE_DELEGATION"),
        ("stage_table", "2024-09", "CREATE_TABLE_STAGED"),
        ("overwrite_table", "1.7", "REGISTER_TABLE_OVERWRITE"),
        ("overwrite_absent_table", "1.7", "REGISTER_TABLE"),
        ("purge_table", "1.7", "DROP_TABLE_WITH_PURGE"),
        ("drop_generic_table", "1.7", "DROP_TABLE_WITHOUT_PURGE"),
        ("commit_add_spec", "1.7", "ADD_TABLE_PARTITION_SPEC"),
        ("commit_add_spec", "2024-09", "UPDATE_TABLE"),
        ("commit_set_default_spec", "1.7", "UPDATE_TABLE"),
        ("attach_catalog", "1.7", "ATTACH_POLICY_TO_CATALOG"),
        ("revoke_from_view", "1.7", "REVOKE_VIEW_GRANT_FROM_CATALOG_ROLE"),
        ("list_policies", "1.7", "LIST_POLICY"),
    ],
)
def test_a_refusal_names_the_step(name, revision, step):
    assert outcome(CALLS[name], NOTHING, revision=revision).endswith(f"is not authorized for op {step}")


def test_a_refusal_names_the_caller_and_its_roles():
    said = outcome(CALLS["load_table"], NOTHING, caller="ada", roles=("role", "other"), revision="1.7")
    assert said == (
        "403 Principal 'ada' with activated PrincipalRoles '[other, role]' and activated grants via "
        "'[c-role, other, role]' is not authorized for op LOAD_TABLE"
    )


def test_each_update_of_a_commit_is_decided_on():
    updates: list[dict[str, Any]] = [
        {"action": "add-snapshot", "snapshot": SNAPSHOT},
        {"action": "add-schema"},
        {"action": "add-schema"},
    ]
    call = replace(CALLS["commit_nothing"], body=commit(updates, "n", "t"))
    world = World([Grant("TABLE_ADD_SNAPSHOT", "table")])
    assert outcome(call, world, revision="1.7").endswith("op ADD_TABLE_SCHEMA")
    world = World([Grant("TABLE_ADD_SNAPSHOT", "table"), Grant("TABLE_ADD_SCHEMA", "catalog")])
    assert outcome(call, world, revision="1.7") == ""


def test_words_of_the_delegation_header():
    call = CALLS["load_table"]
    world = World([Grant("TABLE_READ_PROPERTIES", "table")])
    for words, status in (("vended-credentials", "403"), ("x, Vended-Credentials", "403"), ("other", ""), ("", "")):
        asked = replace(call, headers={"X-Iceberg-Access-Delegation": words})
        assert outcome(asked, world, revision="1.7")[:3] == status


# Securables and lookups


def test_in_what_a_securable_lies():
    table = Securable(SecurableType.TABLE, "c", ("a", "b", "t"))
    outer = [Securable(SecurableType.NAMESPACE, "c", path) for path in (("a", "b"), ("a",))]
    assert list(chain(table)) == [table, *outer, catalog("c")]
    assert list(chain(catalog_role("c", "r"))) == [catalog_role("c", "r"), catalog("c")]
    assert list(chain(catalog("c"))) == [catalog("c")]
    assert list(chain(principal("p"))) == [principal("p")]
    assert list(chain(ROOT)) == [ROOT]


def test_grants_of_another_do_not_cost_anything():
    """A decision looks up keys: as many with a thousand grants as with ten."""
    asked = set()
    for count in (10, 1_000):
        world = World([Grant("TABLE_LIST", "table")])
        world.grants |= {
            Securable(SecurableType.TABLE, "c", ("n", f"t{number}")): {"TABLE_LIST"} for number in range(count)
        }
        assert outcome(CALLS["load_table"], world, revision="1.7").startswith("403")
        asked.add(world.asked)
    assert asked == {4}  # whether the table exists; what is granted on it, its namespace and its catalog


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_operation_has_needs(revision):
    rules = rules_for(revision)
    for operation in find_profile(f"polaris/{revision}").document().operations:
        for name in rules.names(operation):
            for needs in rules.needs[name]:
                for privilege, _ in needs:
                    assert privilege == "SELF" or privilege in rules.conferring


def test_a_namespace_that_cannot_be_read_is_refused():
    hostile = calls(replace(NAMES, namespace="a\x1f"))["list_tables"]
    assert outcome(hostile, NOTHING, revision="1.7").startswith("400")
