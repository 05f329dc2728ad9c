"""Commits as requirements use them: what is refused how, and the state of a table before and after."""

from __future__ import annotations

from typing import Any

import msgspec

from conformance.author.checks import equal
from conformance.http.client import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.content import order, partition, sort_field, spec
from conformance.iceberg.support.metadata import Metadata, column_names, properties_of
from conformance.iceberg.support.updates import OTHER_UUID, requirement, set_properties
from conformance.values.outcomes import Unoffered

COMMIT = ["updateTable"]
FAILED = "CommitFailedException"
POLICY = (400, 403, 406, 409, 422)  # with what a server refuses what it does not let anybody do
IMPOSSIBLE = (400, 409)  # with what it refuses a commit that no table can have
LAYOUT: dict[str, Any] = {"partition_spec": spec(partition(3, "day")), "write_order": order(sort_field(1))}
UNKNOWN = requirement("assert-moon-phase", phase="full")
VIEW_UUID = requirement("assert-view-uuid", uuid=OTHER_UUID)


def allowed_commit(catalog: IcebergCatalog, id: Names, updates: list[dict[str, Any]]) -> Answer:
    """Commit what a server may refuse to let anybody do. Raises Unoffered when it does."""
    catalog.revision.require_updates(updates)
    answer = catalog.update_table(id, updates, expect=(200, *POLICY))
    if answer.status != 200:
        raise Unoffered(f"the server refuses {' and '.join(str(update['action']) for update in updates)} here")
    return answer


def state(catalog: IcebergCatalog, id: Names) -> tuple[Any, Any]:
    """Return all that a commit could change."""
    answer = catalog.load_table(id)
    return answer.get("metadata-location"), answer["metadata"]


def unchanged(catalog: IcebergCatalog, id: Names, before: tuple[Any, Any]) -> None:
    """Check that a table is in the state in which it was before, and takes a commit that nothing is wrong with.

    Raises Blocked when it does not: then a refused commit says nothing.
    """
    location, metadata = state(catalog, id)
    same_metadata(catalog, metadata, before[1], "the metadata of the table afterwards")
    equal(location, before[0], "the metadata-location of the table afterwards")
    catalog.control(lambda: catalog.update_table(id, [set_properties(twin="1")]))


def same_metadata(catalog: IcebergCatalog, actual: Metadata, expected: Metadata, what: str) -> None:
    """Check that metadata are the expected ones; properties that the server gives by itself may change at any time."""
    equal(ours(catalog, actual), ours(catalog, expected), what)


def ours(catalog: IcebergCatalog, metadata: Metadata) -> Metadata:
    """Return metadata without the properties that no request of the example names: those are the server's own."""
    sent = b"".join(step.request_body for step in catalog.client.steps)
    named = {key: value for key, value in properties_of(metadata).items() if msgspec.json.encode(key) in sent}
    return {**metadata, "properties": named}


def columns_are(metadata: Metadata, wanted: dict[str, Any]) -> None:
    """Check that the current schema has the columns of a schema, in their order."""
    equal(column_names(metadata), [column["name"] for column in wanted["fields"]], "the columns of the table")
