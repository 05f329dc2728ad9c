"""Fixtures of all scenarios."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.author.requirement import requirement_of
from conformance.author.suite import Suite
from conformance.values.outcomes import Blocked, Unoffered
from spark_tests.scenarios.lake import Lake
from spark_tests.scenarios.starting import NAME, AttachedCatalog, Starter
from spark_tests.session import SparkSettings


@pytest.fixture(scope="session")
def starter(pytestconfig: pytest.Config) -> Starter:
    """What brings the Spark session: the run's own, or one with the default settings."""
    starter: Starter | None = pytestconfig.pluginmanager.get_plugin(NAME)
    if starter is None:
        starter = Starter(SparkSettings())
        pytestconfig.pluginmanager.register(starter, NAME)
    return starter


@pytest.fixture
def attached(starter: Starter, suite: Suite) -> AttachedCatalog:
    """The session with the target in it."""
    return starter.attach(suite.settings)


@pytest.fixture
def lake(suite: Suite, attached: AttachedCatalog, catalog: Any) -> Lake:
    """The target as Spark shows it, with a namespace of the scenario's own."""
    return Lake(attached, lambda: catalog.home, suite.client)


@pytest.fixture
def offered(suite: Suite, request: pytest.FixtureRequest) -> None:
    """Leave out what the target says it does not have, and block what it lacks without saying so."""
    requirement = requirement_of(request.node)
    for operation in requirement.operations if requirement else ():
        if operation in suite.client.refused:
            raise Unoffered(f"the server does not have {operation}")
        if operation in suite.client.missing:
            raise Blocked(f"the server does not have {operation}", suite.client.missing[operation])
