"""QueryTable, ExplainTableQueryPlan, AnalyzeTableQueryPlan: vectors, full text, filters."""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply
from reference_server.errors import InvalidInput, TableColumnNotFound
from reference_server.lance.context import COLUMN_CODE, LanceContext
from reference_server.lance.full_text import full_text_query
from reference_server.lance.settling import current_table
from reference_server.lance.sql import whole
from specs.error_codes import codes_of

FILE_TYPE = "application/vnd.apache.arrow.file"
ROW_COLUMNS = ("_rowid", "_rowaddr", "_rowoffset", "_distance", "_score")
Query = dict[str, Any]


async def query_table(context: LanceContext) -> Reply:
    """Return the rows that a query finds, as an Arrow file."""
    table = await current_table(context, context.table_id)
    query = context.body

    def run(dataset: Any) -> bytes:
        return _as_file(_scanner(context, dataset, query).to_table())

    return Reply(body=await context.read(table, run, query.get("version")), content_type=FILE_TYPE)


async def explain_table_query_plan(context: LanceContext) -> str:
    """Say how a query would be run."""
    table = await current_table(context, context.table_id)
    query, verbose = context.body["query"], bool(context.body.get("verbose"))

    def explain(dataset: Any) -> str:
        return str(_scanner(context, dataset, query).explain_plan(verbose))

    return await context.read(table, explain, query.get("version"))


async def analyze_table_query_plan(context: LanceContext) -> str:
    """Run a query and say how it was run."""
    table = await current_table(context, context.table_id)
    query = context.body

    def analyze(dataset: Any) -> str:
        return str(_scanner(context, dataset, query).analyze_plan())

    return await context.read(table, analyze, query.get("version"))


def _scanner(context: LanceContext, dataset: Any, query: Query) -> Any:
    """Return the scanner that a query means. Raises InvalidInput, or says which column is missing."""
    vector = _vector(query)
    text = query.get("full_text_query")
    options: dict[str, Any] = {
        "columns": _columns(context, dataset, query),
        "filter": whole(query["filter"]) if query.get("filter") else None,
        "prefilter": query.get("prefilter"),
        "offset": query.get("offset"),
        "with_row_id": query.get("with_row_id"),
        "fast_search": query.get("fast_search"),
        "full_text_query": full_text_query(text) if text else None,
    }
    if vector is not None:
        if text:
            raise InvalidInput("A query has a vector or a full text, not both.")
        options["nearest"] = _nearest(context, dataset, query, vector)
    options["limit"] = query["k"]
    return dataset.scanner(**{name: value for name, value in options.items() if value is not None})


def _nearest(context: LanceContext, dataset: Any, query: Query, vector: Any) -> dict[str, Any]:
    column = _vector_column(context, dataset, query)
    nearest = {
        "column": column,
        "q": vector,
        "k": query["k"] + (query.get("offset") or 0),
        "metric": query.get("distance_type"),
        "nprobes": query.get("nprobes"),
        "refine_factor": query.get("refine_factor"),
        "ef": query.get("ef"),
        "use_index": not query.get("bypass_vector_index"),
    }
    bounds = query.get("lower_bound"), query.get("upper_bound")
    if bounds != (None, None):
        nearest["distance_range"] = bounds
    return {name: value for name, value in nearest.items() if value is not None}


def _vector(query: Query) -> Any:
    """Return the vector of a query, the vectors of a batch, or None."""
    given = query.get("vector") or {}
    single, several = given.get("single_vector"), given.get("multi_vector")
    if single and several:
        raise InvalidInput("A query has a single vector or several, not both.")
    if several and len({len(one) for one in several}) > 1:
        raise InvalidInput("The vectors of a query must have one dimension.")
    return single or several or None


def _vector_column(context: LanceContext, dataset: Any, query: Query) -> str:
    """Return the column that vectors are compared with: the given one, or the only one that can be it."""
    from pyarrow import types  # noqa: PLC0415 - slow to import

    name: str | None = query.get("vector_column")
    if name is not None:
        _require(context, dataset, name)
        return name
    found = [
        field.name
        for field in dataset.schema
        if types.is_fixed_size_list(field.type) and types.is_floating(field.type.value_type)
    ]
    if len(found) != 1:
        raise InvalidInput(f"The query must name its vector_column; the table has {', '.join(found) or 'none'}.")
    return str(found[0])


def _columns(context: LanceContext, dataset: Any, query: Query) -> Any:
    given = query.get("columns") or {}
    names, aliases = given.get("column_names"), given.get("column_aliases")
    if names is not None and aliases is not None:
        raise InvalidInput("A query has column_names or column_aliases, not both.")
    for name in names or ():
        _require(context, dataset, name)
    for name in (aliases or {}).values():
        _require(context, dataset, name)
    return names if names is not None else aliases


def _require(context: LanceContext, dataset: Any, path: str) -> None:
    name = path.partition(".")[0]
    if name in dataset.schema.names or name in ROW_COLUMNS:
        return
    message = f"The table has no column {path!r}."
    raise TableColumnNotFound(message) if COLUMN_CODE in codes_of(context.operation.id) else InvalidInput(message)


def _as_file(table: Any) -> bytes:
    import pyarrow as pa  # noqa: PLC0415

    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())
