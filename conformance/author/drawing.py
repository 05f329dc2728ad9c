"""Reproducible draws: the same seed draws the same values in every process, worker or installation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any
from unittest.mock import patch

from hypothesis.internal.cache import LRUCache
from hypothesis.internal.conjecture import providers

# Hypothesis also draws constants from the loaded local modules, and has no setting against that.
NO_CONSTANTS: dict[str, Any] = {}
with suppress(ImportError):  # an older one draws no such constants
    from hypothesis.internal.constants_ast import Constants

    NO_CONSTANTS |= {"_get_local_constants": Constants, "CONSTANTS_CACHE": LRUCache(1024)}


@contextmanager
def as_seeded() -> Iterator[None]:
    """Make Hypothesis draw by the seed alone, whatever modules are loaded."""
    with patch.multiple(providers, **NO_CONSTANTS) if NO_CONSTANTS else nullcontext():
        yield
