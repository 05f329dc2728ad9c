"""Fixtures of the Polaris requirements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from conformance.author.suite import Suite
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG
from conformance.polaris.support.access.fixture import AccessFixture

PURGE = {"polaris.config.drop-with-purge.enabled": "true"}  # or purging is refused like what is not allowed


@pytest.fixture
def catalog(suite: Suite) -> Iterator[PolarisCatalog]:
    """The target as a Polaris server; what a requirement makes on it is dropped afterwards."""
    yield PolarisCatalog(suite.target)
    suite.clean_up()


@pytest.fixture(scope="session")
def make_access(suite: Suite) -> Callable[[], AccessFixture]:
    """What makes the fixture of the requirements on access, once in a run; it goes with the run."""

    @cache
    def make() -> AccessFixture:
        catalog = PolarisCatalog(suite.target)
        return AccessFixture(
            catalog.inventory.admin,
            suite.target.new_name,
            lambda name: catalog.value(CATALOG, (name,), properties=PURGE),
        )

    return make


PURGE = {"polaris.config.drop-with-purge.enabled": "true"}  # or purging is refused like what is not allowed
