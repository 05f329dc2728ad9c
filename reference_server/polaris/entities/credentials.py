"""Credentials of principals: a client id, and at most two secrets, of which only hashes are stored.

The previous secret stays valid for one rotation, so that clients can switch over. A secret from the server has 128
random bits, which cannot be guessed: its hash is a fast one. A chosen secret has a slow hash. scrypt starts with HMAC,
which pads a short key with NULs: it gets a digest, so that a secret with appended NULs is another secret.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

import orjson

from reference_server.polaris.entities.keys import client_key, credentials_key
from reference_server.polaris.errors import EntityAlreadyExists
from reference_server.storage import Readable
from reference_server.storage.transactions import Transaction

COST, BLOCK, PARALLEL = 1 << 12, 8, 1  # of scrypt: 4 MB and some ms for each checked secret
SALT_BYTES = 16
QUICK, SLOW, OLDER = "quick", "slow", ""  # prefixes of hashes; those of older servers are slow and have none


@dataclass(frozen=True, slots=True)
class PrincipalCredentials:
    """Credentials of a principal. `identity` is unique among all principals that ever existed.

    `hashes` are those of the valid secrets, the newest first. While `rotation_required` is true the principal may do
    nothing except rotate its credentials.
    """

    identity: str
    client_id: str
    hashes: tuple[str, ...]
    rotation_required: bool = False


def new_identity() -> str:
    """Return a unique identity."""
    return secrets.token_hex(16)


def new_client_id() -> str:
    """Return a unique client id."""
    return secrets.token_hex(8)


def new_secret() -> str:
    """Return an unguessable secret."""
    return secrets.token_hex(16)


def hashed(secret: str) -> str:
    """Return the hash of a chosen secret, with a salt of its own."""
    return _salted(SLOW, secret)


def quickly_hashed(secret: str) -> str:
    """Return the hash of a secret from `new_secret`, with a salt of its own."""
    return _salted(QUICK, secret)


def _salted(kind: str, secret: str) -> str:
    salt = secrets.token_bytes(SALT_BYTES)
    return f"{kind}:{salt.hex()}:{DIGESTS[kind](secret, salt)}"


def is_secret(secret: str, credentials: PrincipalCredentials | None) -> bool:
    """Return whether a secret is valid; a wrong one takes as long without credentials, or with random ones."""
    hashes = [_read_hash(text) for text in (credentials.hashes if credentials else ())]
    if all(kind == QUICK for kind, _, _ in hashes):
        hashes.append((SLOW, bytes(SALT_BYTES), ""))
    hashes.sort(key=lambda parts: parts[0] != QUICK)
    return any(hmac.compare_digest(DIGESTS[kind](secret, salt), known) for kind, salt, known in hashes)


def _read_hash(text: str) -> tuple[str, bytes, str]:
    """Return the kind of a hash, its salt and its digest."""
    rest, _, digest = text.rpartition(":")
    kind, _, salt = rest.rpartition(":")
    return kind, bytes.fromhex(salt), digest


def find_credentials(store: Readable[bytes], principal: str) -> PrincipalCredentials | None:
    """Return the credentials of a principal, None for a missing principal."""
    value = store.get(credentials_key(principal))
    return _read(value) if value else None


def find_client(store: Readable[bytes], client_id: str) -> tuple[str, PrincipalCredentials | None]:
    """Return the name of the principal with a client id, "" for none, and its credentials."""
    name = (store.get(client_key(client_id)) or b"").decode()
    return name, find_credentials(store, name) if name else None


def save_credentials(transaction: Transaction[bytes], principal: str, credentials: PrincipalCredentials) -> None:
    """Replace the credentials of a principal. Raises EntityAlreadyExists for a taken client id."""
    present = find_credentials(transaction, principal)
    if present is None or present.client_id != credentials.client_id:
        if transaction.get(client_key(credentials.client_id)) is not None:
            raise EntityAlreadyExists("Another principal has this client id.")
        delete_credentials(transaction, principal)
    transaction.put(client_key(credentials.client_id), principal.encode())
    transaction.put(credentials_key(principal), orjson.dumps(asdict(credentials)))


def delete_credentials(transaction: Transaction[bytes], principal: str) -> None:
    """Delete the credentials of a principal."""
    present = find_credentials(transaction, principal)
    if present is not None:
        transaction.put(client_key(present.client_id), None)
        transaction.put(credentials_key(principal), None)


def _read(value: bytes) -> PrincipalCredentials:
    fields = orjson.loads(value)
    return PrincipalCredentials(**{**fields, "hashes": tuple(fields["hashes"])})


def _quick_digest(secret: str, salt: bytes) -> str:
    return hashlib.sha256(salt + _raw(secret)).hexdigest()


def _slow_digest(secret: str, salt: bytes) -> str:
    return _scrypt(hashlib.sha256(_raw(secret)).digest(), salt)


def _older_digest(secret: str, salt: bytes) -> str:
    """Return the digest of older servers, which ignores NULs at the end of a secret: such a secret has no digest."""
    digest = _scrypt(_raw(secret), salt)
    return "" if secret.endswith("\0") else digest


def _scrypt(password: bytes, salt: bytes) -> str:
    return hashlib.scrypt(password, salt=salt, n=COST, r=BLOCK, p=PARALLEL).hex()


def _raw(secret: str) -> bytes:
    return secret.encode("utf-8", "surrogateescape")


DIGESTS: Mapping[str, Callable[[str, bytes], str]] = {QUICK: _quick_digest, SLOW: _slow_digest, OLDER: _older_digest}
