"""Which files go when a table is purged: all that its metadata reach, as Iceberg's Java library does it.

Where a table lies in a directory that the server itself gave it, the directory is nobody else's and goes
as a whole. Elsewhere files go that the metadata, their manifest lists and manifests name: those of metadata
wherever they are, those of data below the table's location and in the warehouses of this server. Data that other
tables may share, which `gc.enabled` says, stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from reference_server.errors import FileNotFound, InvalidInput, PermissionDenied, ServiceUnavailable
from reference_server.iceberg.catalog.catalog import Change
from reference_server.iceberg.catalog.results import STATISTICS
from reference_server.iceberg.catalog.warehouses import local_path, origin
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.files.metadata_files import MetadataFile
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.scans.manifests import Manifest, Manifests
from reference_server.iceberg.scans.partitions import bound_specs

GARBAGE_COLLECTION = "gc.enabled"
UNREADABLE = (FileNotFound, InvalidInput, PermissionDenied, ServiceUnavailable)


async def purge(context: IcebergContext, change: Change, file: MetadataFile) -> None:
    """Let a change delete the files of a table after its commit. Files that cannot be read are skipped."""
    metadata, services = file.metadata, context.services
    shared = metadata["properties"].get(GARBAGE_COLLECTION, "true").lower() == "false"
    manifests = await context.run(_manifests, services.scans.manifests, metadata)
    if not shared:
        places = [metadata["location"], *(warehouse.uri for warehouse in services.warehouses.values())]
        data = await context.run(_data_files, services.scans.manifests, metadata, manifests)
        change.old_files += [path for path in data if _is_in(path, places)]
    change.old_files += [manifest.path for manifest in manifests]
    change.old_files += _named_files(metadata)
    change.old_files += [*(entry["metadata-file"] for entry in metadata["metadata-log"]), file.location]
    if not shared and context.warehouse.is_own(metadata["location"]):
        change.old_trees.append(metadata["location"])


def _named_files(metadata: Json) -> list[str]:
    lists = [snapshot["manifest-list"] for snapshot in metadata["snapshots"] if "manifest-list" in snapshot]
    return lists + [file["statistics-path"] for key in STATISTICS for file in metadata.get(key, ())]


def _manifests(manifests: Manifests, metadata: Json) -> list[Manifest]:
    """Return the manifests of all snapshots, each once."""
    by_path: dict[str, Manifest] = {}
    for snapshot in metadata["snapshots"]:
        with suppress(*UNREADABLE):
            by_path |= {manifest.path: manifest for manifest in manifests.of_snapshot(snapshot)}
    return list(by_path.values())


def _data_files(manifests: Manifests, metadata: Json, listed: Iterable[Manifest]) -> list[str]:
    """Return the data and delete files in manifests, each once; also those that a snapshot has deleted."""
    specs = bound_specs(metadata)

    def read() -> Iterator[str]:
        for manifest in listed:
            with suppress(*UNREADABLE):
                yield from (file.path for file in manifests.files(manifest, specs))

    return list(dict.fromkeys(read()))


def _is_in(location: str, places: Iterable[str]) -> bool:
    """Return whether a file is below one of these places."""
    with suppress(InvalidInput, OSError, RuntimeError):
        path = local_path(location)
        if path is not None:
            real = path.resolve()
            folders = (local_path(place) for place in places)
            return any(folder is not None and real.is_relative_to(folder.resolve()) for folder in folders)
        return any(
            local_path(place) is None and _normalized(location).startswith(f"{_normalized(place).rstrip('/')}/")
            for place in places
        )
    return False


def _normalized(location: str) -> str:
    """Return a remote location in the one spelling that it has here."""
    return f"{origin(location)}/{location.partition('://')[2].partition('/')[2]}"
