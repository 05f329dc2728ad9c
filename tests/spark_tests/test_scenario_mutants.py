"""The scenarios judged by faults: every scenario notices a fault, and fails against a server with that fault.

What holds for the suite in conformance/test_mutants.py holds for the scenarios here. Under a fault only the scenarios
of which it was measured are run, all of an API in one session. Faults are chosen so that Spark neither waits nor tries
again. One fault in six is tried; all of them with
`tox -e py -- --thorough tests/spark_tests/test_scenario_mutants.py`.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import lru_cache
from typing import Any

import pytest

from conformance.values.settings import Settings
from lakeproof import serve
from mutants.noticed import SCENARIOS, matching, noticed_file, read_noticed
from reference_server.faults import HEADER, find_fault
from spark_tests.connectors import spoken_profile
from specs.apis import apis as find_apis
from tests.amount import tried

TOKEN = "test-token"
ROOT = "root:s3cr3t"
BY_TOKEN = {"auth": f"token:{TOKEN}"}  # how a server is started, and how a run connects
SERVED: dict[str, dict[str, Any]] = {"iceberg": BY_TOKEN, "lance": BY_TOKEN, "polaris": {"bootstrap": ROOT}}
CONNECTED: dict[str, dict[str, Any]] = {
    "iceberg": {"token": TOKEN, "warehouse": "default"},
    "lance": {"token": TOKEN},
    "polaris": {"credential": ROOT},
}
MASTER = "local[2,2]"  # a task that fails is run twice, not four times: most that fail here fail again


NOTICED = {api: read_noticed(noticed_file(api, SCENARIOS)) for api in find_apis()}
MUTANTS = [(api, fault) for api in find_apis() for fault in NOTICED[api]]
PART = 6
TRIED = [(api, fault) for api, fault in MUTANTS if tried(fault, PART)]


@pytest.fixture(scope="module")
def target(spark_can_run):
    """Return a function that starts server and session of an API and stops those before: only one session can run."""
    from spark_tests.session import SparkSettings, open_session  # noqa: PLC0415 - optional

    with ExitStack() as stack:

        @lru_cache(1)
        def start(api: str):
            stack.close()
            server = stack.enter_context(serve(spoken_profile(api) or api, allow_faults=True, **SERVED[api]))
            return server.url, stack.enter_context(open_session(SparkSettings(master=MASTER), apis=(api,)))

        yield start


@pytest.fixture
def known(spark_can_run):
    """Return the function that returns the ids of all scenarios of an API."""
    from spark_tests.scenarios.running import scenarios  # noqa: PLC0415 - optional

    return scenarios


@pytest.mark.parametrize(("api", "fault"), TRIED, ids=map("-".join, TRIED))
def test_fault_is_noticed(api, fault, target, known, tmp_path):
    from spark_tests.scenarios.running import run_scenarios  # noqa: PLC0415 - optional

    url, session = target(api)
    wanted = matching(NOTICED[api][fault], known(api))
    headers = (f"{HEADER}: {fault}",)
    spoken, report = spoken_profile(api), str(tmp_path)
    settings = Settings(server=url, api=api, profile=spoken, header=headers, report=report, **CONNECTED[api])
    results, _ = run_scenarios(settings, ids=wanted, session=session)
    assert sorted(entry.id for entry in results.requirements if entry.verdict not in ("fail", "warn")) == []
    assert {entry.id for entry in results.requirements} == wanted


@pytest.mark.parametrize("api", find_apis())
def test_every_scenario_notices_a_fault(api, known):
    patterns = {pattern for patterns in NOTICED[api].values() for pattern in patterns}
    assert sorted(set(known(api)) - matching(patterns, known(api))) == []


@pytest.mark.parametrize(("api", "fault"), MUTANTS, ids=map("-".join, MUTANTS))
def test_what_was_measured_names_faults_and_scenarios(api, fault, known):
    assert find_fault(fault)
    assert [pattern for pattern in NOTICED[api][fault] if not matching([pattern], known(api))] == []
