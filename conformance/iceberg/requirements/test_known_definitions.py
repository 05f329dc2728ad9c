"""updateTable: definitions that a table has already, added again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.content import SCHEMA, WIDER, layout, partition, sort_field
from conformance.iceberg.support.metadata import Metadata, current_schema, default_order, default_spec
from conformance.iceberg.support.updates import add_and_use_order, add_and_use_schema, add_and_use_spec


@dataclass(frozen=True, slots=True)
class Known:
    """A kind of definition: two of them, the updates that add one and choose the last added, and the chosen one.

    `field` tells the fields of a definition apart.
    """

    clause: str
    first: Metadata
    second: Metadata
    choose: Callable[[Metadata], list[dict[str, Any]]]
    chosen: Callable[[Metadata], Metadata]
    field: str


KNOWN = {
    "schema": Known("update-set-current-schema", SCHEMA, WIDER, add_and_use_schema, current_schema, "name"),
    "spec": Known(
        "update-set-default-spec",
        layout(partition(3, "day")),
        layout(partition(2, "name_bucket", "bucket[4]")),
        add_and_use_spec,
        default_spec,
        "name",
    ),
    "order": Known(
        "update-set-default-sort-order",
        layout(sort_field(1)),
        layout(sort_field(2)),
        add_and_use_order,
        default_order,
        "source-id",
    ),
}


@must("iceberg.known.{}", operations=["updateTable"], clause=lambda case: case.clause, each=KNOWN)
def test_known_definition_is_chosen(catalog: IcebergCatalog, case: Known) -> None:
    """-1 selects the {} added last also if the table had an equal one before."""
    id = catalog.new_table()
    for wanted in (case.first, case.second, case.first):
        metadata = catalog.update_table(id, case.choose(wanted))["metadata"]
        fields = [entry[case.field] for entry in case.chosen(metadata)["fields"]]
        equal(fields, [entry[case.field] for entry in wanted["fields"]], f"the {case.field} of each chosen field")
