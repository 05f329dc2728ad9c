"""Values and transforms of scanned tables, against PyIceberg's, and deletion vectors."""

from __future__ import annotations

from datetime import date, datetime, time

import pytest
from pyiceberg.conversions import to_bytes
from pyiceberg.schema import Schema
from pyiceberg.table.deletion_vector import deletion_vectors_from_puffin_file
from pyiceberg.table.puffin import PuffinFile
from pyiceberg.transforms import parse_transform

from conformance.iceberg.support.scans.files import deletion_vector, puffin_file
from conformance.iceberg.support.scans.transforms import transformed
from conformance.iceberg.support.scans.values import SAMPLES, days, micros, packed, read, shown

TRANSFORMS = ("identity", "void", "bucket[7]", "truncate[3]", "year", "month", "day", "hour")


def theirs(type):
    described = {"id": 1, "name": "v", "type": type, "required": False}
    return Schema.model_validate({"type": "struct", "fields": [described]}).fields[0].field_type


def number(value):
    """Return a date or time as PyIceberg has it."""
    if isinstance(value, datetime | time):
        return micros(value)
    return days(value) if isinstance(value, date) else value


@pytest.mark.parametrize("type", SAMPLES)
def test_bytes_are_those_of_pyiceberg(type):
    for value in SAMPLES[type]:
        assert packed(type, value) == to_bytes(theirs(type), number(value))


@pytest.mark.parametrize("type", SAMPLES)
def test_json_is_read_back(type):
    assert [read(type, shown(type, value)) for value in SAMPLES[type]] == list(SAMPLES[type])
    assert read(type, shown(type, None)) is None


POSSIBLE = [
    (transform, type)
    for transform in TRANSFORMS
    for type in SAMPLES
    if parse_transform(transform).can_transform(theirs(type))
]


@pytest.mark.parametrize(("transform", "type"), POSSIBLE)
def test_transforms_are_those_of_pyiceberg(transform, type):
    apply = parse_transform(transform).transform(theirs(type))
    for value in (*SAMPLES[type], None):
        assert number(transformed(transform, value)) == apply(None if value is None else number(value))


@pytest.mark.parametrize("positions", [[0], [5, 1, 65535], list(range(0, 60000, 17))])
def test_deletion_vectors_can_be_read(positions):
    blob = deletion_vector(positions)
    content, offset = puffin_file(blob, referenced="file:///data.parquet", count=len(positions))
    assert content[offset : offset + len(blob)] == blob
    (vector,) = deletion_vectors_from_puffin_file(PuffinFile(content))
    assert vector.referenced_data_file == "file:///data.parquet"
    assert vector.to_vector().to_pylist() == sorted(positions)


@pytest.mark.parametrize("positions", [[], [65536], range(5000)])
def test_deletion_vectors_of_other_positions_are_refused(positions):
    with pytest.raises(ValueError, match="positions"):
        deletion_vector(positions)
