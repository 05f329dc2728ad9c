"""ListTableIndices, DescribeTableIndexStats, DropTableIndex, and rules for all operations on indices."""

from __future__ import annotations

from conformance.author.checks import at_least, distinct, equal, exactly, number, only, same_items, text
from conformance.author.requirement import given, must, should
from conformance.author.strategies import names
from conformance.common.operations import has_json_body
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.operations import OPERATIONS
from conformance.lance.support.arrow import stream
from conformance.lance.support.checks import NO_NAMESPACE, table_is_missing
from conformance.lance.support.indexing import (
    KINDS,
    ROWS,
    IndexType,
    all_indices,
    index_names,
    indexable,
    new_index,
    row_counts_of,
)
from conformance.lance.support.versions import MISSING_VERSION, check_known
from conformance.lance.worlds import UNINDEXED
from specs.openapi import Operation

LIST = ["ListTableIndices"]
STATS = ["DescribeTableIndexStats"]
DROP = ["DropTableIndex"]
BTREE = KINDS["btree"]
UUIDS = "the index_uuids of the two indices"
ABOUT_INDICES = {
    "create": OPERATIONS["create_table_index"],
    "create_scalar": OPERATIONS["create_table_scalar_index"],
    "list": OPERATIONS["list_table_indices"],
    "stats": OPERATIONS["describe_table_index_stats"],
    "drop": OPERATIONS["drop_table_index"],
}
ABOUT_ONE = {name: ABOUT_INDICES[name] for name in ("stats", "drop")}
WITH_VERSION = {name: ABOUT_INDICES[name] for name in ("list", "stats")}


def _send(catalog: LanceCatalog, operation: Operation, id: Names, index: str = "idx", *, expect: Expected) -> Answer:
    """Send the minimal request of an index operation, on the index of this name."""
    path = {"index_name": index} if "index_name" in operation.path else {}
    body = BTREE.body if "Create" in operation.id else {} if has_json_body(operation) else None
    return catalog.send(operation.id, id, body, path=path, expect=expect)


def _indexed(catalog: LanceCatalog, *names: str) -> Names:
    """Create a table of three rows with indices of these names."""
    id = catalog.new_table()
    for name in names:
        new_index(catalog, id, BTREE, name)
    return id


# All operations


@must("lance.index.{}.missing", clause="table-not-found", kind="error", each=ABOUT_INDICES, reads=True)
def test_indices_of_missing_table(catalog: LanceCatalog, case: Operation) -> None:
    """{} on a missing table returns 404 with code 4, or 6 for its index."""
    refused = _send(catalog, case, catalog.table_id("missing"), expect=404)
    table_is_missing(refused, case.id)


@must("lance.index.{}.namespace_missing", clause="table-not-found", kind="error", each=ABOUT_INDICES, reads=True)
def test_indices_in_missing_namespace(catalog: LanceCatalog, case: Operation) -> None:
    """{} in a missing namespace returns 404 with code 1 or 4, or 6 for the index."""
    catalog.require_levels()
    refused = _send(catalog, case, (*catalog.missing_namespace(), "t"), expect=404)
    table_is_missing(refused, case.id, NO_NAMESPACE)


@should("lance.index.{}.root", clause="root-no-table", kind="error", each=ABOUT_INDICES, reads=True)
def test_indices_of_the_root(catalog: LanceCatalog, case: Operation) -> None:
    """{} on the root namespace, which is no table, returns 400 with code 13."""
    refused = _send(catalog, case, (), expect=400)
    equal(refused.code, 13, "the code of the error")


@must("lance.index.{}.index_missing", clause="index-not-found", kind="error", each=ABOUT_ONE, reads=True)
def test_missing_index(catalog: LanceCatalog, case: Operation) -> None:
    """{} of a missing index returns 404 with code 6."""
    id = catalog.new_table() if catalog.target.read_only else _indexed(catalog, "another")
    refused = _send(catalog, case, id, catalog.target.missing_name, expect=404)
    equal(refused.code, 6, "the code of the error")


