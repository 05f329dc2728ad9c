"""External catalogs, and the files of tables in them as another catalog would have written them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import orjson

from conformance.http.client import Answer, Expected
from conformance.http.operation_client import DECLARED
from conformance.iceberg.client import IcebergClient, in_prefix
from conformance.polaris.catalog import BASE_LOCATION, PolarisCatalog
from conformance.polaris.client import PolarisClient
from conformance.polaris.entities import CATALOG
from conformance.polaris.storage import STORAGES
from conformance.values.outcomes import Unoffered
from specs.identifiers import encode_segment

EXTERNAL = "EXTERNAL"


@dataclass(frozen=True, slots=True)
class Outside:
    """An external catalog with local files, and the operations in it. One table in it has files: see `write`.

    `elsewhere` is a folder of the run's own outside of the catalog, `uuid` that of the table.
    """

    namespace: tuple[str, ...]
    base: str
    elsewhere: str
    uuid: str
    client: PolarisClient
    tables: IcebergClient

    @property
    def table(self) -> tuple[str, ...]:
        """The id of the table that has files."""
        return (*self.namespace, "t")

    @property
    def location(self) -> str:
        """Where the table lies."""
        return "/".join((self.base, *self.table))

    def write(self, metadata: dict[str, Any], version: int = 1, **fields: Any) -> str:
        """Write a metadata file of the table, and return its location; `fields` take the place of others."""
        path = f"{'/'.join(self.table)}/metadata/{version}.metadata.json"
        return self.put(path, {**metadata, "location": self.location, **fields})

    def put(self, path: str, metadata: dict[str, Any]) -> str:
        """Write a metadata file in the catalog, and return its location."""
        file = Path(unquote(urlsplit(self.base).path)) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(orjson.dumps(metadata))
        return f"{self.base}/{path}"

    def notify(self, kind: str, timestamp: Any, location: str, *, expect: Expected = DECLARED) -> Answer:
        """Tell the catalog what happened to a table."""
        payload = {
            "table-name": self.table[-1],
            "timestamp": timestamp,
            "table-uuid": self.uuid,
            "metadata-location": location,
        }
        body = {"notification-type": kind, "payload": payload}
        path = {"namespace": self.namespace, "table": self.table[-1]}
        return self.client.send("sendNotification", path, body, expect=expect)


def new_outside(catalog: PolarisCatalog, **properties: str) -> tuple[Outside, dict[str, Any]]:
    """Make an external catalog; return it, and metadata of a table. Raises Unoffered where no files can be written."""
    if catalog.storage is not STORAGES["FILE"]:
        raise Unoffered("the server takes no catalogs on files of this machine")
    with catalog.client.preparing():
        metadata = dict(catalog.tables.metadata(catalog.tables.new_table()))
        (name,) = catalog.new(CATALOG, type=EXTERNAL, properties=properties)
        base = str(catalog.get(CATALOG, (name,))["properties"][BASE_LOCATION])
    client = catalog.client.located(in_prefix(encode_segment(name)))
    namespace, elsewhere = (catalog.target.new_name(),), catalog.storage.base(catalog.target, catalog.target.new_name())
    identity = str(metadata["table-uuid"])
    outside = Outside(namespace, base, elsewhere, identity, PolarisClient(client), catalog.within(name))
    return outside, metadata


def readable(catalog: PolarisCatalog, outside: Outside, location: str) -> None:
    """Make sure that the server can read a file: it registers it, and forgets it again. Raises Blocked if not."""

    def register() -> None:
        seen = catalog.target.new_name()
        outside.tables.create_namespace((seen,))
        outside.tables.register_table((seen, "r"), location)
        outside.tables.drop_table((seen, "r"))

    catalog.control(register)
