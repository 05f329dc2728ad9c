"""Access tokens: JSON Web Tokens that say who calls and in which roles, signed with a key that lies in the storage.

Nothing is kept about a token. It opens something as long as its principal exists, and not after its end.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import orjson

LIFETIME_SECONDS = 3600
ISSUER = "polaris"
SCOPE_PREFIX = "PRINCIPAL_ROLE:"
ALL = "ALL"
HEADER = {"alg": "HS256", "typ": "JWT"}


@dataclass(frozen=True, slots=True)
class Claims:
    """What a token says: the principal by its name and its identity, and the scope.

    `until` is when a token that was read is at its end, in s since 1970; one that is signed gets an end then.
    """

    principal: str
    identity: str
    scope: str
    until: float = field(default=0.0, compare=False)

    @property
    def roles(self) -> frozenset[str] | None:
        """The principal roles in which the holder calls, None for all that the principal has."""
        named = frozenset(part.removeprefix(SCOPE_PREFIX) for part in self.scope.split())
        return None if ALL in named else named


def is_scope(scope: str) -> bool:
    """Return whether a scope names principal roles and nothing else."""
    return bool(scope.split()) and all(len(part) > len(SCOPE_PREFIX) for part in _roles(scope.split()))


def _roles(scopes: Iterable[str]) -> list[str]:
    return [part if part.startswith(SCOPE_PREFIX) else "" for part in scopes]


class Signer:
    """Signs tokens and reads them."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def __repr__(self) -> str:
        return "Signer(...)"

    def sign(self, claims: Claims) -> str:
        """Return a token that is good from now on for LIFETIME_SECONDS."""
        issued = int(time.time())
        payload = {
            "iss": ISSUER,
            "sub": claims.principal,
            "principalId": claims.identity,
            "scope": claims.scope,
            "iat": issued,
            "exp": issued + LIFETIME_SECONDS,
            "jti": secrets.token_hex(8),
        }
        signed = b".".join(_encode(orjson.dumps(part)) for part in (HEADER, payload))
        return b".".join((signed, _encode(self._signature(signed)))).decode()

    def read(self, token: str) -> Claims | None:
        """Return what a token says, None for one that is not ours or at its end."""
        signed, _, signature = token.encode("utf-8", "surrogateescape").rpartition(b".")
        if not hmac.compare_digest(signature, _encode(self._signature(signed))):
            return None
        try:
            payload = orjson.loads(_decode(signed.rpartition(b".")[2]))
        except (binascii.Error, orjson.JSONDecodeError):
            return None
        if payload["exp"] <= time.time():
            return None
        return Claims(payload["sub"], payload["principalId"], payload["scope"], payload["exp"])

    def _signature(self, signed: bytes) -> bytes:
        return hmac.new(self._key, signed, hashlib.sha256).digest()


def _encode(raw: bytes) -> bytes:
    return base64.urlsafe_b64encode(raw).rstrip(b"=")


def _decode(text: bytes) -> bytes:
    return base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))
