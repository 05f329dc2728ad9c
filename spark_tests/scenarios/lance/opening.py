"""Opening tables through the namespace, in the driver and on executors.

Executors run these functions of plain values, with any Python that has pylance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from conformance.values.settings import Settings

Options = dict[str, str]
FILE_FORMAT = "2.0"  # newer files crash the older Lance of older connectors, and Spark with it


def options_of(settings: Settings) -> Options:
    """Return the options of clients for the target: its URL, and the headers of every request."""
    headers = dict(settings.pairs("header"))
    if settings.token:
        headers["Authorization"] = f"Bearer {settings.token}"
    return {"uri": settings.server.rstrip("/"), **{f"header.{name}": value for name, value in headers.items()}}


def open_dataset(options: Options, id: Sequence[str], **more: Any) -> Any:
    """Return a table as a dataset of pylance, which gets its location from the namespace."""
    import lance  # noqa: PLC0415 - slow to import

    return lance.dataset(namespace_client=_namespace(options), table_id=list(id), **more)


def create_table(options: Options, id: Sequence[str], rows: Any) -> Any:
    """Create a table of Arrow rows with pylance, through the namespace, in a file format that every connector reads."""
    import lance  # noqa: PLC0415 - slow to import

    how: dict[str, Any] = {"mode": "create", "data_storage_version": FILE_FORMAT}
    return lance.write_dataset(rows, namespace_client=_namespace(options), table_id=list(id), **how)


def _namespace(options: Options) -> Any:
    import lance.namespace  # noqa: PLC0415 - slow to import

    client: Any = lance.namespace.RestNamespace
    return client(**options)


def count_rows(options: Options, id: Sequence[str], fragments: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Read fragments; yield the number, the rows and the sum of the ids of each."""
    dataset = open_dataset(options, id)
    for number in fragments:
        rows = dataset.get_fragment(number).to_table(columns=["id"])
        yield number, rows.num_rows, sum(rows.column("id").to_pylist())


def write_fragments(options: Options, id: Sequence[str], ids: Iterable[int]) -> Iterator[str]:
    """Write a row of (id, word, vector) for each id to new fragments; yield them as JSON, without a commit."""
    import json  # noqa: PLC0415 - imported on executors

    import lance  # noqa: PLC0415

    rows = rows_of(list(ids))
    if rows.num_rows:
        dataset = open_dataset(options, id)
        for fragment in lance.fragment.write_fragments(rows, dataset, mode="append"):
            yield json.dumps(fragment.to_json())


def rows_of(ids: list[int]) -> Any:
    """Return rows (id, word, vector) as an Arrow table; a vector points at its own id."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    vectors = pa.array([value for id in ids for value in (float(id), float(id % 7))], pa.float32())
    return pa.table(
        {
            "id": pa.array(ids, pa.int32()),
            "word": pa.array([f"w{id}" for id in ids], pa.string()),
            "vector": pa.FixedSizeListArray.from_arrays(vectors, 2),
        }
    )


def index_fragments(
    options: Options, id: Sequence[str], index: dict[str, Any], fragments: Iterable[int]
) -> Iterator[bytes]:
    """Build an index over each fragment; yield the parts for the driver's commit, pickled."""
    import pickle  # noqa: PLC0415 - from our own executors, for our own driver

    numbers = list(fragments)
    if numbers:
        built = open_dataset(options, id).create_index_uncommitted(**index, fragment_ids=numbers)
        yield pickle.dumps(built)


def search_fragments(
    options: Options, id: Sequence[str], query: Sequence[float], k: int, fragments: Iterable[int]
) -> Iterator[tuple[float, int]]:
    """Search fragments for the rows nearest to a vector; yield distance and id of each."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    dataset = open_dataset(options, id)
    chosen = [dataset.get_fragment(number) for number in fragments]
    if chosen:
        nearest = {"column": "vector", "q": pa.array(query, pa.float32()), "k": k}
        for row in dataset.scanner(nearest=nearest, fragments=chosen, prefilter=True).to_table().to_pylist():
            yield row["_distance"], row["id"]
