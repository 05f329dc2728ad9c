"""PySpark jobs with pylance on executors, through the namespace."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from conformance.author.checks import equal, only, same_items
from conformance.author.requirement import must
from conformance.author.suite import Suite
from conformance.lance.catalog import LanceCatalog
from conformance.values.json_values import shown
from spark_tests.scenarios.lake import Lake
from spark_tests.scenarios.lance.opening import (
    count_rows,
    create_table,
    index_fragments,
    open_dataset,
    options_of,
    rows_of,
    search_fragments,
    write_fragments,
)
from spark_tests.scenarios.lance.tables import values

CLAUSE = "lance-jobs"
READ = ("DeclareTable", "DescribeTable")
PARTS = 4
ROWS = 200


def spread(lake: Lake, text: str, numbers: list[int], work: Callable[[Iterable[int]], Iterator[Any]]) -> list[Any]:
    """Run a job over numbers in several partitions, and return the values that it yields."""
    context = lake.spark.sparkContext
    return lake.job(text, lambda: context.parallelize(numbers, PARTS).mapPartitions(work).collect())


def new_table(catalog: LanceCatalog, suite: Suite) -> list[int]:
    """Create a table with several fragments and return their numbers."""
    import lance  # noqa: PLC0415 - slow to import

    dataset = create_table(options_of(suite.settings), catalog.table_id(), rows_of(list(range(ROWS // PARTS))))
    for part in range(1, PARTS):
        first = part * ROWS // PARTS
        dataset = lance.write_dataset(rows_of(list(range(first, first + ROWS // PARTS))), dataset, mode="append")
    return [fragment.fragment_id for fragment in dataset.get_fragments()]


@must("spark.lance.job.read", operations=READ, clause=CLAUSE, kind="scenario")
def test_read(lake: Lake, suite: Suite, catalog: LanceCatalog) -> None:
    """Executors that open a table through the namespace read every row of its fragments once."""
    fragments = new_table(catalog, suite)
    work = partial(count_rows, options_of(suite.settings), catalog.table_id())
    rows = spread(lake, "count the rows of each fragment", fragments, work)
    same_items((row[0] for row in rows), fragments, "the fragments that executors read")
    equal(sum(row[1] for row in rows), ROWS, "the number of rows that executors read")
    equal(sum(row[2] for row in rows), sum(range(ROWS)), "the sum of the ids that executors read")


@must("spark.lance.job.written", operations=READ, clause=CLAUSE, kind="scenario")
def test_write(lake: Lake, suite: Suite, catalog: LanceCatalog) -> None:
    """Fragments that executors write are read only after the driver commits them, all in one version."""
    import lance  # noqa: PLC0415 - slow to import

    options, id = options_of(suite.settings), catalog.table_id()
    create_table(options, id, rows_of([0]))
    ids = list(range(1, ROWS))
    written = spread(lake, "write fragments", ids, partial(write_fragments, options, id))
    dataset = open_dataset(options, id)
    before = dataset.version
    equal(dataset.count_rows(), 1, "the number of rows before the commit")
    fragments = [lance.FragmentMetadata.from_json(text) for text in written]
    commit(dataset, lance.LanceOperation.Append(fragments))
    after = open_dataset(options, id)
    equal(after.version, before + 1, "the version after the commit")
    equal(after.count_rows(), ROWS, "the number of rows after the commit")
    equal(catalog.count_table_rows(id).json, ROWS, "the number of rows that the server counts")
    equal(lake.value(f"SELECT sum(id) FROM {lake.name('t')}"), sum(range(ROWS)), "the sum of the ids that Spark reads")


def commit(dataset: Any, operation: Any) -> None:
    """Commit an operation of pylance on the version of a dataset."""
    import lance  # noqa: PLC0415 - slow to import

    lance.LanceDataset.commit(dataset, operation, read_version=dataset.version)


@must("spark.lance.job.replaced", operations=READ, clause=CLAUSE, kind="scenario")
def test_replace(lake: Lake, suite: Suite, catalog: LanceCatalog) -> None:
    """An overwrite by executors replaces all rows in one version; the earlier rows are read at their version."""
    import lance  # noqa: PLC0415 - slow to import

    options, id = options_of(suite.settings), catalog.table_id()
    create_table(options, id, rows_of([0, 1, 2]))
    written = spread(lake, "write fragments", [10, 11], partial(write_fragments, options, id))
    dataset = open_dataset(options, id)
    fragments = [lance.FragmentMetadata.from_json(text) for text in written]
    commit(dataset, lance.LanceOperation.Overwrite(dataset.schema, fragments))
    same_items(values(open_dataset(options, id).to_table(), "id"), [10, 11], "the ids after the overwrite")
    equal(open_dataset(options, id, version=dataset.version).count_rows(), 3, "the number of rows before")


@must(
    "spark.lance.job.indexed.{}",
    operations=(*READ, "ListTableIndices"),
    clause=CLAUSE,
    kind="scenario",
    each={
        "btree": {"column": "id", "index_type": "BTREE"},
        "bitmap": {"column": "word", "index_type": "BITMAP"},
        "vectors": {"column": "vector", "index_type": "IVF_FLAT", "num_partitions": 2, "metric": "L2"},
    },
)
def test_index(lake: Lake, suite: Suite, catalog: LanceCatalog, case: dict[str, Any]) -> None:
    """An index ({}) whose parts executors build and the driver commits is listed and finds every row."""
    options, id = options_of(suite.settings), catalog.table_id()
    fragments = new_table(catalog, suite)
    index = {**case, "name": "built", **({"ivf_centroids": _centroids()} if case["column"] == "vector" else {})}
    built = spread(lake, f"build parts of {shown(case)}", fragments, partial(index_fragments, options, id, index))
    parts = [pickle.loads(part) for part in built]  # noqa: S301 - from our own executors
    open_dataset(options, id).commit_existing_index_segments("built", case["column"], parts)
    listed = [index["index_name"] for index in catalog.list_table_indices(id)["indexes"]]
    equal(listed, ["built"], "the listed indexes")
    dataset = open_dataset(options, id)
    if case["column"] == "vector":
        equal(_nearest(dataset, 77), 77, "the id of the row nearest to the vector of 77")
    else:
        value = "77" if case["column"] == "id" else "'w77'"
        equal(values(dataset.to_table(filter=f"{case['column']} = {value}"), "id"), [77], "the ids that a filter finds")


def _centroids() -> Any:
    import numpy as np  # noqa: PLC0415 - slow to import

    return np.array([[ROWS * 0.25, 3.0], [ROWS * 0.75, 3.0]], dtype="float32")


def _nearest(dataset: Any, id: int) -> int:
    import numpy as np  # noqa: PLC0415 - slow to import

    nearest = {"column": "vector", "q": np.array([id, id % 7], dtype="float32"), "k": 1, "nprobes": 2}
    nearest_id: int = only(
        values(dataset.scanner(nearest=nearest).to_table(), "id"), "the rows that a search for one finds"
    )
    return nearest_id


@must("spark.lance.job.searched", operations=READ, clause=CLAUSE, kind="scenario")
def test_search(lake: Lake, suite: Suite, catalog: LanceCatalog) -> None:
    """A vector search on executors, each over some fragments, finds the same rows as one search of the table."""
    options, id = options_of(suite.settings), catalog.table_id()
    fragments = new_table(catalog, suite)
    query, k = [99.4, 1.0], 5
    work = partial(search_fragments, options, id, query, k)
    neighbours = sorted(spread(lake, f"search {query} in each fragment", fragments, work))[:k]
    alone = list(search_fragments(options, id, query, k, fragments))
    equal([row[1] for row in neighbours], [row[1] for row in sorted(alone)], "the ids nearest to the vector")
    equal(len(neighbours), k, "the number of rows that the search finds")


@must("spark.lance.job.fragments", operations=READ, clause=CLAUSE, kind="scenario")
def test_fragments(lake: Lake, suite: Suite, catalog: LanceCatalog) -> None:
    """Fragments that executors wrote for a version that is no longer the latest are appended to the latest version."""
    import lance  # noqa: PLC0415 - slow to import

    options, id = options_of(suite.settings), catalog.table_id()
    create_table(options, id, rows_of([0]))
    before = open_dataset(options, id)
    written = spread(lake, "write fragments", [1, 2, 3], partial(write_fragments, options, id))
    lance.write_dataset(rows_of([9]), open_dataset(options, id), mode="append")
    commit(before, lance.LanceOperation.Append([lance.FragmentMetadata.from_json(text) for text in written]))
    same_items(values(open_dataset(options, id).to_table(), "id"), [0, 1, 2, 3, 9], "the ids after the commit")
