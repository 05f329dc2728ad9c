"""CreateTableIndex and CreateTableScalarIndex."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal
from conformance.author.requirement import may, must, should
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import stream
from conformance.lance.support.columns import check_no_column
from conformance.lance.support.indexing import (
    BTREE,
    BUILDERS,
    CREATE,
    KINDS,
    OTHER_KINDS,
    SCALAR_KINDS,
    IndexType,
    all_indices,
    ask_for_index,
    build,
    index_names,
    indexable,
    new_index,
    new_indexable,
    wait_for_index,
    without_vectors,
)
from conformance.lance.support.versions import check_known
from conformance.lance.worlds import UNINDEXED
from conformance.values.outcomes import Unoffered
from specs.openapi import Operation

SCALAR = ["CreateTableScalarIndex"]
Body = dict[str, Any]


# Types


@must("lance.index.create.type.{}", operations=CREATE, clause="index-types", each=KINDS)
def test_index_types(catalog: LanceCatalog, case: IndexType) -> None:
    """CreateTableIndex builds an index of type {}, listed with its column, or rejects the type as unsupported."""
    id = new_indexable(catalog)
    ask_for_index(catalog, id, case)
    equal(wait_for_index(catalog, id, "idx")["columns"], [case.column], "the columns of the index")


@must("lance.index.create_scalar.type.{}", operations=SCALAR, clause="index-types", each=SCALAR_KINDS)
def test_scalar_index_types(catalog: LanceCatalog, case: IndexType) -> None:
    """CreateTableScalarIndex builds an index of type {}, listed with its column, or rejects it as unsupported."""
    id = new_indexable(catalog)
    answer = catalog.create_table_scalar_index(id, **case.body, name="idx", expect=None)
    catalog.supported(answer, f"indices of type {case.id}")
    equal(wait_for_index(catalog, id, "idx")["columns"], [case.column], "the columns of the index")


@may("lance.index.create.other_type.{}", operations=CREATE, clause="index-types-other", each=OTHER_KINDS)
def test_other_index_types(catalog: LanceCatalog, case: IndexType) -> None:
    """CreateTableIndex builds an index of type {}, which the document does not name."""
    id = new_indexable(catalog)
    catalog.create_table_index(id, **case.body, name="idx")
    equal(wait_for_index(catalog, id, "idx")["columns"], [case.column], "the columns of the index")


@must("lance.index.{}.type_unknown", clause="index-type-unknown", kind="error", each=BUILDERS, world=UNINDEXED)
def test_unknown_index_type(catalog: LanceCatalog, case: Operation) -> None:
    """{} with an unknown index type returns 400 with code 13 and builds no index."""
    id = new_indexable(catalog)
    catalog.control(lambda: build(catalog, case, new_indexable(catalog, "twin")))
    refused = catalog.send(case.id, id, {"column": "id", "index_type": "PERHAPS"}, expect=400)
    equal(refused.code, 13, "the code of the error")
    equal(all_indices(catalog, id), [], "the indices of the table")


@should("lance.index.create_scalar.vector_type", operations=SCALAR, clause="index-scalar", kind="error")
def test_vector_type_as_scalar(catalog: LanceCatalog) -> None:
    """CreateTableScalarIndex with a vector index type returns 400 with code 13."""
    refused = catalog.create_table_scalar_index(new_indexable(catalog), **KINDS["ivf_flat"].body, expect=400)
    equal(refused.code, 13, "the code of the error")


@must("lance.index.create.unfit.{}", operations=CREATE, clause="index-unfit", kind="error", each=KINDS, world=UNINDEXED)
def test_unfit_column(catalog: LanceCatalog, case: IndexType) -> None:
    """CreateTableIndex of type {} on a column of an unsupported type returns 400 with code 13."""
    id = new_indexable(catalog)
    with catalog.client.preparing():
        new_index(catalog, id, case, "fits")
    refused = catalog.create_table_index(id, column=case.unfit, index_type=case.id, expect=400)
    equal(refused.code, 13, "the code of the error")
    equal(index_names(catalog, id), ["fits"], "the names of the indices")


# Distances

DISTANCES = {name: name for name in ("l2", "cosine", "dot")}


@must("lance.index.create.distance.{}", operations=CREATE, clause="index-distance", each=DISTANCES)
def test_distances(catalog: LanceCatalog, case: str) -> None:
    """A vector index built with distance_type {} reports this distance, if it reports one."""
    stats = new_index(catalog, new_indexable(catalog), KINDS["ivf_flat"], distance_type=case)
    described = stats.get("distance_type")
    if described is None:
        raise Unoffered("the server does not say for which distance an index is built")
    equal(described.lower(), case, "the distance_type of the index")


@may("lance.index.create.hamming", operations=CREATE, clause="index-distance-hamming")
def test_hamming(catalog: LanceCatalog) -> None:
    """CreateTableIndex builds a vector index over bytes with distance_type hamming."""
    id = new_indexable(catalog)
    catalog.create_table_index(id, column="bits", index_type="IVF_FLAT", distance_type="hamming", name="idx")
    wait_for_index(catalog, id, "idx")


@must("lance.index.create.distance_unknown", operations=CREATE, clause="index-distance", kind="error", world=UNINDEXED)
def test_unknown_distance(catalog: LanceCatalog) -> None:
    """CreateTableIndex with an unknown distance_type returns 400 with code 13 and builds no index."""
    id = new_indexable(catalog)
    with catalog.client.preparing():
        new_index(catalog, id, KINDS["ivf_flat"], "twin", distance_type="l2")
    refused = catalog.create_table_index(id, **KINDS["ivf_flat"].body, distance_type="perhaps", expect=400)
    equal(refused.code, 13, "the code of the error")
    equal(index_names(catalog, id), ["twin"], "the names of the indices")


# Columns


@must("lance.index.{}.column_missing", clause="query-column", kind="error", each=BUILDERS)
def test_missing_column(catalog: LanceCatalog, case: Operation) -> None:
    """{} on a missing column returns 404 with code 12 or 400 with code 13."""
    id, body = new_indexable(catalog), {"column": "nowhere", "index_type": "BTREE"}
    catalog.control(lambda: build(catalog, case, id))
    check_no_column(catalog.send(case.id, id, body, expect=(400, 404)))


@must("lance.index.create.column_missing_nested", operations=CREATE, clause="query-column", kind="error")
def test_missing_nested_column(catalog: LanceCatalog) -> None:
    """CreateTableIndex on a missing field of a struct returns 404 with code 12 or 400 with code 13."""
    id, body = new_indexable(catalog), {"column": "place.nowhere", "index_type": "BTREE"}
    catalog.control(lambda: build(catalog, BUILDERS["create"], id))
    check_no_column(catalog.send("CreateTableIndex", id, body, expect=(400, 404)))


@should("lance.index.create.nested", operations=CREATE, clause="index-nested")
def test_nested_column(catalog: LanceCatalog) -> None:
    """CreateTableIndex indexes a field of a struct and lists it by its path."""
    id = new_indexable(catalog)
    catalog.create_table_index(id, column="place.city", index_type="BTREE", name="idx")
    equal(wait_for_index(catalog, id, "idx")["columns"], ["place.city"], "the columns of the index")


# Tables


@should("lance.index.create.empty_table", operations=CREATE, clause="index-empty-table")
def test_index_on_empty_table(catalog: LanceCatalog) -> None:
    """CreateTableIndex on an empty table succeeds, and queries find rows inserted later."""
    id = catalog.new_empty_table(indexable(1))
    build(catalog, BUILDERS["create"], id)
    wait_for_index(catalog, id, "idx")
    catalog.insert_into_table(id, stream(indexable(5)))
    equal([row["id"] for row in catalog.rows(id, filter="id = 3")], [3], "the ids of the rows found")


@should("lance.index.create.null_vectors", operations=CREATE, clause="index-no-vectors")
def test_index_on_null_vectors(catalog: LanceCatalog) -> None:
    """CreateTableIndex on a vector column with only nulls builds the index or returns 400 with code 13."""
    id = catalog.new_table_of(without_vectors())
    answer = catalog.create_table_index(id, **KINDS["ivf_flat"].body, name="idx", expect=(200, 400))
    if answer.status == 400:
        equal(answer.code, 13, "the code of the error")
    else:
        wait_for_index(catalog, id, "idx")


@must("lance.index.{}.declared", clause="index-declared", kind="error", each=BUILDERS)
def test_index_on_declared_table(catalog: LanceCatalog, case: Operation) -> None:
    """{} on a declared-only table returns 400, 404 or 409."""
    catalog.control(lambda: build(catalog, case, new_indexable(catalog, "twin")))
    build(catalog, case, catalog.new_declared_table(), expect=(400, 404, 409))


# Requests

REQUIRED = {
    f"{name}_{field}": (operation, field) for name, operation in BUILDERS.items() for field in ("column", "index_type")
}


@must(
    "lance.index.required.{}",
    operations=lambda case: [case[0].id],
    clause="request-schemas",
    kind="error",
    each=REQUIRED,
)
def test_required_fields(catalog: LanceCatalog, case: tuple[Operation, str]) -> None:
    """A request for an index without a required field ({}) returns 400 with code 13."""
    operation, field = case
    id = new_indexable(catalog)
    catalog.control(lambda: build(catalog, operation, id))
    body = {name: value for name, value in BTREE.items() if name != field}
    refused = catalog.send(operation.id, id, body, expect=400)
    equal(refused.code, 13, "the code of the error")


WRONG_FIELDS: dict[str, Body] = {
    "name": {"name": 17},
    "distance_type": {"distance_type": ["l2"]},
    "with_position": {"with_position": "yes"},
    "base_tokenizer": {"base_tokenizer": True},
    "max_token_length": {"max_token_length": "long"},
    "negative_length": {"max_token_length": -1},
    "lower_case": {"lower_case": 1},
}


@must("lance.index.field_type.{}", operations=CREATE, clause="request-schemas", kind="error", each=WRONG_FIELDS)
def test_wrong_fields(catalog: LanceCatalog, case: Body) -> None:
    """CreateTableIndex with a field of the wrong type ({}) returns 400 with code 13."""
    id = new_indexable(catalog)
    catalog.control(lambda: ask_for_index(catalog, id, KINDS["fts"]))
    refused = catalog.create_table_index(id, **{**KINDS["fts"].body, **case}, expect=400)
    equal(refused.code, 13, "the code of the error")


# Responses


@should("lance.index.{}.transaction", clause="index-transaction", each=BUILDERS, twin=True)
def test_index_transaction(catalog: LanceCatalog, case: Operation) -> None:
    """{} returns a transaction_id that DescribeTransaction knows."""
    id = new_indexable(catalog)
    check_known(catalog, id, build(catalog, case, id))
