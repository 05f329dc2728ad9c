"""Fixtures for the Iceberg scenarios."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.author.suite import Suite
from conformance.iceberg.catalog import IcebergCatalog


@pytest.fixture
def catalog(suite: Suite, offered: None) -> Iterator[IcebergCatalog]:
    """Yield the target for direct requests; drop the rest of the scenario's namespace afterwards."""
    yield IcebergCatalog(suite.target)
    suite.clean_up(look=True)
