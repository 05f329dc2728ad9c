"""GetTableStats."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st

from conformance.author.checks import above, at_least, at_most, equal
from conformance.author.requirement import given, must, should
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import stream
from conformance.lance.support.indexing import wait_for_index
from conformance.lance.worlds import UNINDEXED, all_but

STATS = ["GetTableStats"]
LENGTHS = ("min", "p25", "p50", "p75", "p99", "max")


@must("lance.stats.rows", operations=STATS, clause="table-stats")
@given(rows=st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_rows_are_counted(catalog: LanceCatalog, rows: list[int]) -> None:
    """GetTableStats returns the rows of the latest version as num_rows."""
    id = catalog.new_table(rows=rows[0])
    for count in rows[1:]:
        catalog.insert_into_table(id, stream(tables(count)))
    equal(catalog.get_table_stats(id)["num_rows"], sum(rows), "the num_rows")


@must("lance.stats.deleted", operations=STATS, clause="table-stats")
def test_deleted_rows_are_not_counted(catalog: LanceCatalog) -> None:
    """GetTableStats does not count deleted rows in num_rows."""
    id = catalog.new_table(rows=5)
    catalog.delete_from_table(id, predicate="id >= 3")
    equal(catalog.get_table_stats(id)["num_rows"], 3, "the num_rows")


@must("lance.stats.indices", operations=STATS, clause="table-stats", world=UNINDEXED)
def test_indices_are_counted(catalog: LanceCatalog) -> None:
    """GetTableStats returns the number of indices as num_indices."""
    id = catalog.new_table()
    equal(catalog.get_table_stats(id)["num_indices"], 0, "the num_indices")
    catalog.create_table_scalar_index(id, column="id", index_type="BTREE", name="by_id")
    wait_for_index(catalog, id, "by_id")
    equal(catalog.get_table_stats(id)["num_indices"], 1, "the num_indices")


@must("lance.stats.bytes", operations=STATS, clause="table-stats")
def test_bytes_grow(catalog: LanceCatalog) -> None:
    """GetTableStats returns a positive total_bytes for a table with rows, and a larger one after an insert."""
    id = catalog.new_table(rows=10)
    before = catalog.get_table_stats(id)["total_bytes"]
    catalog.insert_into_table(id, stream(tables(5000, first=10)))
    above(before, 0, "the total_bytes before the insert")
    above(catalog.get_table_stats(id)["total_bytes"], before, "the total_bytes after the insert")


@should(
    "lance.stats.fragments",
    operations=STATS,
    clause="table-stats-fragments",
    world=all_but(state=("fragments", "deleted", "updated")),
)
def test_fragments_are_counted(catalog: LanceCatalog) -> None:
    """GetTableStats counts one fragment per insert and returns minimum, maximum and mean of their lengths."""
    id = catalog.new_table(rows=2)
    for rows in (4, 6):
        catalog.insert_into_table(id, stream(tables(rows)))
    stats = catalog.get_table_stats(id)["fragment_stats"]
    equal(stats["num_fragments"], 3, "the num_fragments")
    for name, length in {"min": 2, "max": 6, "mean": 4}.items():
        equal(stats["lengths"][name], length, f"the {name} of the lengths")


@must("lance.stats.lengths", operations=STATS, clause="table-stats-lengths")
@given(rows=st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_percentiles_rise(catalog: LanceCatalog, rows: list[int]) -> None:
    """GetTableStats returns rising percentiles of fragment lengths, and a mean between minimum and maximum."""
    id = catalog.new_table(rows=rows[0])
    for count in rows[1:]:
        catalog.insert_into_table(id, stream(tables(count)))
    stats = catalog.get_table_stats(id)["fragment_stats"]
    lengths = stats["lengths"]
    for lower, name in pairwise(LENGTHS):
        at_least(lengths[name], lengths[lower], f"the {name} of the lengths")
    at_most(stats["num_small_fragments"], stats["num_fragments"], "the num_small_fragments")
    at_least(lengths["mean"], lengths["min"], "the mean of the lengths")
    at_most(lengths["mean"], lengths["max"], "the mean of the lengths")


@must("lance.stats.missing", operations=STATS, clause="table-not-found", kind="error", reads=True)
def test_stats_of_missing_table(catalog: LanceCatalog) -> None:
    """GetTableStats on a missing table returns 404 with code 4."""
    equal(catalog.get_table_stats(catalog.table_id("missing"), expect=404).code, 4, "the code of the error")


@should("lance.stats.declared", operations=STATS, clause="table-stats-declared", kind="error")
def test_stats_of_declared_table(catalog: LanceCatalog) -> None:
    """GetTableStats on a declared-only table returns num_rows 0, 400 or 404."""
    answer = catalog.get_table_stats(catalog.new_declared_table(), expect=(200, 400, 404))
    if answer.succeeded:
        equal(answer["num_rows"], 0, "the num_rows")
