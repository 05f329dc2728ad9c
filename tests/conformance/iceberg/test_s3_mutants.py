"""Requirements of catalogs on S3, tried with faults as in test_mutants.py."""

from __future__ import annotations

import pytest

from conformance.apis import requirements
from lakeproof import serve
from mutants.noticed import matching
from specs.profiles import find_profile
from tests.conformance.harmless import foreign_names
from tests.conformance.mutants import NOTICED, ON_S3, TOKEN, judge, unnoticed

WANTED = {name for name in requirements("iceberg") if name.startswith(ON_S3)}
LIFETIME = 4  # s: a requirement waits for the end of credentials, if that is near
MUTANTS = {fault: ids for fault, patterns in NOTICED["iceberg"].items() if (ids := matching(patterns, WANTED))}


@pytest.fixture(scope="module")
def server(s3_warehouse):
    place = (s3_warehouse,)
    with serve(
        "iceberg", auth=f"token:{TOKEN}", allow_faults=True, warehouses=place, credential_lifetime=LIFETIME
    ) as server:
        yield server


def test_reference_server_meets_them_on_s3(server, tmp_path):
    results = judge(server, tmp_path, ids=WANTED, warehouse="s3")
    assert {entry.verdict for entry in results.requirements} == {"pass"}
    assert {entry.id for entry in results.requirements} == WANTED
    assert foreign_names(tmp_path, find_profile("iceberg").document()) == []


@pytest.mark.parametrize("fault", MUTANTS)
def test_fault_is_noticed(fault: str, server, tmp_path):
    results = judge(server, tmp_path, fault=fault, ids=MUTANTS[fault], warehouse="s3")
    assert sorted(unnoticed(results.requirements)) == []


def test_every_requirement_notices_a_fault():
    assert set().union(*MUTANTS.values()) == WANTED
