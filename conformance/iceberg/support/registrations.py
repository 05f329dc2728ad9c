"""Metadata files to register: of dropped tables and views, missing ones, and files written beside others."""

from __future__ import annotations

import gzip
import re
import zlib
from contextlib import suppress
from typing import Any
from uuid import uuid4

from conformance.author.checks import text
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import POLICY
from conformance.iceberg.support.files import Files, LocalFiles, RecordedFiles, unreachable
from conformance.iceberg.support.staging import is_of, stage
from conformance.values.outcomes import Skipped, Unoffered, Violation

PLAIN, GZIPPED = ".metadata.json", ".gz.metadata.json"
CONTROL = "drop_control"  # a table that the run drops to test that its file stays
DROPS, FILES_STAY = "drops of tables", "leave their files"
REFUSED = (400, 403, 404, 422)


class Located(str):
    """Location of a file; `reached` are the files of its storage, None where the run knows of no access to them."""

    reached: Files | None = None

    @property
    def files(self) -> Files:
        """The files of its storage: those of this machine where the run knows of no others."""
        return self.reached or LocalFiles()


def located(location: str, files: Files) -> Located:
    """Return a location together with the files of its storage."""
    result = Located(location)
    result.reached = files
    return result


def files_at(location: str) -> Files:
    """Return the files of a location's storage, those of this machine for a plain string."""
    return location.files if isinstance(location, Located) else LocalFiles()


def file_of(catalog: IcebergCatalog, id: Names) -> str:
    """Return the location of a table's metadata file. Raises Unoffered when the server does not return it."""
    location = catalog.load_table(id).get("metadata-location")
    if not location:
        raise Unoffered("the server does not tell where metadata files are")
    return text(location, "the metadata-location")


def dropped_file(catalog: IcebergCatalog, name: str = "t") -> Located:
    """Create and drop a table and return the location of its metadata file.

    Callers register it under the same name: a server may require the location of tables of this name.
    """
    return drop_table(catalog, catalog.new_table(name))


def drop_table(catalog: IcebergCatalog, id: Names, files: Files | None = None) -> Located:
    """Drop a table and return the location of its metadata file, which is restored if the server deleted it.

    `files` are those of its storage, if the run has reached them before. Raises Blocked where the file cannot be
    reached from here and the server cannot register files of dropped tables.
    """
    kept = None
    with catalog.client.preparing():
        location = Located(file_of(catalog, id))
        with suppress(Unoffered, Skipped):
            location.reached = files or stage(catalog, id).files
            kept = location.files.read(location)
        catalog.drop_table(id)
        catalog.load_table(id, expect=404)
        if kept is not None and not location.files.exists(location):
            location.files.write(location, kept)
    if kept is None:
        check_drops(catalog)
    return location


def check_drops(catalog: IcebergCatalog) -> None:
    """Test once in a run that the file of a dropped table can be registered. Raises Blocked where it cannot."""
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
    """Return a metadata file that the server has registered under this name. Raises Blocked when it rejects it."""
    location, id = dropped_file(catalog, name), catalog.table_id(name)
    catalog.control(lambda: catalog.register_table(id, metadata_location=location))
    return drop_table(catalog, id, location.reached)


def registered_again(catalog: IcebergCatalog, id: Names, location: str) -> Names:
    """Register the metadata file of a table again, unread, and return the new name.

    The table stays where the server registers the file of an existing table. Where it refuses that, the table is
    dropped first and registered under its name. Raises Blocked where it cannot register files of dropped tables either.
    """
    again = catalog.table_id("again")
    if catalog.register_foreign(again, location, expect=(200, *POLICY)).succeeded:
        return again
    check_drops(catalog)
    with catalog.client.preparing():
        catalog.drop_table(id)
    catalog.register_foreign(id, location, expect=200)
    return id


def missing_file(location: str) -> str:
    """Return the location of a missing file beside an existing one, with the same compression suffix."""
    suffix = GZIPPED if location.endswith(GZIPPED) else PLAIN
    return f"{location.rpartition('/')[0]}/99999-{uuid4()}{suffix}"


def later_file(location: str) -> str:
    """Return the location of a file beside another, named like a later version of it."""
    folder, _, name = location.rpartition("/")
    return f"{folder}/{re.sub(r'[0-9]+', '99999', name, count=1)}"


def written_beside(location: str, content: bytes, name: str = "") -> str:
    """Write a file beside another, under a new name by default. Raises Skipped where files cannot be reached."""
    name, files = name or missing_file(location), files_at(location)
    if not files.exists(location):
        raise unreachable()
    files.write(name, gzip.compress(content) if name.endswith(GZIPPED) else content)
    return name


def read_content(location: str) -> bytes:
    """Return the uncompressed content of a metadata file. Raises Skipped where files cannot be reached."""
    content = files_at(location).read(location)
    try:
        return gzip.decompress(content) if location.endswith(GZIPPED) else content
    except (OSError, EOFError, zlib.error):
        raise Violation(f"the metadata file {location} is not compressed by gzip, as its name says") from None


def view_file(catalog: IcebergCatalog) -> tuple[str, Names]:
    """Return the location of a view's metadata file, and the name of a table that does not exist.

    It is the name of the view, which was dropped after a copy of its file was made. Where files cannot be reached, the
    view stays, since a server may delete the file with it, and the name is another one.
    """
    try:
        return dropped_view(catalog, "v")[0], catalog.table_id("v")
    except Unoffered:
        location = catalog.load_view(catalog.table_id("v"))["metadata-location"]
        return text(location, "the metadata-location of the view"), catalog.table_id("w")


def dropped_view(catalog: IcebergCatalog, name: str = "v") -> tuple[str, dict[str, Any]]:
    """Create and drop a view; return the location of a copy of its metadata file, and its metadata."""
    id = catalog.new_view(name, properties={"gc.enabled": "false"})
    with catalog.client.preparing():
        answer = catalog.load_view(id)
        named, metadata = text(answer["metadata-location"], "the metadata-location"), answer["metadata"]
        location = located(named, RecordedFiles(LocalFiles(), catalog.client))
        content = read_content(location)
        if not is_of(content, metadata["view-uuid"]):
            raise unreachable()
        copy = written_beside(location, content)
        catalog.drop_view(id)
    return copy, metadata
