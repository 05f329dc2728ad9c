"""Assertions about tables, commits, errors and namespaces, and the statuses of rejections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from conformance.author.checks import equal, one_of
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.content import order, partition, sort_field, spec
from conformance.iceberg.support.metadata import Metadata, column_names, comparable, properties_of
from conformance.iceberg.support.updates import OTHER_UUID, requirement, set_properties
from conformance.values.outcomes import Unoffered
from specs.iceberg.errors import known_types

PROPERTIES = "the properties of the namespace"
COMMIT = ["updateTable"]
FAILED, TAKEN = "CommitFailedException", "AlreadyExistsException"
PLACE_REFUSED = (400, 403)  # rejections of a place: of a location, or of a namespace with locations of its own
POLICY = (400, 403, 406, 409, 422)  # rejections by a server that does not allow something to anybody
IMPOSSIBLE = (400, 409)  # rejections of a commit that is invalid for every table
LAYOUT: dict[str, Any] = {"partition_spec": spec(partition(3, "day")), "write_order": order(sort_field(1))}
UNKNOWN = requirement("assert-moon-phase", phase="full")
VIEW_UUID = requirement("assert-view-uuid", uuid=OTHER_UUID)


def allowed_commit(catalog: IcebergCatalog, id: Names, updates: list[dict[str, Any]]) -> Answer:
    """Commit updates that a server may disallow. Raises Unoffered when it rejects them."""
    catalog.revision.require_updates(updates)
    answer = catalog.update_table(id, updates, expect=(200, *POLICY))
    if not answer.succeeded:
        raise Unoffered(f"the server refuses {' and '.join(str(update['action']) for update in updates)} here")
    return answer


def state(catalog: IcebergCatalog, id: Names) -> tuple[Any, Any]:
    """Return the metadata-location and the metadata of a table: everything that a commit can change."""
    answer = catalog.load_table(id)
    return answer.get("metadata-location"), answer["metadata"]


def unchanged(catalog: IcebergCatalog, id: Names, before: tuple[Any, Any]) -> None:
    """Check that a table has the state of before, and accepts a valid commit.

    Raises Blocked when it rejects the valid commit: then the earlier rejection proves nothing.
    """
    location, metadata = state(catalog, id)
    same_metadata(catalog, metadata, before[1], "the metadata of the table afterwards")
    equal(location, before[0], "the metadata-location of the table afterwards")
    catalog.control(lambda: catalog.update_table(id, [set_properties(twin="1")]))


def same_metadata(catalog: IcebergCatalog, actual: Metadata, expected: Metadata, what: str) -> None:
    """Check that metadata are the expected ones, without the server's own properties, which may change at any time."""
    equal(ours(catalog, actual), ours(catalog, expected), what)


def ours(catalog: IcebergCatalog, metadata: Metadata) -> Metadata:
    """Return metadata for comparisons: without the server's own properties, and without an order that nobody states.

    The server's own properties are those that no request of the example names before a response does: a client that
    commits a staged table sends them back.
    """
    named = {key: value for key, value in properties_of(metadata).items() if _is_sent_first(catalog, key)}
    return {**comparable(metadata), "properties": named}


def _is_sent_first(catalog: IcebergCatalog, key: str) -> bool:
    text = msgspec.json.encode(key)
    bodies = (
        body for step in catalog.client.steps for body in ((step.request_body, True), (step.response_body, False))
    )
    return next((sent for body, sent in bodies if text in body), False)


def columns_are(metadata: Metadata, wanted: dict[str, Any]) -> None:
    """Check that the current schema has the column names of a schema, in order."""
    equal(column_names(metadata), [column["name"] for column in wanted["fields"]], "the columns of the table")


# Errors and namespaces


def type_is(refused: Answer, *names: str) -> None:
    """Check that clients cannot mistake an error for another one: its type is one of these, or unknown to clients.

    `iceberg.errors.type` tests that errors have known types.
    """
    if refused.type in known_types():
        one_of(refused.type, names, "the type of the error")


def namespace_properties(catalog: IcebergCatalog, id: tuple[str, ...]) -> dict[str, str]:
    """Return the properties of a namespace. Raises Unoffered when the server stores none."""
    properties = catalog.load_namespace_metadata(id).get("properties")
    if properties is None:
        raise Unoffered("the server keeps no properties of namespaces")
    return dict(properties)


def has_properties(catalog: IcebergCatalog, id: tuple[str, ...], wanted: Mapping[str, str]) -> None:
    """Check that a namespace has these properties; it may have others."""
    properties = namespace_properties(catalog, id)
    equal({key: properties[key] for key in wanted if key in properties}, dict(wanted), "the properties that were set")


def create_namespace(catalog: IcebergCatalog, id: Names) -> Answer:
    """Create a namespace, check the name in the answer, and return the answer."""
    answer = catalog.create_namespace(id)
    equal(answer["namespace"], list(id), "the namespace in the answer of createNamespace")
    return answer
