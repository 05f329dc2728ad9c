"""Parts of scenarios that need no Spark."""

from __future__ import annotations

import pytest

from spark_tests.scenarios import SUITE
from spark_tests.scenarios.running import scenarios
from specs.apis import apis as find_apis
from specs.clauses import clauses
from specs.profiles import newest_operations


def test_every_clause_is_judged_by_a_scenario_and_every_scenario_has_one():
    judged = {scenario.clause for api in find_apis() for scenario in scenarios(api).values()}
    assert judged == set(clauses(SUITE))


@pytest.mark.parametrize("api", find_apis())
def test_scenarios_name_operations_of_their_api(api):
    known = newest_operations(api)
    assert {name for scenario in scenarios(api).values() for name in scenario.operations if name not in known} == set()


@pytest.mark.parametrize("api", find_apis())
def test_no_scenario_is_stronger_than_its_clause(api):
    levels = ("MAY", "SHOULD", "MUST")
    all_clauses = clauses(SUITE)
    stronger = {
        name
        for name, scenario in scenarios(api).items()
        if levels.index(scenario.level) > levels.index(all_clauses[scenario.clause].level)
    }
    assert stronger == set()
