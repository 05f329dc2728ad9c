"""Paths of columns mean the same for every operation, and what Lance means by them."""

from __future__ import annotations

from typing import Any

import lance
import pyarrow as pa
import pytest

from reference_server.errors import CatalogError
from reference_server.lance.data.paths import find_field, find_values, quoted
from reference_server.lance.data.projection import projection
from reference_server.lance.errors import TableColumnNotFound

POINT = pa.struct({"x": pa.int32(), "y": pa.int32()})
SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "two words": pa.string(),
        "point": POINT,
        "points": pa.list_(POINT),
        "many": pa.large_list(pa.field("element", pa.int32())),
        "vector": pa.list_(pa.float32(), 2),
        "map": pa.map_(pa.string(), pa.int32()),
    }
)
IN_ROWS = ["id", "two words", "point", "point.x", "points", "many", "vector", "map"]
IN_LISTS = ["points.item", "points.item.x", "many.element"]
MISSING = [
    *("", ".", "ID", "point.", ".point", "point.z", "id.x"),
    *("points.x", "many.item", "vector.item", "map.value"),
]
IN_MAPS = ["map.entries", "map.entries.value"]  # Lance takes `entries` for its own struct, or for a key of the map


@pytest.mark.parametrize("path", [*IN_ROWS, *IN_LISTS])
def test_fields_are_found_by_their_path(path):
    assert find_field(SCHEMA, path).name == path.rpartition(".")[2]


@pytest.mark.parametrize("path", IN_ROWS)
def test_values_are_found_by_their_path(path):
    assert find_values(SCHEMA, path) == find_field(SCHEMA, path)
    assert projection(SCHEMA, {"column_names": [path]}) == [path]


@pytest.mark.parametrize("path", [*IN_LISTS, *MISSING])
def test_there_is_no_value_in_a_row_inside_a_list(path):
    with pytest.raises(TableColumnNotFound):
        find_values(SCHEMA, path)


@pytest.mark.parametrize("path", [*MISSING, *IN_MAPS])
def test_missing_fields(path):
    with pytest.raises(TableColumnNotFound):
        find_field(SCHEMA, path)


def accepted(find, path):
    try:
        find(SCHEMA, path)
    except CatalogError:
        return False
    return True


def taken(work):
    try:
        work()
    except (OSError, ValueError):
        return False
    return True


@pytest.mark.parametrize("path", [*IN_ROWS, *IN_LISTS, *MISSING])
def test_lance_reads_paths_in_the_same_way(path, tmp_path):
    dataset = lance.write_dataset(SCHEMA.empty_table(), tmp_path / "t")
    assert taken(lambda: dataset.count_rows(filter=f"{quoted(path)} IS NULL")) == accepted(find_values, path)
    altering: Any = {"path": path, "nullable": True}  # declared as an iterable of such dicts
    altered = taken(lambda: dataset.alter_columns(altering))
    assert altered == accepted(find_field, path)
