"""The suite judged by faults: every fault is noticed by the requirements that it names, and every
requirement that the reference server meets is named by a fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.apis import requirements
from conformance.requirement import Requirement
from conformance.results import Results
from conformance.runner import run
from conformance.settings import load_settings
from lakeproof import Server, serve
from reference_server.faults import FAULTS, HEADER, Fault

TOKEN = "test-token"
MUTANTS = [fault for fault in FAULTS.values() if fault.kills]


@pytest.fixture(scope="module")
def server():
    with serve("lance", auth=f"token:{TOKEN}", allow_faults=True) as server:
        yield server


def judge(server: Server, folder: Path, *, fault: str = "", ids: set[str] | None = None) -> Results:
    headers = (f"{HEADER}: {fault}",) if fault else ()
    settings = load_settings(
        {"server": server.url, "token": TOKEN, "headers": headers, "report": str(folder)}, environ={}, folder=folder
    )
    return run(settings, ids=ids)[0]


@pytest.fixture(scope="module")
def met(server, tmp_path_factory) -> dict[str, Requirement]:
    """The requirements that the reference server meets."""
    results = judge(server, tmp_path_factory.mktemp("met"))
    passed = {entry["id"] for entry in results.requirements if entry["verdict"] == "pass"}
    return {name: one for name, one in requirements("lance").items() if name in passed}


def test_reference_server_meets_everything_it_serves(server, met, tmp_path):
    results = judge(server, tmp_path)
    assert {entry["verdict"] for entry in results.requirements} <= {"pass", "unoffered"}
    assert len(met) == results.totals["pass"]


@pytest.mark.parametrize("fault", MUTANTS, ids=lambda fault: fault.name)
def test_fault_is_noticed(fault: Fault, server, met, tmp_path):
    wanted = {name for name in met if fault.must_be_noticed_by(name)}
    assert wanted, "the fault names no requirement that the reference server meets"
    results = judge(server, tmp_path, fault=fault.name, ids=wanted)
    missed = sorted(entry["id"] for entry in results.requirements if entry["verdict"] not in ("fail", "warn"))
    assert not missed
    assert len(results.requirements) == len(wanted)


def test_every_requirement_is_named_by_a_fault(met):
    unnamed = sorted(name for name in met if not any(fault.must_be_noticed_by(name) for fault in MUTANTS))
    assert not unnamed


def test_patterns_name_something():
    known = requirements("lance")
    for fault in MUTANTS:
        for pattern in fault.kills:
            one = Fault(fault.name, fault.breaks, (pattern,), fault.operations, fault.around)
            assert any(map(one.must_be_noticed_by, known)), f"{fault.name}: {pattern}"
