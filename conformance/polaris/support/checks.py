"""Checks of every answer of Polaris in addition to its schema."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Any

from conformance.http.wire import ExtraCheck, Found
from conformance.polaris.operations import MANAGEMENT
from conformance.values.exchange import Exchange
from conformance.values.json_values import shown
from specs.polaris.errors import stated_types
from specs.profiles import Profile

TYPE = "management error-type"
BODY = "management error-body"
SECRETS = "secrets"
ISSUING = ("createPrincipal", "rotateCredentials", "resetCredentials")
TYPED = (403, 404, 409)  # statuses with one error type per reason; 400 has many reasons
MANAGEMENT_IDS = frozenset(operation.id for operation in MANAGEMENT.values())
REMEMBERED = 16  # the number of latest secrets to search for, more than one example issues


class SecretWatch:
    """Records the secrets that answers issue, and finds them in later answers."""

    def __init__(self) -> None:
        self._issued: deque[bytes] = deque(maxlen=REMEMBERED)

    def __call__(self, exchange: Exchange, value: Any) -> Found | None:
        """Return a finding if the answer contains a recorded secret, as an ExtraCheck does."""
        issued = list(self._issued)
        if exchange.operation in ISSUING and exchange.status < 300:
            self._remember(value)
        if not issued:
            return None
        leak = any(secret in exchange.response_body for secret in issued)
        return [("body:", "the answer shows a secret that was issued before")] if leak else []

    def _remember(self, value: Any) -> None:
        issued = value.get("credentials") if isinstance(value, dict) else None
        secret = issued.get("clientSecret") if isinstance(issued, dict) else None
        if isinstance(secret, str) and secret:
            self._issued.append(secret.encode())


def type_is_known(exchange: Exchange, value: Any, profile: Profile) -> Found | None:
    """Return a finding if an error of the operation's own has a type that clients do not know for it."""
    known = stated_types(exchange.operation, profile).get(exchange.status) if exchange.status in TYPED else None
    if not known or profile.suite_of(exchange.operation) != profile.api:
        return None
    error = value.get("error") if isinstance(value, dict) else None
    kind = error.get("type") if isinstance(error, dict) else None
    if not isinstance(kind, str):
        return None
    if kind in known:
        return []
    return [("body:/error/type", f"the type {shown(kind)} is not one of {', '.join(sorted(known))}")]


def says_why(exchange: Exchange, _value: Any) -> Found | None:
    """Return a finding if an error of the management API has no body."""
    if exchange.status < 400 or exchange.operation not in MANAGEMENT_IDS:
        return None
    return [] if exchange.response_body else [("body:", f"the answer {exchange.status} has no body")]


def extra_checks(profile: Profile) -> dict[str, ExtraCheck]:
    """Return the extra checks of answers for a profile, by name."""
    return {TYPE: partial(type_is_known, profile=profile), BODY: says_why, SECRETS: SecretWatch()}
