"""Outcomes of a requirement other than a pass.

Violation    the target violates it: a failure, at the level of the requirement
NotTested    no evidence for or against it:
  Unoffered    the target does not offer the subject, or an operation that prepares it
    NotInRevision  the tested revision of the document lacks it
  Blocked      a step before the one under test failed although the target offers it; the operation is named
  Skipped      the run lacks something, or saw no answer that could violate the requirement
  Stopped      the run is over: its time is up, or the target is gone
  Died         the requirement is over: the target died during one of its requests, and came back
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from conformance.values.evidence import Evidence, alternatives, sentence
from conformance.values.exchange import Exchange
from conformance.values.verdict import would_test

if TYPE_CHECKING:

    class SkipException(BaseException):
        """The exception that skips a test: pytest.skip.Exception, which has no type."""

        msg: str

        def __init__(self, msg: str) -> None: ...

else:
    SkipException = pytest.skip.Exception

# Raised by code that reads an answer which breaks the document.
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, StopIteration)


class Violation(AssertionError):
    """The target violates the requirement.

    `thing` is the object of the check, or the whole message; `fields` are those of Evidence. The sentence is made from
    them. `crowded` means that it shows in no answer but those that other requests of the run may have caused.
    """

    def __init__(self, thing: str, *, crowded: bool = False, **fields: Any) -> None:
        self.crowded = crowded
        self.evidence = Evidence(thing=thing, **fields)
        super().__init__(sentence(self.evidence))


def unexpected_status(exchange: Exchange, due: Sequence[int]) -> Violation:
    """Return the violation of an answer whose status is not one of `due`; an empty `due` allows any status."""
    return Violation(
        "",
        relation="status",
        operation=exchange.operation,
        expected=" or ".join(alternatives(due)) or "an answer",
        actual=str(exchange.status) if exchange.status else f"no answer ({exchange.failure})",
        aspect="status" if exchange.status else "connection",
        statuses=tuple(due),
    )


def violation_of(error: BaseException) -> Violation | None:
    """Return the violation of an error: the error itself, or the violation that blocked a requirement."""
    return next((link for link in (error, error.__cause__) if isinstance(link, Violation)), None)


class NotTested(SkipException):
    """The requirement was not tested."""


class Blocked(NotTested):
    """A step before the one under test failed: `by` is the operation or requirement."""

    def __init__(self, message: str, by: str) -> None:
        super().__init__(message)
        self.by = by


class Skipped(NotTested):
    """The run lacks something that the test needs.

    `option` is the one that would provide it, "" when the run saw no answer that could violate the requirement.
    """

    def __init__(self, message: str, option: str = "") -> None:
        super().__init__(message + would_test(option))
        self.option = option


class Unoffered(NotTested):
    """The target does not offer the subject of the requirement, or what prepares it.

    `operation` is the one that it does not offer, "" for a feature of an operation; `otherwise` is the violation to
    report when the target turns out to have the operation.
    """

    def __init__(self, message: str, operation: str = "", otherwise: Violation | None = None) -> None:
        super().__init__(message)
        self.operation = operation
        self.otherwise = otherwise


class NotInRevision(Unoffered):
    """The requirement uses a feature that the tested revision of the document lacks."""


class Stopped(Blocked):
    """The run ends here. `gone` means that the target no longer answers; `exchange` is the request that shows it."""

    def __init__(self, message: str, by: str, *, gone: bool = False, exchange: Exchange | None = None) -> None:
        super().__init__(message, by)
        self.gone = gone
        self.exchange = exchange


class Died(Stopped):
    """The requirement ends here: the target died while it processed one of its requests, and came back."""
