"""Exception for problems that the user can solve."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class Problem(Exception):
    """Problem outside the kit: in a flag, a file, a target.

    `message` is one sentence about the problem, `hint` is one sentence with the way out.
    The command line prints both and exits with 4, without a traceback.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "", most: int = 3) -> str:
    """Return a hint for an unknown name: the nearest known names, else `otherwise`, else all known names."""
    names = sorted(known)
    near = get_close_matches(name, names, n=most)
    return f"Did you mean {' or '.join(near)}?" if near else otherwise or f"Known: {', '.join(names)}."
