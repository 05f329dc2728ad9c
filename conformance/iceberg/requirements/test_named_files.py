"""Metadata files that responses name: those of tables and views, read or registered again, and logged ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import orjson

from conformance.author.checks import equal, holds, text
from conformance.author.requirement import must, should
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import change
from conformance.iceberg.support.assertions import COMMIT, POLICY, same_metadata
from conformance.iceberg.support.content import SCHEMA
from conformance.iceberg.support.files import Files
from conformance.iceberg.support.metadata import Metadata, outline, previous_files, properties_of, unlike
from conformance.iceberg.support.registrations import (
    REFUSED,
    drop_table,
    located,
    missing_file,
    read_content,
    registered_again,
)
from conformance.iceberg.support.staging import stage
from conformance.iceberg.support.updates import CREATE, TOUCH, creation, set_properties
from conformance.values.outcomes import Unoffered, Violation

FILE = "metadata-location"


def _named(loaded: Answer) -> str:
    """Return the metadata-location of a loaded table or view. Raises Unoffered when it has none."""
    if not loaded.get(FILE):
        raise Unoffered("the server does not tell where metadata files are")
    return text(loaded[FILE], FILE)


def _stored(location: str, files: Files, uuid: str, own: Any) -> Metadata:
    """Return the metadata in a named file. Raises Violation unless it is there, valid JSON, and of the same object."""
    holds(files.exists(location), f"the file {location} exists")
    try:
        stored: Metadata = orjson.loads(read_content(located(location, files)))
    except orjson.JSONDecodeError:
        raise Violation(f"the file {location} is not valid JSON") from None
    equal(str(stored.get(uuid)).lower(), str(own[uuid]).lower(), f"the {uuid} in the file")
    return stored


# Tables


@dataclass(frozen=True, slots=True)
class Write:
    """Operation that writes a metadata file of a table. `send` returns the table and the metadata that are due."""

    id: str
    send: Callable[[IcebergCatalog], tuple[Names, Answer | None]]


def _create(catalog: IcebergCatalog) -> tuple[Names, Answer]:
    id = catalog.table_id()
    return id, catalog.create_table(id, schema=SCHEMA, properties={"a": "1"})


def _update(catalog: IcebergCatalog) -> tuple[Names, Answer]:
    id = catalog.new_table()
    catalog.load_table(id)
    return id, catalog.update_table(id, [TOUCH])


def _transact(catalog: IcebergCatalog) -> tuple[Names, None]:
    id = catalog.new_table()
    catalog.load_table(id)
    catalog.commit_transaction([change(id, [TOUCH])])
    return id, None


def _register(catalog: IcebergCatalog) -> tuple[Names, Answer]:
    id = catalog.new_table()
    with catalog.client.preparing():
        catalog.update_table(id, [TOUCH])
    return id, catalog.register_table(id, metadata_location=drop_table(catalog, id))


def _commit_staged(catalog: IcebergCatalog) -> tuple[Names, Answer]:
    id = catalog.table_id()
    with catalog.client.preparing():
        staged = catalog.create_table(id, schema=SCHEMA, stage_create=True)["metadata"]
    touched = {**staged, "properties": {**(staged.get("properties") or {}), **TOUCH["updates"]}}
    return id, catalog.update_table(id, creation(touched), [CREATE])


def _rename(catalog: IcebergCatalog) -> tuple[Names, None]:
    id, other = catalog.new_table(), catalog.table_id("renamed")
    with catalog.client.preparing():
        catalog.update_table(id, [TOUCH])
    catalog.rename_table(id, other)
    return other, None


WRITES = {
    "create_table": Write("createTable", _create),
    "update_table": Write("updateTable", _update),
    "commit_transaction": Write("commitTransaction", _transact),
    "register_table": Write("registerTable", _register),
    "rename_table": Write("renameTable", _rename),
}
STAGED = {"staged": Write("updateTable", _commit_staged)}


@must("iceberg.file.{}", clause="metadata-file-true", each=WRITES | STAGED)
def test_file_has_the_metadata(catalog: IcebergCatalog, case: Write) -> None:
    """After {}, the file at the metadata-location of loadTable contains the metadata that loadTable returns."""
    control = catalog.new_table("control")
    with catalog.client.preparing():
        catalog.update_table(control, [TOUCH])
    files = stage(catalog, control).files  # raises Skipped where files cannot be read from here
    id, _ = case.send(catalog)
    loaded = catalog.load_table(id)
    location, own = _named(loaded), loaded["metadata"]
    stored = _stored(location, files, "table-uuid", own)
    equal(outline(stored), outline(own), "the metadata in the file, in outline")
    for name in ("a", "touched"):
        equal(properties_of(stored).get(name), properties_of(own).get(name), f'the property "{name}" in the file')


ANSWERING = {
    name: write for name, write in (WRITES | STAGED).items() if name not in ("commit_transaction", "rename_table")
}


@must("iceberg.file.{}.named", clause="metadata-file-named", each=ANSWERING)
def test_answer_names_the_file(catalog: IcebergCatalog, case: Write) -> None:
    """The metadata-location that {} returns, if any, is the one that loadTable returns next."""
    id, answer = case.send(catalog)
    first, second = (catalog.load_table(id).get(FILE) for _ in range(2))
    if not first or first != second:
        raise Unoffered("each answer names another metadata file, or none")
    named = answer.get(FILE) if answer else None
    if named is None and case.id != "updateTable":
        raise Unoffered("the answer names no metadata file")
    if _scheme(named) != _scheme(first):  # iceberg.commit.answer_location reports it
        raise Unoffered("the answer names the metadata outside of the storage of the table")
    equal(named, first, f"the {FILE} of the answer")


# A server may register only files at the place of the name; those of a renamed table are at the place of the old one.
AT_THEIR_PLACE = {name: write for name, write in (WRITES | STAGED).items() if name != "rename_table"}


@must(
    "iceberg.file.{}.registered",
    operations=lambda case: [case.id, "registerTable"],
    clause="metadata-file-registered",
    each=AT_THEIR_PLACE,
)
def test_named_file_is_registered(catalog: IcebergCatalog, case: Write) -> None:
    """After {}, registering the metadata-location of loadTable gives the same table; one without a file returns 4xx."""
    id, _ = case.send(catalog)
    loaded = catalog.load_table(id)
    location, own = _named(loaded), loaded["metadata"]
    again = registered_again(catalog, id, location)
    same_metadata(catalog, unlike(catalog.metadata(again)), unlike(own), "the metadata of the registered table")
    catalog.register_foreign(catalog.table_id("missing"), missing_file(location), expect=REFUSED)


# Views


@dataclass(frozen=True, slots=True)
class ViewWrite:
    """Operation after which a view has a metadata file. `send` returns the view."""

    id: str
    send: Callable[[IcebergCatalog], Names]


def _create_view(catalog: IcebergCatalog) -> Names:
    return catalog.new_view()


def _replace_view(catalog: IcebergCatalog) -> Names:
    id = catalog.new_view()
    catalog.replace_view(id, [set_properties(touched="1")])
    return id


def _rename_view(catalog: IcebergCatalog) -> Names:
    id, other = catalog.new_view(), catalog.table_id("renamed")
    catalog.rename_view(id, other)
    return other


VIEW_WRITES = {
    "create_view": ViewWrite("createView", _create_view),
    "replace_view": ViewWrite("replaceView", _replace_view),
    "rename_view": ViewWrite("renameView", _rename_view),
}


def _reached(catalog: IcebergCatalog) -> tuple[Files, str]:
    """Return the files of the tables' storage, and a location there. Raises Skipped where they cannot be reached."""
    control = catalog.new_table("control")
    with catalog.client.preparing():
        staged = stage(catalog, control)
    return staged.files, staged.location


