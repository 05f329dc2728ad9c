"""The scenarios judged by faults: every scenario is named by a fault, and fails against a server with that fault.

What holds for the suite in conformance/test_mutants.py holds for the scenarios here. Under a fault only the scenarios
that it names are run, all of an API in one session. Faults are chosen so that Spark neither waits nor tries again.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import lru_cache

import pytest

from conformance.apis import APIS
from conformance.settings import Settings
from lakeproof import serve
from reference_server.faults import FAULTS, HEADER, Fault

TOKEN = "test-token"
WAREHOUSES = {"iceberg": "default"}
MASTER = "local[2,2]"  # a task that fails is run twice, not four times: most that fail here fail again


def kills(fault: Fault, api: str) -> tuple[str, ...]:
    """The patterns with which a fault names scenarios of an API."""
    return tuple(one for one in fault.kills if one.startswith(f"spark.{api}."))


MUTANTS = [(api, fault) for api in APIS for fault in FAULTS.values() if kills(fault, api)]
MUTANT_IDS = [f"{api}-{fault.name}" for api, fault in MUTANTS]


@pytest.fixture(scope="module")
def target(spark_can_run):
    """What starts a server and a session for an API, and stops those of another one: only one session can run."""
    from spark_tests.session import SparkSettings, open_session  # noqa: PLC0415 - optional

    with ExitStack() as stack:

        @lru_cache(1)
        def start(api: str):
            stack.close()
            server = stack.enter_context(serve(api, auth=f"token:{TOKEN}", allow_faults=True))
            return server.url, stack.enter_context(open_session(SparkSettings(master=MASTER), apis=(api,)))

        yield start


@pytest.fixture
def known(spark_can_run):
    """What tells the ids of all scenarios of an API."""
    from spark_tests.scenarios.running import scenarios  # noqa: PLC0415 - optional

    return scenarios


@pytest.mark.parametrize(("api", "fault"), MUTANTS, ids=MUTANT_IDS)
def test_fault_is_noticed(api, fault, target, known, tmp_path):
    from spark_tests.scenarios.running import run_scenarios  # noqa: PLC0415 - optional

    url, session = target(api)
    wanted = {name for name in known(api) if fault.must_be_noticed_by(name)}
    headers = (f"{HEADER}: {fault.name}",)
    given = {"warehouse": WAREHOUSES.get(api, ""), "token": TOKEN, "headers": headers, "report": str(tmp_path)}
    results, _ = run_scenarios(Settings(server=url, api=api, **given), ids=wanted, session=session)
    assert sorted(entry.id for entry in results.requirements if entry.verdict not in ("fail", "warn")) == []
    assert {entry.id for entry in results.requirements} == wanted


@pytest.mark.parametrize("api", APIS)
def test_every_scenario_is_named_by_a_fault(api, known):
    assert sorted(name for name in known(api) if not any(fault.must_be_noticed_by(name) for _, fault in MUTANTS)) == []


@pytest.mark.parametrize(("api", "fault"), MUTANTS, ids=MUTANT_IDS)
def test_patterns_name_something(api, fault, known):
    for pattern in kills(fault, api):
        one = replace(fault, kills=(pattern,))
        assert any(map(one.must_be_noticed_by, known(api))), pattern