@must("lance.index.{}.version_missing", clause="version-not-found", kind="error", each=WITH_VERSION, reads=True)
def test_indices_of_missing_version(catalog: LanceCatalog, case: Operation) -> None:
    """{} at a missing version returns 404 with code 11."""
    indexed = not catalog.target.read_only or case.id in STATS
    id = _indexed(catalog, "idx") if indexed else catalog.new_table()
    refused = catalog.send(case.id, id, {"version": MISSING_VERSION}, path={"index_name": "idx"}, expect=404)
    equal(refused.code, 11, "the code of the error")


# ListTableIndices


@must("lance.index.list.none", operations=LIST, clause="index-list", world=UNINDEXED)
def test_no_indices(catalog: LanceCatalog) -> None:
    """ListTableIndices on a table without indices returns an empty list."""
    equal(all_indices(catalog, catalog.new_table()), [], "the indices of the table")


@must("lance.index.list.uuids", operations=LIST, clause="index-list", world=UNINDEXED)
def test_index_uuids(catalog: LanceCatalog) -> None:
    """ListTableIndices returns a different index_uuid for each index, and the same ones when it is repeated."""
    id = _indexed(catalog, "one", "two")
    before = _uuids(catalog, id)
    distinct(exactly(before.values(), 2, UUIDS), UUIDS)
    equal(_uuids(catalog, id), before, f"{UUIDS} when they are listed again")


def _uuids(catalog: LanceCatalog, id: Names) -> dict[str, str]:
    """Return the index_uuid of each index by its name."""
    return {entry["index_name"]: text(entry["index_uuid"], "the index_uuid") for entry in all_indices(catalog, id)}


@should("lance.index.list.status", operations=LIST, clause="index-status")
def test_index_status(catalog: LanceCatalog) -> None:
    """ListTableIndices returns a status for each index, the same for all that are built."""
    id = _indexed(catalog, "one", "two")
    statuses = {entry["status"] for entry in all_indices(catalog, id)}
    text(only(statuses, "the different statuses of the indices"), "the status of the indices")


@must("lance.index.list.version", operations=LIST, clause="index-version", world=UNINDEXED)
def test_indices_of_old_version(catalog: LanceCatalog) -> None:
    """ListTableIndices at a version older than an index does not list that index."""
    id = catalog.new_table()
    before = catalog.version(id)
    new_index(catalog, id, BTREE)
    equal(index_names(catalog, id, version=before), [], "the names of the indices")
    equal(index_names(catalog, id), ["idx"], "the names of the indices")


# DescribeTableIndexStats


def _plain(kind: str) -> str:
    """Return an index type in lower case without underscores, INVERTED as fts: two names of one type."""
    return kind.replace("_", "").lower().replace("inverted", "fts")


@must("lance.index.stats.type.{}", operations=STATS, clause="index-stats", each=KINDS)
def test_stats_type(catalog: LanceCatalog, case: IndexType) -> None:
    """DescribeTableIndexStats of an index of type {} returns this index_type."""
    stats = new_index(catalog, catalog.new_table_of(indexable()), case)
    equal(_plain(text(stats["index_type"], "the index_type")), _plain(case.id), "the index_type")


@should("lance.index.stats.distance", operations=STATS, clause="index-stats")
def test_stats_with_distance(catalog: LanceCatalog) -> None:
    """DescribeTableIndexStats of a vector index returns its distance_type."""
    stats = new_index(catalog, catalog.new_table_of(indexable()), KINDS["ivf_flat"], distance_type="cosine")
    equal(text(stats["distance_type"], "the distance_type").lower(), "cosine", "the distance_type")


@should("lance.index.stats.no_distance", operations=STATS, clause="index-stats")
def test_stats_without_distance(catalog: LanceCatalog) -> None:
    """DescribeTableIndexStats of a scalar index returns no distance_type."""
    stats = new_index(catalog, catalog.new_table(), BTREE)
    equal(stats.get("distance_type"), None, "the distance_type of an index that is not for vectors")


@must("lance.index.stats.rows", operations=STATS, clause="index-stats-rows")
def test_stats_rows(catalog: LanceCatalog) -> None:
    """DescribeTableIndexStats of a built index counts all rows as indexed and none as unindexed."""
    stats = new_index(catalog, catalog.new_table_of(indexable()), BTREE)
    indexed, unindexed = row_counts_of(stats)
    equal(indexed, ROWS, "the num_indexed_rows")
    equal(unindexed, 0, "the num_unindexed_rows")


