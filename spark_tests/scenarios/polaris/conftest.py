"""Fixtures for the Polaris scenarios."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from conformance.author.suite import Suite
from conformance.polaris.callers import EVERY_ROLE, Caller
from conformance.polaris.catalog import PolarisCatalog
from spark_tests.scenarios.lake import Lake
from spark_tests.scenarios.starting import Starter, with_settings

LakeOf = Callable[[Caller], Lake]


@pytest.fixture
def catalog(suite: Suite, offered: None) -> Iterator[PolarisCatalog]:
    """Yield the target for direct requests; drop the objects of the scenario afterwards."""
    yield PolarisCatalog(suite.target)
    suite.clean_up(look=True)


@pytest.fixture
def lake_of(starter: Starter, suite: Suite, catalog: PolarisCatalog) -> LakeOf:
    """Return the function that opens the run's catalog in Spark as a principal, in the scenario's namespace."""

    def lake(caller: Caller) -> Lake:
        known = caller.credentials
        credential = f"{known.id}:{known.secret}"
        settings = with_settings(
            suite.settings, credential=credential, token="", scope=EVERY_ROLE, warehouse=catalog.home
        )
        return Lake(starter.attach(settings), lambda: catalog.tables.home, suite.client)

    return lake
