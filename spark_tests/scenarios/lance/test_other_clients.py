"""Tables that Spark writes and pylance, lancedb or the API read, and the other way round."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must
from conformance.author.suite import Suite
from conformance.lance.catalog import LanceCatalog
from conformance.values.outcomes import Blocked
from spark_tests.scenarios.lake import Lake
from spark_tests.scenarios.lance.opening import create_table, open_dataset, options_of
from spark_tests.scenarios.lance.tables import new_table, values

CLAUSE = "lance-other-clients"
SPARK = ("CreateEmptyTable", "DescribeTable")


@must("spark.lance.other.pylance-reads", operations=SPARK, clause=CLAUSE, kind="scenario")
def test_pylance_reads(lake: Lake, suite: Suite, catalog: LanceCatalog) -> None:
    """Pylance reads a table that Spark wrote, through the namespace, with filters and at every version."""
    table = new_table(lake, rows=3)
    lake.run(f"INSERT INTO {table} VALUES (3, 'more')")
    dataset = open_dataset(options_of(suite.settings), catalog.table_id())
    rows = [*({"id": id, "word": f"w{id}"} for id in range(3)), {"id": 3, "word": "more"}]
    same_items(dataset.to_table().to_pylist(), rows, "the rows that pylance reads")
    equal(dataset.to_table(filter="id > 2").to_pylist(), [{"id": 3, "word": "more"}], "the rows that a filter finds")
    equal(dataset.checkout_version(dataset.version - 1).count_rows(), 3, "the number of rows before")


@must("spark.lance.other.spark-reads", operations=["DescribeTable"], clause=CLAUSE, kind="scenario")
def test_spark_reads(lake: Lake, suite: Suite, catalog: LanceCatalog) -> None:
    """Spark reads a table that pylance wrote through the namespace, and rows that pylance appends later."""
    import lance  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415

    options, id = options_of(suite.settings), catalog.table_id()
    create_table(options, id, pa.table({"id": pa.array([1], pa.int32()), "word": ["a"]}))
    table = lake.name("t")
    equal(lake.run(f"SELECT id, word FROM {table}"), [(1, "a")], "the rows that Spark reads")
    added_rows = pa.table({"id": pa.array([2], pa.int32()), "word": ["b"]})
    lance.write_dataset(added_rows, open_dataset(options, id), mode="append")
    equal(lake.run(f"SELECT id, word FROM {table} ORDER BY id"), [(1, "a"), (2, "b")], "the rows after the append")
    lake.run(f"INSERT INTO {table} VALUES (3, 'c')")
    equal(open_dataset(options, id).count_rows(), 3, "the number of rows after the insert")


@must("spark.lance.other.lancedb", operations=SPARK, clause=CLAUSE, kind="scenario")
def test_lancedb(lake: Lake, suite: Suite, catalog: LanceCatalog) -> None:
    """Lancedb lists and reads a table that Spark wrote, and Spark reads the rows that lancedb added."""
    table = new_table(lake, rows=2)
    opened = _lancedb(suite).open_table(catalog.table_id()[-1], namespace_path=list(catalog.home))
    same_items(values(opened.to_arrow(), "word"), ["w0", "w1"], "the words that lancedb reads")
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    opened.add(pa.table({"id": pa.array([7], pa.int32()), "word": ["added"]}))
    equal(lake.run(f"SELECT word FROM {table} WHERE id = 7"), [("added",)], "the rows that lancedb added")


def _lancedb(suite: Suite) -> Any:
    """Return lancedb's connection to the namespace. Raises Blocked if lancedb is not installed."""
    try:
        import lancedb  # noqa: PLC0415 - optional
    except ImportError:
        raise Blocked("lancedb is not installed: pip install lancedb", "lancedb") from None
    return lancedb.connect_namespace("rest", options_of(suite.settings))


@must(
    "spark.lance.other.api-reads",
    operations=[*SPARK, "CountTableRows", "QueryTable"],
    clause=CLAUSE,
    kind="scenario",
)
def test_api_reads(lake: Lake, catalog: LanceCatalog) -> None:
    """The server counts and queries rows that Spark wrote directly to the table's location."""
    new_table(lake, rows=5)
    id = catalog.table_id()
    equal(catalog.count_table_rows(id).json, 5, "the number of rows that the server counts")
    rows = catalog.rows(id, filter="id >= 3", prefilter=True)
    same_items((row["word"] for row in rows), ["w3", "w4"], "the words that the query finds")


@must("spark.lance.other.api-writes", operations=[*SPARK, "InsertIntoTable"], clause=CLAUSE, kind="scenario")
def test_api_writes(lake: Lake, catalog: LanceCatalog) -> None:
    """Spark reads rows that were inserted through the server after Spark's own rows."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    from conformance.lance.support.arrow import stream  # noqa: PLC0415

    table = new_table(lake, rows=2)
    rows = pa.table({"id": pa.array([9], pa.int32()), "word": ["nine"]})
    catalog.insert_into_table(catalog.table_id(), stream(rows))
    equal(lake.run(f"SELECT id FROM {table} ORDER BY id"), [(0,), (1,), (9,)], "the ids that Spark reads")
