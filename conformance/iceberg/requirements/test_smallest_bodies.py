"""Creations and updates with only the fields that their schema requires."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.requirement import should
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import IcebergClient
from conformance.iceberg.support.content import SCHEMA, WIDER, partition, view_body


@dataclass(frozen=True, slots=True)
class SmallestCreation:
    """Operation that creates an object, and its smallest body; with `inside`, its path names the namespace."""

    id: str
    body: Callable[[Names], dict[str, Any]]
    inside: bool = True


ADDED = {
    "schema": {"action": "add-schema", "schema": WIDER},
    "spec": {"action": "add-spec", "spec": {"fields": [partition(3, "day")]}},
}
CREATIONS = {
    "create_namespace": SmallestCreation("createNamespace", lambda id: {"namespace": id}, inside=False),
    "create_table": SmallestCreation("createTable", lambda id: {"name": id[-1], "schema": SCHEMA}),
    # with properties, which the published documents require
    "create_view": SmallestCreation("createView", lambda id: {"name": id[-1], **view_body(id[:-1])}),
}


@should(
    "iceberg.body.smallest.{}",
    clause="smallest-bodies",
    each=CREATIONS,
)
def test_smallest_body(catalog: IcebergCatalog, case: SmallestCreation) -> None:
    """{} accepts a body with only the fields that its schema requires."""
    id = catalog.table_id() if case.inside else catalog.namespace_id()
    path = catalog.namespace_path(id[:-1]) if case.inside else None
    catalog.sandbox.note_made(case.id, id)
    catalog.send(case.id, path, case.body(id))


@should("iceberg.update.without_ids.{}", operations=["updateTable"], clause="smallest-bodies", each=ADDED)
def test_ids_are_the_servers(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """updateTable adds a {} without the ids that its schema does not require."""
    id = catalog.new_table()
    plain = IcebergClient(catalog.client, catalog.separator)  # without the fields that IcebergCatalog adds
    plain.update_table(id, [case])
