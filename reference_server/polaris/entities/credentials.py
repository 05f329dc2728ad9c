"""Credentials of principals: a client id, and at most two secrets, of which only hashes are kept.

The secret before the last one stays good for one rotation, so that clients can change over. A secret that the server
made has 128 random bits, which nobody can try out: its hash is a quick one. One that somebody chose has a slow hash.
scrypt begins with HMAC, which fills a short key with NULs: it is given a digest, so that a secret is no other one with
NULs behind it.
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

COST, BLOCK, PARALLEL = 1 << 12, 8, 1  # of scrypt: 4 MB and some ms for each secret that is tried
SALT_BYTES = 16
QUICK, SLOW, OLDER = "quick", "slow", ""  # what hashes begin with; those of older servers, which are slow, with nothing


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a principal authenticates with. `identity` is another for each principal that ever was.

    `hashes` are those of the secrets that are good, the newest first. While `rotation_required` is true the principal
    may do nothing but get other secrets.
    """

    identity: str
    client_id: str
    hashes: tuple[str, ...]
    rotation_required: bool = False


def new_identity() -> str:
    """Return an identity that no other principal has."""
    return secrets.token_hex(16)


def new_client_id() -> str:
    """Return a client id that nobody has."""
    return secrets.token_hex(8)


def new_secret() -> str:
    """Return a secret that nobody can guess."""
    return secrets.token_hex(16)


def hashed(secret: str) -> str:
    """Return the hash of a secret that somebody chose, with a salt of its own."""
    return _salted(SLOW, secret)


def quickly_hashed(secret: str) -> str:
    """Return the hash of a secret of `new_secret`, with a salt of its own."""
    return _salted(QUICK, secret)


def _salted(kind: str, secret: str) -> str:
    salt = secrets.token_bytes(SALT_BYTES)
    return f"{kind}:{salt.hex()}:{DIGESTS[kind](secret, salt)}"


def is_secret(secret: str, credentials: Credentials | None) -> bool:
    """Return whether a secret is good. A wrong one takes as long where there are no credentials, or random ones."""
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


def find_credentials(store: Readable[bytes], principal: str) -> Credentials | None:
    """Return the credentials of a principal, None where there is no such principal."""
    value = store.get(credentials_key(principal))
    return _read(value) if value else None


def find_client(store: Readable[bytes], client_id: str) -> tuple[str, Credentials | None]:
    """Return the name of the principal that has a client id, "" for nobody, and its credentials."""
    name = (store.get(client_key(client_id)) or b"").decode()
    return name, find_credentials(store, name) if name else None


def save_credentials(transaction: Transaction[bytes], principal: str, credentials: Credentials) -> None:
    """Give a principal credentials in place of those that it has. Raises EntityAlreadyExists for a taken client id."""
    present = find_credentials(transaction, principal)
    if present is None or present.client_id != credentials.client_id:
        if transaction.get(client_key(credentials.client_id)) is not None:
            raise EntityAlreadyExists("Another principal has this client id.")
        delete_credentials(transaction, principal)
    transaction.put(client_key(credentials.client_id), principal.encode())
    transaction.put(credentials_key(principal), orjson.dumps(asdict(credentials)))


def delete_credentials(transaction: Transaction[bytes], principal: str) -> None:
    """Take the credentials of a principal away."""
    present = find_credentials(transaction, principal)
    if present is not None:
        transaction.put(client_key(present.client_id), None)
        transaction.put(credentials_key(principal), None)


def _read(value: bytes) -> Credentials:
    fields = orjson.loads(value)
    return Credentials(**{**fields, "hashes": tuple(fields["hashes"])})


def _quick_digest(secret: str, salt: bytes) -> str:
    return hashlib.sha256(salt + _raw(secret)).hexdigest()


def _slow_digest(secret: str, salt: bytes) -> str:
    return _scrypt(hashlib.sha256(_raw(secret)).digest(), salt)


def _older_digest(secret: str, salt: bytes) -> str:
    """Return the digest of older servers, for which NULs behind a secret make no difference: such a one has none."""
    digest = _scrypt(_raw(secret), salt)
    return "" if secret.endswith("\0") else digest


def _scrypt(password: bytes, salt: bytes) -> str:
    return hashlib.scrypt(password, salt=salt, n=COST, r=BLOCK, p=PARALLEL).hex()


def _raw(secret: str) -> bytes:
    return secret.encode("utf-8", "surrogateescape")


DIGESTS: Mapping[str, Callable[[str, bytes], str]] = {QUICK: _quick_digest, SLOW: _slow_digest, OLDER: _older_digest}
