"""Addresses that answers name: resolved as clients do, and never called on another host."""

from __future__ import annotations

import pytest

from conformance.common.addresses import resolved
from conformance.values.outcomes import Unoffered, Violation
from tests.conformance.mutants import found

BASE = "http://catalog:8181/api/catalog"


@pytest.mark.parametrize(
    ("address", "due"),
    [
        ("v1/a/credentials", f"{BASE}/v1/a/credentials"),
        ("/v1/a/credentials", f"{BASE}/v1/a/credentials"),
        (f"{BASE}/v1/a/credentials", f"{BASE}/v1/a/credentials"),
        ("http://catalog:8181/elsewhere?a=1", "http://catalog:8181/elsewhere?a=1"),
    ],
)
def test_an_address_is_resolved(address, due):
    assert resolved(BASE, address, "the endpoint") == due
    assert resolved(f"{BASE}/", address, "the endpoint") == due


@pytest.mark.parametrize(
    "address",
    ["http://other/v1", "https://catalog:8181/v1", "http://catalog:80/v1", "//other/v1", "s3://catalog:8181/v1"],
)
def test_another_host_is_left_alone(address):
    with pytest.raises(Unoffered, match="on another host"):
        resolved(BASE, address, "the endpoint")


@pytest.mark.parametrize("address", [None, "", 7, "http://[", []])
def test_what_is_no_address_is_a_finding(address):
    with pytest.raises(Violation, match="the endpoint"):
        resolved(BASE, address, "the endpoint")


@pytest.mark.parametrize(
    ("api", "name", "fault", "verdict"),
    [
        ("polaris", "polaris.vending.s3.refresh", "refreshed-nowhere", "warn"),
        ("iceberg", "iceberg.file.create_view", "changed-answer-field:loadView:metadata-location", "fail"),
        ("iceberg", "iceberg.file.log", "logged-files-gone", "warn"),
    ],
)
def test_what_leads_nowhere_is_a_finding(api, name, fault, verdict, tmp_path):
    result = found(api, name, fault, tmp_path)
    assert result.verdict == verdict
