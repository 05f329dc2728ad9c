"""What the requests to one warehouse share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reference_server.auth import Auth
from reference_server.iceberg.catalog.catalog import Follower
from reference_server.iceberg.catalog.kept import Kept
from reference_server.iceberg.catalog.location_rules import LocationRules
from reference_server.iceberg.catalog.names import Path
from reference_server.iceberg.catalog.warehouses import AllowedLocations, Warehouse
from reference_server.iceberg.dialects import Dialect
from reference_server.iceberg.files.metadata_files import MetadataFiles
from reference_server.iceberg.metadata.format_versions import NEWEST
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.scans.plans import ScanServices
from reference_server.storage import Storage
from specs.openapi import Document

if TYPE_CHECKING:
    from reference_server.iceberg.context import IcebergContext

Lock = tuple[str, Path]
Locks = MutableMapping[Lock, asyncio.Lock]
Credential = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Access:
    """How clients get at the files of a table; both are functions of a request, a table and its metadata.

    `fields` are those to add to an answer that shows the table, `credentials` what loadCredentials answers.
    """

    fields: Callable[[IcebergContext, Path, Json], dict[str, Any]]
    credentials: Callable[[IcebergContext, Path, Json], list[Credential]]


@dataclass(frozen=True)
class Services:
    """What requests to a `warehouse` share; `warehouses` are those that a client may ask for, the default one first.

    `handled` are the operations served, `dialect` says how commits of the document are meant. `dummy_key_secret` is
    what dummy keys follow from, `scans` what scan plans share, `planners` the threads that make them, `kept`
    what is kept for a time, `followers` what changes with the catalog.
    """

    document: Document
    storage: Storage[bytes]
    auth: Auth
    locks: Locks
    handled: frozenset[str]
    dialect: Dialect
    page_size: int
    dummy_key_secret: bytes
    warehouse: Warehouse
    warehouses: Mapping[str, Warehouse]
    allowed: AllowedLocations
    locations: LocationRules
    access: Access
    files: MetadataFiles
    scans: ScanServices
    planners: Executor
    kept: Kept
    followers: Sequence[Follower]

    @cached_property
    def newest_format(self) -> int:
        """The newest format version that tables have by the document."""
        fields = self.document.raw["components"]["schemas"]["TableMetadata"]["properties"]
        return int(fields["format-version"].get("maximum", NEWEST))

    @cached_property
    def default_warehouse(self) -> Warehouse:
        """The warehouse of paths without a prefix."""
        return next(iter(self.warehouses.values()))
