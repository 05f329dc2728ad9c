"""Fixtures of the Lance scenarios."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.lance.catalog import LanceCatalog
from conformance.suite import Suite
from spark_tests.scenarios.lake import Lake
from spark_tests.scenarios.lance.home import Home
from spark_tests.scenarios.starting import Shown


@pytest.fixture
def catalog(suite: Suite, offered: None) -> Iterator[LanceCatalog]:
    """The target without Spark between; what a scenario leaves in its namespace is dropped afterwards."""
    catalog = LanceCatalog(suite.target)
    catalog.require_namespaces()
    suite.scopes.append(Home(catalog))
    yield catalog
    suite.clean_up()


@pytest.fixture
def lake(suite: Suite, shown: Shown, catalog: LanceCatalog) -> Lake:
    """The target as Spark shows it, with a namespace of the scenario's own."""
    return Lake(shown, lambda: catalog.home, suite.client)
