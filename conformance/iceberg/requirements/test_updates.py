"""updateTable: updates of schemas, properties, location, format version and encryption keys."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from conformance.author.checks import equal, exactly, lacks, same_items, unequal
from conformance.author.requirement import given, must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import COMMIT, IMPOSSIBLE, allowed_commit, columns_are, state, unchanged
from conformance.iceberg.support.content import SCHEMA, WIDER, field, schema
from conformance.iceberg.support.metadata import by_id, properties_of
from conformance.iceberg.support.updates import LAST_ADDED, add_and_use_schema, add_schema, update
from conformance.iceberg.support.validity import mended

IDS = "the schema-ids of the schemas"


def _without(*names: str) -> dict[str, Any]:
    return schema(*(column for column in WIDER["fields"] if column["name"] not in names))


# Schemas


@must("iceberg.update.schema.id", operations=COMMIT, clause="update-add-schema")
@given(claimed=st.sampled_from([0, 1, 7, -1, None]))
def test_added_schema_gets_an_id(catalog: IcebergCatalog, claimed: int | None) -> None:
    """add-schema assigns an unused schema-id whatever id the request claims, or returns 400 or 409 for the claim.

    schema-id is read-only: a server may ignore or reject one in a request.
    """
    id = catalog.new_table()
    before = state(catalog, id)
    wanted = WIDER if claimed is None else {**WIDER, "schema-id": claimed}
    added = catalog.update_table(id, [add_schema(wanted)], expect=200 if claimed is None else (200, *IMPOSSIBLE))
    if not added.succeeded:
        unchanged(catalog, id, before)
        return
    answer = added["metadata"]
    first, second = exactly([entry["schema-id"] for entry in answer["schemas"]], 2, IDS)
    unequal(second, first, "the schema-id of the second schema")
    columns_are(answer, SCHEMA)


@should("iceberg.update.schema.same", operations=COMMIT, clause="update-add-same")
def test_equal_schema_keeps_its_id(catalog: IcebergCatalog) -> None:
    """Adding a schema equal to an existing one reuses its id and stores no duplicate."""
    id = catalog.new_table()
    first = catalog.metadata(id)["current-schema-id"]
    before = catalog.update_table(id, add_and_use_schema(WIDER))["metadata"]
    again = [add_schema(SCHEMA), update("set-current-schema", schema_id=first)]
    answer = catalog.update_table(id, again)["metadata"]
    exactly([entry.get("schema-id") for entry in answer["schemas"]], len(before["schemas"]), IDS)
    columns_are(answer, SCHEMA)


@must("iceberg.update.schema.last_added", operations=COMMIT, clause="update-set-current-schema")
def test_current_schema_is_the_last_added(catalog: IcebergCatalog) -> None:
    """set-current-schema with -1 selects the schema added last in the same commit."""
    id = catalog.new_table()
    other = schema(*WIDER["fields"], field(5, "more", "string"))
    added = [add_schema(WIDER), add_schema(other), add_schema(WIDER)]
    answer = catalog.update_table(id, [*added, update("set-current-schema", schema_id=LAST_ADDED)])["metadata"]
    columns_are(answer, WIDER)


@must("iceberg.update.schema.column_id", operations=COMMIT, clause="update-add-schema-column-id")
@given(named=st.booleans())
def test_highest_column_id_follows(catalog: IcebergCatalog, named: bool) -> None:
    """add-schema raises last-column-id to the highest column id, whether or not the update states it."""
    id = catalog.new_table()
    more: dict[str, Any] = {"last_column_id": 40} if named else {}
    wider = schema(*SCHEMA["fields"], field(40, "far"))
    answer = catalog.update_table(id, [add_schema(wider, **more)])["metadata"]
    equal(answer["last-column-id"], 40, "the last-column-id")


@must("iceberg.update.schema.column_id_stays", operations=COMMIT, clause="update-add-schema-evolution")
def test_highest_column_id_does_not_fall(catalog: IcebergCatalog) -> None:
    """last-column-id does not decrease when the column with the highest id is dropped."""
    id = catalog.new_table()
    catalog.update_table(id, add_and_use_schema(WIDER))
    answer = catalog.update_table(id, add_and_use_schema(_without("extra", "day")))["metadata"]
    equal(answer["last-column-id"], 4, "the last-column-id")
    columns_are(answer, _without("extra", "day"))


@must("iceberg.update.schema.removed", operations=COMMIT, clause="update-remove-schemas")
def test_schemas_are_removed(catalog: IcebergCatalog) -> None:
    """remove-schemas removes the given schemas."""
    id = catalog.new_table()
    first = catalog.metadata(id)["current-schema-id"]
    before = catalog.update_table(id, add_and_use_schema(WIDER))["metadata"]["schemas"]
    answer = catalog.update_table(id, [update("remove-schemas", schema_ids=[first])])["metadata"]
    left = {entry["schema-id"] for entry in before} - {first}
    same_items([entry["schema-id"] for entry in answer["schemas"]], left, IDS)


@must("iceberg.update.schema.current_stays", operations=COMMIT, clause="update-remove-schemas", kind="error")
def test_current_schema_is_not_removed(catalog: IcebergCatalog) -> None:
    """Removing the current schema returns 400 or 409 and changes nothing."""
    id = catalog.new_table()
    before = state(catalog, id)
    current = before[1]["current-schema-id"]
    catalog.update_table(id, [update("remove-schemas", schema_ids=[current])], expect=IMPOSSIBLE)
    unchanged(catalog, id, before)


NEWER: dict[str, Any] = {
    "timestamp_ns": field(4, "a", "timestamp_ns"),
    "unknown": field(4, "a", "unknown"),
    "default": field(4, "a", "int", initial_default=5, write_default=5),
}


@must("iceberg.update.schema.newer_type.{}", operations=COMMIT, clause="metadata-v3-types", kind="error", each=NEWER)
def test_newer_type_is_refused(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """Adding a column with a part of format version 3 ({}) to version 2 returns 400 or 409, or stores a valid schema.

    In version 3 it works.
    """
    wanted = schema(*SCHEMA["fields"], case)
    wider = add_and_use_schema(wanted)
    old = catalog.new_table("old", properties={"format-version": "2"})
    new = catalog.new_table("new", properties={"format-version": "3"})
    catalog.update_table(new, wider)
    if catalog.update_table(old, wider, expect=(200, *IMPOSSIBLE)).succeeded:
        mended(catalog.metadata(old), wanted)


@must("iceberg.update.properties.removed", operations=COMMIT, clause="update-remove-properties")
def test_properties_are_removed(catalog: IcebergCatalog) -> None:
    """remove-properties removes the given properties and keeps the others."""
    id = catalog.new_table(properties={"a": "1", "b": "1"})
    gone = update("remove-properties", removals=["a"])
    properties = properties_of(catalog.update_table(id, [gone])["metadata"])
    lacks(properties, ["a"], "the properties of the table")
    equal(properties.get("b"), "1", 'the property "b"')


# Properties, location, format


@must("iceberg.update.location", operations=COMMIT, clause="update-set-location")
def test_location_is_set(catalog: IcebergCatalog) -> None:
    """set-location sets the location of the table."""
    id = catalog.new_table()
    wanted = f"{catalog.metadata(id)['location'].rstrip('/')}/moved"
    answer = allowed_commit(catalog, id, [update("set-location", location=wanted)])
    equal(answer["metadata"]["location"], wanted, "the location of the table")


@should("iceberg.update.uuid", operations=COMMIT, clause="update-assign-uuid")
def test_same_uuid_is_assigned(catalog: IcebergCatalog) -> None:
    """assign-uuid with the table's own UUID succeeds and keeps the UUID."""
    id = catalog.new_table()
    before = catalog.metadata(id)["table-uuid"]
    answer = catalog.update_table(id, [update("assign-uuid", uuid=before)])["metadata"]
    equal(answer["table-uuid"], before, "the table-uuid")


