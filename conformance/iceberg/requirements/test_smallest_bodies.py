"""What is made from a body that has what its schema requires, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.requirement import should
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import IcebergClient
from conformance.iceberg.support.content import SCHEMA, WIDER, partition, view_body


@dataclass(frozen=True, slots=True)
class Creation:
    """An operation, and its smallest body for a new thing; what lies in a namespace has that in its path."""

    operation: str
    body: Callable[[Names], dict[str, Any]]
    inside: bool = True


ADDED = {
    "schema": {"action": "add-schema", "schema": WIDER},
    "spec": {"action": "add-spec", "spec": {"fields": [partition(3, "day")]}},
}
CREATIONS = {
    "create_namespace": Creation("createNamespace", lambda id: {"namespace": id}, inside=False),
    "create_table": Creation("createTable", lambda id: {"name": id[-1], "schema": SCHEMA}),
    # with properties, which the documents require as they are published
    "create_view": Creation("createView", lambda id: {"name": id[-1], **view_body(id[:-1])}),
}


@should(
    "iceberg.body.smallest.{}",
    operations=lambda case: [case.operation],
    clause="smallest-bodies",
    each=CREATIONS,
)
def test_smallest_body(catalog: IcebergCatalog, case: Creation) -> None:
    """A body that has only what its schema requires is enough for {}."""
    id = catalog.table_id() if case.inside else catalog.namespace_id()
    path = catalog.namespace_path(id[:-1]) if case.inside else None
    catalog.sandbox.note_made(case.operation, id)
    catalog.send(case.operation, path, case.body(id))


@should("iceberg.update.without_ids.{}", operations=["updateTable"], clause="smallest-bodies", each=ADDED)
def test_ids_are_the_servers(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """A {} is added by a commit that leaves the ids out which its schema does not require."""
    id = catalog.new_table()
    plain = IcebergClient(catalog.client, catalog.separator)  # which spells nothing out
    plain.update_table(id, [case])
