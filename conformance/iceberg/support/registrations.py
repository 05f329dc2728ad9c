"""Metadata files to register: of tables that were dropped, missing ones, and what lies beside a table."""

from __future__ import annotations

import gzip
import zlib
from contextlib import suppress
from uuid import uuid4

from conformance.checks import text
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.files import UNREACHABLE, Files, LocalFiles
from conformance.iceberg.support.staging import stage
from conformance.outcomes import Unoffered, Violation

TAKEN = "AlreadyExistsException"
PLAIN, GZIPPED = ".metadata.json", ".gz.metadata.json"
REFUSED = (400, 403, 404, 422)


class Located(str):
    """The location of a file, and the files of the storage where it lies."""

    files: Files = LocalFiles()


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
    """Drop a table and return its metadata file, put back where the server deletes it."""
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
    return location


def registered_before(catalog: IcebergCatalog, name: str = "t") -> Located:
    """Return a metadata file that the server was seen to register under this name. Raises Blocked when it does not."""
    location, id = dropped_file(catalog, name), catalog.table_id(name)
    catalog.control(lambda: catalog.register_table(id, metadata_location=location))
    return drop_table(catalog, id)


def missing_file(location: str) -> str:
    """Return the location of a file beside another that is not there, compressed as that one is."""
    suffix = GZIPPED if location.endswith(GZIPPED) else PLAIN
    return f"{location.rpartition('/')[0]}/99999-{uuid4()}{suffix}"


def written_beside(location: str, content: bytes) -> str:
    """Write a file beside another. Raises Unoffered where files cannot be reached."""
    name, files = missing_file(location), files_at(location)
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
