"""QueryTable, ExplainTableQueryPlan, AnalyzeTableQueryPlan: vectors, full text, filters, columns and pages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.lance.catalog.branches import chosen_table, on_branch
from reference_server.lance.catalog.recovery import current_table
from reference_server.lance.context import LanceContext
from reference_server.lance.data.full_text import full_text_query
from reference_server.lance.data.projection import projection
from reference_server.lance.data.sql import whole
from reference_server.lance.data.vector_search import search

FILE_TYPE = "application/vnd.apache.arrow.file"
QUERY_INDEX = "query_index"  # index of a row's query vector in a batch
READ_AT_ONCE = 10_000
"""Rows: reading all columns of so few takes less time than finding the requested rows first."""
Query = dict[str, Any]


async def query_table(context: LanceContext) -> Reply:
    """Return the rows of a query as an Arrow file."""
    table = await chosen_table(context)
    query, version = context.body, _version(context.body)

    def run(dataset: Any) -> bytes:
        plan = _plan(dataset, query)
        return _as_file(plan.page.cut(plan.scanner.to_table()))

    context.keep_while_unchanged(table, version)
    return Reply(body=await context.read(table, run, version), content_type=FILE_TYPE)


async def explain_table_query_plan(context: LanceContext) -> str:
    """Return the plan of a query."""
    query, verbose = context.body["query"], bool(context.body.get("verbose"))
    branch = context.one_branch(context.branch, query.get("branch"))
    table = await on_branch(context, await current_table(context, context.table_id), branch)

    def explain(dataset: Any) -> str:
        return str(_plan(dataset, query).scanner.explain_plan(verbose))

    context.keep_while_unchanged(table, _version(query))
    return await context.read(table, explain, _version(query))


async def analyze_table_query_plan(context: LanceContext) -> str:
    """Run a query and return its plan with metrics."""
    table = await chosen_table(context)
    query = context.body

    def analyze(dataset: Any) -> str:
        return str(_plan(dataset, query).scanner.analyze_plan())

    return await context.read(table, analyze, _version(query))


def _version(query: Query) -> int | None:
    version = query.get("version")
    return None if version is None else int(version)


@dataclass(frozen=True, slots=True)
class RowRange:
    """Requested range of the found rows: `count` after the first `offset`, in a batch per vector."""

    offset: int
    count: int
    batch: bool = False

    def cut(self, table: Any) -> Any:
        """Return the page of a table of rows."""
        if not self.batch:
            return table.slice(self.offset, self.count)
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        seen: Counter[int] = Counter()
        places = []
        for place, query in enumerate(table[QUERY_INDEX].to_pylist()):
            if self.offset <= seen[query] < self.offset + self.count:
                places.append(place)
            seen[query] += 1
        return table.take(pa.array(places, pa.int64()))


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """A scanner, and the requested range of its rows."""

    scanner: Any
    page: RowRange


def _plan(dataset: Any, query: Query) -> QueryPlan:
    """Return the plan of a query. Raises InvalidInput and TableColumnNotFound.

    A vector search is cut to its page afterwards; other queries skip and stop while they read, but Lance cannot search
    a text for no rows.
    """
    rows: int = dataset.count_rows()
    offset, count = (min(int(query.get(name) or 0), rows) for name in ("offset", "k"))
    vectors = search(query, dataset.schema, offset + count, rows)
    text = full_text_query(dataset, query.get("full_text_query") or {})
    options: dict[str, Any] = {
        "columns": projection(dataset.schema, query.get("columns")),
        "filter": whole(query["filter"]) if query.get("filter") else None,
        "prefilter": query.get("prefilter"),
        "with_row_id": query.get("with_row_id"),
        "fast_search": query.get("fast_search"),
        "full_text_query": text,
        "late_materialization": None if rows > READ_AT_ONCE else False,
    }
    if vectors is None:
        page = RowRange(0, count)
        options.update(offset=offset, limit=max(1, count))
    elif text is None:
        page = RowRange(offset, count, vectors.batch)
        options["nearest"] = vectors.nearest
    else:
        raise InvalidInput("A query has a vector or a full text, not both.")
    return QueryPlan(dataset.scanner(**{name: value for name, value in options.items() if value is not None}), page)


def _as_file(table: Any) -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())
