"""CreateTableIndex, CreateTableScalarIndex, ListTableIndices, DescribeTableIndexStats, DropTableIndex.

Indices are built before the answer: a client that watches their progress finds them done.
"""

from __future__ import annotations

from typing import Any

from reference_server.errors import InvalidInput, TableIndexAlreadyExists, TableIndexNotFound
from reference_server.lance.columns import require_column
from reference_server.lance.context import LanceContext
from reference_server.lance.settling import current_table
from reference_server.lance.transactions import transaction_id
from reference_server.pagination import take_page

Answer = dict[str, Any]
SCALAR = {name: name for name in ("BTREE", "BITMAP", "LABEL_LIST", "NGRAM", "ZONEMAP", "BLOOMFILTER", "RTREE")}
SCALAR.update(FTS="INVERTED", INVERTED="INVERTED")
VECTOR = ("IVF_FLAT", "IVF_SQ", "IVF_PQ", "IVF_RQ", "IVF_HNSW_FLAT", "IVF_HNSW_SQ", "IVF_HNSW_PQ")
METRICS = ("l2", "cosine", "dot", "hamming")
FTS_OPTIONS = (
    *("with_position", "base_tokenizer", "language", "max_token_length", "lower_case", "stem"),
    *("remove_stop_words", "ascii_folding"),
)
MOST_SUB_VECTORS = 16


async def create_table_index(context: LanceContext) -> Answer:
    """Build an index on a column, for vectors or for filters."""
    return await _create(context, {*SCALAR, *VECTOR})


async def create_table_scalar_index(context: LanceContext) -> Answer:
    """Build an index for filters or full-text search."""
    return await _create(context, set(SCALAR))


async def list_table_indices(context: LanceContext) -> Answer:
    """List the indices of a table, by name."""
    table = await current_table(context, context.table_id)
    found = await context.read(table, _describe_all, context.body.get("version"))
    by_name = {one["index_name"].encode(): one for one in found}

    def fetch(after: bytes | None, count: int) -> list[tuple[bytes, Answer]]:
        names = sorted(name for name in by_name if after is None or name > after)
        return [(name, by_name[name]) for name in names[:count]]

    scope = f"indices {'$'.join(context.id)}".encode()
    token, limit = context.argument("page_token"), context.argument("limit")
    page = take_page(scope, token, limit, context.page_size, fetch)
    return {"indexes": page.items, "page_token": page.token}


async def describe_table_index_stats(context: LanceContext) -> Answer:
    """Return what an index is and how many rows it covers."""
    table = await current_table(context, context.table_id)
    name = context.path["index_name"]

    def describe(dataset: Any) -> Answer:
        _require(dataset, name)
        stats = dataset.stats.index_stats(name)
        metric = (stats.get("indices") or [{}])[0].get("metric_type")
        answer = {
            "index_type": stats["index_type"],
            "distance_type": metric,
            "num_indexed_rows": stats["num_indexed_rows"],
            "num_unindexed_rows": stats["num_unindexed_rows"],
            "num_indices": stats["num_indices"],
        }
        return {key: value for key, value in answer.items() if value is not None}

    return await context.read(table, describe, context.body.get("version"))


async def drop_table_index(context: LanceContext) -> Answer:
    """Drop an index."""
    table = await current_table(context, context.table_id)
    name = context.path["index_name"]

    def drop(dataset: Any) -> None:
        _require(dataset, name)
        dataset.drop_index(name)

    await context.change(table, drop)
    return await transaction_id(context, table)


async def _create(context: LanceContext, allowed: set[str]) -> Answer:
    table = await current_table(context, context.table_id)
    body = context.body
    kind = body["index_type"].upper()
    if kind not in allowed:
        raise InvalidInput(f"There is no index type {body['index_type']!r} here; use {', '.join(sorted(allowed))}.")
    name = body.get("name") or f"{body['column']}_idx"
    build = _build_vector if kind in VECTOR else _build_scalar

    def create(dataset: Any) -> None:
        require_column(dataset, body["column"])
        if name in _names(dataset):
            raise TableIndexAlreadyExists(f"The table has an index {name!r} already.")
        build(dataset, kind, name, body)

    await context.change(table, create)
    return await transaction_id(context, table)


def _build_scalar(dataset: Any, kind: str, name: str, body: dict[str, Any]) -> None:
    options = {option: body[option] for option in FTS_OPTIONS if body.get(option) is not None}
    if SCALAR[kind] != "INVERTED":
        options = {}
    dataset.create_scalar_index(body["column"], SCALAR[kind], name=name, replace=False, **options)


def _build_vector(dataset: Any, kind: str, name: str, body: dict[str, Any]) -> None:
    metric = (body.get("distance_type") or METRICS[0]).lower()
    if metric not in METRICS:
        raise InvalidInput(f"The distance type must be one of {', '.join(METRICS)}, not {metric!r}.")
    field = dataset.schema.field(body["column"])
    options: dict[str, Any] = {"num_partitions": 1}
    if "PQ" in kind:
        options["num_sub_vectors"] = _sub_vectors(getattr(field.type, "list_size", 1))
    dataset.create_index(body["column"], kind, name=name, metric=metric, replace=False, **options)


def _sub_vectors(dimension: int) -> int:
    """Return the largest number of sub-vectors that divides a dimension."""
    return max(count for count in range(1, min(dimension, MOST_SUB_VECTORS) + 1) if dimension % count == 0)


def _describe_all(dataset: Any) -> list[Answer]:
    return [
        {
            "index_name": index["name"],
            "index_uuid": str(index["uuid"]),
            "columns": index["fields"],
            "status": "SUCCEEDED",
        }
        for index in dataset.list_indices()
    ]


def _names(dataset: Any) -> set[str]:
    return {index["name"] for index in dataset.list_indices()}


def _require(dataset: Any, name: str) -> None:
    if name not in _names(dataset):
        raise TableIndexNotFound(f"The table has no index {name!r}.")
