"""Fixtures for all scenarios."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.author.requirement import requirement_of
from conformance.author.suite import Suite
from spark_tests.scenarios.lake import Lake
from spark_tests.scenarios.starting import NAME, AttachedCatalog, Starter
from spark_tests.session import SparkSettings


@pytest.fixture(scope="session")
def starter(pytestconfig: pytest.Config) -> Starter:
    """Return the starter of the Spark session: the run's own, or one with the default settings."""
    starter: Starter | None = pytestconfig.pluginmanager.get_plugin(NAME)
    if starter is None:
        starter = Starter(SparkSettings())
        pytestconfig.pluginmanager.register(starter, NAME)
    return starter


@pytest.fixture
def attached(starter: Starter, suite: Suite) -> AttachedCatalog:
    """Return the session with the target's catalog attached."""
    return starter.attach(suite.settings)


@pytest.fixture
def lake(suite: Suite, attached: AttachedCatalog, catalog: Any) -> Lake:
    """Return the target as a catalog in Spark, with the scenario's own namespace."""
    return Lake(attached, lambda: catalog.home, suite.client)


@pytest.fixture
def offered(suite: Suite, request: pytest.FixtureRequest) -> None:
    """Raise Unoffered for an operation of a scenario that the target does not offer."""
    requirement = requirement_of(request.node)
    for operation in requirement.operations if requirement else ():
        suite.client.require(operation)
