"""Responses to changes compared with loads, and changes repeated after they were undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from conformance.author.checks import equal
from conformance.author.requirement import must, should
from conformance.common.requests import RepeatedRequest
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import same_metadata
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.iceberg.support.metadata import properties_of
from conformance.iceberg.support.registrations import drop_table, dropped_view
from conformance.iceberg.support.staging import FIRST, new_table_with_snapshots
from conformance.iceberg.support.updates import set_properties
from conformance.values.outcomes import Unoffered

OWNER = {"owner": "me"}
LOCATION = "metadata-location"
Told = tuple[Answer, Callable[[], Answer]]


@dataclass(frozen=True, slots=True)
class MetadataRequest:
    """Operation whose answer contains metadata; `send` sends it and returns its answer and a function that loads."""

    id: str
    send: Callable[[IcebergCatalog], Told]


def _create_table(catalog: IcebergCatalog) -> Told:
    id = catalog.table_id()
    return catalog.create_table(id, schema=SCHEMA, properties=OWNER), partial(catalog.load_table, id)


def _register_table(catalog: IcebergCatalog) -> Told:
    id, _ = new_table_with_snapshots(catalog, FIRST)
    return catalog.register_table(id, drop_table(catalog, id)), partial(catalog.load_table, id)


def _create_view(catalog: IcebergCatalog) -> Told:
    id = catalog.table_id("v")
    body = {**view_body(catalog.home), "properties": OWNER}
    return catalog.create_view(id, **body), partial(catalog.load_view, id)


def _replace_view(catalog: IcebergCatalog) -> Told:
    id = catalog.new_view()
    return catalog.replace_view(id, [set_properties(**OWNER)]), partial(catalog.load_view, id)


def _register_view(catalog: IcebergCatalog) -> Told:
    location, _ = dropped_view(catalog)
    id = catalog.table_id("v")
    return catalog.register_view(id, metadata_location=location), partial(catalog.load_view, id)


SHOWN = {
    "create_table": MetadataRequest("createTable", _create_table),
    "register_table": MetadataRequest("registerTable", _register_table),
    "create_view": MetadataRequest("createView", _create_view),
    "replace_view": MetadataRequest("replaceView", _replace_view),
    "register_view": MetadataRequest("registerView", _register_view),
}


@should("iceberg.answer.{}.as_loaded", clause="create-answer-whole", each=SHOWN)
def test_answer_is_what_loading_shows(catalog: IcebergCatalog, case: MetadataRequest) -> None:
    """{} returns the same metadata-location and metadata as the load that follows it."""
    answer, load = case.send(catalog)
    loaded = load()
    if loaded.get(LOCATION) != load().get(LOCATION):
        raise Unoffered("each answer names another metadata file")
    equal(answer.get(LOCATION), loaded.get(LOCATION), "the metadata-location of the answer")
    same_metadata(catalog, answer["metadata"], loaded["metadata"], "the metadata of the answer")


def _set_namespace(owner: str) -> Callable[[IcebergCatalog, Names], Answer]:
    return lambda catalog, id: catalog.update_properties(id, updates={"owner": owner})


def _set_table(owner: str) -> Callable[[IcebergCatalog, Names], Answer]:
    return lambda catalog, id: catalog.update_table(id, [set_properties(owner=owner)])


def _set_view(owner: str) -> Callable[[IcebergCatalog, Names], Answer]:
    return lambda catalog, id: catalog.replace_view(id, [set_properties(owner=owner)])


Reading = Callable[[IcebergCatalog, Names], dict[str, Any]]


def _owned(by: str, read: Reading) -> Callable[[IcebergCatalog, Names], None]:
    return lambda catalog, id: equal(read(catalog, id).get("owner"), by, "the property owner")


def _of_namespace(catalog: IcebergCatalog, id: Names) -> dict[str, Any]:
    properties: dict[str, Any] = catalog.load_namespace_metadata(id)["properties"]
    return properties


def _of_table(catalog: IcebergCatalog, id: Names) -> dict[str, Any]:
    return properties_of(catalog.metadata(id))


def _of_view(catalog: IcebergCatalog, id: Names) -> dict[str, Any]:
    return properties_of(catalog.view_metadata(id))


def _table_and_file(catalog: IcebergCatalog) -> tuple[Names, str]:
    id = catalog.new_table()
    location = drop_table(catalog, id)
    catalog.register_table(id, location)
    return id, location


CHANGES: dict[str, RepeatedRequest[IcebergCatalog]] = {
    "update_properties": RepeatedRequest(
        "updateProperties",
        "update-properties",
        lambda catalog: catalog.new_namespace(),
        _set_namespace("me"),
        _set_namespace("you"),
        _owned("me", _of_namespace),
        _owned("you", _of_namespace),
    ),
    "update_table": RepeatedRequest(
        "updateTable",
        "update-set-properties",
        lambda catalog: catalog.new_table(),
        _set_table("me"),
        _set_table("you"),
        _owned("me", _of_table),
        _owned("you", _of_table),
    ),
    "replace_view": RepeatedRequest(
        "replaceView",
        "replace-view-properties",
        lambda catalog: catalog.new_view(),
        _set_view("me"),
        _set_view("you"),
        _owned("me", _of_view),
        _owned("you", _of_view),
    ),
    "unregister_table": RepeatedRequest(
        "unregisterTable",
        "unregister-table",
        _table_and_file,
        lambda catalog, table: catalog.unregister_table(table[0]),
        lambda catalog, table: catalog.register_table(*table),
        lambda catalog, table: catalog.load_table(table[0], expect=404),
    ),
}


@must("iceberg.again.{}", clause=lambda case: case.clause, each=CHANGES)
def test_done_again(catalog: IcebergCatalog, case: RepeatedRequest[IcebergCatalog]) -> None:
    """Repeating {} after its effect was undone applies it again."""
    case.made_again(catalog, catalog.client)
