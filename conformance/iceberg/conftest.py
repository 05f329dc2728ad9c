"""Fixtures of the Iceberg requirements."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.author.suite import Suite
from conformance.iceberg.catalog import IcebergCatalog


@pytest.fixture
def catalog(suite: Suite) -> Iterator[IcebergCatalog]:
    """The target's catalog; everything that a requirement creates in it is dropped afterwards."""
    yield IcebergCatalog(suite.target)
    suite.clean_up()
