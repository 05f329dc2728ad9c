"""Authentication of callers: none (the default), one static token, or tokens issued by OAuth2.

An issued token contains its expiry and a signature made with the client's secret: the server stores nothing about it,
and it survives a restart.

An API with principals of its own authenticates requests itself, see reference_server/api.py.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from reference_server.errors import Unauthenticated
from reference_server.lifetimes import Lifetimes
from specs.problems import Problem

TOKEN_PREFIX = "token:"  # noqa: S105 - the form of the option, not a token
OAUTH_PREFIX = "oauth:"
CHALLENGE = 'Bearer realm="lakeproof"'
ISSUED = re.compile(r"(?P<until>[0-9]{1,15})\.(?P<nonce>[0-9]{1,9}-[0-9a-f]+)\.(?P<signature>[0-9a-f]+)")
HOLDER = "token"  # name of the principal with the static token


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller: its name, "" where no authentication is required, and its roles."""

    name: str = ""
    roles: tuple[str, ...] = ()


ANONYMOUS = Principal()


@dataclass(frozen=True, slots=True)
class Auth:
    """Authentication by a static token, by tokens issued to a client with a secret, or none."""

    token: str | None = None
    client: tuple[str, str] | None = None
    lifetimes: Lifetimes = field(default_factory=Lifetimes, compare=False)

    def __repr__(self) -> str:
        return f"Auth({'token' if self.token else 'oauth' if self.client else 'none'})"

    def authenticate(self, headers: Mapping[str, str]) -> Principal:
        """Return the principal that sends these headers. Raises Unauthenticated, and TokenExpired where that is chosen.

        The token is read from `Authorization: Bearer` or `x-api-key`.
        """
        if self.token is None and self.client is None:
            return ANONYMOUS
        scheme, _, credentials = headers.get("Authorization", "").partition(" ")
        secret = credentials.strip(" \t") if scheme.lower() == "bearer" else headers.get("x-api-key", "")
        if not self._has_issued(secret):
            raise Unauthenticated("The request needs a valid bearer token or API key.", {"WWW-Authenticate": CHALLENGE})
        if self._is_over(secret):
            raise self.lifetimes.refusal(CHALLENGE)
        return Principal(self.client[0] if self.client else HOLDER)

    def issue(self, client: str, secret: str) -> str:
        """Return a token for a client that authenticates with its secret. Raises Unauthenticated.

        With a static token, the secret must be that token, and that token is returned.
        """
        if self.token is not None:
            if not _same(secret, self.token):
                raise Unauthenticated("The secret is wrong.")
            return self.token
        if self.client is not None and not (_same(client, self.client[0]) & _same(secret, self.client[1])):
            raise Unauthenticated("The client or its secret is wrong.")
        return self._signed_token()

    def exchange(self, token: str) -> str:
        """Return a new token for a valid one. Raises Unauthenticated."""
        is_required = self.token is not None or self.client is not None
        if is_required and (not self._has_issued(token) or self._is_over(token)):
            raise Unauthenticated("The token is wrong.")
        return self.token if self.token is not None else self._signed_token()

    def _has_issued(self, secret: str) -> bool:
        """Return whether a token is of this server, expired ones included; not one of a server before lifetimes."""
        if self.token is not None:
            return _same(secret, self.token)
        parts = ISSUED.fullmatch(secret)
        return parts is not None and _same(parts["signature"], self._signature(parts["until"], parts["nonce"]))

    def _is_over(self, secret: str) -> bool:
        """Return whether a token of this server has expired; a static one never does."""
        if self.token is not None:
            return False
        until, nonce, _ = secret.split(".")
        return self.lifetimes.is_over(int(until) / 1000, int(nonce.partition("-")[0]))

    def _signed_token(self) -> str:
        until = str(int((time.time() + self.lifetimes.token) * 1000))  # ms: it lives as long as `expires_in` says
        nonce = f"{self.lifetimes.round}-{secrets.token_hex(8)}"
        return f"{until}.{nonce}.{self._signature(until, nonce)}"

    def _signature(self, until: str, nonce: str) -> str:
        # HMAC pads a short key with NULs: without hashing, an id or secret with NULs appended would be equal to it.
        key = b"".join(hashlib.sha256(_raw(part)).digest() for part in self.client or ("", ""))
        return hmac.new(key, f"lakeproof\0{until}\0{nonce}".encode(), hashlib.sha256).hexdigest()


def _same(actual: str, expected: str) -> bool:
    return hmac.compare_digest(_raw(actual), _raw(expected))


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def parse_auth(text: str, lifetimes: Lifetimes) -> Auth:
    """Parse the value of `--auth`: `none`, `token:VALUE` or `oauth:ID:SECRET`. Raises Problem for anything else."""
    if text == "none":
        return Auth(lifetimes=lifetimes)
    if text.startswith(TOKEN_PREFIX) and len(text) > len(TOKEN_PREFIX):
        return Auth(text.removeprefix(TOKEN_PREFIX), lifetimes=lifetimes)
    client, _, secret = text.removeprefix(OAUTH_PREFIX).partition(":")
    if text.startswith(OAUTH_PREFIX) and client and secret:
        return Auth(client=(client, secret), lifetimes=lifetimes)
    raise Problem(
        "The value of --auth is unknown: it must be `none`, `token:VALUE` or `oauth:ID:SECRET`.",
        "Example: --auth token:s3cret",
    )
