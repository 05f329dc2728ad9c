"""Lifetimes of what a server issues: tokens, credentials for storage, and scan plans.

A token carries the round in which it was issued. A test that lets all tokens expire starts a new round.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from http import HTTPStatus

from reference_server.errors import CatalogError, TokenExpired, Unauthenticated
from specs.problems import Problem

TOKEN_SECONDS = PLAN_SECONDS = 3600
CREDENTIAL_PERIOD = 30 * 60
STATUSES = (HTTPStatus.UNAUTHORIZED.value, TokenExpired.status)
"""Statuses with which a server refuses an expired token."""


@dataclass(slots=True)
class Lifetimes:
    """Lifetimes in seconds, and the status for expired tokens.

    Without a lifetime of their own, credentials are the same for half an hour and valid for another half.
    """

    token: int = TOKEN_SECONDS
    credential: int | None = None
    plan: int = PLAN_SECONDS
    expired_status: int = STATUSES[0]
    round: int = 0

    def __post_init__(self) -> None:
        self._check_status(self.expired_status)

    def expire_tokens(self, status: int | None = None) -> None:
        """Let all issued tokens expire; `status` refuses them from now on. Raises Problem for an unfit status."""
        if status is not None:
            self._check_status(status)
            self.expired_status = status
        self.round += 1

    def is_over(self, until: float, round: int) -> bool:
        """Return whether a token with this expiry, issued in this round, has expired."""
        return until <= time.time() or round < self.round

    def refusal(self, challenge: str) -> CatalogError:
        """Return the error for an expired token; RFC 6750 has its challenge."""
        message = "The token has expired: get a new one."
        if self.expired_status == TokenExpired.status:
            return TokenExpired(message)
        return Unauthenticated(message, {"WWW-Authenticate": f'{challenge}, error="invalid_token"'})

    def end_of_credentials(self) -> int:
        """Return the expiry of credentials that are made now, in seconds since 1970."""
        if self.credential is not None:
            return int(time.time()) + self.credential
        return (int(time.time()) // CREDENTIAL_PERIOD + 2) * CREDENTIAL_PERIOD

    def _check_status(self, status: int) -> None:
        if status not in STATUSES:
            message = f"An expired token is refused with 401 or 419, not {status}."
            raise Problem(message, "Give --expired-status 401 or 419.")
