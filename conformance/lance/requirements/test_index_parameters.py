"""Parameters of vector indices, and what ListTableIndices tells of an index."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import at_least, equal, status_is, unequal
from conformance.author.requirement import must, should
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import stream
from conformance.lance.support.clocks import check_recent, moment
from conformance.lance.support.indexing import (
    DIMENSION,
    KINDS,
    VECTOR_KINDS,
    IndexType,
    ask_for_index,
    new_index,
    new_indexable,
    vector,
    wait_for_index,
)
from conformance.values.outcomes import Unoffered

CREATE = ["CreateTableIndex"]
FLAT, PQ, HNSW = (VECTOR_KINDS[name] for name in ("ivf_flat", "ivf_pq", "ivf_hnsw_sq"))
PARAMETERS: dict[str, tuple[IndexType, dict[str, Any]]] = {
    "num_partitions": (FLAT, {"num_partitions": 3}),
    "target_partition_size": (FLAT, {"target_partition_size": 100}),
    "sample_rate": (FLAT, {"num_partitions": 2, "sample_rate": 64}),
    "max_iterations": (FLAT, {"num_partitions": 2, "max_iterations": 5}),
    "num_sub_vectors": (PQ, {"num_sub_vectors": DIMENSION // 2}),
    "num_bits": (PQ, {"num_sub_vectors": 4, "num_bits": 8}),
    "m": (HNSW, {"m": 8}),
    "ef_construction": (HNSW, {"m": 8, "ef_construction": 40}),
}


@should("lance.index.parameter.{}", operations=CREATE, clause="index-parameters", each=PARAMETERS)
def test_index_with_a_parameter(catalog: LanceCatalog, case: tuple[IndexType, dict[str, Any]]) -> None:
    """CreateTableIndex accepts {}, and a search through the index finds a row of the table."""
    kind, parameters = case
    id = new_indexable(catalog)
    new_index(catalog, id, kind, **parameters)
    found = catalog.rows(id, vector={"single_vector": vector(7)}, vector_column="vector", k=1, nprobes=8)
    equal(len(found), 1, "the number of found rows")


@should("lance.index.parameter.sub_vectors_unfit", operations=CREATE, clause="index-sub-vectors", kind="error")
def test_sub_vectors_that_do_not_divide(catalog: LanceCatalog) -> None:
    """CreateTableIndex with num_sub_vectors that do not divide the dimension returns 400."""
    id = new_indexable(catalog)
    catalog.control(lambda: ask_for_index(catalog, id, PQ, "fit", num_sub_vectors=4))
    catalog.create_table_index(id, **PQ.body, name="unfit", num_sub_vectors=DIMENSION - 1, expect=400)


LISTED = {name: KINDS[name] for name in ("btree", "ivf_flat")}


@must("lance.index.listed.{}", operations=["ListTableIndices"], clause="index-content", each=LISTED)
def test_listed_index_tells_its_rows(catalog: LanceCatalog, case: IndexType) -> None:
    """A listed index ({}) has its type, the rows in it, and as unindexed rows those that were added afterwards."""
    id = new_indexable(catalog)
    new_index(catalog, id, case)
    entry = wait_for_index(catalog, id, "idx")
    rows = catalog.count_table_rows(id).json
    told = (entry.get("num_indexed_rows"), entry.get("num_unindexed_rows"))
    if None in told or entry.get("index_type") is None:
        raise Unoffered("the listed index does not tell its type and its rows")
    equal(entry["index_type"].upper(), case.id, "the index_type")
    equal(told, (rows, 0), "the indexed and the unindexed rows")
    added = tables(1, first=1_000)
    status_is(catalog.insert_into_table(id, stream(added.select(["id"])), expect=None).status, 200)
    entry = wait_for_index(catalog, id, "idx")
    equal(entry["num_indexed_rows"] + entry["num_unindexed_rows"], rows + 1, "all rows that the listed index tells")


TOLD = {
    "type": "index_type",
    "indexed_rows": "num_indexed_rows",
    "unindexed_rows": "num_unindexed_rows",
    "size": "size_bytes",
    "time": "created_at",
}


@should("lance.index.listed.told.{}", operations=["ListTableIndices"], clause="index-content-told", each=TOLD)
def test_listed_index_has_a_field(catalog: LanceCatalog, case: str) -> None:
    """ListTableIndices returns the {} of a new index."""
    unequal(_listed(catalog).get(case), None, f"the {case} of the listed index")


@must("lance.index.listed.size", operations=["ListTableIndices"], clause="index-size")
def test_listed_index_has_a_size(catalog: LanceCatalog) -> None:
    """The size_bytes and the num_segments of a listed index that covers rows, if returned, are at least 1."""
    entry = _listed(catalog)
    for name in ("size_bytes", "num_segments"):
        if entry.get(name) is not None:
            at_least(entry[name], 1, f"the {name} of the listed index")


@must("lance.index.listed.time", operations=["ListTableIndices"], clause="index-time")
def test_listed_index_has_its_time(catalog: LanceCatalog) -> None:
    """The created_at of a new index, if returned, is near the present."""
    made = _listed(catalog).get("created_at")
    if made is not None:
        check_recent(moment(made, "the created_at"), "created_at")


def _listed(catalog: LanceCatalog) -> dict[str, Any]:
    """Build an index and return its entry."""
    id = new_indexable(catalog)
    new_index(catalog, id, KINDS["btree"])
    return wait_for_index(catalog, id, "idx")
