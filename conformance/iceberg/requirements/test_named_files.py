"""Metadata files that answers name: those of views, and the earlier ones in the log of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import orjson

from conformance.author.checks import equal, holds, text
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import COMMIT
from conformance.iceberg.support.files import Files
from conformance.iceberg.support.metadata import previous_files, properties_of
from conformance.iceberg.support.registrations import located, read_content
from conformance.iceberg.support.staging import stage
from conformance.iceberg.support.updates import TOUCH, set_properties
from conformance.values.outcomes import Unoffered, Violation

FILE = "metadata-location"


@dataclass(frozen=True, slots=True)
class ViewWrite:
    """Operation after which a view has a metadata file. `send` returns the view."""

    id: str
    send: Callable[[IcebergCatalog], Names]


def _create(catalog: IcebergCatalog) -> Names:
    return catalog.new_view()


def _replace(catalog: IcebergCatalog) -> Names:
    id = catalog.new_view()
    catalog.replace_view(id, [set_properties(touched="1")])
    return id


def _rename(catalog: IcebergCatalog) -> Names:
    id, other = catalog.new_view(), catalog.table_id("renamed")
    catalog.rename_view(id, other)
    return other


VIEW_WRITES = {
    "create_view": ViewWrite("createView", _create),
    "replace_view": ViewWrite("replaceView", _replace),
    "rename_view": ViewWrite("renameView", _rename),
}


def _reached(catalog: IcebergCatalog) -> tuple[Files, str]:
    """Return the files of the tables' storage, and a location there. Raises Skipped where they cannot be reached."""
    control = catalog.new_table("control")
    with catalog.client.preparing():
        staged = stage(catalog, control)
    return staged.files, staged.location


def _scheme(location: str) -> str:
    """Return the scheme of a location, "file" for a path."""
    return urlsplit(location).scheme or "file"


@must("iceberg.file.{}", operations=lambda case: [case.id, "loadView"], clause="view-file-true", each=VIEW_WRITES)
def test_file_has_the_metadata_of_a_view(catalog: IcebergCatalog, case: ViewWrite) -> None:
    """After {}, the file at the metadata-location of loadView contains the metadata that loadView returns."""
    files, place = _reached(catalog)
    loaded = catalog.load_view(case.send(catalog))
    location, own = text(loaded[FILE], FILE), loaded["metadata"]
    if _scheme(location) != _scheme(place):
        raise Unoffered("views have another storage than tables")
    holds(files.exists(location), f"the file {location} exists")
    try:
        stored = orjson.loads(read_content(located(location, files)))
    except orjson.JSONDecodeError:
        raise Violation(f"the file {location} is not valid JSON") from None
    equal(str(stored.get("view-uuid")).lower(), str(own["view-uuid"]).lower(), "the view-uuid in the file")
    for name in ("current-version-id", "format-version"):
        equal(stored.get(name), own[name], f"the {name} in the file")
    equal(properties_of(stored).get("touched"), properties_of(own).get("touched"), 'the property "touched" in the file')


@should("iceberg.file.log", operations=[*COMMIT, "loadTable"], clause="metadata-log-files")
def test_logged_files_exist(catalog: IcebergCatalog) -> None:
    """After several commits, every file in the metadata-log of a table exists."""
    files, place = _reached(catalog)
    id = catalog.new_table()
    for number in range(3):
        catalog.update_table(id, [TOUCH, set_properties(number=str(number))])
    logged = previous_files(catalog.metadata(id))
    if not logged:
        raise Unoffered("the table has no metadata-log")
    if any(_scheme(location) != _scheme(place) for location in logged):
        raise Unoffered("the log names files of another storage")
    for location in logged:
        holds(files.exists(location), f"the file {location} of the metadata-log exists")
