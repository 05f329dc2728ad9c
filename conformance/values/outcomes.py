"""How a requirement can end other than by passing.

Violation    the target broke it: counts as a failure, at the level of the requirement
Blocked      a step before the one under test failed; the operation is named
Unoffered    the target does not have the operation and says so as the document wants
Stopped      the run is over: its time is up, or the target is gone
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conformance.values.exchange import Exchange

    class Skipped(BaseException):
        """pytest.skip.Exception, which type checkers take for a variable and not for a base class."""

        msg: str

else:
    Skipped = pytest.skip.Exception

# What the use of an answer raises that is not as the document says.
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, StopIteration)


class Violation(AssertionError):
    """The target did something else than the requirement says."""


class Blocked(Skipped):
    """The requirement could not be tested: `by` is the operation or requirement that failed before.

    `lacks` is the operation that the target seems to lack, if that is why.
    """

    def __init__(self, message: str, by: str, lacks: str = "") -> None:
        super().__init__(message)
        self.by = by
        self.lacks = lacks


class Unoffered(Skipped):
    """The target does not offer what the requirement is about.

    `operation` is the one that it refused as unsupported, if that is why; `otherwise` says what is wrong with that
    answer where it turns out that the target has the operation.
    """

    def __init__(self, message: str, operation: str = "", otherwise: str = "") -> None:
        super().__init__(message)
        self.operation = operation
        self.otherwise = otherwise


class Stopped(Blocked):
    """The run ends here. `gone` says that the target answers no more; `exchange` is the request that shows it."""

    def __init__(self, message: str, by: str, *, gone: bool = False, exchange: Exchange | None = None) -> None:
        super().__init__(message, by)
        self.gone = gone
        self.exchange = exchange
