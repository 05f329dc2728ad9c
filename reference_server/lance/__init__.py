"""The Lance Namespace API: handlers by resource, a catalog, and data in real Lance datasets."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name != "API":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from reference_server.lance.api import LanceApi  # noqa: PLC0415 - servers of other APIs do not wait for it

    return LanceApi
