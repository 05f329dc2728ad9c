"""registerTable: tables registered from metadata files; loadTable: lost and uncommitted metadata files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import orjson

from conformance.author.checks import equal, holds, lacks, same_items, text
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import POLICY, TAKEN, same_metadata, type_is
from conformance.iceberg.support.content import WIDER
from conformance.iceberg.support.files import UNREACHABLE, Files
from conformance.iceberg.support.listing import tables_in
from conformance.iceberg.support.metadata import (
    NO_SNAPSHOT,
    column_names,
    current_snapshot,
    properties_of,
    snapshot_ids,
    unlike,
)
from conformance.iceberg.support.registrations import (
    REFUSED,
    drop_table,
    dropped_file,
    file_of,
    later_file,
    located,
    missing_file,
    read_content,
    registered_before,
    view_file,
    written_beside,
)
from conformance.iceberg.support.staging import FIRST, KEPT, SECOND, is_of, new_table_with_snapshots, stage
from conformance.iceberg.support.updates import TOUCH, add_and_use_schema, append
from conformance.iceberg.worlds import ONLY_PLAIN
from conformance.target.hostile import Canary
from conformance.values.outcomes import Skipped, Unoffered, Violation

TABLE = ["registerTable"]
REGISTERED = "the metadata of the registered table"


@must("iceberg.register.table.same", operations=TABLE, clause="register-table", twin=True)
def test_registered_table_is_the_same(catalog: IcebergCatalog) -> None:
    """registerTable returns and stores the metadata of the file, and the table accepts commits."""
    ids = [_registered(catalog, name) for name in ("t", "u")]  # a server may repeat its answer to the first
    same_items(tables_in(catalog, catalog.home), ids, "the listed tables")


def _registered(catalog: IcebergCatalog, name: str) -> Names:
    """Register the file of a dropped table under its name, check its metadata, and commit to it."""
    id = catalog.new_table(name, properties={"a": "1"})
    catalog.update_table(id, add_and_use_schema(WIDER))
    before = catalog.metadata(id)
    answer = catalog.register_table(id, metadata_location=drop_table(catalog, id))
    same_metadata(catalog, unlike(answer["metadata"]), unlike(before), "the metadata in the answer to the registration")
    same_metadata(catalog, unlike(catalog.metadata(id)), unlike(before), REGISTERED)
    catalog.update_table(id, [TOUCH])
    return id


@should("iceberg.register.table.location", operations=TABLE, clause="load-table-metadata-location")
def test_answer_tells_the_metadata_file(catalog: IcebergCatalog) -> None:
    """registerTable returns the metadata-location that loadTable then returns."""
    other = catalog.table_id("other")
    answer = catalog.register_table(other, dropped_file(catalog))
    location = text(answer.get("metadata-location"), "the metadata-location of the answer")
    equal(location, catalog.load_table(other).get("metadata-location"), "the metadata-location of the answer")


@must("iceberg.register.table.history", operations=TABLE, clause="register-table", needs=KEPT)
def test_registered_table_has_its_history(catalog: IcebergCatalog) -> None:
    """A registered table has the snapshots, snapshot-log and refs of the file and accepts the next append."""
    id, _ = new_table_with_snapshots(catalog, FIRST)
    before = catalog.metadata(id)
    catalog.register_table(id, metadata_location=drop_table(catalog, id))
    same_metadata(catalog, unlike(catalog.metadata(id)), unlike(before), REGISTERED)
    catalog.update_table(id, append(stage(catalog, id).snapshot(SECOND, 2, parent=FIRST)))
    same_items(snapshot_ids(catalog.metadata(id)), [FIRST, SECOND], "the snapshots after the append")


@must("iceberg.register.table.after_drop", operations=[*TABLE, "dropTable"], clause="drop-table-keeps-files")
def test_drop_leaves_the_files(catalog: IcebergCatalog) -> None:
    """dropTable without purgeRequested keeps the metadata file, and registerTable restores the table from it."""
    id = catalog.new_table()
    location = file_of(catalog, id)
    files: Files | None = None
    with suppress(Unoffered, Skipped):
        reached = stage(catalog, id).files
        files = reached if reached.read(location) else None
    catalog.drop_table(id)
    if files is not None:
        holds(files.exists(location), f"the metadata file {location} is there after the drop")
    catalog.register_table(id, metadata_location=location)
    catalog.load_table(id)


@must("iceberg.table.load.uncommitted", operations=["loadTable"], clause="load-table-committed")
def test_uncommitted_file_is_no_state(catalog: IcebergCatalog) -> None:
    """loadTable ignores an uncommitted metadata file with a higher number beside the committed one."""
    id = catalog.new_table(properties={"a": "1"})
    with catalog.client.preparing():
        location, files = file_of(catalog, id), stage(catalog, id).files
        before = catalog.metadata(id)
        later = {**before, "properties": {**properties_of(before), "a": "2"}}
        written = written_beside(located(location, files), orjson.dumps(later), later_file(location))
    try:
        same_metadata(catalog, catalog.metadata(id), before, "the metadata beside a file that nobody committed")
        equal(file_of(catalog, id), location, "the metadata-location")
    finally:
        files.remove(written)


@must("iceberg.register.table.taken", operations=TABLE, clause="register-table-exists", kind="error")
def test_name_is_taken(catalog: IcebergCatalog) -> None:
    """registerTable on an existing table's name returns 409 with type AlreadyExistsException; the table stays as is."""
    location, id = registered_before(catalog), catalog.new_table()
    before = catalog.metadata(id)
    cases: list[dict[str, Any]] = [{}, {"overwrite": False}]
    for more in cases:
        refused = catalog.register_table(id, metadata_location=location, expect=409, **more)
        type_is(refused, TAKEN)
    same_metadata(catalog, catalog.metadata(id), before, "the metadata of the table that has the name")


