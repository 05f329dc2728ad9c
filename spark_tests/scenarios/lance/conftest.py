"""Fixtures of the Lance scenarios."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.author.suite import Suite
from conformance.lance.catalog import LanceCatalog


@pytest.fixture
def catalog(suite: Suite, offered: None) -> Iterator[LanceCatalog]:
    """The target without Spark between; what a scenario leaves in its namespace is dropped afterwards."""
    catalog = LanceCatalog(suite.target)
    catalog.require_namespaces()
    yield catalog
    suite.clean_up(look=True)
