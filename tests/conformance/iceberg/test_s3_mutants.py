"""What the suite asks of catalogs on S3, judged by faults: see test_mutants.py."""

from __future__ import annotations

import pytest

from conformance.apis import requirements
from lakeproof import serve
from reference_server.faults import FAULTS, Fault
from specs.profiles import find_profile
from tests.conformance.harmless import foreign_names
from tests.conformance.test_mutants import ON_S3, TOKEN, judge

MUTANTS = [fault for fault in FAULTS.values() if any(one.startswith(ON_S3) for one in fault.kills)]
WANTED = {name for name in requirements("iceberg") if name.startswith(ON_S3)}


@pytest.fixture(scope="module")
def server(s3_warehouse):
    with serve("iceberg", auth=f"token:{TOKEN}", allow_faults=True, warehouses=(s3_warehouse,)) as server:
        yield server


def test_reference_server_meets_them_on_s3(server, tmp_path):
    results = judge(server, tmp_path, ids=WANTED, warehouse="s3")
    assert {entry.verdict for entry in results.requirements} == {"pass"}
    assert {entry.id for entry in results.requirements} == WANTED
    assert foreign_names(tmp_path, find_profile("iceberg").document()) == []


@pytest.mark.parametrize("fault", MUTANTS, ids=lambda fault: fault.name)
def test_fault_is_noticed(fault: Fault, server, tmp_path):
    wanted = {name for name in WANTED if fault.must_be_noticed_by(name)}
    assert wanted
    results = judge(server, tmp_path, fault=fault.name, ids=wanted, warehouse="s3")
    assert not sorted(one.id for one in results.requirements if one.verdict not in ("fail", "warn"))


def test_every_requirement_is_named_by_a_fault():
    assert not sorted(name for name in WANTED if not any(fault.must_be_noticed_by(name) for fault in MUTANTS))


def test_patterns_name_something():
    for fault in MUTANTS:
        for pattern in fault.kills:
            one = Fault(fault.name, fault.breaks, (pattern,), fault.operations, fault.around)
            assert any(map(one.must_be_noticed_by, requirements("iceberg"))), f"{fault.name}: {pattern}"
