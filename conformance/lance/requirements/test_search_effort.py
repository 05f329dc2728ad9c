"""Query arguments for the effort of a vector search: nprobes, refine_factor, ef, bypass_vector_index, fast_search."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must, should
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.indexing import KINDS, ROWS, indexable, new_index, vector
from conformance.lance.support.queries import PROBES, Row, distances, ids, nearest, new_queried, search
from conformance.lance.support.queries import ROWS as FEW_ROWS

QUERY = ["QueryTable"]
EFFORTS: dict[str, Row] = {
    "nprobes": {"nprobes": 20},
    "refine_factor": {"refine_factor": 10},
    "ef": {"ef": 100},
    "bypass": {"bypass_vector_index": True},
    "no_bypass": {"bypass_vector_index": False},
    "no_fast_search": {"fast_search": False},
    "huge": {"nprobes": 2**31 - 1, "refine_factor": 2**31 - 1, "ef": 2**31 - 1},
}


@should("lance.query.effort.{}", operations=QUERY, clause="query-effort", each=EFFORTS)
def test_effort_without_index(catalog: LanceCatalog, case: Row) -> None:
    """On a table without an index, a vector search with a search-effort argument ({}) returns the nearest rows."""
    rows = search(catalog, new_queried(catalog), PROBES[1], k=5, **case)
    equal(distances(PROBES[1], rows), nearest(PROBES[1], FEW_ROWS, 5), "the distances of the rows")


NUMBERS_OF_ROWS = range(60, 200, 6)  # of nearest ones: for about a third of them, a quantized index finds others
ZEROS = ("nprobes", "refine_factor", "ef")


@should("lance.query.effort_zero.{}", operations=QUERY, clause="query-effort-zero", each={name: name for name in ZEROS})
def test_no_effort(catalog: LanceCatalog, case: str) -> None:
    """QueryTable accepts {} = 0, its smallest value."""
    search(catalog, new_queried(catalog), PROBES[1], k=5, **{case: 0})


def _order(number: int) -> list[int]:
    """Return all rows of an indexable table by their distance to the vector of one row."""
    wanted = vector(number)
    return sorted(range(ROWS), key=lambda row: sum((a - b) ** 2 for a, b in zip(vector(row), wanted, strict=True)))


def _found(catalog: LanceCatalog, kind: str, k: int, **query: Any) -> list[int]:
    """Return the rows that a search in a table with an index finds."""
    id = _with_index(catalog, kind)
    return ids(search(catalog, id, vector(17), k=k, vector_column="vector", **query))


def _with_index(catalog: LanceCatalog, kind: str) -> Names:
    """Create a table with an index on its vectors."""
    id = catalog.new_table_of(indexable())
    new_index(catalog, id, KINDS[kind], distance_type="l2")
    return id


@must("lance.query.effort.exact", operations=QUERY, clause="query-bypass")
def test_bypass(catalog: LanceCatalog) -> None:
    """QueryTable with bypass_vector_index returns the same rows as a search without an index."""
    id = _with_index(catalog, "ivf_pq")
    for k in NUMBERS_OF_ROWS:
        found = ids(search(catalog, id, vector(17), k=k, vector_column="vector", bypass_vector_index=True))
        same_items(found, _order(17)[:k], f"the ids of the {k} nearest rows")


@should("lance.query.effort.refined", operations=QUERY, clause="query-refine")
def test_refine(catalog: LanceCatalog) -> None:
    """A search with a refine_factor and enough nprobes returns the exact order from a quantized index."""
    order = _found(catalog, "ivf_pq", ROWS, nprobes=1000, refine_factor=2)
    equal(order, _order(17), "the ids of the rows, the nearest first")


@should("lance.query.effort.all_probed", operations=QUERY, clause="query-nprobes")
def test_nprobes(catalog: LanceCatalog) -> None:
    """A search with nprobes above the number of partitions of the index returns all rows."""
    same_items(_found(catalog, "ivf_flat", ROWS, nprobes=1000), range(ROWS), "the ids of the rows")


@should("lance.query.effort.ef_small", operations=QUERY, clause="query-ef")
def test_small_ef(catalog: LanceCatalog) -> None:
    """A search with an ef below k returns 200 or 400."""
    id = catalog.new_table_of(indexable())
    new_index(catalog, id, KINDS["ivf_hnsw_sq"], distance_type="l2")
    nearest = {"single_vector": vector(17)}
    catalog.query_table(id, vector=nearest, k=10, ef=1, vector_column="vector", expect=(200, 400))


@should("lance.query.effort.ef_all", operations=QUERY, clause="query-ef")
def test_ef(catalog: LanceCatalog) -> None:
    """A search of an HNSW index with an ef as large as the table returns the row of the search vector first."""
    equal(_found(catalog, "ivf_hnsw_sq", 5, ef=ROWS, nprobes=1000)[:1], [17], "the id of the nearest row")


@should("lance.query.effort.fast", operations=QUERY, clause="query-fast-search")
def test_fast_search(catalog: LanceCatalog) -> None:
    """A search with fast_search returns indexed rows."""
    equal(_found(catalog, "ivf_flat", 1, fast_search=True), [17], "the ids of the rows")
