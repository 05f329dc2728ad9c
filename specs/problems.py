"""The exception for problems that the user can solve."""

from __future__ import annotations


class Problem(Exception):
    """Something outside the kit is not as it should be: a flag, a file, a target.

    `message` is one sentence that says what is wrong, `hint` one that says what to do about it.
    The command line prints both and exits with 4; there is no traceback.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message
