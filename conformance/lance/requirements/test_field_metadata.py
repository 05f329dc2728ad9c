"""UpdateFieldMetadata."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal, one_of, same_items
from conformance.author.requirement import must, should
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.columns import field_metadata
from conformance.lance.support.views import told_version_is_shown
from conformance.values.outcomes import Unoffered

UPDATE = ["UpdateFieldMetadata"]
Metadata = dict[str, str | None]


def _updated(catalog: LanceCatalog, id: Names, path: str, metadata: Metadata, **options: Any) -> dict[str, str]:
    """Change the metadata of a field and return what the response says that it has now."""
    answer = catalog.update_field_metadata(id, updates=[{"path": path, "metadata": metadata, **options}])
    told_version_is_shown(catalog, id, answer)
    fields = answer.get("fields")
    if fields is None:
        raise Unoffered("the answer does not tell the metadata of the fields")
    now: dict[str, str] = fields[path]
    return now


@must("lance.field_metadata.merged", operations=UPDATE, clause="field-metadata", twin=True)
def test_metadata_are_merged(catalog: LanceCatalog) -> None:
    """UpdateFieldMetadata sets the given keys of a field, keeps the others, and null removes a key."""
    id = catalog.new_table()
    equal(_updated(catalog, id, "id", {"a": "1", "b": "2"}), {"a": "1", "b": "2"}, "the metadata of the field")
    equal(_updated(catalog, id, "id", {"b": "3", "c": "4"}), {"a": "1", "b": "3", "c": "4"}, "the merged metadata")
    equal(_updated(catalog, id, "id", {"a": None}), {"b": "3", "c": "4"}, "the metadata without a key")


@must("lance.field_metadata.replaced", operations=UPDATE, clause="field-metadata-replace")
def test_metadata_are_replaced(catalog: LanceCatalog) -> None:
    """UpdateFieldMetadata with replace=true leaves the field only the given metadata, and other fields theirs."""
    id = catalog.new_table()
    _updated(catalog, id, "id", {"a": "1"})
    _updated(catalog, id, "name", {"n": "1"})
    equal(_updated(catalog, id, "id", {"b": "2"}, replace=True), {"b": "2"}, "the replaced metadata")
    equal(_updated(catalog, id, "name", {}), {"n": "1"}, "the metadata of the other field")


@must("lance.field_metadata.described", operations=UPDATE, clause="field-metadata")
def test_metadata_are_described(catalog: LanceCatalog) -> None:
    """DescribeTable returns the metadata that UpdateFieldMetadata gave a field, until it removes them."""
    id = catalog.new_table()
    for value in ("1", "2", None):
        catalog.update_field_metadata(id, updates=[{"path": "id", "metadata": {"a": value}}])
        equal(field_metadata(catalog, id, "id").get("a"), value, "the described metadata a of the field")


@should("lance.field_metadata.told", operations=UPDATE, clause="field-metadata-told")
def test_metadata_are_told(catalog: LanceCatalog) -> None:
    """UpdateFieldMetadata returns the resulting metadata of each field in the request."""
    id = catalog.new_table()
    changes = {"id": {"a": "1"}, "name": {"b": "2"}}
    updates = [{"path": path, "metadata": metadata} for path, metadata in changes.items()]
    equal(catalog.update_field_metadata(id, updates=updates).get("fields"), changes, "the fields of the response")


@must("lance.field_metadata.rows", operations=UPDATE, clause="field-metadata")
def test_rows_stay(catalog: LanceCatalog) -> None:
    """UpdateFieldMetadata keeps the rows of the table, and its response has the table's latest version."""
    id = catalog.new_table()
    before = catalog.rows(id)
    answer = catalog.update_field_metadata(id, updates=[{"path": "id", "metadata": {"a": "1"}}])
    same_items(catalog.rows(id), before, "the rows of the table")
    equal(answer["version"], catalog.version(id), "the version of the response")


@must("lance.field_metadata.path_missing", operations=UPDATE, clause="field-metadata-path", kind="error")
def test_path_to_no_field(catalog: LanceCatalog) -> None:
    """UpdateFieldMetadata with a path to no field returns 400 or 404 with code 13 or 12 and changes no field."""
    id = catalog.new_table()
    updates = [{"path": path, "metadata": {"a": "1"}} for path in ("id", "missing")]
    catalog.control(lambda: catalog.update_field_metadata(catalog.new_table("plain"), updates=updates[:1]))
    refused = catalog.update_field_metadata(id, updates=updates, expect=(400, 404))
    one_of(refused.code, (12, 13), "the code of the error")
    equal(_updated(catalog, id, "id", {}), {}, "the metadata of the field")
