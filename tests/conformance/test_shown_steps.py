"""Findings that many requests were sent for show those that are needed: the preparation and the marked request."""

from __future__ import annotations

import pytest

from lakeproof import serve
from tests.conformance.mutants import judge

CASES = [
    ("bad-requests-fail", "iceberg.body.unusual.create_table"),
    ("bad-input-accepted", "iceberg.body.field_types.create_table"),
]


@pytest.fixture(scope="module")
def server():
    with serve("iceberg", allow_faults=True) as server:
        yield server


@pytest.mark.parametrize(("fault", "requirement"), CASES)
def test_of_many_requests_the_needed_ones_are_shown(server, tmp_path, fault, requirement):
    (result,) = judge(server, tmp_path, fault=fault, ids={requirement}).requirements
    assert result.verdict == "warn"
    assert result.requests > 5
    assert [step.mark for step in result.steps] == [""] * (len(result.steps) - 1) + ["status"]
    assert len(result.steps) <= 2
