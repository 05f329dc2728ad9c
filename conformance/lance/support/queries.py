"""The three operations that take a query."""

from __future__ import annotations

from typing import Any

from conformance.http.client import Answer, Expected
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.operations import OPERATIONS
from specs.openapi import Operation

QUERY, EXPLAIN = ["QueryTable"], ["ExplainTableQueryPlan"]
PLANS = {"explain": OPERATIONS["explain_table_query_plan"], "analyze": OPERATIONS["analyze_table_query_plan"]}
ALL = {"run": OPERATIONS["query_table"], **PLANS}
Query = dict[str, Any]


def ask(catalog: LanceCatalog, operation: Operation, id: Names, query: Query, expect: Expected = 200) -> Answer:
    """Send a query to one of the three operations; ExplainTableQueryPlan wants it as a part of its body."""
    body = {"vector": {}, "k": 5, **query}
    return catalog.send(operation.id, id, {"query": body} if operation.id in EXPLAIN else body, expect=expect)