@must("iceberg.update.format.rises", operations=COMMIT, clause="update-upgrade-format")
@given(first=st.integers(1, 2), second=st.integers(2, 3))
def test_format_version_rises(catalog: IcebergCatalog, first: int, second: int) -> None:
    """upgrade-format-version raises the format version to the given one."""
    second = min(second, catalog.revision.format_version)
    catalog.control(lambda: catalog.new_table("later", properties={"format-version": str(second)}))
    id = catalog.new_table(properties={"format-version": str(min(first, second - 1))})
    catalog.update_table(id, [update("upgrade-format-version", format_version=second)])
    equal(catalog.metadata(id)["format-version"], second, "the format-version")


@should("iceberg.update.format.never_falls", operations=COMMIT, clause="update-upgrade-format-refused", kind="error")
@given(first=st.integers(1, 3), second=st.integers(1, 3))
def test_format_version_never_falls(catalog: IcebergCatalog, first: int, second: int) -> None:
    """upgrade-format-version to the same version changes nothing; to a lower one it returns 400 or 409."""
    first, second = (min(version, catalog.revision.format_version) for version in (first, second))
    first, second = max(first, second), min(first, second)
    id = catalog.new_table(properties={"format-version": str(first)})
    asked = update("upgrade-format-version", format_version=second)
    catalog.update_table(id, [asked], expect=200 if second == first else IMPOSSIBLE)
    equal(catalog.metadata(id)["format-version"], first, "the format-version")


@should("iceberg.update.format.unknown", operations=COMMIT, clause="update-upgrade-format-refused", kind="error")
def test_unknown_format_version(catalog: IcebergCatalog) -> None:
    """upgrade-format-version to an unknown version returns 400 or 409 and changes nothing."""
    id = catalog.new_table()
    before = state(catalog, id)
    catalog.update_table(id, [update("upgrade-format-version", format_version=99)], expect=IMPOSSIBLE)
    unchanged(catalog, id, before)


KEY = {"key-id": "k1", "encrypted-key-metadata": "c2VjcmV0", "encrypted-by-id": "kms"}


@must("iceberg.update.encryption_keys", operations=COMMIT, clause="update-encryption-keys")
def test_encryption_keys(catalog: IcebergCatalog) -> None:
    """add-encryption-key stores a key with all its fields, and remove-encryption-key removes it by its id."""
    id = catalog.new_table(properties={"format-version": "3"})
    added = allowed_commit(catalog, id, [update("add-encryption-key", encryption_key=KEY)])["metadata"]
    key = by_id(added.get("encryption-keys") or [], "key-id", KEY["key-id"])
    for name, value in KEY.items():
        equal(key.get(name), value, f"the {name} of the encryption key")
    removed = allowed_commit(catalog, id, [update("remove-encryption-key", key_id="k1")])["metadata"]
    equal(removed.get("encryption-keys") or [], [], "the encryption-keys that are left")
