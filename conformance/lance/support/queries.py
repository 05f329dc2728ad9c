"""Queries: the operations that take one, rows to query, and the expected results computed row by row.

The vectors have whole numbers, so floats hold their distances exactly. Rows at the same distance may come in any
order, so results are compared by distance rather than by row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from conformance.author.checks import distinct, number, within
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.operations import OPERATIONS
from conformance.values.json_values import shown
from conformance.values.outcomes import Violation
from specs.openapi import Operation

Row = dict[str, Any]
Vector = Sequence[float]

DIMENSION = 2
PLACES = [(0, 1), (1, 0), (0, 2), (3, 3), (-4, 1), (2, -2), (5, 0), (-1, -6), (4, 4), (-3, 7), (8, 1), (1, 9)]
PROBES: list[Vector] = [(0, 0), (3, 2), (-5, 5), (9, 9)]
COLORS = ("red", "green", "blue", None)
ROWS: list[Row] = [
    {
        "id": i,
        "n": None if i % 5 == 0 else i * 10,
        "color": COLORS[i % 4],
        "place": {"city": f"town {i}", "zip": i},
        "vector": [float(number) for number in place],
    }
    for i, place in enumerate(PLACES)
]
SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("n", pa.int32()),
        ("color", pa.string()),
        ("place", pa.struct([("city", pa.string()), ("zip", pa.int64())])),
        ("vector", pa.list_(pa.float32(), DIMENSION)),
    ]
)

# Filters as SQL and as functions; the empty one is no filter.
FILTERS: dict[str, Callable[[Row], bool]] = {
    "": lambda row: True,
    "id >= 7": lambda row: row["id"] >= 7,
    "n > 40": lambda row: row["n"] is not None and row["n"] > 40,
    "n IS NULL OR color = 'red'": lambda row: row["n"] is None or row["color"] == "red",
    "id % 2 = 1 AND NOT id IN (3, 5)": lambda row: row["id"] % 2 == 1 and row["id"] not in (3, 5),
    "place.city = 'town 4'": lambda row: row["id"] == 4,
    "false": lambda row: False,
}


def _l2(vector: Vector, other: Vector) -> float:
    return sum((a - b) ** 2 for a, b in zip(vector, other, strict=True))


def _inner(vector: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(vector, other, strict=True))


# As Lance computes them: the square of the Euclidean distance, and 1 less the product or the cosine.
DISTANCES: dict[str, Callable[[Vector, Vector], float]] = {
    "l2": _l2,
    "cosine": lambda vector, other: (
        1 - _inner(vector, other) / math.sqrt(_inner(vector, vector) * _inner(other, other))
    ),
    "dot": lambda vector, other: 1 - _inner(vector, other),
}


def new_queried(catalog: LanceCatalog, rows: list[Row] | None = None) -> Names:
    """Create a table of ROWS, or of other rows, and return its identifier."""
    return catalog.new_table_of(pa.Table.from_pylist(ROWS if rows is None else rows, schema=SCHEMA))


@dataclass(frozen=True, slots=True)
class Queried:
    """Table to query; `version` is that of an existing one."""

    id: Names
    version: int | None = None

    def fields(self, **own: Any) -> Row:
        """Return the fields of a query. Those that name columns of ROWS are left out on an existing table."""
        return set_fields(version=self.version, **(own if self.version is None else {}))


def any_queried(catalog: LanceCatalog) -> Queried:
    """Return a table to query: a new one of ROWS, an existing one if the run is read-only.

    The version of an existing table is fixed, as others may write to it meanwhile.
    """
    if not catalog.target.read_only:
        return Queried(new_queried(catalog))
    with catalog.client.preparing():
        id = catalog.new_table()
        return Queried(id, catalog.version(id))


def column(rows: Sequence[Row], name: str) -> list[Any]:
    """Return a column of found rows. Raises Violation when a row lacks it."""
    if any(name not in row for row in rows):
        raise Violation(f"the rows have no column {shown(name)}")
    return [row[name] for row in rows]


def ids(rows: Sequence[Row]) -> list[int]:
    """Return the ids of rows, in their order. Raises Violation when a row lacks one."""
    return [number(id, "the id of a row") for id in column(rows, "id")]


def matching(filter: str) -> list[Row]:
    """Return the rows that match a filter."""
    return [row for row in ROWS if FILTERS[filter](row)]


def nearest(probe: Vector, rows: Sequence[Row], k: int, offset: int = 0, distance: str = "l2") -> list[float]:
    """Return the distances of the `k` rows nearest to a vector, after the first `offset`, nearest first."""
    return sorted(DISTANCES[distance](probe, row["vector"]) for row in rows)[offset : offset + k]


def distances(probe: Vector, rows: Sequence[Row], distance: str = "l2") -> list[float]:
    """Return the distances of found rows to a vector, nearest first: the document states no order of the rows.

    Raises Violation when a row repeats.
    """
    within(ids(rows), ids(ROWS), "the ids of the rows")
    distinct(ids(rows), "the ids of the rows")
    return sorted(DISTANCES[distance](probe, ROWS[row["id"]]["vector"]) for row in rows)


def set_fields(**fields: Any) -> Row:
    """Return request fields without those that are None."""
    return {name: value for name, value in fields.items() if value is not None}


def search(catalog: LanceCatalog, id: Names, probe: Vector, **query: Any) -> list[Row]:
    """Return the rows that a vector search finds; arguments that are None are not sent."""
    return catalog.rows(id, vector={"single_vector": list(probe)}, **set_fields(**query))


QUERY, EXPLAIN = ["QueryTable"], ["ExplainTableQueryPlan"]
PLANS = {"explain": OPERATIONS["explain_table_query_plan"], "analyze": OPERATIONS["analyze_table_query_plan"]}
ALL = {"run": OPERATIONS["query_table"], **PLANS}
Query = dict[str, Any]


def ask(catalog: LanceCatalog, operation: Operation, id: Names, query: Query, expect: Expected = 200) -> Answer:
    """Send a query to one of the three operations; ExplainTableQueryPlan takes it as a field of its body."""
    body = {"vector": {}, "k": 5, **query}
    return catalog.send(operation.id, id, {"query": body} if operation.id in EXPLAIN else body, expect=expect)
