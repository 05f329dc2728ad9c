"""Parser of untrusted JSON, which does not yield: no other thread runs meanwhile, so such texts have a limit."""

from __future__ import annotations

import gc
from typing import Any

import orjson


def parse(text: bytes) -> Any:
    """Return the value of JSON text. Raises orjson.JSONDecodeError.

    Garbage collection pauses meanwhile: it would traverse a million lists again and again while they are made.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        return orjson.loads(text)
    finally:
        if collecting:
            gc.enable()


def compact(data: bytes) -> bytes:
    """Return a copy of bytes for long storage: the result of orjson occupies several times the memory it needs."""
    return bytes(memoryview(data))
