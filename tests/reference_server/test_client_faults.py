"""The faults for developers of clients: a choice for each API, and seconds that a client is kept waiting."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
import urllib3

from lakeproof import serve
from reference_server.client_faults import GROUPS, client_faults
from reference_server.faults import FAULTS, HEADER
from reference_server.serve import api_class, servable
from specs.profiles import find_profile, profiles


@pytest.mark.parametrize("api", servable())
def test_the_faults_of_an_api_are_there_and_touch_it(api):
    own = [name for names in api_class(api).client_faults.values() for name in names]
    assert len(own) == len(set(own))
    assert set(own) <= FAULTS.keys()
    listed = {entry.fault.name for entry in client_faults([find_profile(api)])}
    assert set(own) <= listed
    assert {name for names in GROUPS.values() for name in names} <= listed


@pytest.mark.parametrize("profile", profiles())
def test_only_operations_that_are_served_are_listed(profile):
    served = find_profile(profile)
    faults = client_faults([served])
    assert [entry for entry in faults if not set(entry.operations) <= served.document().operations.keys()] == []


def test_the_server_alone_declares_faults_for_clients_and_no_others():
    """In a process of its own: here the faults that measure the suite may be imported."""
    code = """
from reference_server.faults import FAULTS
from reference_server.serve import api_class, servable
for api in servable():
    api_class(api)
print(*FAULTS)
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    listed = {entry.fault.name for api in servable() for entry in client_faults([find_profile(api)])}
    kinds = {name.partition(":")[0] for name in listed if ":" in name}
    assert [name for name in shown if name not in listed and name.partition(":")[0] not in kinds] == []


def test_faults_of_two_apis_are_listed_once():
    served = [find_profile("iceberg"), find_profile("polaris")]
    listed = [entry for entry in client_faults(served) if entry.fault.name == "commit-conflict"]
    assert [entry.apis for entry in listed] == [("iceberg", "polaris")]


def test_a_request_chooses_how_long_it_waits():
    with serve("lance", allow_faults=True) as server, urllib3.PoolManager(retries=False) as pool:
        url = f"{server.url}/v1/table"
        start = time.monotonic()
        assert pool.request("GET", url, headers={HEADER: "slow:0.7"}).status == 200
        assert time.monotonic() - start >= 0.7
        answer = pool.request("GET", url, headers={HEADER: "unavailable:ListAllTables:6.2"})
        assert (answer.status, answer.headers["Retry-After"]) == (503, "7")
        assert pool.request("GET", url, headers={HEADER: "slow:ages"}).status == 400
