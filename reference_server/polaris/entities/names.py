"""Existence of named objects."""

from __future__ import annotations

from reference_server.errors import NamespaceNotFound, NotFound, TableNotFound
from reference_server.iceberg.errors import ViewNotFound
from reference_server.polaris.entities.keys import existence_keys
from reference_server.polaris.errors import policy_not_found
from reference_server.polaris.securables import Securable, SecurableType
from reference_server.storage import Readable

MISSING: dict[SecurableType, type[NotFound]] = {
    SecurableType.NAMESPACE: NamespaceNotFound,
    SecurableType.TABLE: TableNotFound,
    SecurableType.VIEW: ViewNotFound,
}


def exists(store: Readable[bytes], securable: Securable) -> bool:
    """Return whether a securable exists; the root always does."""
    keys = existence_keys(securable)
    return not keys or any(store.get(key) is not None for key in keys)


def require(store: Readable[bytes], securable: Securable) -> None:
    """Raise NotFound, with the type that clients recognize, for a missing securable."""
    if not exists(store, securable):
        if securable.kind is SecurableType.POLICY:
            raise policy_not_found(securable.path)
        label = securable.kind.replace("-", " ").capitalize()
        raise MISSING.get(securable.kind, NotFound)(f"{label} does not exist: {securable.name:.300}")
