"""Fixtures for the Lance scenarios."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.author.suite import Suite
from conformance.lance.catalog import LanceCatalog


@pytest.fixture
def catalog(suite: Suite, offered: None) -> Iterator[LanceCatalog]:
    """Yield the target for direct requests; drop the rest of the scenario's namespace afterwards."""
    catalog = LanceCatalog(suite.target)
    catalog.require_namespaces()
    yield catalog
    suite.clean_up(look=True)
