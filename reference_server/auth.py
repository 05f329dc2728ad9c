"""Who may call: nobody is asked by default, or everybody must show one static token."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass

from reference_server.errors import Unauthenticated
from specs.problems import Problem

TOKEN_PREFIX = "token:"  # noqa: S105 - the form of the option, not a token


@dataclass(frozen=True, slots=True)
class Auth:
    """How requests are authenticated; no token means that everybody may call."""

    token: str | None = None

    def __repr__(self) -> str:
        return f"Auth({'token' if self.token else 'none'})"

    def check(self, headers: Mapping[str, str]) -> None:
        """Let the request pass, or raise Unauthenticated.

        The token is taken from `Authorization: Bearer` or `x-api-key`.
        """
        if self.token is None:
            return
        scheme, _, credentials = headers.get("Authorization", "").partition(" ")
        shown = credentials.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
        if not hmac.compare_digest(shown.encode(), self.token.encode()):
            challenge = {"WWW-Authenticate": 'Bearer realm="lakeproof"'}
            raise Unauthenticated("The request needs a valid bearer token or API key.", challenge)


def parse_auth(text: str) -> Auth:
    """Read the value of `--auth`: `none` or `token:VALUE`. Raises Problem for anything else."""
    if text == "none":
        return Auth()
    if text.startswith(TOKEN_PREFIX) and len(text) > len(TOKEN_PREFIX):
        return Auth(text.removeprefix(TOKEN_PREFIX))
    raise Problem("The value of --auth is neither `none` nor `token:VALUE`.", "Example: --auth token:s3cret")
