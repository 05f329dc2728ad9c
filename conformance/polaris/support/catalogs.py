"""Catalogs as requirements on their storage make them."""

from __future__ import annotations

from typing import Any

from conformance.client import Expected
from conformance.outcomes import Unoffered
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG, Names
from conformance.polaris.storage import Storage


def offered(catalog: PolarisCatalog, storage: Storage, **fields: Any) -> Names:
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
    return {**value, "storageConfigInfo": {name: one for name, one in merged.items() if one is not None}}


def refused(catalog: PolarisCatalog, id: Names, value: Any, status: Expected = 400) -> None:
    """Check that a catalog is refused and not made."""
    catalog.create(CATALOG, id, value, expect=status)
    catalog.get(CATALOG, id, expect=404)
