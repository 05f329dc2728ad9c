"""Indices: rows to index, index types, requests, and waiting for an index.

A server may build an index after it has responded, so a search for an index is repeated for a while. After one
search without success in a run, later searches end early.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa

from conformance.author.patience import wait_for
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.client import Id
from conformance.lance.operations import OPERATIONS
from conformance.lance.support.listing import collect
from conformance.values.json_values import shown
from conformance.values.outcomes import Unoffered, Violation
from specs.openapi import Operation

T = TypeVar("T")
ROWS = 300  # quantizers are trained on 256 rows at least
DIMENSION = 16
COLORS = ("red", "green", "blue")
PATIENCE_SECONDS = 10.0
INDICES = "indices"


@dataclass(frozen=True, slots=True)
class IndexType:
    """An index type: a column that it supports, one that it does not, and a filter that uses the index."""

    id: str
    column: str
    unfit: str = ""
    filter: str = ""

    @property
    def body(self) -> dict[str, Any]:
        """The minimal request body for an index of this type."""
        return {"column": self.column, "index_type": self.id}


# Types that the document names.
SCALAR_KINDS = {
    "btree": IndexType("BTREE", "id", "tags", "id >= 100 AND id < 120"),
    "bitmap": IndexType("BITMAP", "color", "vector", "color = 'green'"),
    "label_list": IndexType("LABEL_LIST", "tags", "id", "array_has(tags, 'b')"),
    "fts": IndexType("FTS", "text", "id"),
}
VECTOR_KINDS = {
    "ivf_flat": IndexType("IVF_FLAT", "vector", "id"),
    "ivf_pq": IndexType("IVF_PQ", "vector", "color"),
    "ivf_hnsw_sq": IndexType("IVF_HNSW_SQ", "vector", "tags"),
}
KINDS = {**SCALAR_KINDS, **VECTOR_KINDS}
# Types of servers that the document does not name.
OTHER_KINDS = {
    "inverted": IndexType("INVERTED", "text"),
    "ngram": IndexType("NGRAM", "text"),
    "zonemap": IndexType("ZONEMAP", "id"),
    "bloomfilter": IndexType("BLOOMFILTER", "id"),
    "ivf_sq": IndexType("IVF_SQ", "vector"),
    "ivf_rq": IndexType("IVF_RQ", "vector"),
    "ivf_hnsw_flat": IndexType("IVF_HNSW_FLAT", "vector"),
    "ivf_hnsw_pq": IndexType("IVF_HNSW_PQ", "vector"),
}
FILTERED = {name: kind for name, kind in KINDS.items() if kind.filter}
CREATE = ["CreateTableIndex"]
BTREE = KINDS["btree"].body
BUILDERS = {"create": OPERATIONS["create_table_index"], "create_scalar": OPERATIONS["create_table_scalar_index"]}


def indexable(rows: int = ROWS, first: int = 0) -> Any:
    """Return an Arrow table with a column for every index type. The same arguments give the same rows."""
    ids = range(first, first + rows)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "color": pa.array([COLORS[i % 3] for i in ids], pa.string()),
            "tags": pa.array([["a", "b"] if i % 5 == 0 else ["c"] for i in ids], pa.list_(pa.string())),
            "text": pa.array([f"the row {i} about {'apples' if i % 7 == 0 else 'pears'}" for i in ids], pa.string()),
            "place": pa.array([{"city": f"town {i}"} for i in ids], pa.struct({"city": pa.string()})),
            "vector": pa.array([vector(i) for i in ids], pa.list_(pa.float32(), DIMENSION)),
            "bits": pa.array([[i % 256, i // 256, 7, 9] for i in ids], pa.list_(pa.uint8(), 4)),
        }
    )


def without_vectors(rows: int = ROWS) -> Any:
    """Return the same table with only nulls in the vector column."""
    table = indexable(rows)
    at = table.schema.get_field_index("vector")
    return table.set_column(at, table.schema.field(at), pa.nulls(rows, table.schema.field(at).type))


def vector(number: int) -> list[float]:
    """Return the vector of a row, distant from those of all other rows."""
    return [math.sin((number + 1) * (position + 1)) for position in range(DIMENSION)]


def all_indices(catalog: LanceCatalog, id: Id, **body: Any) -> list[dict[str, Any]]:
    """Return all entries of ListTableIndices."""
    return collect(lambda **page: catalog.list_table_indices(id, **body, **page), "indexes")


def index_names(catalog: LanceCatalog, id: Id, **body: Any) -> list[str]:
    """Return the names of all indices of a table."""
    return [entry["index_name"] for entry in all_indices(catalog, id, **body)]


def wait_for_index(catalog: LanceCatalog, id: Id, name: str, **body: Any) -> dict[str, Any]:
    """Return the entry of an index once it is listed. Raises Violation when it never is."""
    what = f"the index {shown(name)}"
    return wait_for_indices(catalog, id, lambda entry: bool(entry["index_name"] == name), what, **body)[0]


def wait_for_indices(
    catalog: LanceCatalog, id: Id, wanted: Callable[[dict[str, Any]], bool], what: str, count: int = 1, **body: Any
) -> list[dict[str, Any]]:
    """Return the matching entries once `count` of them are listed. Raises Violation when they never are."""

    def look() -> list[dict[str, Any]] | None:
        seen = [entry for entry in all_indices(catalog, id, **body) if wanted(entry)]
        return seen if len(seen) >= count else None

    entries = poll(catalog, look)
    if entries is None:
        raise Violation(f"{what} was created, but is not listed")
    return entries


def ask_for_index(catalog: LanceCatalog, id: Id, kind: IndexType, name: str = "idx", **body: Any) -> Answer:
    """Request an index. Raises Unoffered where the server lacks this type: the document names types as examples."""
    answer = catalog.create_table_index(id, **{**kind.body, "name": name, **body}, expect=None)
    return catalog.supported(answer, f"indices of type {kind.id}")


def new_index(catalog: LanceCatalog, id: Id, kind: IndexType, name: str = "idx", **body: Any) -> Answer:
    """Build an index, wait until it covers all rows, and return its statistics. Raises as `ask_for_index` does."""
    ask_for_index(catalog, id, kind, name, **body)
    wait_for_index(catalog, id, name)
    return covered(catalog, id, name)


def covered(catalog: LanceCatalog, id: Id, name: str) -> Answer:
    """Return the statistics of an index once it covers all rows, or the last ones when it never does."""

    def look() -> Answer | None:
        stats = catalog.describe_table_index_stats(id, name)
        return None if stats.get("num_unindexed_rows") else stats

    statistics = poll(catalog, look)
    return catalog.describe_table_index_stats(id, name) if statistics is None else statistics


def row_counts_of(stats: Answer) -> tuple[int, int]:
    """Return the numbers of indexed and unindexed rows. Raises Unoffered where the server returns none."""
    counts = stats.get("num_indexed_rows"), stats.get("num_unindexed_rows")
    if None in counts:
        raise Unoffered("the server does not say how many rows an index covers")
    return counts


def poll(catalog: LanceCatalog, look: Callable[[], T | None]) -> T | None:
    """Repeat `look` until it returns a value, or return None when nothing changes any more."""
    pace = catalog.target.paces[INDICES]
    return wait_for(catalog.client, pace, look, lambda seen: seen is not None, seconds=PATIENCE_SECONDS)


def new_indexable(catalog: LanceCatalog, name: str = "t") -> Names:
    """Create a table of `indexable` rows."""
    return catalog.new_table_of(indexable(), name)


def build(catalog: LanceCatalog, operation: Operation, id: Names, expect: int | tuple[int, ...] = 200) -> Answer:
    """Request a BTREE index on `id` with the name `idx`."""
    return catalog.send(operation.id, id, {**BTREE, "name": "idx"}, expect=expect)