def _scheme(location: object) -> str:
    """Return the scheme of a location, "file" for a path."""
    return urlsplit(text(location, FILE)).scheme or "file"


@must("iceberg.file.{}", operations=lambda case: [case.id, "loadView"], clause="view-file-true", each=VIEW_WRITES)
def test_file_has_the_metadata_of_a_view(catalog: IcebergCatalog, case: ViewWrite) -> None:
    """After {}, the file at the metadata-location of loadView contains the metadata that loadView returns."""
    files, place = _reached(catalog)
    loaded = catalog.load_view(case.send(catalog))
    location, own = text(loaded[FILE], FILE), loaded["metadata"]
    if _scheme(location) != _scheme(place):
        raise Unoffered("views have another storage than tables")
    stored = _stored(location, files, "view-uuid", own)
    for name in ("current-version-id", "format-version"):
        equal(stored.get(name), own[name], f"the {name} in the file")
    equal(properties_of(stored).get("touched"), properties_of(own).get("touched"), 'the property "touched" in the file')


@must(
    "iceberg.file.{}.registered",
    operations=lambda case: [case.id, "loadView", "registerView"],
    clause="view-file-registered",
    each=VIEW_WRITES,
)
def test_named_file_is_registered_as_a_view(catalog: IcebergCatalog, case: ViewWrite) -> None:
    """After {}, registering the metadata-location of loadView gives the same view; one without a file returns 4xx."""
    loaded = catalog.load_view(case.send(catalog))
    location, again = _named(loaded), catalog.table_id("again")
    if not catalog.register_view(again, metadata_location=location, expect=(200, *POLICY)).succeeded:
        raise Unoffered("the server registers no file of an existing view")
    same_metadata(catalog, catalog.view_metadata(again), loaded["metadata"], "the metadata of the registered view")
    catalog.register_view(catalog.table_id("missing"), metadata_location=missing_file(location), expect=REFUSED)


# Logs


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
