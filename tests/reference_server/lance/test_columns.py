"""Columns and types in requests, parsed and checked before Lance gets them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from reference_server.errors import InvalidInput
from reference_server.lance.data.arrow_json import DEEPEST, LARGEST_LENGTH, type_from_json, type_to_json
from reference_server.lance.data.arrow_schema import check_new_name, check_schema
from reference_server.lance.data.paths import find_field
from reference_server.lance.errors import TableSchemaValidationError
from reference_server.lance.handlers.columns import _check_renames, _fit
from reference_server.lance.handlers.statistics import summary

POINT = pa.struct({"x": pa.int32(), "y": pa.int32()})
TABLE = SimpleNamespace(
    schema=pa.schema(
        {
            "id": pa.int64(),
            "at": pa.timestamp("ns", tz="UTC"),
            "point": POINT,
            "points": pa.list_(POINT),
            "vector": pa.list_(pa.float32(), 2),
            "map": pa.map_(pa.string(), pa.int32()),
        }
    )
)


@pytest.mark.parametrize("names", [{"id": "at"}, {"point.x": "y"}, {"points.item.x": "y"}, {"id": "n", "at": "n"}])
def test_no_two_fields_get_one_name(names):
    with pytest.raises(TableSchemaValidationError):
        _check_renames(TABLE, names)


@pytest.mark.parametrize("names", [{}, {"id": "id"}, {"id": "at", "at": "id"}, {"point.x": "id"}, {"point": "p"}])
def test_other_names_are_free(names):
    _check_renames(TABLE, names)


def fitted(path, described):
    alteration = {"path": path, "data_type": described}
    _fit(alteration, find_field(TABLE.schema, path))
    return alteration


def test_the_type_that_a_column_has_changes_nothing():
    for path in ("id", "at", "point", "points", "vector", "map"):
        described = type_to_json(find_field(TABLE.schema, path).type)
        assert fitted(path, described) == {"path": path, "name": path}
    assert fitted("id", {"type": "INT64"}) == {"path": "id", "name": "id"}
    assert fitted("id", {"type": "int32"}) == {"path": "id", "data_type": pa.int32()}


KINDS = [
    *(pa.int8(), pa.bool_(), pa.string(), pa.decimal128(38, 2), pa.decimal256(76, 5), pa.binary(4)),
    *(POINT, pa.list_(POINT), pa.large_list(pa.string()), pa.list_(pa.float16(), 8), pa.timestamp("us")),
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_types_come_back(kind):
    assert type_from_json(type_to_json(kind)) == kind


def nested(depth):
    described: dict[str, Any] = {"type": "int8"}
    for _ in range(depth):
        described = {"type": "list", "fields": [{"name": "item", "type": described}]}
    return described


ITEM = {"name": "item", "type": {"type": "int8"}}
BAD_TYPES = [
    *({}, {"type": 5}, {"type": None}, {"type": ""}, {"type": "nonsense"}, nested(DEEPEST + 1)),
    *({"type": "list"}, {"type": "list", "fields": 5}, {"type": "list", "fields": [{}]}, {"type": "struct"}),
    *({"type": "list", "fields": [ITEM, ITEM]}, {"type": "list", "fields": [{"name": 1, "type": {"type": "int8"}}]}),
    *({"type": "fixed_size_binary", "length": length} for length in (-1, 0, 1.5, "4", None, LARGEST_LENGTH + 1)),
    *({"type": "fixed_size_list", "fields": [ITEM], "length": length} for length in (-1, 0, 2**40, 1e300)),
    *({"type": "decimal128", "length": length} for length in (0, -5, 39_000, 10**9)),
]


@pytest.mark.parametrize("described", BAD_TYPES, ids=lambda described: str(described)[:60])
def test_what_is_no_type(described):
    with pytest.raises(InvalidInput):
        type_from_json(described)


def test_deep_types():
    assert type_to_json(type_from_json(nested(DEEPEST)))["type"] == "list"


@pytest.mark.parametrize("name", ["", "_rowid", "_row_created_at_version", "a.b", "a`b", "a\0b"])
def test_names_that_no_column_can_have(name):
    with pytest.raises(TableSchemaValidationError):
        check_new_name(name)


@pytest.mark.parametrize("name", ["a`b", "a\0b"])
def test_no_table_is_made_with_a_name_that_lance_would_change(name):
    with pytest.raises(TableSchemaValidationError):
        check_schema(pa.schema({name: pa.int8()}))


def test_lengths_are_summed_up():
    assert summary([]) == {"min": 0, "max": 0, "mean": 0, "p25": 0, "p50": 0, "p75": 0, "p99": 0}
    lengths = summary([5, 1, 4, 2, 3])
    assert lengths == {"min": 1, "max": 5, "mean": 3, "p25": 2, "p50": 3, "p75": 4, "p99": 4}
