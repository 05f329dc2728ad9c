"""Fixtures of the requirements on drawn bodies."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.author.catalog import Catalog
from conformance.author.fixtures import PLUGIN
from conformance.author.requirement import requirement_of
from conformance.author.suite import Suite
from conformance.fuzz.fuzzing import fuzzing_of
from conformance.values.kinds import FUZZ


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Leave out what needs Schemathesis, unless the run asks for it."""
    plugin = config.pluginmanager.get_plugin(PLUGIN)
    return None if plugin and FUZZ in plugin.session.settings.kinds else True


@pytest.fixture
def catalog(suite: Suite, request: pytest.FixtureRequest) -> Iterator[Catalog | None]:
    """The target as the API of the requirement sees it; all that lies in its namespaces is dropped afterwards."""
    requirement = requirement_of(request.node)
    yield fuzzing_of(requirement.api).catalog(suite.target) if requirement else None
    suite.clean_up(look=True)
