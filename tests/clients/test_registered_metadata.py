"""Metadata files in the forms that real writers leave: they are registered, and PyIceberg reads their tables."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

from lakeproof import serve
from tests.conftest import storage_option
from tests.reference_server.iceberg.conftest import VALIDATORS

SCHEMA = Schema(NestedField(1, "id", LongType()), NestedField(2, "name", StringType()))
SPEC = PartitionSpec(PartitionField(source_id=2, field_id=1000, transform=IdentityTransform(), name="name"))
ROWS = pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]})
OPTIONAL = ("properties", "snapshot-log", "metadata-log", "statistics", "partition-statistics", "refs")
LATER = (
    *("schemas", "current-schema-id", "partition-specs", "default-spec-id", "last-partition-id"),
    *("sort-orders", "default-sort-order-id", "table-uuid"),
)


def lacking(*names):
    """Return a change of metadata that leaves fields out."""
    return lambda metadata: {name: value for name, value in metadata.items() if name not in names}


def having(**fields):
    """Return a change of metadata that sets fields, whose names have dashes."""
    return lambda metadata: {**metadata, **{name.replace("_", "-"): value for name, value in fields.items()}}


def each(list_name, change):
    """Return a change of metadata that changes what is in a list, given how many come after it."""

    def changed(metadata):
        count = len(metadata[list_name])
        return {**metadata, list_name: [change(item, count - n - 1) for n, item in enumerate(metadata[list_name])]}

    return changed


def with_source_ids(definition, _after):
    fields = [
        {"source-ids": [field["source-id"]], **{key: value for key, value in field.items() if key != "source-id"}}
        for field in definition["fields"]
    ]
    return {**definition, "fields": fields}


def without_added_rows(snapshot, after):
    return {**snapshot, "first-row-id": 10 - 3 * after, "added-rows": None}


def sorted_by_source_ids(metadata):
    field = {"transform": "identity", "source-ids": [1], "direction": "asc", "null-order": "nulls-first"}
    return {**metadata, "sort-orders": [{"order-id": 1, "fields": [field]}], "default-sort-order-id": 1}


def upgraded(metadata):
    return {**metadata, "format-version": 3, "next-row-id": 20}


FORMS = {
    "v1 as first written": (1, [lacking(*LATER, *OPTIONAL)]),
    "v1 with neither spec nor order": (1, [lacking("partition-specs", "partition-spec", "default-spec-id")]),
    "v1 with schemas and no current one": (1, [lacking("current-schema-id", "schema")]),
    "v1 with a schema beside schemas": (1, [lacking("current-schema-id")]),
    "v1 with specs and no default": (1, [lacking("default-spec-id", "partition-spec")]),
    "v1 with orders and no default": (1, [lacking("default-sort-order-id")]),
    "v1 with a sequence number": (1, [having(last_sequence_number=0)]),
    "v1 without summaries": (1, [each("snapshots", lambda item, _: {**item, "summary": None})]),
    "v2 without what is optional": (2, [lacking(*OPTIONAL)]),
    "v2 with null for what is optional": (2, [having(**{name.replace("-", "_"): None for name in OPTIONAL})]),
    "v2 with no order listed": (2, [having(sort_orders=[])]),
    "v2 with fields of v1 and of drafts": (2, [having(schema={}, partition_spec=[], row_lineage=True)]),
    "v3 from before the upgrade": (2, [upgraded]),
    "v3 with row lineage of a draft": (2, [upgraded, having(row_lineage=True)]),
    "v3 with source-ids alone": (2, [upgraded, each("partition-specs", with_source_ids), sorted_by_source_ids]),
    "v3 without added-rows": (2, [upgraded, each("snapshots", without_added_rows)]),
    "v3 with keys": (2, [upgraded, having(encryption_keys=[{"key-id": "k", "encrypted-key-metadata": "aGk="}])]),
}


@pytest.fixture(params=["memory", "dir"])
def catalog(request, tmp_path):
    with serve("iceberg", storage=storage_option(request.param, tmp_path / "lake")) as server:
        catalog = load_catalog("reference", type="rest", uri=server.url)
        catalog.create_namespace("ns")
        yield catalog


def written(catalog, version):
    """Return the metadata of a table that PyIceberg has written to twice and dropped, and the folder of their file."""
    settings = {"format-version": str(version), "write.metadata.previous-versions-max": "1"}
    table = catalog.create_table("ns.t", SCHEMA, partition_spec=SPEC, properties=settings)
    for _ in range(2):
        table.append(ROWS)
    file = Path(table.metadata_location.removeprefix("file://"))
    catalog.drop_table("ns.t")
    return json.loads(file.read_text()), file.parent


@pytest.mark.parametrize("form", FORMS)
def test_the_table_of_such_a_file_is_read_and_changed(catalog, http, form):
    version, changes = FORMS[form]
    metadata, folder = written(catalog, version)
    for change in changes:
        metadata = change(metadata)
    file = folder / "v9.gz.metadata.json"
    file.write_bytes(gzip.compress(json.dumps(metadata).encode()))
    table = catalog.register_table("ns.again", f"file://{file}")
    shown = http("GET", f"{catalog.uri}/v1/namespaces/ns/tables/again").json()
    assert VALIDATORS.response_mismatches("loadTable", 200, shown) == []
    assert shown["metadata"]["format-version"] == metadata["format-version"]
    assert sorted(table.scan().to_arrow()["id"].to_pylist()) == [1, 1, 2, 2, 3, 3]
    if metadata["format-version"] < 3:  # PyIceberg writes none
        table.append(ROWS)
        assert catalog.load_table("ns.again").scan().to_arrow().num_rows == 9
    table.transaction().set_properties(owner="me").commit_transaction()
    assert catalog.load_table("ns.again").properties["owner"] == "me"
