"""Access tokens: JSON Web Tokens with the principal and its roles, signed with a key in the storage.

Nothing is stored about a token. It is valid while its principal exists, until its expiry.
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

from reference_server.lifetimes import Lifetimes

ISSUER = "polaris"
SCOPE_PREFIX = "PRINCIPAL_ROLE:"
ALL = "ALL"
HEADER = {"alg": "HS256", "typ": "JWT"}


@dataclass(frozen=True, slots=True)
class Claims:
    """Claims of a token: the principal by its name and its identity, and the scope.

    `until` is the expiry of a token that was read, in s since 1970, and `round` the one of `Lifetimes` in which it was
    issued; signing a token sets new ones.
    """

    principal: str
    identity: str
    scope: str
    until: float = field(default=0.0, compare=False)
    round: int = field(default=0, compare=False)

    @property
    def roles(self) -> frozenset[str] | None:
        """The principal roles that the token activates, None for all roles of the principal."""
        named = frozenset(part.removeprefix(SCOPE_PREFIX) for part in self.scope.split())
        return None if ALL in named else named


def is_scope(scope: str) -> bool:
    """Return whether a scope consists of names of principal roles."""
    return bool(scope.split()) and all(len(part) > len(SCOPE_PREFIX) for part in _roles(scope.split()))


def _roles(scopes: Iterable[str]) -> list[str]:
    return [part if part.startswith(SCOPE_PREFIX) else "" for part in scopes]


class Signer:
    """Signs tokens and reads them."""

    def __init__(self, key: bytes, lifetimes: Lifetimes) -> None:
        self._key = key
        self._lifetimes = lifetimes

    def __repr__(self) -> str:
        return "Signer(...)"

    def sign(self, claims: Claims) -> str:
        """Return a token that is valid from now on."""
        issued = int(time.time())
        payload = {
            "iss": ISSUER,
            "sub": claims.principal,
            "principalId": claims.identity,
            "scope": claims.scope,
            "iat": issued,
            "exp": issued + self._lifetimes.token,
            "round": self._lifetimes.round,
            "jti": secrets.token_hex(8),
        }
        signed = b".".join(_encode(orjson.dumps(part)) for part in (HEADER, payload))
        return b".".join((signed, _encode(self._signature(signed)))).decode()

    def read(self, token: str) -> Claims | None:
        """Return the claims of a token, None for a foreign one."""
        signed, _, signature = token.encode("utf-8", "surrogateescape").rpartition(b".")
        if not hmac.compare_digest(signature, _encode(self._signature(signed))):
            return None
        try:
            payload = orjson.loads(_decode(signed.rpartition(b".")[2]))
        except (binascii.Error, orjson.JSONDecodeError):
            return None
        return Claims(payload["sub"], payload["principalId"], payload["scope"], payload["exp"], payload.get("round", 0))

    def _signature(self, signed: bytes) -> bytes:
        return hmac.new(self._key, signed, hashlib.sha256).digest()


def _encode(raw: bytes) -> bytes:
    return base64.urlsafe_b64encode(raw).rstrip(b"=")


def _decode(text: bytes) -> bytes:
    return base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))
