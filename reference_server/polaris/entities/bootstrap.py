"""Bootstrap: initial entities of a storage, written in one commit.

The principal `root` has the principal role `service_admin`, which has SERVICE_MANAGE_ACCESS on everything. Each catalog
is created with a role `catalog_admin`.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from functools import cached_property

from reference_server.polaris.entities import records
from reference_server.polaris.entities.assignments import assign
from reference_server.polaris.entities.credentials import PrincipalCredentials, hashed, new_identity, save_credentials
from reference_server.polaris.entities.grants import grant
from reference_server.polaris.entities.keys import SIGNING_KEY
from reference_server.polaris.securables import ROOT, principal, principal_role
from reference_server.storage import CommitConflict, Storage
from reference_server.storage.transactions import Transaction

ROOT_PRINCIPAL, SERVICE_ADMIN, CATALOG_ADMIN = "root", "service_admin", "catalog_admin"
SERVICE_PRIVILEGE = "SERVICE_MANAGE_ACCESS"
CATALOG_ADMIN_PRIVILEGES = ("CATALOG_MANAGE_ACCESS", "CATALOG_MANAGE_METADATA")


@dataclass(frozen=True)
class RootCredentials:
    """Client id and secret of root after a bootstrap; all tenants of a server have the same."""

    client_id: str
    secret: str

    @cached_property
    def hashed_secret(self) -> str:
        """The stored form of the secret; hashing takes long on purpose."""
        return hashed(self.secret)

    def __repr__(self) -> str:
        return f"RootCredentials({self.client_id!r}, ...)"


async def bootstrap(storage: Storage[bytes], credentials: RootCredentials, *, federated_roles: bool) -> bool:
    """Write the initial entities unless they exist; return whether they were written."""
    if storage.get(SIGNING_KEY) is not None:
        return False
    transaction = Transaction(storage)
    root, admin = principal(ROOT_PRINCIPAL), principal_role(SERVICE_ADMIN)
    transaction.get(SIGNING_KEY)
    transaction.put(SIGNING_KEY, secrets.token_bytes(32))
    records.insert(transaction, root, {"name": ROOT_PRINCIPAL, "clientId": credentials.client_id, "properties": {}})
    federated = {"federated": False} if federated_roles else {}
    records.insert(transaction, admin, {"name": SERVICE_ADMIN, **federated, "properties": {}})
    stored = PrincipalCredentials(new_identity(), credentials.client_id, (credentials.hashed_secret,))
    save_credentials(transaction, ROOT_PRINCIPAL, stored)
    assign(transaction, root, admin)
    grant(transaction, admin, ROOT, SERVICE_PRIVILEGE)
    try:
        await transaction.commit()
    except CommitConflict:  # another process was first
        return False
    return True
