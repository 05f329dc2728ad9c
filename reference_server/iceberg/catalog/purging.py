"""Purging of tables: deletes the files below a table's location that its metadata reach, and the metadata file.

A name alone is no reason to delete a file, see own_files.py. A folder that the server gave to the table is deleted as a
whole, unless it contains metadata of another table. Data that other tables may share (`gc.enabled` is false) stay.
Purging deletes nothing of a table that shares its place with another one, see location_index.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress

from reference_server.errors import InvalidInput, PermissionDenied, ServiceUnavailable
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.own_files import own_files
from reference_server.iceberg.catalog.results import STATISTICS
from reference_server.iceberg.catalog.warehouses import local_path
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.errors import FileNotFound
from reference_server.iceberg.files.metadata_files import MetadataFile
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.scans.manifests import ManifestFile, Manifests
from reference_server.iceberg.scans.partitions import bound_specs

METADATA_SUFFIX = ".metadata.json"
GARBAGE_COLLECTION = "gc.enabled"
UNREADABLE = (FileNotFound, InvalidInput, PermissionDenied, ServiceUnavailable)


async def purge(context: IcebergContext, change: WarehouseChange, file: MetadataFile) -> None:
    """Add the deletion of a table's files to a change, for after its commit. Unreadable files are skipped."""
    metadata, services = file.metadata, context.services
    shared = metadata["properties"].get(GARBAGE_COLLECTION, "true").lower() == "false"
    manifests = await context.run(_manifests, services.scans.manifests, metadata)
    data = [] if shared else await context.run(_data_files, services.scans.manifests, metadata, manifests)
    log = [entry["metadata-file"] for entry in metadata["metadata-log"]]
    named = [*data, *(manifest.path for manifest in manifests), *_named_files(metadata), *log]
    change.old_files += await context.run(own_files, context, metadata["location"], named)
    change.old_files.append(file.location)
    if not shared and context.warehouse.is_own(metadata["location"]):
        known = {*log, file.location}
        if await context.run(_is_alone, metadata["location"], known):
            change.old_trees.append(metadata["location"])


def _is_alone(location: str, known: Collection[str]) -> bool:
    """Return whether all metadata files below a local location are `known`, which are those of one table."""
    path = local_path(location)
    if path is None:
        return True
    mine = {local_path(file) for file in known if local_path(file) is not None}
    return all(file in mine for file in path.rglob(f"*{METADATA_SUFFIX}"))


def _named_files(metadata: Json) -> list[str]:
    lists = [snapshot["manifest-list"] for snapshot in metadata["snapshots"] if "manifest-list" in snapshot]
    return lists + [file["statistics-path"] for key in STATISTICS for file in metadata.get(key, ())]


def _manifests(manifests: Manifests, metadata: Json) -> list[ManifestFile]:
    """Return the manifests of all snapshots, each once."""
    by_path: dict[str, ManifestFile] = {}
    for snapshot in metadata["snapshots"]:
        with suppress(*UNREADABLE):
            by_path |= {manifest.path: manifest for manifest in manifests.of_snapshot(snapshot)}
    return list(by_path.values())


def _data_files(manifests: Manifests, metadata: Json, listed: Iterable[ManifestFile]) -> list[str]:
    """Return the data and delete files in manifests, each once, including those that a snapshot has deleted."""
    specs = bound_specs(metadata)

    def read() -> Iterator[str]:
        for manifest in listed:
            with suppress(*UNREADABLE):
                yield from (file.path for file in manifests.files(manifest, specs))

    return list(dict.fromkeys(read()))
