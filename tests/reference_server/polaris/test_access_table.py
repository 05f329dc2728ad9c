"""The decision against the table that the suite has: two forms of the same facts, written independently.

Every request of it with every privilege at every level, and with the sets that suffice together.
"""

from __future__ import annotations

from functools import partial

import pytest

from conformance.polaris.support.access.calls import calls
from conformance.polaris.support.access.table import every_grant, grantable_in, rules
from reference_server.faults import FAULTS
from reference_server.polaris.access.decision import Authorizer
from reference_server.polaris.access.rules import privileges
from reference_server.polaris.faults.grants import MisjudgingAuthorizer
from specs.profiles import find_profile
from specs.validation import Validators
from tests.reference_server.polaris.access_world import NAMES, World, outcome

CALLS = calls(NAMES)
REVISIONS = ("2024-09", "1.7")


def grantable(revision):
    return grantable_in(find_profile(f"polaris/{revision}").document())


def holding(revision):
    """The rules that hold in a revision."""
    profile = find_profile(f"polaris/{revision}")
    return [rule for rule in rules().values() if profile.has_reached(rule.since)]


RULES = [
    pytest.param(revision, rule, id=f"{revision}-{rule.name}") for revision in REVISIONS for rule in holding(revision)
]


def refused(revision, rule, grants, authorizer=Authorizer):
    call = CALLS[rule.name]
    said = outcome(call, World(grants, generic=call.table == "generic"), revision=revision, authorizer=authorizer)
    assert said == "" or said.startswith(
        "403 Principal 'x' with activated PrincipalRoles '[role]' and activated grants"
    )
    return said != ""


def test_every_request_has_a_rule_and_every_rule_a_request():
    assert set(CALLS) == set(rules())


def test_every_operation_of_every_revision_is_in_the_table():
    """But for those that everybody may ask."""
    for revision in REVISIONS:
        asked = {CALLS[rule.name].operation for rule in holding(revision)}
        later = {"reportMetrics", "assignCatalogRoleToPrincipalRole", "revokeCatalogRoleFromPrincipalRole"}
        open_to_all = {"getConfig", "getToken", *(later if revision == "2024-09" else ())}
        assert set(find_profile(f"polaris/{revision}").document().operations) - asked == open_to_all


def test_how_much_can_be_granted():
    assert {level: len(names) for level, names in grantable("2024-09").items()} == {
        "catalog": 25,
        "namespace": 23,
        "table": 8,
        "view": 6,
    }
    assert {level: len(names) for level, names in grantable("1.7").items()} == {
        "catalog": 51,
        "namespace": 49,
        "table": 28,
        "view": 6,
        "policy": 8,
    }
    assert {name for names in grantable("1.7").values() for name in names} == privileges() - {"SERVICE_MANAGE_ACCESS"}


@pytest.mark.parametrize(("revision", "rule"), RULES)
def test_each_grant_alone(revision, rule):
    levels = grantable(revision)
    allowed = rule.allowed(levels)
    got = [grant for grant in every_grant(levels) if not refused(revision, rule, [grant])]
    assert sorted(got) == sorted(allowed)


@pytest.mark.parametrize(("revision", "rule"), RULES)
def test_grants_together(revision, rule):
    levels = grantable(revision)
    assert [grants for grants in rule.combined(levels) if refused(revision, rule, grants)] == []
    assert [grants for grants in rule.incomplete(levels) if not refused(revision, rule, grants)] == []
    assert [grants for grants in rule.refused(levels) if not refused(revision, rule, grants)] == []
    assert refused(revision, rule, [])


@pytest.mark.parametrize("revision", REVISIONS)
def test_requests_are_valid(revision):
    document = find_profile(f"polaris/{revision}").document()
    validators = Validators(document)
    for rule in holding(revision):
        call = CALLS[rule.name]
        if document.operation(call.operation).request and call.operation != "createCatalog":
            assert validators.first_request_mismatch(call.operation, call.body) is None, rule.name


@pytest.mark.parametrize("privilege", sorted(privileges()))
def test_a_fault_for_each_privilege_changes_a_cell(privilege):
    """An ignored privilege lets others suffice; an additional one makes sufficient grants insufficient."""
    assert {f"privilege-ignored:{privilege}", f"privilege-wanted:{privilege}"} <= set(FAULTS)
    levels = grantable("1.7")
    ignoring = partial(MisjudgingAuthorizer, ignored=privilege)
    assert any(not refused("1.7", rule, grants, ignoring) for rule in holding("1.7") for grants in rule.refused(levels))
    wanting = partial(MisjudgingAuthorizer, wanted=privilege)
    assert any(refused("1.7", rule, [grant], wanting) for rule in holding("1.7") for grant in rule.allowed(levels))
