"""The suite judged by faults: every fault is noticed by the requirements that it names, and every
requirement that the reference server meets is named by a fault."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from conformance.apis import APIS, requirements
from conformance.requirement import Requirement
from conformance.results import Results
from conformance.runner import run
from conformance.settings import load_settings
from lakeproof import Server, serve
from lakeproof.checking import SAMPLE_NAMESPACE
from reference_server.faults import FAULTS, HEADER, Fault
from reference_server.iceberg.function_files import SAMPLES

TOKEN = "test-token"
# A run that names its warehouse sees what becomes of clients that name none.
SETTINGS = {"iceberg": {"warehouse": "default", "credential": f"lakeproof:{TOKEN}", "functions": SAMPLE_NAMESPACE}}
SERVED = {"iceberg": {"functions": str(SAMPLES)}}
ON_S3 = "iceberg.storage."  # judged in iceberg/test_s3_mutants.py


def kills(fault: Fault, api: str) -> tuple[str, ...]:
    """The patterns with which a fault names requirements of an API."""
    return tuple(one for one in fault.kills if one.startswith(f"{api}.") and not one.startswith(ON_S3))


MUTANTS = [(api, fault) for api in APIS for fault in FAULTS.values() if kills(fault, api)]
MUTANT_IDS = [f"{api}-{fault.name}" for api, fault in MUTANTS]
Met = Callable[[str], dict[str, Requirement]]


@pytest.fixture(scope="module")
def servers():
    """A server for each API, started when it is first asked for."""
    with ExitStack() as stack:
        fixed = {"auth": f"token:{TOKEN}", "allow_faults": True}
        yield cache(lambda api: stack.enter_context(serve(api, **fixed, **SERVED.get(api, {}))))


def judge(server: Server, folder: Path, *, fault: str = "", ids: set[str] | None = None, **more: str) -> Results:
    headers = (f"{HEADER}: {fault}",) if fault else ()
    (api,) = server.urls
    given = {"server": server.url, "api": api, "token": TOKEN, "headers": headers, "report": str(folder)}
    settings = load_settings({**given, **SETTINGS.get(api, {}), **more}, environ={}, folder=folder)
    return run(settings, ids=ids)[0]


@pytest.fixture(scope="module")
def met(servers, tmp_path_factory) -> Met:
    """The requirements of an API that the reference server meets."""

    @cache
    def of(api: str) -> dict[str, Requirement]:
        results = judge(servers(api), tmp_path_factory.mktemp("met"))
        passed = {entry.id for entry in results.requirements if entry.verdict == "pass"}
        return {name: one for name, one in requirements(api).items() if name in passed}

    return of


@pytest.mark.parametrize("api", APIS)
def test_reference_server_meets_everything_it_serves(api, servers, met, tmp_path):
    results = judge(servers(api), tmp_path)
    assert {entry.verdict for entry in results.requirements} <= {"pass", "unoffered"}
    assert len(met(api)) == results.totals["pass"]


@pytest.mark.parametrize(("api", "fault"), MUTANTS, ids=MUTANT_IDS)
def test_fault_is_noticed(api: str, fault: Fault, servers, met, tmp_path):
    wanted = {name for name in met(api) if fault.must_be_noticed_by(name)}
    assert wanted, "the fault names no requirement that the reference server meets"
    results = judge(servers(api), tmp_path, fault=fault.name, ids=wanted)
    missed = sorted(entry.id for entry in results.requirements if entry.verdict not in ("fail", "warn"))
    assert not missed
    assert len(results.requirements) == len(wanted)


@pytest.mark.parametrize("api", APIS)
def test_every_requirement_is_named_by_a_fault(api, met):
    unnamed = sorted(name for name in met(api) if not any(fault.must_be_noticed_by(name) for _, fault in MUTANTS))
    assert not unnamed


@pytest.mark.parametrize(("api", "fault"), MUTANTS, ids=MUTANT_IDS)
def test_patterns_name_something(api, fault):
    for pattern in kills(fault, api):
        one = replace(fault, kills=(pattern,))
        assert any(map(one.must_be_noticed_by, requirements(api))), pattern