@must("iceberg.register.table.taken_by_view", operations=TABLE, clause="register-table-exists", kind="error")
def test_name_of_a_view_is_taken(catalog: IcebergCatalog) -> None:
    """registerTable on an existing view's name returns 409 with type AlreadyExistsException; the view stays."""
    catalog.require("createView")
    location, view = registered_before(catalog, "v"), catalog.new_view()
    refused = catalog.register_table(view, metadata_location=location, expect=409)
    type_is(refused, TAKEN)
    catalog.load_view(view)


@must("iceberg.register.table.overwrite", operations=TABLE, clause="register-table-overwrite")
def test_overwrite(catalog: IcebergCatalog) -> None:
    """registerTable with overwrite replaces the table's metadata with the file's, or fails and changes nothing."""
    id = catalog.new_table()
    older = file_of(catalog, id)
    before = catalog.update_table(id, add_and_use_schema(WIDER))["metadata"]
    done = catalog.register_table(id, metadata_location=older, overwrite=True, expect=(200, *POLICY)).succeeded
    if done:
        lacks(column_names(catalog.metadata(id)), ["extra"], "the columns of the table")
    else:
        same_metadata(catalog, catalog.metadata(id), before, "the metadata of the table, which was not overwritten")


def read_metadata(location: str) -> dict[str, Any]:
    """Return the JSON object in a metadata file. Raises Skipped where files cannot be reached."""
    try:
        metadata = orjson.loads(read_content(location))
    except orjson.JSONDecodeError:
        metadata = None
    if not isinstance(metadata, dict):
        raise Violation(f"the metadata file {location} holds no JSON object")
    return metadata


BAD_FILES: dict[str, Callable[[str, Canary], str]] = {
    "missing": lambda location, _: missing_file(location),
    "no_metadata": lambda location, _: written_beside(location, b'{"format-version": 2}'),
    "no_json": lambda location, _: written_beside(location, b"PAR1"),
    "server_file": lambda _, canary: canary.uri,
}


@must(
    "iceberg.register.table.bad_file.{}",
    operations=TABLE,
    clause="register-table-no-file",
    kind="error",
    each=BAD_FILES,
)
def test_bad_file(catalog: IcebergCatalog, case: Callable[[str, Canary], str]) -> None:
    """registerTable with an unusable metadata file ({}) returns 400, 403, 404 or 422 and creates no table."""
    id = catalog.table_id()
    location = case(registered_before(catalog), catalog.target.canaries.new())
    catalog.register_foreign(id, location, expect=REFUSED)
    catalog.load_table(id, expect=404)


