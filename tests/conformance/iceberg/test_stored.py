"""The samples of what is stored have every field of the newest document."""

from __future__ import annotations

import pytest

from conformance.iceberg.support.files import LocalFiles
from conformance.iceberg.support.staging import Stage
from conformance.iceberg.support.stored import SAMPLES, full_view
from specs.profiles import find_profile

LATER = {"schema-id", "spec-id", "order-id", "field-id"}  # the server's own
SCHEMAS = (
    "Schema",
    "StructField",
    "ListType",
    "MapType",
    "StructType",
    "PartitionSpec",
    "PartitionField",
    "SortOrder",
    "SortField",
    "Snapshot",
    "SnapshotReference",
    "StatisticsFile",
    "BlobMetadata",
    "PartitionStatisticsFile",
    "EncryptedKey",
    "ViewVersion",
    "SQLViewRepresentation",
)


def keys(value):
    """Every key of every object in a value."""
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


@pytest.fixture
def sent(tmp_path):
    stage = Stage({"format-version": 2, "current-schema-id": 0, "location": "x"}, tmp_path.as_uri(), LocalFiles())
    bodies = [sample.sent(stage) if callable(sample.sent) else sample.sent for sample in SAMPLES.values()]
    return keys([*bodies, full_view(("n",))])


@pytest.mark.parametrize("name", SCHEMAS)
def test_samples_have_every_field_of_the_document(name, sent):
    schema = find_profile("iceberg").document().raw["components"]["schemas"][name]
    parts = [schema, *schema.get("allOf", [])]
    fields = {field for part in parts for field in part.get("properties", {})}
    assert fields
    assert fields - sent - LATER == set()
