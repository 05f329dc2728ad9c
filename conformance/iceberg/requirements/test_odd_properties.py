"""Properties with unusual values: stored unchanged or rejected, never altered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from conformance.author.checks import equal
from conformance.author.requirement import given, must
from conformance.author.strategies import TEXTS
from conformance.http.answers import Answer
from conformance.iceberg.catalog import NO_PROPERTIES, IcebergCatalog
from conformance.iceberg.support.assertions import POLICY, namespace_properties
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.iceberg.support.metadata import properties_of
from conformance.iceberg.support.updates import set_properties

KEY = "odd"
LONG = 200  # letters; no document bounds a value
Properties = dict[str, str]


@dataclass(frozen=True, slots=True)
class PropertyHolder:
    """Object with properties: the operation that sets them, its request, and a function that loads them."""

    id: str
    operation: str
    clause: str
    send: Callable[[IcebergCatalog, Properties], Answer]
    look: Callable[[IcebergCatalog], Mapping[str, str]]


def _new_namespace(catalog: IcebergCatalog, properties: Properties) -> Answer:
    id = catalog.namespace_id()
    return catalog.create_namespace(id, properties=properties, expect=(200, *POLICY, NO_PROPERTIES))


def _new_table(catalog: IcebergCatalog, properties: Properties) -> Answer:
    return catalog.create_table(catalog.table_id(), schema=SCHEMA, properties=properties, expect=(200, *POLICY))


def _table(catalog: IcebergCatalog, properties: Properties) -> Answer:
    return catalog.update_table(catalog.new_table(), [set_properties(**properties)], expect=(200, *POLICY))


def _new_view(catalog: IcebergCatalog, properties: Properties) -> Answer:
    body: dict[str, Any] = {**view_body(catalog.home), "properties": properties}
    return catalog.create_view(catalog.table_id("v"), **body, expect=(200, *POLICY))


def _of_table(catalog: IcebergCatalog) -> Mapping[str, str]:
    return properties_of(catalog.metadata(catalog.table_id()))


KEPT = {
    "new_namespace": PropertyHolder(
        "a new namespace",
        "createNamespace",
        "create-namespace",
        _new_namespace,
        lambda catalog: namespace_properties(catalog, catalog.namespace_id()),
    ),
    "new_table": PropertyHolder("a new table", "createTable", "create-table-properties", _new_table, _of_table),
    "table": PropertyHolder("a table", "updateTable", "update-set-properties", _table, _of_table),
    "new_view": PropertyHolder(
        "a new view",
        "createView",
        "view-stored-whole",
        _new_view,
        lambda catalog: properties_of(catalog.view_metadata(catalog.table_id("v"))),
    ),
}


@must(
    "iceberg.properties.odd.{}",
    operations=lambda case: [case.operation],
    clause=lambda case: case.clause,
    each=KEPT,
)
@given(text=st.sampled_from([text for text in TEXTS if len(text) < LONG]))
def test_odd_values_are_kept_or_refused(catalog: IcebergCatalog, case: PropertyHolder, text: str) -> None:
    """An empty or unusual property value of {} is stored unchanged, or the request is rejected."""
    if case.send(catalog, {KEY: text}).succeeded:
        equal(case.look(catalog).get(KEY), text, f'the property "{KEY}"')
