"""Fixtures of the fuzz requirements."""

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
    """Skip these modules, which import Schemathesis, unless the run selects the kind `fuzz`."""
    plugin = config.pluginmanager.get_plugin(PLUGIN)
    return None if plugin and FUZZ in plugin.session.settings.kinds else True


@pytest.fixture
def catalog(suite: Suite, request: pytest.FixtureRequest) -> Iterator[Catalog | None]:
    """The catalog of the requirement's API; all contents of its namespaces are dropped afterwards."""
    requirement = requirement_of(request.node)
    yield fuzzing_of(requirement.api).catalog(suite.target) if requirement else None
    suite.clean_up(look=True)
