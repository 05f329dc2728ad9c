"""What every Lance answer must satisfy beside its schema."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.http.wire import ExtraCheck
from conformance.values.exchange import Exchange
from specs.lance.errors import codes_of, error_codes
from specs.profiles import Profile

CODE_STATUS = "code-status"
CODE_LIST = "code-list"


def code_matches_status(exchange: Exchange, value: Any) -> list[tuple[str, str]]:
    """The number of an error stands for one HTTP status."""
    code = _code(exchange, value)
    statuses = {error.code: error for error in error_codes().values()}
    known = statuses.get(code) if code is not None else None
    if known is None or known.status == exchange.status:
        return []
    return [("body:/code", f"code {code} ({known.name}) stands for status {known.status}, not {exchange.status}")]


def code_is_listed(exchange: Exchange, value: Any, profile: Profile) -> list[tuple[str, str]]:
    """The number of an error is one that the error list of the profile gives the operation."""
    code = _code(exchange, value)
    if code is None or code in codes_of(exchange.operation, profile):
        return []
    return [("body:/code", f"code {code} is not among those of {exchange.operation}")]


def _code(exchange: Exchange, value: Any) -> int | None:
    code = value.get("code") if exchange.status >= 400 and isinstance(value, dict) else None
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def extra_checks(profile: Profile) -> dict[str, ExtraCheck]:
    """Return the checks of answers by a profile."""
    return {CODE_STATUS: code_matches_status, CODE_LIST: partial(code_is_listed, profile=profile)}
