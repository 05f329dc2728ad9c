"""Fixtures of the Iceberg scenarios."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.iceberg.catalog import IcebergCatalog
from conformance.suite import Suite
from spark_tests.scenarios.iceberg.home import Home
from spark_tests.scenarios.lake import Lake
from spark_tests.scenarios.starting import Shown


@pytest.fixture
def catalog(suite: Suite, offered: None) -> Iterator[IcebergCatalog]:
    """The target without Spark between; what a scenario leaves in its namespace is dropped afterwards."""
    catalog = IcebergCatalog(suite.target)
    suite.scopes.append(Home(catalog))
    yield catalog
    suite.clean_up()


@pytest.fixture
def lake(suite: Suite, shown: Shown, catalog: IcebergCatalog) -> Lake:
    """The target as Spark shows it, with a namespace of the scenario's own."""
    return Lake(shown, lambda: catalog.home, suite.client)
