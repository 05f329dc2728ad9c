"""Scan planning of the reference server as the suite judges it, where it plans in the background."""

from __future__ import annotations

import pytest

from conformance.after.runner import run
from conformance.apis import requirements
from conformance.values.settings import load_settings
from lakeproof import serve
from mutants.noticed import faults_noticed_by, noticed_file, read_noticed
from reference_server.faults import HEADER

# What becomes of a filter has nothing to do with waiting.
SCANS = {
    name
    for name in requirements("iceberg")
    if name.startswith("iceberg.scan.") and not name.startswith(("iceberg.scan.filter", "iceberg.scan.residual"))
}
# Those about waiting, which a server that plans at once does not offer, and the faults that they must notice.
WAITING = {"iceberg.scan.submitted": "scan-one-id", "iceberg.scan.fetch": "scan-result-other"}


@pytest.fixture(scope="module")
def server():
    with serve("iceberg", scan_planning="async", allow_faults=True) as server:
        yield server


def judged(server, folder, ids, fault=""):
    headers = (f"{HEADER}: {fault}",) if fault else ()
    given = {"server": server.url, "api": "iceberg", "header": headers, "report": str(folder)}
    results = run(load_settings(given, environ={}, folder=folder), ids=ids)[0]
    return {entry.id: entry.verdict for entry in results.requirements}


def test_background_planning_meets_the_requirements(server, tmp_path):
    verdicts = judged(server, tmp_path, SCANS)
    assert {name for name, verdict in verdicts.items() if verdict != "pass"} == set()
    assert set(WAITING) <= set(verdicts)


@pytest.mark.parametrize("name", WAITING)
def test_faults_of_background_planning_are_noticed(server, tmp_path, name):
    assert WAITING[name] in faults_noticed_by(name, read_noticed(noticed_file("iceberg")))
    assert judged(server, tmp_path, {name}, WAITING[name]) == {name: "fail"}


def test_planning_at_once_offers_no_waiting(tmp_path):
    with serve("iceberg") as server:
        assert set(judged(server, tmp_path, set(WAITING)).values()) == {"unoffered"}
