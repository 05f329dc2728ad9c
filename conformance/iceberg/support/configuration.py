"""The settings that a configuration gives to clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.http.client import Answer

SETTINGS = ("defaults", "overrides")  # the second go before the first


def config_settings(config: Mapping[str, Any] | Answer) -> dict[str, Any]:
    """Return the settings in force, of those maps that are there: that one is missing is a finding of its own."""
    maps = [config.get(name) for name in SETTINGS]
    return {name: value for settings in maps if isinstance(settings, dict) for name, value in settings.items()}
