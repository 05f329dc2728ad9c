"""Catalogs in requirements: with a chosen storage or connection, and external ones with the files of a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from conformance.author.checks import text
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.http.operation_client import DECLARED
from conformance.iceberg.client import IcebergClient, in_prefix
from conformance.polaris.catalog import BASE_LOCATION, PolarisCatalog
from conformance.polaris.client import PolarisClient
from conformance.polaris.entities import CATALOG, Names
from conformance.polaris.storage import NOWHERE, OAUTH, STORAGES, StorageType
from conformance.target.local_files import local_path
from conformance.values.outcomes import Unoffered
from specs.identifiers import encode_segment

EXTERNAL = "EXTERNAL"


def offered(catalog: PolarisCatalog, storage: StorageType, **fields: Any) -> Names:
    """Create a catalog on a storage type and return its id. Raises Unoffered if the server rejects the type."""
    id = catalog.id(CATALOG)
    value = catalog.value(CATALOG, id, storage=storage, **fields)
    with catalog.client.preparing():
        if catalog.create(CATALOG, id, value, expect=(201, 400)).status == 400:
            raise Unoffered(f"the server does not take catalogs on {storage.id}")
    return id


def changed(value: dict[str, Any], **config: Any) -> dict[str, Any]:
    """Return the body of a catalog with a changed storage configuration; None removes a field."""
    merged = {**value["storageConfigInfo"], **config}
    return {**value, "storageConfigInfo": {name: item for name, item in merged.items() if item is not None}}


def configured(catalog: PolarisCatalog, storage: StorageType, **config: Any) -> tuple[Names, dict[str, Any]]:
    """Return an id and the body of a catalog on a storage type, with its configuration changed as by `changed`.

    Raises Unoffered if the server rejects the type without the change.
    """
    offered(catalog, storage)
    id = catalog.id(CATALOG)
    return id, changed(catalog.value(CATALOG, id, storage=storage), **config)


def connected(
    value: dict[str, Any], connection: dict[str, Any], authentication: dict[str, Any] = OAUTH
) -> dict[str, Any]:
    """Return the body of a catalog as an external one with a connection to its source."""
    reached = {**connection, "uri": NOWHERE, "properties": {"a": "1"}, "authenticationParameters": authentication}
    return {**value, "type": EXTERNAL, "connectionConfigInfo": reached}


def refused(catalog: PolarisCatalog, id: Names, value: Any, status: Expected = 400) -> None:
    """Check that createCatalog rejects a body and creates nothing."""
    catalog.create(CATALOG, id, value, expect=status)
    catalog.get(CATALOG, id, expect=404)


@dataclass(frozen=True, slots=True)
class ExternalCatalog:
    """External catalog on local files, with clients of its operations.

    `write` writes metadata files of its only table, whose UUID is `uuid`. `folder` is the folder at the location
    `base`, `elsewhere` the location of a folder of the run outside the catalog.
    """

    namespace: tuple[str, ...]
    base: str
    folder: Path
    elsewhere: str
    uuid: str
    client: PolarisClient
    tables: IcebergClient

    @property
    def table(self) -> tuple[str, ...]:
        """The id of the table with files."""
        return (*self.namespace, "t")

    @property
    def location(self) -> str:
        """The location of the table."""
        return "/".join((self.base, *self.table))

    def write(self, metadata: dict[str, Any], version: int = 1, **fields: Any) -> str:
        """Write a metadata file of the table with `fields` replaced, and return the location of the file."""
        path = f"{'/'.join(self.table)}/metadata/{version}.metadata.json"
        return self.put(path, {**metadata, "location": self.location, **fields})

    def put(self, path: str, metadata: dict[str, Any]) -> str:
        """Write a metadata file at a path inside the catalog, and return its location."""
        file, content = self.folder / path, orjson.dumps(metadata)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        self.client.client.note_beside("wrote", f"{self.base}/{path}", content)
        return f"{self.base}/{path}"

    def notify(self, kind: str, timestamp: Any, location: str, *, expect: Expected = DECLARED) -> Answer:
        """Send a notification about the table."""
        payload = {
            "table-name": self.table[-1],
            "timestamp": timestamp,
            "table-uuid": self.uuid,
            "metadata-location": location,
        }
        body = {"notification-type": kind, "payload": payload}
        path = {"namespace": self.namespace, "table": self.table[-1]}
        return self.client.send("sendNotification", path, body, expect=expect)


def new_outside(catalog: PolarisCatalog, **properties: str) -> tuple[ExternalCatalog, dict[str, Any]]:
    """Create an external catalog; return it and metadata for its table. Raises Unoffered without local files."""
    if catalog.storage is not STORAGES["FILE"]:
        raise Unoffered("the server takes no catalogs on files of this machine")
    with catalog.client.preparing():
        metadata = dict(catalog.tables.metadata(catalog.tables.new_table()))
        (name,) = catalog.new(CATALOG, type=EXTERNAL, properties=properties)
        base = text(catalog.get(CATALOG, (name,))["properties"][BASE_LOCATION], "the base location of the catalog")
    folder = own_folder(base, catalog.target.prefix)
    client = catalog.client.located(in_prefix(encode_segment(name)))
    namespace, elsewhere = (catalog.target.new_name(),), catalog.storage.base(catalog.target, catalog.target.new_name())
    identity = str(metadata["table-uuid"])
    tables = catalog.within(name)
    return ExternalCatalog(namespace, base, folder, elsewhere, identity, PolarisClient(client), tables), metadata


def own_folder(location: str, prefix: str) -> Path:
    """Return the folder of the run at a location that a server returned. Raises Unoffered for any other location.

    `prefix` is that of the run: every folder that the run may write has it in its path.
    """
    folder = local_path(location)
    if folder is None or ".." in folder.parts or prefix not in str(folder):
        raise Unoffered(f"the catalog lies at {location}, which is no folder of the run")
    return folder


def readable(catalog: PolarisCatalog, outside: ExternalCatalog, location: str) -> None:
    """Register a metadata file and drop the table again. Raises Blocked when the server cannot read the file."""

    def register() -> None:
        seen = catalog.target.new_name()
        outside.tables.create_namespace((seen,))
        outside.tables.register_table((seen, "r"), location)
        outside.tables.drop_table((seen, "r"))

    catalog.control(register)
