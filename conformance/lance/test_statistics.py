"""GetTableStats."""

from __future__ import annotations

from hypothesis import strategies as st

from conformance.lance.arrow import stream
from conformance.lance.catalog import LanceCatalog
from conformance.lance.indexing import wait_for_index
from conformance.requirement import given, must, should
from conformance.strategies import tables

STATS = ["GetTableStats"]
LENGTHS = ("min", "p25", "p50", "p75", "p99", "max")


@must("lance.stats.rows", operations=STATS, clause="table-stats")
@given(rows=st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_rows_are_counted(catalog: LanceCatalog, rows: list[int]) -> None:
    """`num_rows` counts the rows of the latest version."""
    id = catalog.new_table(rows=rows[0])
    for count in rows[1:]:
        catalog.insert_into_table(id, stream(tables(count)))
    assert catalog.get_table_stats(id)["num_rows"] == sum(rows)


@must("lance.stats.deleted", operations=STATS, clause="table-stats")
def test_deleted_rows_are_not_counted(catalog: LanceCatalog) -> None:
    """Rows that were deleted are not counted."""
    id = catalog.new_table(rows=5)
    catalog.delete_from_table(id, predicate="id >= 3")
    assert catalog.get_table_stats(id)["num_rows"] == 3


@must("lance.stats.indices", operations=STATS, clause="table-stats")
def test_indices_are_counted(catalog: LanceCatalog) -> None:
    """`num_indices` counts the indices of the table."""
    id = catalog.new_table()
    assert catalog.get_table_stats(id)["num_indices"] == 0
    catalog.create_table_scalar_index(id, column="id", index_type="BTREE", name="by_id")
    wait_for_index(catalog, id, "by_id")
    assert catalog.get_table_stats(id)["num_indices"] == 1


@must("lance.stats.bytes", operations=STATS, clause="table-stats")
def test_bytes_grow(catalog: LanceCatalog) -> None:
    """`total_bytes` is more than nothing for a table with rows, and grows with them."""
    id = catalog.new_table(rows=10)
    before = catalog.get_table_stats(id)["total_bytes"]
    catalog.insert_into_table(id, stream(tables(5000, first=10)))
    assert 0 < before < catalog.get_table_stats(id)["total_bytes"]


@should("lance.stats.fragments", operations=STATS, clause="table-stats-fragments")
def test_fragments_are_counted(catalog: LanceCatalog) -> None:
    """Every insert makes a fragment; their lengths are summed up by minimum, maximum and mean."""
    id = catalog.new_table(rows=2)
    for rows in (4, 6):
        catalog.insert_into_table(id, stream(tables(rows)))
    stats = catalog.get_table_stats(id)["fragment_stats"]
    assert stats["num_fragments"] == 3
    assert [stats["lengths"][name] for name in ("min", "max", "mean")] == [2, 6, 4]


@must("lance.stats.lengths", operations=STATS, clause="table-stats-lengths")
@given(rows=st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_percentiles_rise(catalog: LanceCatalog, rows: list[int]) -> None:
    """The percentiles of the lengths of fragments do not fall, and lie between minimum and maximum."""
    id = catalog.new_table(rows=rows[0])
    for count in rows[1:]:
        catalog.insert_into_table(id, stream(tables(count)))
    stats = catalog.get_table_stats(id)["fragment_stats"]
    lengths = [stats["lengths"][name] for name in LENGTHS]
    assert lengths == sorted(lengths)
    assert stats["num_small_fragments"] <= stats["num_fragments"]
    assert lengths[0] <= stats["lengths"]["mean"] <= lengths[-1]


@must("lance.stats.missing", operations=STATS, clause="table-not-found", kind="error")
def test_stats_of_missing_table(catalog: LanceCatalog) -> None:
    """The statistics of a table that does not exist are refused with 404 and code 4."""
    assert catalog.get_table_stats(catalog.table_id("missing"), expect=404).code == 4


@should("lance.stats.declared", operations=STATS, clause="table-stats-declared", kind="error")
def test_stats_of_declared_table(catalog: LanceCatalog) -> None:
    """A table that was only declared has no rows to tell about: 0 of them, or a refusal with 400 or 404."""
    answer = catalog.get_table_stats(catalog.new_declared_table(), expect=(200, 400, 404))
    assert answer.status != 200 or answer["num_rows"] == 0
