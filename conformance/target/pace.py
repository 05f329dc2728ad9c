"""Pace of a server in work of one kind that it does in the background."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Pace:
    """The longest wait, in seconds, that ended with the expected change; `vain` means that one ended without it."""

    longest: float = 0.0
    vain: bool = False
