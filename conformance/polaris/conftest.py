"""Fixtures of the Polaris requirements."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.polaris.catalog import PolarisCatalog
from conformance.suite import Suite


@pytest.fixture
def catalog(suite: Suite) -> Iterator[PolarisCatalog]:
    """The target as a Polaris server; what a requirement makes on it is dropped afterwards."""
    yield PolarisCatalog(suite.target)
    suite.clean_up()
