"""The same bytes sent twice: two inserts, two tables, two staged versions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must
from conformance.author.strategies import tables
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.queries import ids
from conformance.lance.support.staging import restaging, stage

BODY = stream(tables(2, first=7))


@must("lance.same_bytes.insert", operations=["InsertIntoTable"], clause="insert-append", kind="data")
def test_same_rows_inserted_twice(catalog: LanceCatalog) -> None:
    """InsertIntoTable with the same stream three times adds its rows three times."""
    id = catalog.new_table(rows=1)
    for _ in range(3):
        catalog.insert_into_table(id, BODY)
    same_items(ids(catalog.rows(id)), [0, *[7, 8] * 3], "the ids of the rows")


@must("lance.same_bytes.overwrite", operations=["InsertIntoTable"], clause="insert-overwrite", kind="data")
def test_same_rows_overwritten_twice(catalog: LanceCatalog) -> None:
    """InsertIntoTable in mode Overwrite with the same stream twice leaves its rows once."""
    id = catalog.new_table(rows=1)
    for _ in range(2):
        catalog.insert_into_table(id, BODY, mode="Overwrite")
    same_items(ids(catalog.rows(id)), [7, 8], "the ids of the rows")


@must("lance.same_bytes.merge", operations=["MergeInsertIntoTable"], clause="merge-insert", kind="data")
def test_same_rows_merged_twice(catalog: LanceCatalog) -> None:
    """A merge that inserts, sent twice with the same stream, inserts its rows once."""
    id = catalog.new_table(rows=1)
    for _ in range(2):
        catalog.merge_insert_into_table(id, BODY, on="id", when_not_matched_insert_all=True)
    same_items(ids(catalog.rows(id)), [0, 7, 8], "the ids of the rows")


@dataclass(frozen=True, slots=True)
class OnTwin:
    """A change of one of two tables that were created with the same bytes."""

    id: str
    act: Callable[[LanceCatalog, Names], object]


TWINS = {
    "insert": OnTwin("InsertIntoTable", lambda catalog, id: catalog.insert_into_table(id, BODY)),
    "update": OnTwin("UpdateTable", lambda catalog, id: catalog.update_table(id, updates=[["name", "'x'"]])),
    "delete": OnTwin("DeleteFromTable", lambda catalog, id: catalog.delete_from_table(id, predicate="true")),
    "drop": OnTwin("DropTable", lambda catalog, id: catalog.drop_table(id)),
    "metadata": OnTwin(
        "UpdateTableSchemaMetadata", lambda catalog, id: catalog.update_table_schema_metadata(id, {"a": "1"})
    ),
}


@must("lance.same_bytes.twin.{}", clause="tables-apart", kind="data", each=TWINS)
def test_tables_with_the_same_bytes(catalog: LanceCatalog, case: OnTwin) -> None:
    """{} on one of two tables that were created with the same bytes leaves the other one as it is."""
    id, twin = catalog.new_table("a"), catalog.new_table("b")
    rows, version = catalog.rows(twin), catalog.version(twin)
    case.act(catalog, id)
    same_items(catalog.rows(twin), rows, "the rows of the other table")
    equal(catalog.version(twin), version, "the version of the other table")


# Versions

Send = Callable[[LanceCatalog, Names, dict[str, Any]], Answer]


@dataclass(frozen=True, slots=True)
class VersionRequest:
    """An operation that creates a staged version of a table."""

    id: str
    send: Send


def _in_batch(catalog: LanceCatalog, id: Names, body: dict[str, Any]) -> Answer:
    return catalog.batch_create_table_versions(entries=[{"id": id, **body}], expect=None)


def _in_commit(catalog: LanceCatalog, id: Names, body: dict[str, Any]) -> Answer:
    return catalog.batch_commit_tables(operations=[{"create_table_version": {"id": id, **body}}], expect=None)


REQUESTS = {
    "create": VersionRequest(
        "CreateTableVersion", lambda catalog, id, body: catalog.create_table_version(id, **body, expect=None)
    ),
    "batch_create": VersionRequest("BatchCreateTableVersions", _in_batch),
    "batch_commit": VersionRequest("BatchCommitTables", _in_commit),
}


@must("lance.same_bytes.version.{}", clause="version-once", kind="error", each=REQUESTS)
def test_version_staged_twice(catalog: LanceCatalog, case: VersionRequest) -> None:
    """{} of a version that exists returns 409 with code 14, also when the same rows were staged for it before."""
    id = catalog.new_table()
    staged = [stage(catalog, id), stage(catalog, id)]
    case.send(catalog, id, staged[0])
    catalog.client.check_status(catalog.client.steps[-1], 200)
    refused = case.send(catalog, id, staged[1])
    catalog.client.check_status(catalog.client.steps[-1], 409)
    equal(refused.code, 14, "the code of the error")
    equal(catalog.count_table_rows(id).json, 5, "the count of rows")
    equal(catalog.version(id), staged[0]["version"], "the version of the table")


@must("lance.same_bytes.version_again.{}", clause="version-once", kind="error", each=REQUESTS)
def test_version_created_again_by_the_same_request(catalog: LanceCatalog, case: VersionRequest) -> None:
    """{} sent again with the same body, after the same bytes were staged again, returns 409 with code 14."""
    id = catalog.new_table()
    body = stage(catalog, id)
    with restaging(catalog, body) as stage_again:
        case.send(catalog, id, body)
        catalog.client.check_status(catalog.client.steps[-1], 200)
        stage_again()
    refused = case.send(catalog, id, body)
    catalog.client.check_status(catalog.client.steps[-1], 409)
    equal(refused.code, 14, "the code of the error")
    equal(catalog.count_table_rows(id).json, 5, "the count of rows")