@should("iceberg.register.table.outside", operations=TABLE, clause="register-table-outside", kind="hostile")
def test_files_of_the_server(catalog: IcebergCatalog) -> None:
    """registerTable with a location of the server's own files returns 4xx, and neither reveals nor changes them."""
    canary = catalog.target.canaries.new()
    metadata = str(catalog.metadata(catalog.new_table())["location"])
    for location in (canary.uri, str(canary.path), f"{metadata}/{canary.climbing}"):
        refused = catalog.register_foreign(catalog.table_id("foreign"), location, expect=REFUSED)
        holds(canary.content.strip() not in refused.body, f"the answer shows nothing of {location}")
    holds(canary.untouched, "the server leaves a file that is not its own as it is")


BAD_BODIES: dict[str, Any] = {"no_location": {}, "location_number": {"metadata-location": 1}}


@must("iceberg.register.table.bad_body.{}", operations=TABLE, clause="bad-body", kind="error", each=BAD_BODIES)
def test_bad_body(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """registerTable with a body that violates its schema ({}) returns 400."""
    registered_before(catalog)
    id = catalog.table_id()
    catalog.send("registerTable", catalog.namespace_path(id[:-1]), {"name": id[-1], **case}, expect=400)


SPELLINGS: dict[str, dict[str, Any]] = {
    "minus_one": {"current-snapshot-id": NO_SNAPSHOT},
    "null": {"current-snapshot-id": None},
    "absent": {},
}


@must(
    "iceberg.register.table.no_snapshot.{}",
    operations=TABLE,
    clause="metadata-current-snapshot",
    each=SPELLINGS,
    world=ONLY_PLAIN,
)
def test_spellings_of_no_snapshot(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """A registered file whose current-snapshot-id is {} gives a table without snapshots that accepts an append."""
    location = dropped_file(catalog)
    metadata = read_metadata(location)
    metadata.pop("current-snapshot-id", None)
    id = catalog.table_id()
    written = written_beside(location, orjson.dumps({**metadata, **case}))
    catalog.register_table(id, metadata_location=written)
    equal(current_snapshot(catalog.metadata(id)), None, "the current-snapshot-id of the registered table")
    catalog.update_table(id, append(stage(catalog, id).snapshot(FIRST)))
    equal(current_snapshot(catalog.metadata(id)), FIRST, "the current-snapshot-id after the append")


@should("iceberg.register.table.unknown_fields", operations=TABLE, clause="metadata-unknown-fields")
def test_unknown_fields_survive(catalog: IcebergCatalog) -> None:
    """Unknown metadata fields survive registerTable and a commit."""
    location = dropped_file(catalog)
    metadata = {**read_metadata(location), "x-from-the-future": {"a": [1]}}
    id = catalog.table_id()
    catalog.register_table(id, metadata_location=written_beside(location, orjson.dumps(metadata)))
    catalog.update_table(id, [TOUCH])
    equal(catalog.metadata(id).get("x-from-the-future"), {"a": [1]}, "the field x-from-the-future of the metadata")


@should("iceberg.table.load.lost_file", operations=["loadTable"], clause="load-table-lost-file", kind="error")
def test_metadata_file_is_lost(catalog: IcebergCatalog) -> None:
    """loadTable without its metadata file returns no 5xx, and other tables can still be loaded and listed."""
    id, other = catalog.new_table("lost"), catalog.new_table("other")
    staged = stage(catalog, id)
    location, files = file_of(catalog, id), staged.files
    content = files.read(location)
    if not is_of(content, staged.metadata["table-uuid"]):
        raise Unoffered(UNREACHABLE)
    files.remove(location)
    try:
        catalog.load_table(id, expect=(200, *REFUSED, 409, 410))  # it may have the metadata elsewhere
        catalog.load_table(other)
        same_items(tables_in(catalog, catalog.home), [id, other], "the listed tables")
    finally:
        files.write(location, content)


@must("iceberg.register.table.view_file", operations=TABLE, clause="register-table-no-file", kind="error")
def test_file_of_a_view(catalog: IcebergCatalog) -> None:
    """registerTable with a view's metadata file returns 400, 403, 404 or 422 and creates no table."""
    catalog.require("createView")
    registered_before(catalog, "v")
    with catalog.client.preparing():
        location, id = view_file(catalog)
    catalog.register_table(id, metadata_location=location, expect=REFUSED)
    catalog.load_table(id, expect=404)
