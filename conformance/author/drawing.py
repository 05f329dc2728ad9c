"""Reproducible draws: the same seed draws the same values in every process, worker or installation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any
from unittest.mock import patch

from hypothesis.internal.cache import LRUCache
from hypothesis.internal.conjecture import providers

# Hypothesis also draws constants of the local modules that happen to be loaded. It has no setting against that, and a
# backend of our own, which could leave them out, would take its mutation of examples away as well: hence the patch.
NO_CONSTANTS: dict[str, Any] = {}
with suppress(ImportError):  # an older one draws no such constants
    from hypothesis.internal.constants_ast import Constants

    NO_CONSTANTS |= {"_get_local_constants": Constants, "CONSTANTS_CACHE": LRUCache(1024)}


@contextmanager
def as_seeded() -> Iterator[None]:
    """Make Hypothesis draw by the seed alone, whatever modules are loaded."""
    with patch.multiple(providers, **NO_CONSTANTS) if NO_CONSTANTS else nullcontext():
        yield
