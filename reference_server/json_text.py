"""JSON text that others wrote, read in one go: no other thread does anything meanwhile, so such texts have a limit."""

from __future__ import annotations

import gc
from typing import Any

import orjson


def parse(text: bytes) -> Any:
    """Return the value of JSON text. Raises orjson.JSONDecodeError.

    Nothing is looked through for garbage meanwhile: a million lists would be, again and again as they are made.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        return orjson.loads(text)
    finally:
        if collecting:
            gc.enable()


def compact(data: bytes) -> bytes:
    """Return a copy of bytes that are kept for long: what orjson returns holds several times the memory it needs."""
    return bytes(memoryview(data))
