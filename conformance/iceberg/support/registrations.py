"""Metadata files to register: of tables that were dropped, missing ones, and what lies beside a table."""

from __future__ import annotations

import gzip
import re
import zlib
from contextlib import suppress
from typing import Any
from uuid import uuid4

from conformance.author.checks import text
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.files import UNREACHABLE, Files, LocalFiles
from conformance.iceberg.support.staging import stage
from conformance.values.outcomes import Unoffered, Violation

TAKEN = "AlreadyExistsException"
PLAIN, GZIPPED = ".metadata.json", ".gz.metadata.json"
CONTROL = "control"  # a table that is dropped to see whether its file stays
DROPS, FILES_STAY = "drops of tables", "leave their files"
REFUSED = (400, 403, 404, 422)


class Located(str):
    """The location of a file, and the files of the storage where it lies."""

    files: Files = LocalFiles()


def located(location: str, files: Files) -> Located:
    """Return a location with the files of the storage where it lies."""
    result = Located(location)
    result.files = files
    return result


def files_at(location: str) -> Files:
    """Return the files of the storage where a file lies: those of this machine unless it is known better."""
    return location.files if isinstance(location, Located) else LocalFiles()


def file_of(catalog: IcebergCatalog, id: Names) -> str:
    """Return the metadata file of a table. Raises Unoffered when the server does not tell it."""
    location = catalog.load_table(id).get("metadata-location")
    if not location:
        raise Unoffered("the server does not tell where metadata files are")
    return text(location, "the metadata-location")


def dropped_file(catalog: IcebergCatalog, name: str = "t") -> Located:
    """Return the metadata file of a table that was dropped.

    It is to be registered under the same name: a server may want that files lie where its tables of this name do.
    """
    return drop_table(catalog, catalog.new_table(name))


def drop_table(catalog: IcebergCatalog, id: Names) -> Located:
    """Drop a table and return its metadata file, put back where the server deletes it.

    Raises Blocked where the file cannot be reached from here, and is not there for the server either.
    """
    kept = None
    with catalog.client.preparing():
        location = Located(file_of(catalog, id))
        with suppress(Unoffered):
            location.files = stage(catalog, id).files
            kept = location.files.read(location)
        catalog.drop_table(id)
        catalog.load_table(id, expect=404)
        if kept is not None and not location.files.exists(location):
            location.files.write(location, kept)
    if kept is None:
        _check_drops(catalog)
    return location


def _check_drops(catalog: IcebergCatalog) -> None:
    """See once in a run that the file of a dropped table can be registered. Raises Blocked where it cannot."""
    if catalog.target.capabilities.get(DROPS) == FILES_STAY:
        return
    with catalog.client.preparing():
        id = catalog.new_table(CONTROL)
        location = file_of(catalog, id)
        catalog.drop_table(id)
        catalog.register_table(id, metadata_location=location)
        catalog.drop_table(id)
    catalog.target.capabilities[DROPS] = FILES_STAY


def registered_before(catalog: IcebergCatalog, name: str = "t") -> Located:
    """Return a metadata file that the server was seen to register under this name. Raises Blocked when it does not."""
    location, id = dropped_file(catalog, name), catalog.table_id(name)
    catalog.control(lambda: catalog.register_table(id, metadata_location=location))
    return drop_table(catalog, id)


def missing_file(location: str) -> str:
    """Return the location of a file beside another that is not there, compressed as that one is."""
    suffix = GZIPPED if location.endswith(GZIPPED) else PLAIN
    return f"{location.rpartition('/')[0]}/99999-{uuid4()}{suffix}"


def later_file(location: str) -> str:
    """Return the location of a file beside another that is called like the next of them, but for its number."""
    folder, _, name = location.rpartition("/")
    return f"{folder}/{re.sub(r'[0-9]+', '99999', name, count=1)}"


def written_beside(location: str, content: bytes, name: str = "") -> str:
    """Write a file beside another, by default under a new name. Raises Unoffered where files cannot be reached."""
    name, files = name or missing_file(location), files_at(location)
    if not files.exists(location):
        raise Unoffered(UNREACHABLE)
    files.write(name, gzip.compress(content) if name.endswith(GZIPPED) else content)
    return name


def read_content(location: str) -> bytes:
    """Return the content of a metadata file. Raises Unoffered where files cannot be reached."""
    content = files_at(location).read(location)
    try:
        return gzip.decompress(content) if location.endswith(GZIPPED) else content
    except (OSError, EOFError, zlib.error):
        raise Violation(f"the metadata file {location} is not compressed by gzip, as its name says") from None


def dropped_view(catalog: IcebergCatalog, name: str = "v") -> tuple[str, dict[str, Any]]:
    """Return a copy of the metadata file of a view, and its metadata; the view is gone, its own file may be too."""
    id = catalog.new_view(name, properties={"gc.enabled": "false"})
    with catalog.client.preparing():
        answer = catalog.load_view(id)
        location, metadata = answer["metadata-location"], answer["metadata"]
        copy = written_beside(str(location), read_content(str(location)))
        catalog.drop_view(id)
    return copy, metadata
