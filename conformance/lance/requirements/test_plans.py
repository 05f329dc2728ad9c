"""Plans of every query: what QueryTable accepts, ExplainTableQueryPlan and AnalyzeTableQueryPlan accept, too."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import holds, text
from conformance.author.requirement import must
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.indexing import KINDS, new_index
from conformance.lance.support.queries import PLANS, ask, new_queried
from conformance.values.outcomes import Unoffered
from specs.openapi import Operation

VECTOR: dict[str, Any] = {"vector": {"single_vector": [0.0, 1.0]}, "vector_column": "vector"}
QUERIES: dict[str, dict[str, Any]] = {
    "scan": {},
    "filter": {"filter": "id >= 7 AND n IS NOT NULL"},
    "names": {"columns": {"column_names": ["id", "color"]}},
    "aliases": {"columns": {"column_aliases": {"key": "id"}}},
    "offset": {"offset": 2},
    "row_id": {"with_row_id": True},
    "vector": VECTOR,
    "vectors": {**VECTOR, "vector": {"multi_vector": [[0.0, 1.0], [3.0, 2.0]]}},
    "prefilter": {**VECTOR, "filter": "id > 3", "prefilter": True},
    "postfilter": {**VECTOR, "filter": "id > 3", "prefilter": False},
    "bounds": {**VECTOR, "lower_bound": 0.0, "upper_bound": 50.0},
    "distance": {**VECTOR, "distance_type": "cosine"},
    "bypass": {**VECTOR, "bypass_vector_index": True},
    "word": {"full_text_query": {"string_query": {"query": "red", "columns": ["color"]}}},
}
CASES = {f"{plan}.{name}": (operation, QUERIES[name]) for plan, operation in PLANS.items() for name in QUERIES}


@must("lance.plan.{}", operations=lambda case: [case[0].id], clause="plan-of-any-query", each=CASES)
def test_plan_of_a_query(catalog: LanceCatalog, case: tuple[Operation, dict[str, Any]]) -> None:
    """A query that QueryTable accepts has a plan ({}): a non-blank string."""
    operation, query = case
    id = new_queried(catalog)
    if "full_text_query" in query:
        with catalog.client.preparing():
            new_index(catalog, id, KINDS["fts"], column="color")
    with catalog.client.preparing():
        if not catalog.query_table(id, **{"vector": {}, "k": 5, **query}, expect=(200, 400)).succeeded:
            raise Unoffered("the server does not have such queries")
    plan = ask(catalog, operation, id, query).json
    holds(text(plan, "the plan").strip(), "the plan is not blank")
