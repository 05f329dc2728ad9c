"""Requirements of 2024-09 alone notice faults too; test_mutants.py tries those of 1.7."""

from __future__ import annotations

import pytest

from conformance.apis import requirements
from conformance.run.selection import Scope
from lakeproof import serve
from mutants.noticed import matching
from specs.profiles import find_profile
from tests.conformance.mutants import SERVED, TOKEN, judge, unnoticed

OLDER = "polaris/2024-09"
NOTICED = {
    "absent-revoke-conflicts": ("polaris.assignment.*.absent_silent", "polaris.grant.*.absent_silent"),
    "bad-requests-crash": ("polaris.catalog.most_locations.*", "polaris.catalog.role_arn_required"),
}


def noticing(fault):
    return matching(NOTICED[fault], requirements("polaris"))


@pytest.fixture(scope="module")
def server():
    with serve(OLDER, auth=f"token:{TOKEN}", allow_faults=True, **SERVED["polaris"]) as server:
        yield server


@pytest.mark.parametrize("fault", NOTICED)
def test_fault_is_noticed(server, fault, tmp_path):
    ids = noticing(fault)
    assert len(judge(server, tmp_path, fault=fault, ids=ids, profile=OLDER).requirements) == len(ids)
    assert unnoticed(judge(server, tmp_path, fault=fault, ids=ids, profile=OLDER).requirements) == set()
    assert unnoticed(judge(server, tmp_path, ids=ids, profile=OLDER).requirements) == ids


def required(name):
    profile = find_profile(name)
    scope = Scope.of(profile, profile.document())
    return {requirement.id for requirement in requirements("polaris").values() if scope.has(requirement)}


def test_every_requirement_of_this_revision_alone_notices_a_fault():
    assert required(OLDER) - required("polaris") == set().union(*map(noticing, NOTICED))
