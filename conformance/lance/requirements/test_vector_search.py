"""QueryTable with vectors: nearest rows, distances, filters, columns and several vectors."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from conformance.author.checks import at_least, equal, same_items, within
from conformance.author.requirement import given, may, must, should
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.queries import (
    DISTANCES,
    FILTERS,
    PLACES,
    PROBES,
    ROWS,
    SCHEMA,
    Row,
    column,
    distances,
    ids,
    matching,
    nearest,
    new_queried,
    search,
)
from conformance.lance.worlds import all_but
from conformance.values.json_values import shown
from conformance.values.outcomes import Violation

QUERY = ["QueryTable"]
CENTRE = (0, 0)  # from the third nearest row on, all distances to it are different
COUNTS = [2, 3, 5, 8]
NAMES = {name: name for name in DISTANCES}
probes = st.sampled_from(PROBES)
filters = st.sampled_from(sorted(FILTERS))


def _check_close(actual: list[Any], expected: list[float]) -> None:
    """Check the distances of found rows, in any order, within the rounding of 32-bit floats."""
    equal(len(actual), len(expected), "the number of rows")
    in_order = sorted(actual, key=lambda got: got if isinstance(got, int | float) else -1)
    for place, (got, wanted) in enumerate(zip(in_order, expected, strict=True), start=1):
        if not isinstance(got, int | float) or not math.isclose(got, wanted, rel_tol=1e-4, abs_tol=1e-4):
            raise Violation(f"the distance of the row at place {place} is {shown(got)}, not {shown(wanted)}")


@must("lance.query.vector.nearest", operations=QUERY, clause="query-nearest")
@given(probe=probes, k=st.sampled_from([1, 4, 12, 50]))
def test_nearest(catalog: LanceCatalog, probe: Any, k: int) -> None:
    """A vector search returns the k nearest rows, nearest first."""
    rows = search(catalog, new_queried(catalog), probe, k=k)
    equal(distances(probe, rows), nearest(probe, ROWS, k), "the distances of the rows")


@must("lance.query.vector.version", operations=QUERY, clause="query-version")
def test_search_of_version(catalog: LanceCatalog) -> None:
    """A vector search with a version returns rows of that version only."""
    id = new_queried(catalog, ROWS[:4])
    first = catalog.version(id)
    catalog.insert_into_table(id, stream(pa.Table.from_pylist(ROWS[4:], schema=SCHEMA)))
    same_items(ids(search(catalog, id, CENTRE, k=50, version=first)), range(4), "the ids of the rows that were there")
    same_items(ids(search(catalog, id, CENTRE, k=50)), ids(ROWS), "the ids of the rows of the latest version")


@must(
    "lance.query.vector.distance.{}", operations=QUERY, clause="query-distance", each={name: name for name in DISTANCES}
)
@given(probe=st.sampled_from(PROBES[1:]), k=st.sampled_from([1, 5, 50]))
def test_distance_types(catalog: LanceCatalog, case: str, probe: Any, k: int) -> None:
    """A vector search with distance_type {} returns the nearest rows by this distance."""
    rows = search(catalog, new_queried(catalog), probe, k=k, distance_type=case)
    _check_close(distances(probe, rows, case), nearest(probe, ROWS, k, distance=case))


@should(
    "lance.query.vector.told.{}",
    operations=QUERY,
    clause="query-distance-told",
    each={name: name for name in DISTANCES},
)
def test_distances_are_told(catalog: LanceCatalog, case: str) -> None:
    """A vector search with distance_type {} returns this distance of each row as _distance."""
    rows = search(catalog, new_queried(catalog), (3, 2), k=5, distance_type=case)
    _check_close(column(rows, "_distance"), distances((3, 2), rows, case))


@should("lance.query.vector.distance_default", operations=QUERY, clause="query-distance-told")
@given(probe=probes)
def test_default_distance(catalog: LanceCatalog, probe: Any) -> None:
    """A vector search without a distance_type returns l2 distances as _distance."""
    rows = search(catalog, new_queried(catalog), probe, k=50)
    _check_close(column(rows, "_distance"), nearest(probe, ROWS, 50))


@must("lance.query.vector.skips", operations=QUERY, clause="query-vector-offset")
@given(k=st.sampled_from([3, 6]), offset=st.sampled_from([1, 2]))
def test_offset_skips_the_nearest(catalog: LanceCatalog, k: int, offset: int) -> None:
    """A vector search with an offset skips that many of the nearest rows."""
    actual = distances((3, 2), search(catalog, new_queried(catalog), (3, 2), k=k, offset=offset))
    at_least(len(actual), 1, "the number of rows")
    equal(actual, nearest((3, 2), ROWS, k, offset)[: len(actual)], "the distances of the rows")


@must("lance.query.vector.offset", operations=QUERY, clause="query-offset")
@given(probe=probes, k=st.sampled_from([1, 5, 20]), offset=st.sampled_from([0, 1, 10, 40]))
def test_offset_of_search(catalog: LanceCatalog, probe: Any, k: int, offset: int) -> None:
    """A vector search with an offset returns k rows after the skipped ones."""
    rows = search(catalog, new_queried(catalog), probe, k=k, offset=offset)
    equal(distances(probe, rows), nearest(probe, ROWS, k, offset), "the distances of the rows")


# Filters


@must("lance.query.vector.prefilter", operations=QUERY, clause="query-prefilter")
@given(probe=probes, filter=filters, k=st.sampled_from([1, 3, 50]))
def test_prefilter(catalog: LanceCatalog, probe: Any, filter: str, k: int) -> None:
    """A vector search with prefilter=true returns the k nearest of the rows that match the filter."""
    rows = search(catalog, new_queried(catalog), probe, k=k, filter=filter or None, prefilter=True)
    within(ids(rows), ids(matching(filter)), "the ids of the rows")
    equal(distances(probe, rows), nearest(probe, matching(filter), k), "the distances of the rows")


@should("lance.query.vector.postfilter", operations=QUERY, clause="query-postfilter")
@given(filter=filters, k=st.sampled_from(COUNTS))
def test_postfilter(catalog: LanceCatalog, filter: str, k: int) -> None:
    """A vector search with prefilter=false returns those of the k nearest rows that match the filter."""
    rows = search(catalog, new_queried(catalog), CENTRE, k=k, filter=filter or None, prefilter=False)
    farthest = nearest(CENTRE, ROWS, k)[-1]
    expected = [row["id"] for row in matching(filter) if DISTANCES["l2"](CENTRE, row["vector"]) <= farthest]
    same_items(ids(rows), expected, "the ids of the rows")


@must("lance.query.vector.filter", operations=QUERY, clause="query-filter")
@given(probe=probes, filter=filters)
def test_filtered_search(catalog: LanceCatalog, probe: Any, filter: str) -> None:
    """A vector search with a filter and a large k returns exactly the matching rows."""
    rows = search(catalog, new_queried(catalog), probe, k=50, filter=filter or None)
    same_items(ids(rows), ids(matching(filter)), "the ids of the rows")


BOUNDS: dict[str, Row] = {
    "lower": {"lower_bound": 10.5},
    "upper": {"upper_bound": 10.5},
    "both": {"lower_bound": 3.5, "upper_bound": 30.5},
    "none_between": {"lower_bound": 40.5, "upper_bound": 20.5},
}


@must("lance.query.vector.bounds.{}", operations=QUERY, clause="query-bounds", each=BOUNDS)
@given(probe=st.sampled_from(PROBES[:2]))
def test_bounds(catalog: LanceCatalog, case: Row, probe: Any) -> None:
    """A vector search with distance bounds ({}) returns only rows within them."""
    rows = search(catalog, new_queried(catalog), probe, k=50, **case)
    low, high = case.get("lower_bound", -math.inf), case.get("upper_bound", math.inf)
    expected = [distance for distance in nearest(probe, ROWS, 50) if low < distance < high]
    equal(distances(probe, rows), expected, "the distances of the rows")


# Vector columns


def _table(**columns: Any) -> Any:
    return pa.table({"id": pa.array(range(len(PLACES)), pa.int64()), **columns})


def _vectors(kind: Any, factor: int = 1) -> Any:
    return pa.array([[x * factor, y * factor] for x, y in PLACES], pa.list_(pa.float64(), 2)).cast(pa.list_(kind, 2))


@must("lance.query.vector.column", operations=QUERY, clause="query-vector-column")
@given(column=st.sampled_from(["vector", "opposite"]), probe=probes)
def test_vector_column(catalog: LanceCatalog, column: str, probe: Any) -> None:
    """A vector search with vector_column searches that column."""
    id = catalog.new_table_of(_table(vector=_vectors(pa.float32()), opposite=_vectors(pa.float32(), -1)))
    meant = probe if column == "vector" else [-number for number in probe]
    rows = search(catalog, id, probe, k=5, vector_column=column)
    equal(distances(meant, rows), nearest(meant, ROWS, 5), "the distances of the rows")


@should(
    "lance.query.vector.only_column",
    operations=QUERY,
    clause="query-only-column",
    world=all_but(data=("vectors",)),
)
def test_only_vector_column(catalog: LanceCatalog) -> None:
    """A vector search without vector_column searches the only vector column, whatever its name."""
    id = catalog.new_table_of(_table(embedding=_vectors(pa.float32())))
    equal(ids(search(catalog, id, (3, 3), k=1)), [3], "the ids of the rows")


def _nested() -> Any:
    values = [{"vector": [float(x), float(y)]} for x, y in PLACES]
    return _table(inner=pa.array(values, pa.struct([("vector", pa.list_(pa.float32(), 2))])))


@should("lance.query.vector.nested_column", operations=QUERY, clause="query-nested-columns")
def test_nested_vector_column(catalog: LanceCatalog) -> None:
    """A vector search accepts the path of a struct field as vector_column."""
    rows = search(catalog, catalog.new_table_of(_nested()), (3, 3), k=1, vector_column="inner.vector")
    equal(ids(rows), [3], "the ids of the rows")


TYPES = {"float16": "float16", "float64": "float64"}


@should("lance.query.vector.type.{}", operations=QUERY, clause="query-vector-types", each=TYPES)
@given(probe=probes)
def test_vector_types(catalog: LanceCatalog, case: str, probe: Any) -> None:
    """A vector search works on {} vectors."""
    rows = search(
        catalog,
        catalog.new_table_of(_table(vector=_vectors(pa.type_for_alias(case)))),
        probe,
        k=5,
        vector_column="vector",
    )
    equal(distances(probe, rows), nearest(probe, ROWS, 5), "the distances of the rows")


@may("lance.query.vector.hamming", operations=QUERY, clause="query-hamming")
def test_hamming(catalog: LanceCatalog) -> None:
    """A vector search with distance_type hamming compares byte vectors by their bits."""
    bits = pa.array([[0, 1], [255, 255], [7, 0]], pa.list_(pa.uint8(), 2))
    id = catalog.new_table_of(pa.table({"id": [0, 1, 2], "vector": bits}))
    rows = search(catalog, id, (6, 0), k=3, distance_type="hamming", vector_column="vector")
    equal(ids(rows), [2, 0, 1], "the ids of the rows, the nearest first")


@should("lance.query.vector.nulls", operations=QUERY, clause="query-null-vectors")
def test_null_vectors(catalog: LanceCatalog) -> None:
    """A vector search does not return rows whose vector is null."""
    id = new_queried(catalog, [*ROWS[:4], {**ROWS[4], "vector": None}])
    same_items(ids(search(catalog, id, CENTRE, k=50)), [0, 1, 2, 3], "the ids of the rows")


# Several vectors


def _batch(catalog: LanceCatalog, id: Names, vectors: list[Any], **query: Any) -> list[Row]:
    return catalog.rows(id, vector={"multi_vector": [list(vector) for vector in vectors]}, **query)


@must("lance.query.vectors.each", operations=QUERY, clause="query-multi-vector")
@given(vectors=st.lists(probes, min_size=1, max_size=3, unique=True), k=st.sampled_from([1, 3]))
def test_several_vectors(catalog: LanceCatalog, vectors: list[Any], k: int) -> None:
    """A search for several vectors returns the nearest rows of each."""
    numbers = set(ids(_batch(catalog, new_queried(catalog), vectors, k=k)))
    within(numbers, ids(ROWS), "the ids of the rows")
    for probe in vectors:
        own = sorted(DISTANCES["l2"](probe, ROWS[number]["vector"]) for number in numbers)
        equal(own[:k], nearest(probe, ROWS, k), f"the distances of the rows nearest to {shown(probe)}")


@must("lance.query.vectors.negative", operations=QUERY, clause="query-multi-vector")
def test_several_negative_vectors(catalog: LanceCatalog) -> None:
    """A search for several vectors returns the nearest rows of each, also of vectors with negative numbers."""
    places = {(-1, -1): [-1.0, -1.0], (-8, 0): [-8.0, 0.0], (1, 1): [1.0, 1.0], (8, 0): [8.0, 0.0]}
    rows = [{**row, "vector": place} for row, place in zip(ROWS, places.values(), strict=False)]
    found = _batch(catalog, new_queried(catalog, rows), [*places][:2], k=1)
    same_items(ids(found), [0, 1], "the ids of the rows")


@should("lance.query.vectors.told", operations=QUERY, clause="query-multi-vector-told")
@given(vectors=st.lists(probes, min_size=2, max_size=3, unique=True), k=st.sampled_from([1, 3]), filter=filters)
def test_several_vectors_told_apart(catalog: LanceCatalog, vectors: list[Any], k: int, filter: str) -> None:
    """A search for several vectors returns k rows for each, marked by its query_index."""
    options = {"filter": filter, "prefilter": True} if filter else {}
    rows = _batch(catalog, new_queried(catalog), vectors, k=k, **options)
    for place, probe in enumerate(vectors):
        own = [row for row in rows if row.get("query_index") == place]
        equal(
            distances(probe, own), nearest(probe, matching(filter), k), f"the distances of the rows of vector {place}"
        )


@should("lance.query.vectors.of_each_row", operations=QUERY, clause="query-multi-vector-rows")
def test_several_vectors_in_each_row(catalog: LanceCatalog) -> None:
    """On rows with several vectors, a search for all vectors of one row returns that row first."""
    several = [[[1.0, 9.0], [-1.0, 4.0]], [[5.0, 1.0], [1.0, 5.0]], [[5.0, -3.0]]]
    column = pa.array(several, pa.list_(pa.list_(pa.float32(), 2)))
    id = catalog.new_table_of(pa.table({"id": [0, 1, 2], "vector": column}))
    rows = _batch(catalog, id, [(5, 1), (1, 5)], k=1, distance_type="cosine", vector_column="vector")
    equal(ids(rows), [1], "the ids of the rows")
