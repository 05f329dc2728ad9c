"""createTable with stage-create, and commits that create staged tables."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal, exactly, text
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import COMMIT, LAYOUT, columns_are, state, unchanged
from conformance.iceberg.support.content import NESTED_SCHEMA, SCHEMA, WIDER, partition, spec
from conformance.iceberg.support.metadata import (
    column_names,
    current_snapshot,
    default_spec,
    previous_files,
    properties_of,
)
from conformance.iceberg.support.updates import CREATE, TOUCH, add_and_use_schema, creation, requirement

STAGING = ["createTable"]
STAGE: dict[str, Any] = {"stage_create": True}


@should("iceberg.table.stage.answer", operations=STAGING, clause="create-table-stage-answer")
def test_staged_metadata(catalog: IcebergCatalog) -> None:
    """createTable with stage-create returns the metadata to be created, with metadata-location null or absent."""
    body: dict[str, Any] = {
        "schema": NESTED_SCHEMA,
        "partition_spec": spec(partition(1, "id")),
        "properties": {"a": "1"},
    }
    answer = catalog.create_table(catalog.table_id(), **body, **STAGE)
    equal(answer.get("metadata-location"), None, "the metadata-location of the staged table")
    metadata = answer["metadata"]
    columns_are(metadata, NESTED_SCHEMA)
    exactly(default_spec(metadata)["fields"], 1, "the fields of the partition spec")
    equal(properties_of(metadata).get("a"), "1", "the property a")
    text(metadata["location"], "the location of the staged table")


@should("iceberg.table.stage.twice", operations=STAGING, clause="create-table-stage-twice")
def test_staging_twice(catalog: IcebergCatalog) -> None:
    """A table can be staged several times under one name."""
    id = catalog.new_table(**STAGE)
    catalog.create_table(id, schema=SCHEMA, **STAGE)


# Commits that create a table


@must("iceberg.commit.create.staged", operations=[*COMMIT, "createTable"], clause="stage-commit")
def test_staged_table_is_created(catalog: IcebergCatalog) -> None:
    """A commit with assert-create and the updates of a creation creates the staged table."""
    id = catalog.table_id()
    body: dict[str, Any] = {"schema": SCHEMA, "properties": {"a": "1"}, **LAYOUT}
    staged = catalog.create_table(id, stage_create=True, **body)["metadata"]
    catalog.update_table(id, creation(staged), [CREATE])
    created = catalog.metadata(id)
    equal(created["table-uuid"], staged["table-uuid"], "the table-uuid")
    equal(column_names(created), column_names(staged), "the columns of the table")
    equal(properties_of(created).get("a"), "1", "the property a")
    equal(current_snapshot(created), None, "the current-snapshot-id")


@must("iceberg.commit.create.late", operations=[*COMMIT, "createTable"], clause="stage-commit-late", kind="error")
def test_staged_table_that_another_created(catalog: IcebergCatalog) -> None:
    """A commit of a staged table that another client has created returns 409 and does not change that table."""
    id = catalog.table_id()
    staged = catalog.create_table(id, schema=SCHEMA, stage_create=True)["metadata"]
    catalog.create_table(id, schema=WIDER)
    before = state(catalog, id)
    # The run gave no properties: the server's own ones may change.
    updates = [update for update in creation(staged) if update["action"] != "set-properties"]
    catalog.update_table(id, updates, [CREATE], expect=409)
    unchanged(catalog, id, before)


@should("iceberg.commit.create.more", operations=[*COMMIT, "createTable"], clause="stage-commit-initial")
def test_creation_with_further_changes(catalog: IcebergCatalog) -> None:
    """A commit that creates a staged table of format version 1 can contain further updates."""
    id = catalog.table_id()
    body: dict[str, Any] = {"schema": SCHEMA, "properties": {"format-version": "1"}}
    staged = catalog.create_table(id, stage_create=True, **body)["metadata"]
    catalog.update_table(id, [*creation(staged), *add_and_use_schema(WIDER), TOUCH], [CREATE])
    created = catalog.metadata(id)
    equal(created["format-version"], 1, "the format-version")
    columns_are(created, WIDER)
    equal(properties_of(created).get("touched"), "1", "the property that the commit set")


@should("iceberg.commit.create.first_file", operations=[*COMMIT, "createTable"], clause="stage-commit-first-file")
def test_created_table_has_no_earlier_file(catalog: IcebergCatalog) -> None:
    """A table created by a commit of a staged table has an empty metadata-log."""
    id = catalog.table_id()
    staged = catalog.create_table(id, schema=SCHEMA, stage_create=True)["metadata"]
    catalog.update_table(id, creation(staged), [CREATE])
    equal(previous_files(catalog.metadata(id)), [], "the files of the metadata-log")


@should("iceberg.commit.create.alone", operations=COMMIT, clause="assert-create-alone", kind="error")
def test_create_assertion_stands_alone(catalog: IcebergCatalog) -> None:
    """A commit with another requirement beside assert-create returns 400 and creates nothing."""
    id = catalog.table_id()
    staged = catalog.create_table(id, schema=SCHEMA, stage_create=True)["metadata"]
    same = requirement("assert-table-uuid", uuid=staged["table-uuid"])
    catalog.update_table(id, creation(staged), [CREATE, same], expect=400)
    catalog.load_table(id, expect=404)