COUNTS = {name: name for name in ("num_indexed_rows", "num_unindexed_rows", "num_indices")}


@should("lance.index.stats.told.{}", operations=STATS, clause="index-stats-counts", each=COUNTS)
def test_stats_are_told(catalog: LanceCatalog, case: str) -> None:
    """DescribeTableIndexStats of a built index returns {}."""
    number(new_index(catalog, catalog.new_table(), BTREE)[case], f"the {case}")


@must("lance.index.stats.new_rows", operations=STATS, clause="index-stats-rows")
def test_stats_new_rows(catalog: LanceCatalog) -> None:
    """After an insert, num_indexed_rows and num_unindexed_rows of an index add up to all rows of the table."""
    id = _indexed(catalog, "idx")
    catalog.insert_into_table(id, stream(indexable(5).select(["id"])))
    indexed, unindexed = row_counts_of(catalog.describe_table_index_stats(id, "idx"))
    equal(indexed + unindexed, 8, "the num_indexed_rows and num_unindexed_rows together")
    at_least(indexed, 3, "the num_indexed_rows")


@must("lance.index.stats.num_indices", operations=STATS, clause="index-stats")
def test_stats_parts(catalog: LanceCatalog) -> None:
    """DescribeTableIndexStats of a built index returns num_indices of at least 1, if it returns num_indices."""
    stats = new_index(catalog, catalog.new_table(), BTREE)
    parts = stats.get("num_indices")
    if parts is not None:
        at_least(number(parts, "the num_indices"), 1, "the num_indices")


@must("lance.index.stats.version", operations=STATS, clause="index-version", kind="error")
def test_stats_of_old_version(catalog: LanceCatalog) -> None:
    """DescribeTableIndexStats at a version older than the index returns 404 with code 6."""
    id = catalog.new_table()
    before = catalog.version(id)
    new_index(catalog, id, BTREE)
    refused = catalog.describe_table_index_stats(id, "idx", version=before, expect=404)
    equal(refused.code, 6, "the code of the error")


@must("lance.index.stats.body_same", operations=STATS, clause="index-body")
def test_body_names_the_same_index(catalog: LanceCatalog) -> None:
    """DescribeTableIndexStats accepts a body that repeats the id and the index_name of the path."""
    id = _indexed(catalog, "idx")
    body = {"id": list(id), "index_name": "idx"}
    catalog.send("DescribeTableIndexStats", id, body, path={"index_name": "idx"})


@should("lance.index.stats.body_other", operations=STATS, clause="index-body", kind="error")
def test_body_names_another_index(catalog: LanceCatalog) -> None:
    """DescribeTableIndexStats whose body index_name differs from the path returns 400 with code 13."""
    id = _indexed(catalog, "idx", "another")
    refused = catalog.send(
        "DescribeTableIndexStats", id, {"index_name": "another"}, path={"index_name": "idx"}, expect=400
    )
    equal(refused.code, 13, "the code of the error")


# DropTableIndex


@must("lance.index.drop.gone", operations=DROP, clause="index-drop")
@given(name=names())
def test_dropped_index_is_gone(catalog: LanceCatalog, name: str) -> None:
    """DropTableIndex, sent without a body, removes the index from the list and keeps the others."""
    id = _indexed(catalog, name, "stays")
    catalog.drop_table_index(id, name)
    equal(index_names(catalog, id), ["stays"], "the names of the indices")


@must("lance.index.drop.rows", operations=DROP, clause="index-drop-rows")
def test_rows_without_index(catalog: LanceCatalog) -> None:
    """QueryTable returns the same rows after the index is dropped."""
    id = catalog.new_table_of(indexable())
    new_index(catalog, id, BTREE)
    before = catalog.rows(id, filter=BTREE.filter)
    catalog.drop_table_index(id, "idx")
    same_items(catalog.rows(id, filter=BTREE.filter), before, "the rows found without the index")
    equal(catalog.count_table_rows(id).json, ROWS, "the number of rows")


@should("lance.index.drop.transaction", operations=DROP, clause="index-transaction")
def test_drop_transaction(catalog: LanceCatalog) -> None:
    """DropTableIndex returns a transaction_id that DescribeTransaction knows."""
    id = _indexed(catalog, "idx")
    check_known(catalog, id, catalog.drop_table_index(id, "idx"))
