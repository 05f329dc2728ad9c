"""Evidence of a run about its resources: whether one exists, and why it was not clearly dropped."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Standing(IntEnum):
    """Evidence of the run that a resource exists: an answer may raise it, and never lowers it.

    NOTED   a request that may create it was noted, and has no answer yet
    OPEN    it may exist: the answer was lost, staged it, or reported a conflict
    MADE    its creation succeeded, or a listing shows it
    """

    NOTED = 0
    OPEN = 1
    MADE = 2


@dataclass(frozen=True, slots=True)
class Doubt:
    """The reason why a resource was not clearly dropped; `made` is true if its creation succeeded.

    `answered` is false if the request that should drop it got no answer.
    """

    reason: str
    made: bool
    answered: bool = True
