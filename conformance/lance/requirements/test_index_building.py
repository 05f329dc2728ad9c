"""CreateTableIndex and CreateTableScalarIndex."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal
from conformance.author.requirement import may, must, should
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import stream
from conformance.lance.support.columns import check_no_column
from conformance.lance.support.index_building import BTREE, BUILDERS, CREATE, build, check_known, new_table
from conformance.lance.support.indexing import (
    KINDS,
    OTHER_KINDS,
    SCALAR_KINDS,
    IndexType,
    all_indices,
    ask_for_index,
    index_names,
    indexable,
    new_index,
    wait_for_index,
    without_vectors,
)
from conformance.values.outcomes import Unoffered
from specs.openapi import Operation

SCALAR = ["CreateTableScalarIndex"]
Body = dict[str, Any]


# Types


@must("lance.index.create.type.{}", operations=CREATE, clause="index-types", each=KINDS)
def test_index_types(catalog: LanceCatalog, case: IndexType) -> None:
    """An index of type {} can be built, and is listed with its column; or the type is refused as unsupported."""
    id = new_table(catalog)
    ask_for_index(catalog, id, case)
    equal(wait_for_index(catalog, id, "idx")["columns"], [case.column], "the columns of the index")


@must("lance.index.create_scalar.type.{}", operations=SCALAR, clause="index-types", each=SCALAR_KINDS)
def test_scalar_index_types(catalog: LanceCatalog, case: IndexType) -> None:
    """CreateTableScalarIndex builds an index of type {}, and it is listed; or the type is refused as unsupported."""
    id = new_table(catalog)
    answer = catalog.create_table_scalar_index(id, **case.body, name="idx", expect=None)
    catalog.supported(answer, f"indices of type {case.id}")
    equal(wait_for_index(catalog, id, "idx")["columns"], [case.column], "the columns of the index")


@may("lance.index.create.other_type.{}", operations=CREATE, clause="index-types-other", each=OTHER_KINDS)
def test_other_index_types(catalog: LanceCatalog, case: IndexType) -> None:
    """An index of type {}, which the document does not name, can be built."""
    id = new_table(catalog)
    catalog.create_table_index(id, **case.body, name="idx")
    equal(wait_for_index(catalog, id, "idx")["columns"], [case.column], "the columns of the index")


@must("lance.index.{}.type_unknown", clause="index-type-unknown", kind="error", each=BUILDERS)
def test_unknown_index_type(catalog: LanceCatalog, case: Operation) -> None:
    """A type of index that does not exist is refused with 400 and code 13; nothing is built."""
    id = new_table(catalog)
    catalog.control(lambda: build(catalog, case, new_table(catalog, "twin")))
    refused = catalog.send(case.id, id, {"column": "id", "index_type": "PERHAPS"}, expect=400)
    equal(refused.code, 13, "the code of the error")
    equal(all_indices(catalog, id), [], "the indices of the table")


@should("lance.index.create_scalar.vector_type", operations=SCALAR, clause="index-scalar", kind="error")
def test_vector_type_as_scalar(catalog: LanceCatalog) -> None:
    """A type for vectors is refused by CreateTableScalarIndex with 400 and code 13."""
    refused = catalog.create_table_scalar_index(new_table(catalog), **KINDS["ivf_flat"].body, expect=400)
    equal(refused.code, 13, "the code of the error")


@must("lance.index.create.unfit.{}", operations=CREATE, clause="index-unfit", kind="error", each=KINDS)
def test_unfit_column(catalog: LanceCatalog, case: IndexType) -> None:
    """An index of type {} on a column of a type that it does not fit is refused with 400 and code 13."""
    id = new_table(catalog)
    with catalog.client.preparing():
        new_index(catalog, id, case, "fits")
    refused = catalog.create_table_index(id, column=case.unfit, index_type=case.id, expect=400)
    equal(refused.code, 13, "the code of the error")
    equal(index_names(catalog, id), ["fits"], "the names of the indices")


# Distances

DISTANCES = {name: name for name in ("l2", "cosine", "dot")}


@must("lance.index.create.distance.{}", operations=CREATE, clause="index-distance", each=DISTANCES)
def test_distances(catalog: LanceCatalog, case: str) -> None:
    """A vector index with the distance {} is described with this distance, if with any."""
    stats = new_index(catalog, new_table(catalog), KINDS["ivf_flat"], distance_type=case)
    described = stats.get("distance_type")
    if described is None:
        raise Unoffered("the server does not say for which distance an index is built")
    equal(described.lower(), case, "the distance_type of the index")


@may("lance.index.create.hamming", operations=CREATE, clause="index-distance-hamming")
def test_hamming(catalog: LanceCatalog) -> None:
    """A vector index over bytes with the distance hamming can be built."""
    id = new_table(catalog)
    catalog.create_table_index(id, column="bits", index_type="IVF_FLAT", distance_type="hamming", name="idx")
    wait_for_index(catalog, id, "idx")


@must("lance.index.create.distance_unknown", operations=CREATE, clause="index-distance", kind="error")
def test_unknown_distance(catalog: LanceCatalog) -> None:
    """A distance that does not exist is refused with 400 and code 13; nothing is built."""
    id = new_table(catalog)
    with catalog.client.preparing():
        new_index(catalog, id, KINDS["ivf_flat"], "twin", distance_type="l2")
    refused = catalog.create_table_index(id, **KINDS["ivf_flat"].body, distance_type="perhaps", expect=400)
    equal(refused.code, 13, "the code of the error")
    equal(index_names(catalog, id), ["twin"], "the names of the indices")


# Columns


@must("lance.index.{}.column_missing", clause="query-column", kind="error", each=BUILDERS)
def test_missing_column(catalog: LanceCatalog, case: Operation) -> None:
    """An index on a column that does not exist is refused with 404 and code 12, or 400 and 13."""
    id, body = new_table(catalog), {"column": "nowhere", "index_type": "BTREE"}
    catalog.control(lambda: build(catalog, case, id))
    check_no_column(catalog.send(case.id, id, body, expect=(400, 404)))


@must("lance.index.create.column_missing_nested", operations=CREATE, clause="query-column", kind="error")
def test_missing_nested_column(catalog: LanceCatalog) -> None:
    """An index on a field that a struct does not have is refused with 404 and code 12, or 400 and 13."""
    id, body = new_table(catalog), {"column": "place.nowhere", "index_type": "BTREE"}
    catalog.control(lambda: build(catalog, BUILDERS["create"], id))
    check_no_column(catalog.send("CreateTableIndex", id, body, expect=(400, 404)))


@should("lance.index.create.nested", operations=CREATE, clause="index-nested")
def test_nested_column(catalog: LanceCatalog) -> None:
    """A field of a struct can be indexed, and is listed by its path."""
    id = new_table(catalog)
    catalog.create_table_index(id, column="place.city", index_type="BTREE", name="idx")
    equal(wait_for_index(catalog, id, "idx")["columns"], ["place.city"], "the columns of the index")


# Tables


@should("lance.index.create.empty_table", operations=CREATE, clause="index-empty-table")
def test_index_on_empty_table(catalog: LanceCatalog) -> None:
    """A table without rows can be indexed, and queries find the rows that come later."""
    id = catalog.new_table_of(indexable(0))
    build(catalog, BUILDERS["create"], id)
    wait_for_index(catalog, id, "idx")
    catalog.insert_into_table(id, stream(indexable(5)))
    equal([row["id"] for row in catalog.rows(id, filter="id = 3")], [3], "the ids of the rows found")


@should("lance.index.create.null_vectors", operations=CREATE, clause="index-no-vectors")
def test_index_on_null_vectors(catalog: LanceCatalog) -> None:
    """A column of vectors that are all null can be indexed, or that is refused with 400 and code 13."""
    id = catalog.new_table_of(without_vectors())
    answer = catalog.create_table_index(id, **KINDS["ivf_flat"].body, name="idx", expect=(200, 400))
    if answer.status == 400:
        equal(answer.code, 13, "the code of the error")
    else:
        wait_for_index(catalog, id, "idx")


@must("lance.index.{}.declared", clause="index-declared", kind="error", each=BUILDERS)
def test_index_on_declared_table(catalog: LanceCatalog, case: Operation) -> None:
    """An index on a table that was only declared is refused: it has no columns."""
    catalog.control(lambda: build(catalog, case, new_table(catalog, "twin")))
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
    """A request without a required field ({}) is refused with 400 and code 13."""
    operation, field = case
    id = new_table(catalog)
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
    """A field of a wrong type ({}) is refused with 400 and code 13."""
    id = new_table(catalog)
    catalog.control(lambda: ask_for_index(catalog, id, KINDS["fts"]))
    refused = catalog.create_table_index(id, **{**KINDS["fts"].body, **case}, expect=400)
    equal(refused.code, 13, "the code of the error")


# Answers


@should("lance.index.{}.transaction", clause="index-transaction", each=BUILDERS)
def test_index_transaction(catalog: LanceCatalog, case: Operation) -> None:
    """The answer names a transaction that DescribeTransaction knows."""
    id = new_table(catalog)
    check_known(catalog, id, build(catalog, case, id))
