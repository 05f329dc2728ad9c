"""Fixtures of the Lance requirements."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.author.suite import Suite
from conformance.lance.catalog import LanceCatalog


@pytest.fixture
def catalog(suite: Suite) -> Iterator[LanceCatalog]:
    """The target's catalog; objects that a requirement creates are dropped after it."""
    yield LanceCatalog(suite.target)
    suite.clean_up()
