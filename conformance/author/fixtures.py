"""Fixtures for the requirements of every suite."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.author.suite import Suite

PLUGIN = "lakeproof-suite"  # which registers this module


@pytest.fixture(scope="session")
def suite(pytestconfig: pytest.Config) -> Suite:
    """The run's settings, target and client."""
    plugin: Any = pytestconfig.pluginmanager.get_plugin(PLUGIN)
    current: Suite = plugin.session.suite
    return current
