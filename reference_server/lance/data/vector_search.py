"""Vector arguments of a query, read and checked: pure rules; `queries.py` runs queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reference_server import limits
from reference_server.errors import InvalidInput
from reference_server.lance.data.index_types import read_distance
from reference_server.lance.data.paths import find_values

if TYPE_CHECKING:
    import pyarrow as pa

Query = dict[str, Any]
USUAL_COLUMN = "vector"
MOST_PROBES = 2**31 - 1
LARGEST_BYTE = 255


@dataclass(frozen=True, slots=True)
class VectorColumn:
    """A column of vectors; with `is_multi` each row has any number of them."""

    name: str
    dimension: int
    bytes: bool
    is_multi: bool


@dataclass(frozen=True, slots=True)
class Search:
    """Arguments of a search in pylance's form. In a batch each vector is a query of its own."""

    nearest: dict[str, Any]
    batch: bool


def read_vectors(query: Query) -> tuple[list[Any], bool] | None:
    """Return the vectors of a query and whether they are a batch, or None. Raises InvalidInput for both forms."""
    vector = query.get("vector") or {}
    single, multi_vector = vector.get("single_vector"), vector.get("multi_vector")
    if single and multi_vector:
        raise InvalidInput("A query has a single_vector or a multi_vector, not both.")
    if multi_vector:
        return multi_vector, True
    return ([single], False) if single else None


def find_column(schema: pa.Schema, name: str | None) -> VectorColumn:
    """Return the vector column with a name, or the only possible one.

    Raises TableColumnNotFound, and InvalidInput for a column without vectors and an ambiguous choice.
    """
    if name is not None:
        column = _as_column(name, find_values(schema, name).type)
        if column is None:
            raise InvalidInput(f"The column {name!r} does not hold vectors.")
        return column
    columns = {field.name: column for field in schema if (column := _as_column(field.name, field.type))}
    if USUAL_COLUMN in columns or len(columns) == 1:
        return columns.get(USUAL_COLUMN) or next(iter(columns.values()))
    raise InvalidInput(f"The query must name its vector_column; vectors are in {', '.join(columns) or 'no column'}.")


def _as_column(name: str, kind: pa.DataType) -> VectorColumn | None:
    from pyarrow import types  # noqa: PLC0415 - slow to import

    is_multi = types.is_list(kind) or types.is_large_list(kind)
    item_type = kind.value_type if is_multi else kind
    if not types.is_fixed_size_list(item_type):
        return None
    in_bytes = types.is_uint8(item_type.value_type)
    if (in_bytes and is_multi) or not (in_bytes or types.is_floating(item_type.value_type)):
        return None
    return VectorColumn(name, item_type.list_size, in_bytes, is_multi)


def search(query: Query, schema: pa.Schema, count: int, rows: int) -> Search | None:
    """Return the search for the `count` nearest of `rows` rows, None for a query without vectors.

    Raises InvalidInput, and the errors of `find_column`.
    """
    requested = read_vectors(query)
    if requested is None:
        return None
    vectors, is_batch = requested
    if len(vectors) > limits.VECTORS:
        raise InvalidInput(f"A query has at most {limits.VECTORS} vectors, and this one has {len(vectors)}.")
    column = find_column(schema, query.get("vector_column"))
    for vector in vectors:
        _check_vector(vector, column)
    distance = query.get("distance_type")
    nearest = {
        "column": column.name,
        "q": vectors if is_batch else vectors[0],
        "k": max(1, count),
        "metric": None if distance is None else read_distance(query),
        "use_index": not query.get("bypass_vector_index"),
        "distance_range": _bounds(query),
        **_effort(query, max(1, count), rows),
    }
    return Search(
        {name: value for name, value in nearest.items() if value is not None}, is_batch and not column.is_multi
    )


def _check_vector(vector: list[Any], column: VectorColumn) -> None:
    if len(vector) != column.dimension:
        raise InvalidInput(
            f"Query vector size {len(vector)} does not match the {column.dimension} of the column {column.name!r}."
        )
    if column.bytes and any(not 0 <= value <= LARGEST_BYTE or value != int(value) for value in vector):
        raise InvalidInput(f"The column {column.name!r} holds vectors of bytes.")


def _bounds(query: Query) -> tuple[float | None, float | None] | None:
    bounds = query.get("lower_bound"), query.get("upper_bound")
    return None if bounds == (None, None) else bounds


def _effort(query: Query, count: int, rows: int) -> dict[str, int]:
    """Return the effort of a search. An effort of 0 is left to Lance, and none goes beyond the existing rows.

    Lance requires ef to cover all candidates, which are `refine` times the requested rows.
    """
    probes, refine, ef = (int(query.get(name) or 0) for name in ("nprobes", "refine_factor", "ef"))
    refine = min(refine, -(-rows // count) or 1)
    effort = {
        "nprobes": min(probes, MOST_PROBES),
        "refine_factor": refine,
        "ef": max(min(ef, rows), count * max(refine, 1)) if ef else 0,
    }
    return {name: value for name, value in effort.items() if value}
