"""Outcomes of a requirement other than a pass.

Violation    the target violates it: a failure, at the level of the requirement
Blocked      a step before the one under test failed; the operation is named
Unoffered    the target lacks the operation and says so as the document defines
Stopped      the run is over: its time is up, or the target is gone
Died         the requirement is over: the target died during one of its requests, and came back
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.values.evidence import Evidence, sentence
from conformance.values.exchange import Exchange

if TYPE_CHECKING:

    class Skipped(BaseException):
        """The exception that skips a test: pytest.skip.Exception, which has no type."""

        msg: str

        def __init__(self, msg: str) -> None: ...

else:
    Skipped = pytest.skip.Exception

# Raised by code that reads an answer which breaks the document.
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, StopIteration)


class Violation(AssertionError):
    """The target violates the requirement.

    `thing` is the object of the check, or the whole message; `fields` are those of Evidence. The sentence is made from
    them.
    """

    def __init__(self, thing: str, **fields: Any) -> None:
        self.evidence = Evidence(thing=thing, **fields)
        super().__init__(sentence(self.evidence))


class Blocked(Skipped):
    """The requirement could not be tested: `by` is the operation or requirement that failed before.

    `lacks` is the operation that the target seems to lack, if that is why.
    """

    def __init__(self, message: str, by: str, lacks: str = "") -> None:
        super().__init__(message)
        self.by = by
        self.lacks = lacks


class Unoffered(Skipped):
    """The target does not offer the subject of the requirement.

    `operation` is the one that it rejected as unsupported, if any; `otherwise` is the violation to report when the
    target turns out to have the operation.
    """

    def __init__(self, message: str, operation: str = "", otherwise: Violation | None = None) -> None:
        super().__init__(message)
        self.operation = operation
        self.otherwise = otherwise


class Stopped(Blocked):
    """The run ends here. `gone` means that the target no longer answers; `exchange` is the request that shows it."""

    def __init__(self, message: str, by: str, *, gone: bool = False, exchange: Exchange | None = None) -> None:
        super().__init__(message, by)
        self.gone = gone
        self.exchange = exchange


class Died(Stopped):
    """The requirement ends here: the target died while it processed one of its requests, and came back."""
