"""Purposes of requests: what a run sends them for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

# What a requirement needs, what it is about, what shows the result, and what drops its objects.
Purpose = Literal["fixture", "subject", "look", "clean-up"]
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)


def shares(purposes: Mapping[str, int]) -> str:
    """Return the shares of the purposes in words, "" without any."""
    total = sum(purposes.values())
    return ", ".join(f"{purposes[name] / total:.0%} {name}" for name in PURPOSES if purposes.get(name))
