"""Fixtures of the Polaris requirements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from conformance.author.suite import Suite
from conformance.polaris.callers import DROPS
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG
from conformance.polaris.support.access.fixture import AccessFixture


@pytest.fixture
def catalog(suite: Suite) -> Iterator[PolarisCatalog]:
    """The target as a Polaris server; the objects that a requirement creates are dropped afterwards."""
    made = PolarisCatalog(suite.target)
    yield made
    suite.clean_up()
    made.empty_second()


@pytest.fixture(scope="session")
def make_access(suite: Suite) -> Callable[[], AccessFixture]:
    """Function that creates the access fixture on its first call in a run."""

    @cache
    def make() -> AccessFixture:
        catalog = PolarisCatalog(suite.target)
        return AccessFixture(
            catalog.inventory.admin,
            suite.target.new_name,
            lambda name: catalog.value(CATALOG, (name,), properties=DROPS),
        )

    return make
