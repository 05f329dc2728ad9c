"""Numbers of JSON that a reader has changed, and what it read them as."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

SPAN = 1 << 32  # numbers that 32 bits hold
EXACT = 1 << 53  # doubles hold every whole number up to here, and not the next one
PAST_INT, PAST_DOUBLE = SPAN // 2 + 1, EXACT + 1  # numbers that 32 bits, and doubles, do not hold


def _as_unsigned(number: int) -> int:
    return number & SPAN - 1


def _as_signed(number: int) -> int:
    unsigned = _as_unsigned(number)
    return unsigned - SPAN if unsigned >= SPAN // 2 else unsigned


def _as_largest(number: int) -> int:
    return max(-SPAN // 2, min(SPAN // 2 - 1, number))


def _as_float(number: int) -> int:
    return int(struct.unpack("f", struct.pack("f", number))[0])


LOSSES: dict[str, Callable[[int], int]] = {
    "rounded to a double": lambda number: int(float(number)),
    "rounded to a 32-bit float": _as_float,
    "cut to 32 bits": _as_signed,
    "cut to 32 bits without a sign": _as_unsigned,
    "limited to 32 bits": _as_largest,
}


def loss(sent: Any, got: Any) -> str:
    """Return the change that a reader made to a whole number, in words; "" for an equal or unrelated value."""
    if not _is_whole(sent) or (got == sent and not isinstance(got, float)):
        return ""
    if isinstance(got, str):
        return "turned into a text" if got == str(sent) else ""
    if isinstance(got, bool) or not isinstance(got, int | float):
        return ""
    if isinstance(got, float) and got == sent:
        return "turned into a fraction"
    return next((words for words, read in LOSSES.items() if read(sent) == got), "")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
