"""External catalogs: read-only for clients, since another catalog changes their tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal
from conformance.author.requirement import should
from conformance.http.answers import Answer
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.support.catalogs import ExternalCatalog, new_outside, readable
from specs.openapi import snake_case

SET = {"action": "set-properties", "updates": {"a": "1"}}


@dataclass(frozen=True, slots=True)
class ExternalWrite:
    """Write to an external catalog: the operation, the statement's words for it, and a function that sends it."""

    operation: str
    id: str
    ask: Callable[[ExternalCatalog], Answer]


def _other(outside: ExternalCatalog) -> tuple[str, ...]:
    return (*outside.namespace, "u")


def _identifier(outside: ExternalCatalog) -> dict[str, Any]:
    return {"namespace": list(outside.namespace), "name": outside.table[-1]}


REFUSED = {
    snake_case(refused.operation): refused
    for refused in (
        ExternalWrite(
            "createTable",
            "creating a table",
            lambda outside: outside.tables.create_table(_other(outside), SCHEMA, expect=400),
        ),
        ExternalWrite(
            "updateTable",
            "changing a table",
            lambda outside: outside.tables.update_table(outside.table, [SET], [], expect=400),
        ),
        ExternalWrite(
            "commitTransaction",
            "a transaction",
            lambda outside: outside.tables.commit_transaction(
                table_changes=[{"identifier": _identifier(outside), "requirements": [], "updates": [SET]}], expect=400
            ),
        ),
        ExternalWrite(
            "renameTable",
            "renaming a table",
            lambda outside: outside.tables.rename_table(outside.table, _other(outside), expect=400),
        ),
        ExternalWrite(
            "createView",
            "creating a view",
            lambda outside: outside.tables.create_view(_other(outside), **view_body(outside.namespace), expect=400),
        ),
    )
}


@should(
    "polaris.external.{}",
    operations=lambda case: [case.operation],
    clause="external-read-only",
    kind="error",
    each=REFUSED,
)
def test_external_catalog_is_not_changed(catalog: PolarisCatalog, case: ExternalWrite) -> None:
    """In an external catalog {} returns 400 and changes nothing."""
    outside, metadata = new_outside(catalog)
    location = outside.write(metadata)
    readable(catalog, outside, location)
    with catalog.client.preparing():
        outside.notify("CREATE", 1, location)
    case.ask(outside)
    equal(outside.tables.load_table(outside.table)["metadata-location"], location, "the metadata-location of the table")
    outside.tables.load_table(_other(outside), expect=404)


@should("polaris.external.takes", operations=["registerTable", "dropTable"], clause="external-takes")
def test_external_catalog_takes(catalog: PolarisCatalog) -> None:
    """An external catalog accepts createNamespace, registerTable and dropTable."""
    outside, metadata = new_outside(catalog)
    location = outside.write(metadata)
    outside.tables.create_namespace(outside.namespace)
    outside.tables.register_table(outside.table, location)
    outside.tables.drop_table(outside.table)
    outside.tables.load_table(outside.table, expect=404)
    outside.tables.register_table(outside.table, location)
