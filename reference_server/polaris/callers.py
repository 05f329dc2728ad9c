"""Authentication of callers: access tokens, their principals, and the principal roles that they activate."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from reference_server.auth import Principal
from reference_server.errors import Unauthenticated
from reference_server.lifetimes import Lifetimes
from reference_server.polaris.entities.access_tokens import Claims, Signer
from reference_server.polaris.entities.assignments import roles_of
from reference_server.polaris.entities.credentials import find_credentials
from reference_server.polaris.entities.keys import SIGNING_KEY
from reference_server.polaris.errors import RealmNotFound
from reference_server.polaris.rules import ManagementRules
from reference_server.polaris.securables import principal
from reference_server.storage import Storage
from reference_server.storage.caches import VersionedCache

CHALLENGE = 'Bearer realm="polaris"'


class Callers:
    """Authenticates the requests to one realm, with the current principals and roles of the storage."""

    def __init__(self, storage: Storage[bytes], rules: ManagementRules, realm: str, lifetimes: Lifetimes) -> None:
        self._storage = storage
        self.lifetimes = lifetimes
        self._rules = rules
        self._realm = realm
        self._known = VersionedCache(storage, self._look_up)

    @cached_property
    def signer(self) -> Signer:
        """The signer of tokens, with the key of the storage, which exists after its bootstrap."""
        key = self._storage.get(SIGNING_KEY)
        assert key is not None
        return Signer(key, self.lifetimes)

    def require_realm(self, headers: Mapping[str, str]) -> None:
        """Raise RealmNotFound for a request to another realm; a request without a realm is accepted."""
        header = self._rules.realm_header
        if header and headers.get(header, self._realm) != self._realm:
            raise RealmNotFound("Unknown realm: this server has no such realm.")

    def authenticate(self, headers: Mapping[str, str]) -> Principal:
        """Return the caller with the roles that its token activates.

        Raises Unauthenticated, also TokenExpired where that is chosen, and RealmNotFound.
        """
        self.require_realm(headers)
        caller, claims = self._known(headers.get("Authorization", ""))
        if self.lifetimes.is_over(claims.until, claims.round):
            raise self.lifetimes.refusal(CHALLENGE)
        return caller

    def _look_up(self, authorization: str) -> tuple[Principal, Claims]:
        """Return the caller and the claims of its token, also of an expired one. Raises Unauthenticated."""
        scheme, _, token = authorization.partition(" ")
        claims = self._held(token.strip(" \t")) if scheme.lower() == "bearer" else None
        roles = None if claims is None else self._roles(claims)
        if claims is None or roles is None:
            raise _refusal()
        return Principal(claims.principal, roles), claims

    def holder(self, token: str) -> Claims | None:
        """Return the claims of a valid token; None for an invalid or expired one, or a dropped principal."""
        claims = self._held(token)
        return None if claims is None or self.lifetimes.is_over(claims.until, claims.round) else claims

    def _held(self, token: str) -> Claims | None:
        claims = self.signer.read(token)
        credentials = find_credentials(self._storage, claims.principal) if claims else None
        return claims if claims and credentials and credentials.identity == claims.identity else None

    def _roles(self, claims: Claims) -> tuple[str, ...] | None:
        """Return the roles that a token activates, None where the revision rejects unassigned roles."""
        assigned = {role.path[0] for role in roles_of(self._storage, principal(claims.principal))}
        wanted = claims.roles
        if wanted is None:
            return tuple(sorted(assigned))
        if self._rules.unassigned_scopes_fail and not wanted <= assigned:
            return None
        return tuple(sorted(assigned & wanted))


def _refusal() -> Unauthenticated:
    return Unauthenticated("The request needs a valid access token of this server.", {"WWW-Authenticate": CHALLENGE})
