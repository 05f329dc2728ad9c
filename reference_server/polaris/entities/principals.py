"""Principals: created with credentials, which are shown once."""

from __future__ import annotations

from dataclasses import replace

from reference_server.polaris.entities import records
from reference_server.polaris.entities.assignments import unassign_all
from reference_server.polaris.entities.credentials import (
    PrincipalCredentials,
    delete_credentials,
    find_credentials,
    save_credentials,
)
from reference_server.polaris.entities.records import Record
from reference_server.polaris.securables import principal
from reference_server.storage.transactions import Transaction


def create(
    transaction: Transaction[bytes], name: str, properties: dict[str, str], credentials: PrincipalCredentials
) -> Record:
    """Add a principal. Raises EntityAlreadyExists."""
    fields = {"name": name, "clientId": credentials.client_id, "properties": properties}
    record = records.insert(transaction, principal(name), fields)
    save_credentials(transaction, name, credentials)
    return record


def drop(transaction: Transaction[bytes], name: str) -> None:
    """Drop a principal with its credentials and role assignments. Raises NotFound."""
    records.delete(transaction, principal(name))
    delete_credentials(transaction, name)
    unassign_all(transaction, principal(name))


def rotate(transaction: Transaction[bytes], name: str, hash_: str) -> Record:
    """Rotate the secret of a principal and return its record. Raises NotFound.

    The previous secret stays valid until the next rotation, unless a change was required.
    """
    present = _credentials(transaction, name)
    kept = () if present.rotation_required else present.hashes[:1]
    return _replace(transaction, name, replace(present, hashes=(hash_, *kept), rotation_required=False))


def reset(transaction: Transaction[bytes], name: str, client_id: str | None, hash_: str) -> Record:
    """Reset the secret of a principal, and its client id if one is given; no other secret stays valid.

    Raises NotFound, and EntityAlreadyExists for a client id of another principal.
    """
    present = _credentials(transaction, name)
    changed = replace(present, client_id=client_id or present.client_id, hashes=(hash_,), rotation_required=False)
    return _replace(transaction, name, changed)


def _credentials(transaction: Transaction[bytes], name: str) -> PrincipalCredentials:
    records.load(transaction, principal(name))
    present = find_credentials(transaction, name)
    assert present is not None
    return present


def _replace(transaction: Transaction[bytes], name: str, credentials: PrincipalCredentials) -> Record:
    save_credentials(transaction, name, credentials)
    record = records.load(transaction, principal(name))
    if record["clientId"] == credentials.client_id:
        return record
    return records.update(transaction, principal(name), None, {"clientId": credentials.client_id})
