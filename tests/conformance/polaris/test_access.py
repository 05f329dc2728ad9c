"""The requirements on access: a server that decides rightly meets every cell, and each privilege that it gets wrong
is noticed.

The cells are asked without pytest between: what a requirement asks is the same functions.
"""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from dataclasses import replace

import pytest

from conformance.http.client import Client, bearer
from conformance.http.transport import Connection
from conformance.polaris.support.access.fixture import AccessFixture, check_allowed, check_refused
from conformance.polaris.support.access.table import (
    DEEP,
    POWERLESS,
    Grant,
    allowed_cells,
    every_grant,
    grantable_in,
    hole_cells,
    refused_cells,
    rules,
)
from conformance.values.outcomes import Violation
from lakeproof import serve
from reference_server.faults import HEADER
from reference_server.polaris.access.rules import privileges
from specs.profiles import find_profile

GATE = "gate"
SECRET = "s3cr3t"
NOTICE_MORE = ("drop_namespace", "load_view", "list_catalog_roles")  # one privilege of each suffices for nothing else


class MisledFixture(AccessFixture):
    """A fixture whose callers meet a fault; who prepares does not."""

    fault = ""

    def send(self, call, client):
        """Send a call to the server with the fault."""
        headers = {**call.headers, HEADER: self.fault} if self.fault else call.headers
        return super().send(replace(call, headers=headers), client)


@contextmanager
def staged(revision, folder):
    """A fixture on a server of a revision, and what can be granted there."""
    profile = find_profile(f"polaris/{revision}")
    with serve(profile.name, bootstrap=f"root:{SECRET}", allow_faults=True) as server:
        anybody = Client(Connection(server.url, {}, 10), profile.document())
        form = f"grant_type=client_credentials&client_id=root&client_secret={SECRET}&scope=PRINCIPAL_ROLE:ALL"
        kind = "application/x-www-form-urlencoded"
        token = anybody.call("getToken", body=form.encode(), content_type=kind)["access_token"]
        numbers = itertools.count()
        yield MisledFixture(anybody.as_(bearer(token)), lambda: f"x{next(numbers)}", lambda name: value(folder, name))


def value(folder, name):
    location = (folder / name).as_uri()
    storage = {"storageType": "FILE", "allowedLocations": [location]}
    properties = {"default-base-location": location, "polaris.config.drop-with-purge.enabled": "true"}
    return {"name": name, "type": "INTERNAL", "properties": properties, "storageConfigInfo": storage}


@pytest.fixture(scope="module")
def access(tmp_path_factory):
    with staged("1.7", tmp_path_factory.mktemp("lake")) as access:
        yield access


def holding(revision):
    profile = find_profile(f"polaris/{revision}")
    return grantable_in(profile.document()), [rule for rule in rules().values() if profile.has_reached(rule.since)]


@pytest.mark.parametrize(("revision", "depth"), [("1.7", DEEP), ("2024-09", GATE)])
def test_a_right_server_meets_every_cell(revision, depth, tmp_path):
    grantable, rules = holding(revision)
    with staged(revision, tmp_path) as access:
        for rule in rules:
            for grants in allowed_cells(depth, rule, grantable):
                check_allowed(access, rule, grants)
            for grants in refused_cells(depth, rule, grantable):
                check_refused(access, rule, grants)


def test_a_deep_run_asks_every_grant_alone_or_in_a_set():
    grantable, rules = holding("1.7")
    for rule in rules:
        allowed = {grant for grants in allowed_cells(DEEP, rule, grantable) for grant in grants if len(grants) == 1}
        refused = {grant for grants in refused_cells(GATE, rule, grantable) for grant in grants}
        assert allowed | refused == set(every_grant(grantable))
        assert not allowed & refused


def test_what_is_documented_to_be_allowed_is_no_hole():
    grantable, rules = holding("1.7")
    for rule in rules:
        asked = {grant for grants in hole_cells(DEEP, rule, grantable) for grant in grants}
        refused = {grant for grants in refused_cells(GATE, rule, grantable) for grant in grants}
        assert refused - rule.documented <= asked
        assert not asked & rule.documented
    listing = next(rule for rule in rules if rule.name == "list_tables")
    assert Grant("NAMESPACE_LIST", "catalog") in listing.documented


def test_a_smoke_run_asks_one_cell_of_each_kind():
    grantable, rules = holding("1.7")
    for rule in rules:
        assert [len(grants) for grants in allowed_cells("smoke", rule, grantable)] == ([1] if rule.suffice else [])
        assert list(refused_cells("smoke", rule, grantable)) == [POWERLESS]


@pytest.fixture
def misled(access):
    """Lets the callers meet a fault."""
    yield lambda fault: setattr(access, "fault", fault)
    access.fault = ""


def named(rule):
    """Every privilege that a rule speaks of."""
    return {*rule.suffice, *(grant.privilege for grants in rule.together for grant in grants)}


@pytest.mark.parametrize("privilege", sorted(privileges()))
def test_a_privilege_that_is_not_asked_for_is_noticed(privilege, access, misled):
    grantable, rules = holding("1.7")
    concerned = [rule for rule in rules if privilege in named(rule) or not rule.suffice]
    misled(f"privilege-ignored:{privilege}")
    with pytest.raises(Violation, match="expected 403"):
        for rule in concerned:
            for grants in refused_cells(GATE, rule, grantable):
                check_refused(access, rule, grants)


@pytest.mark.parametrize("privilege", sorted(privileges()))
def test_a_privilege_too_many_is_noticed(privilege, access, misled):
    grantable, rules = holding("1.7")
    misled(f"privilege-wanted:{privilege}")
    with pytest.raises(Violation, match="is let through"):
        for rule in (rule for rule in rules if rule.name in NOTICE_MORE):
            for grants in allowed_cells(GATE, rule, grantable):
                check_allowed(access, rule, grants)


def test_own_secrets_that_anybody_rotates_are_noticed(access, misled):
    misled("privilege-ignored:SELF")
    for name in ("rotate_of_another", "reset_of_another"):
        with pytest.raises(Violation, match="expected 403"):
            check_refused(access, rules()[name], POWERLESS)


def test_the_one_grant_that_lets_somebody_through_is_named(access, misled):
    rule = rules()["attach_catalog"]
    misled("privilege-ignored:POLICY_ATTACH")
    grants = next(grant for grant in rule.refused(holding("1.7")[0]) if "CATALOG_ATTACH_POLICY" in str(grant))
    with pytest.raises(Violation, match=r"for a caller with CATALOG_ATTACH_POLICY on the catalog$"):
        check_refused(access, rule, grants)
