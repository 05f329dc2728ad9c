"""Stored objects: loads return every field that the document defines as it was sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.author.checks import equal, shows
from conformance.author.requirement import must, should
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import COMMIT, allowed_commit
from conformance.iceberg.support.content import order, partition, sort_field, spec
from conformance.iceberg.support.metadata import comparable, current_version, outline
from conformance.iceberg.support.stored import (
    LAYOUTS,
    ODD_TEXTS,
    SAMPLES,
    SCHEMA,
    VIEW_PARTS,
    Sample,
    StoredLayout,
    ViewPart,
    allowed_creation,
    by_names,
    full_view,
    prepare,
)
from conformance.iceberg.support.updates import CREATE, creation
from conformance.values.outcomes import Unoffered

CREATE_VIEW = ["createView"]
Answers = tuple[Answer, Answer]  # to a creation and to the load after it
Making = tuple[str, Callable[[IcebergCatalog], Answers]]


def _new_table(catalog: IcebergCatalog) -> Answers:
    id = catalog.table_id()
    layout: Any = {"partition_spec": spec(partition(3, "day")), "write_order": order(sort_field(1))}
    return catalog.create_table(id, schema=SCHEMA, **layout), catalog.load_table(id)


def _new_view(catalog: IcebergCatalog) -> Answers:
    id = catalog.table_id("v")
    return catalog.create_view(id, **full_view(catalog.home)), catalog.load_view(id)


MADE: dict[str, Making] = {
    "table": ("createTable", _new_table),
    "view": ("createView", _new_view),
}


@must("iceberg.update.stored.{}", operations=COMMIT, clause="update-stored-whole", each=SAMPLES)
def test_update_is_stored_whole(catalog: IcebergCatalog, case: Sample) -> None:
    """loadTable returns a committed object ({}) with every field as sent."""
    id, sent = prepare(catalog, case)
    updates = case.updates(sent)
    if case.certain:
        catalog.revision.require_updates(updates)
        catalog.update_table(id, updates)
    else:
        allowed_commit(catalog, id, updates)
    shows(comparable(case.shown(catalog.metadata(id))), comparable(sent), "what loadTable shows of it")


@must("iceberg.table.create.stored.{}", operations=["createTable"], clause="create-table-layout", each=LAYOUTS)
def test_layout_of_a_table_is_stored(catalog: IcebergCatalog, case: StoredLayout) -> None:
    """createTable stores the fields of the {} in order and as sent."""
    id = catalog.table_id()
    allowed_creation(catalog, id, **{case.argument: case.sent})
    metadata = catalog.metadata(id)
    equal(by_names(case.shown(metadata), metadata), by_names(case.sent, {}), f"the fields of the {case.id}")


@must(
    "iceberg.commit.create.stored.{}", operations=[*COMMIT, "createTable"], clause="stage-commit-layout", each=LAYOUTS
)
def test_layout_of_a_staged_table_is_stored(catalog: IcebergCatalog, case: StoredLayout) -> None:
    """The commit of a staged table stores its {} field by field."""
    id = catalog.table_id()
    with catalog.client.preparing():
        staged = allowed_creation(catalog, id, stage_create=True, **{case.argument: case.sent})["metadata"]
    catalog.update_table(id, creation(staged), [CREATE])
    metadata = catalog.metadata(id)
    expected = by_names(case.shown(staged), staged)
    equal(by_names(case.shown(metadata), metadata), expected, f"the fields of the {case.id}")


@must("iceberg.view.create.stored.{}", operations=CREATE_VIEW, clause="view-stored-whole", each=VIEW_PARTS)
def test_view_is_stored_whole(catalog: IcebergCatalog, case: ViewPart) -> None:
    """loadView returns the {} of a new view with every field as sent."""
    body = full_view(catalog.home)
    id = catalog.table_id("v")
    catalog.create_view(id, **body)
    shows(comparable(case.shown(catalog.view_metadata(id))), comparable(case.sent(body)), "what loadView shows of it")


@should("iceberg.view.create.summary", operations=CREATE_VIEW, clause="view-stored-summary")
def test_summary_of_a_view_is_stored(catalog: IcebergCatalog) -> None:
    """loadView returns the version summary of a new view as sent."""
    body = full_view(catalog.home, ODD_TEXTS)
    id = catalog.table_id("v")
    catalog.create_view(id, **body)
    shown = current_version(catalog.view_metadata(id))["summary"]
    shows(shown, body["view_version"]["summary"], "the summary of the version")


@should("iceberg.{}.create.whole", operations=lambda case: [case[0]], clause="create-answer-whole", each=MADE)
def test_creation_is_answered_whole(catalog: IcebergCatalog, case: Making) -> None:
    """Creating a {} returns the same metadata as a load with the same metadata-location."""
    created, loaded = case[1](catalog)
    if created.get("metadata-location") != loaded.get("metadata-location"):
        raise Unoffered("each answer names another metadata file")
    equal(outline(created["metadata"]), outline(loaded["metadata"]), "the metadata in the answer, in outline")
