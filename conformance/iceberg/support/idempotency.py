"""Idempotency keys: a mutation that comes again with its key is answered as before, and not carried out again."""

from __future__ import annotations

import secrets
import time
from uuid import UUID

HEADER = "Idempotency-Key"


def new_key() -> str:
    """Return a UUID of version 7: milliseconds since 1970, then chance."""
    random = secrets.randbits(74)
    value = (time.time_ns() // 1_000_000) << 80 | 0x7 << 76 | (random >> 62) << 64 | 0b10 << 62 | random & (2**62 - 1)
    return str(UUID(int=value))
