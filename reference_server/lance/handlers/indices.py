"""CreateTableIndex, CreateTableScalarIndex, ListTableIndices, DescribeTableIndexStats, DropTableIndex.

Indices are built before the answer: a client that polls their progress finds them complete.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

import orjson

from reference_server.errors import InvalidInput
from reference_server.lance.catalog.branch_names import MAIN
from reference_server.lance.catalog.branches import chosen_table
from reference_server.lance.context import LanceContext
from reference_server.lance.data.index_types import (
    FTS,
    GEOMETRIES,
    SCALAR,
    VECTOR,
    check_index_name,
    free_name,
    fts_options,
    read_distance,
    read_type,
    sub_vectors,
    type_of,
    vector_parameters,
)
from reference_server.lance.data.paths import find_values
from reference_server.lance.errors import TableIndexAlreadyExists, TableIndexNotFound
from reference_server.lance.handlers.transactions import transaction_of
from reference_server.pagination import take_named_page

Answer = dict[str, Any]
DONE = "SUCCEEDED"
NOTHING_TO_LEARN = "KMeans cannot train"  # all vectors are null or zero


async def create_table_index(context: LanceContext) -> Answer:
    """Build an index on a column, for vectors or for filters."""
    return await _create(context, (*SCALAR, *VECTOR))


async def create_table_scalar_index(context: LanceContext) -> Answer:
    """Build an index for filters or full-text search."""
    return await _create(context, tuple(SCALAR))


async def list_table_indices(context: LanceContext) -> Answer:
    """List the indices of a table, by name."""
    table = await chosen_table(context)
    version = context.number("version")
    context.keep_while_unchanged(table, version)
    described = context.rules.index_parameters
    indices = await context.read(
        table, lambda dataset: [_content(dataset, index, described) for index in dataset.describe_indices()], version
    )
    by_name = {index["index_name"]: index for index in indices}
    scope = "\0".join(["indices", context.branch or MAIN, *context.id]).encode()
    page = take_named_page(by_name, scope, context.body.get("page_token"), context.number("limit"), context.page_size)
    return {"indexes": [index for _, index in page.items], "page_token": page.token}


async def describe_table_index_stats(context: LanceContext) -> Answer:
    """Return type, distance and row counts of an index."""
    table = await chosen_table(context)
    name = _index_name(context)

    def describe(dataset: Any) -> Answer:
        index = _find(dataset, name)
        stats = dataset.stats.index_stats(name)
        kind = type_of(index.index_type)
        return {
            "index_type": kind,
            "distance_type": str(index.details["metric_type"]).lower() if kind in VECTOR else None,
            "num_indexed_rows": stats["num_indexed_rows"],
            "num_unindexed_rows": stats["num_unindexed_rows"],
            "num_indices": stats["num_indices"],
        }

    version = context.number("version")
    context.keep_while_unchanged(table, version)
    return await context.read(table, describe, version)


async def drop_table_index(context: LanceContext) -> Answer:
    """Drop an index."""
    table = await chosen_table(context)
    name = _index_name(context)

    def drop(dataset: Any) -> Answer:
        _find(dataset, name)
        dataset.drop_index(name)
        return transaction_of(context, dataset)

    return await context.change(table, drop)


async def _create(context: LanceContext, allowed: Collection[str]) -> Answer:
    table = await chosen_table(context)
    body = context.body
    kind, wanted = read_type(body["index_type"], allowed), body.get("name")
    options = _options(context, kind)
    if wanted is not None:
        check_index_name(wanted)

    def create(dataset: Any) -> Answer:
        built_on = find_values(dataset.schema, body["column"]).type
        name = _name(dataset, wanted, body["column"], kind)
        if kind in VECTOR:
            _build_vector(dataset, body["column"], kind, name, getattr(built_on, "list_size", 1), options)
        else:
            _build_scalar(dataset, body["column"], kind, name, options)
        return transaction_of(context, dataset)

    return await context.change(table, create)


def _options(context: LanceContext, kind: str) -> Answer:
    """Return the settings for this type of index; others are ignored."""
    body = context.body
    if kind in VECTOR:
        parameters = vector_parameters(kind, body) if context.rules.index_parameters else {}
        return {"metric": read_distance(body), **parameters}
    return fts_options(body) if kind == FTS else {}


def _name(dataset: Any, wanted: str | None, column: str, kind: str) -> str:
    """Return the name for a new index. Raises TableIndexAlreadyExists.

    Without a requested name the server chooses one, unless the same index exists already.
    """
    indices = dataset.describe_indices()
    taken = {index.name for index in indices}
    if wanted is None:
        same = [
            index.name for index in indices if list(index.field_names) == [column] and type_of(index.index_type) == kind
        ]
        if not same:
            return free_name(column, taken)
        wanted = same[0]
    if wanted in taken:
        raise TableIndexAlreadyExists(f"The table has an index {wanted!r} already.")
    return wanted


def _build_scalar(dataset: Any, column: str, kind: str, name: str, options: Answer) -> None:
    try:
        dataset.create_scalar_index(column, kind, name=name, replace=False, **options)
    except RuntimeError as error:
        if kind != GEOMETRIES:
            raise
        raise InvalidInput(f"The column {column!r} holds no geometries that can be read: {error}.") from None


def _build_vector(dataset: Any, column: str, kind: str, name: str, dimension: int, options: Answer) -> None:
    sizes = {} if "target_partition_size" in options else {"num_partitions": 1}
    if kind.endswith("PQ"):
        sizes["num_sub_vectors"] = sub_vectors(dimension)
    build = partial(dataset.create_index, column, kind, name=name, replace=False, **{**sizes, **options})
    try:
        build()
    except RuntimeError as error:
        if NOTHING_TO_LEARN not in str(error):
            raise
        build(train=False)  # without training, as for an empty table: the index covers no rows until there are vectors


def _content(dataset: Any, index: Any, described: bool) -> Answer:
    """Return an index as IndexContent, `described` by type, rows and size."""
    content = {
        "index_name": index.name,
        "index_uuid": str(index.segments[0].uuid),
        "columns": list(index.field_names),
        "status": DONE,
    }
    if not described:
        return content
    segments = index.segments
    return {
        **content,
        "index_type": type_of(index.index_type),
        "type_url": index.type_url,
        "num_indexed_rows": index.num_rows_indexed,
        "num_unindexed_rows": dataset.count_rows() - index.num_rows_indexed,
        "size_bytes": index.total_size_bytes,
        "num_segments": len(segments),
        "created_at": min(segment.created_at for segment in segments).isoformat(),
        "index_version": max(segment.index_version for segment in segments),
        "index_details": orjson.dumps(index.details, default=str).decode(),
    }


def _index_name(context: LanceContext) -> str:
    """Return the index in the path. Raises InvalidInput when the body names another one."""
    name = context.path["index_name"]
    named = context.body.get("index_name") if context.body else None
    if named is not None and named != name:
        raise InvalidInput(f"The body names the index {named!r}, the path {name!r}.")
    return name


def _find(dataset: Any, name: str) -> Any:
    for index in dataset.describe_indices():
        if index.name == name:
            return index
    raise TableIndexNotFound(f"The table has no index {name!r}.")
