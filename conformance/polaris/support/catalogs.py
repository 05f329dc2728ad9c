"""Catalogs as requirements on their storage make them."""

from __future__ import annotations

from typing import Any

from conformance.http.client import Expected
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG, Names
from conformance.polaris.storage import NOWHERE, OAUTH, StorageType
from conformance.values.outcomes import Unoffered


def offered(catalog: PolarisCatalog, storage: StorageType, **fields: Any) -> Names:
    """Make a catalog with a type of storage. Raises Unoffered where the server does not take that type."""
    id = catalog.id(CATALOG)
    value = catalog.value(CATALOG, id, storage=storage, **fields)
    with catalog.client.preparing():
        if catalog.create(CATALOG, id, value, expect=(201, 400)).status == 400:
            raise Unoffered(f"the server does not take catalogs on {storage.id}")
    return id


def changed(value: dict[str, Any], **config: Any) -> dict[str, Any]:
    """Return a catalog with another storage configuration; a field of None is left out."""
    merged = {**value["storageConfigInfo"], **config}
    return {**value, "storageConfigInfo": {name: item for name, item in merged.items() if item is not None}}


def configured(catalog: PolarisCatalog, storage: StorageType, **config: Any) -> tuple[Names, dict[str, Any]]:
    """Return an id and a catalog with a type of storage that is configured otherwise, see `changed`.

    Raises Unoffered where the server does not take that type.
    """
    offered(catalog, storage)
    id = catalog.id(CATALOG)
    return id, changed(catalog.value(CATALOG, id, storage=storage), **config)


def connected(
    value: dict[str, Any], connection: dict[str, Any], authentication: dict[str, Any] = OAUTH
) -> dict[str, Any]:
    """Return a catalog as an external one, which is reached by a connection."""
    reached = {**connection, "uri": NOWHERE, "properties": {"a": "1"}, "authenticationParameters": authentication}
    return {**value, "type": "EXTERNAL", "connectionConfigInfo": reached}


def refused(catalog: PolarisCatalog, id: Names, value: Any, status: Expected = 400) -> None:
    """Check that a catalog is refused and not made."""
    catalog.create(CATALOG, id, value, expect=status)
    catalog.get(CATALOG, id, expect=404)
