"""WWW-Authenticate: the requirement judges answers 401, and says nothing of a server that refuses otherwise."""

from __future__ import annotations

import pytest

from lakeproof import serve
from tests.conformance.mutants import TOKEN, judge

CHALLENGE = "iceberg.http.challenge.load_table"
STATUS = "iceberg.credentials.status.load_table"


@pytest.mark.parametrize(
    ("fault", "challenge", "status"),
    [
        ("", "pass", "pass"),
        ("challenge-lost", "warn", "pass"),
        ("unknown-callers-forbidden", "unoffered", "warn"),
    ],
)
def test_challenge_is_that_of_a_401(fault, challenge, status, tmp_path):
    with serve("iceberg", auth=f"token:{TOKEN}", allow_faults=True) as server:
        results = judge(server, tmp_path, fault=fault, ids={CHALLENGE, STATUS})
    assert {entry.id: entry.verdict for entry in results.requirements} == {CHALLENGE: challenge, STATUS: status}
