"""Dummy credentials for clients that access the files of a table, in the form of each storage.

A client requests them in X-Iceberg-Access-Delegation. Each type of storage has its own names for them. Local files need
none. The first revision adds them to the settings of a table; later ones also list their location, their expiry, and an
endpoint to refresh them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.delegation import VENDED, dummy_keys, path_of
from reference_server.iceberg.catalog.names import Path, show
from reference_server.iceberg.context import Access, Credential, IcebergContext
from reference_server.iceberg.files.buckets import Keys
from reference_server.iceberg.metadata.reading import Json
from reference_server.polaris.catalog.served import FILE, ServedCatalog, served_catalog

Config = dict[str, str]
REFRESH = "loadCredentials"
REFRESHED_AT = {
    "S3": "client.refresh-credentials-endpoint",
    "GCS": "gcs.oauth2.refresh-credentials-endpoint",
    "AZURE": "adls.refresh-credentials-endpoint",
}


def can_vend(catalog: ServedCatalog) -> bool:
    """Return whether a catalog can vend credentials: the storage configuration may disable it."""
    return catalog.storage_type != FILE and not catalog.storage.get("stsUnavailable")


def credentials_for(context: IcebergContext, location: str, owner: str) -> Config:
    """Return the settings for access to a location; `owner` identifies the table."""
    catalog = served_catalog(context)
    if not can_vend(catalog):
        return {}
    end = context.end_of_credentials()
    keys = dummy_keys(context.services.dummy_key_secret, f"{location}\0{owner}", end)
    return VENDED_FORMS[catalog.storage_type](catalog, keys, location, str(end * 1000))


def _credentials(context: IcebergContext, path: Path, metadata: Json) -> list[Credential]:
    catalog, location = served_catalog(context), metadata["location"]
    config = credentials_for(context, location, metadata["table-uuid"])
    if not config:
        return []
    if REFRESH in context.services.handled:
        config[REFRESHED_AT[catalog.storage_type]] = path_of(context, REFRESH, path)
    return [{"prefix": location, "config": config}]


def _fields(context: IcebergContext, path: Path, metadata: Json, ways: Sequence[str]) -> dict[str, Any]:
    """Return the storage fields of an answer that shows a table, with credentials if the request asks for them."""
    if VENDED not in ways:
        return {"config": {}}
    catalog = served_catalog(context)
    credentials = _credentials(context, path, metadata)
    config = credentials[0]["config"] if credentials else {}
    return {"config": config, **({"storage-credentials": credentials} if catalog.rules.lists_credentials else {})}


def require_vending(context: IcebergContext, path: Path) -> None:
    """Raise InvalidInput for a request for credentials of a table that the catalog cannot vend."""
    catalog = served_catalog(context)
    if catalog.storage_type != FILE and not can_vend(catalog):
        raise InvalidInput(
            f"Credential vending was requested for table {show(path):.300}, but no credentials are available"
        )


def _s3(catalog: ServedCatalog, keys: Keys, _location: str, end: str) -> Config:
    config = {"s3.access-key-id": keys.id, "s3.secret-access-key": keys.secret, "s3.session-token": keys.token}
    storage = catalog.storage
    if storage.get("region"):
        config |= {"client.region": storage["region"], "s3.region": storage["region"]}
    if storage.get("endpoint"):
        config["s3.endpoint"] = storage["endpoint"]
    if storage.get("pathStyleAccess"):
        config["s3.path-style-access"] = "true"
    return config | ({"s3.session-token-expires-at-ms": end} if catalog.rules.lists_credentials else {})


def _gcs(_catalog: ServedCatalog, keys: Keys, _location: str, end: str) -> Config:
    return {"gcs.oauth2.token": keys.token, "gcs.oauth2.token-expires-at": end}


def _azure(catalog: ServedCatalog, keys: Keys, location: str, end: str) -> Config:
    host = urlsplit(location).hostname or ""
    config = {f"adls.sas-token.{host}": keys.token}
    return config | ({f"adls.sas-token-expires-at-ms.{host}": end} if catalog.rules.lists_credentials else {})


VENDED_FORMS: dict[str, Callable[[ServedCatalog, Keys, str, str], Config]] = {
    "S3": _s3,
    "GCS": _gcs,
    "AZURE": _azure,
}
ACCESS = Access(_fields, _credentials)
