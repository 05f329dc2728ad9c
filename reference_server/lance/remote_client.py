"""Requests of LanceDB's remote client (`lancedb.connect("db://...")`), which are not quite those of the document.

The client names its database in a header. It ends its paths with a slash, sends no body where it has nothing to say,
writes vectors as plain lists and full-text queries without their kind, and reads version and schema in every
description of a table; the types in that schema have Lance's own names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson

from reference_server.context import Reply, Request
from specs.openapi import JSON_TYPE, Operation

if TYPE_CHECKING:
    import pyarrow as pa

DATABASE = "X-Lancedb-Database"  # as `title` spells it, which is how rules leave names of headers
CONTENT_TYPE = "Content-Type"
VECTOR, FULL_TEXT, QUERY = "vector", "full_text_query", "query"
QUERYING = ("QueryTable", "ExplainTableQueryPlan", "AnalyzeTableQueryPlan")
EXPECTED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "ListTableTags": lambda answer: answer["tags"],
    "UpdateTable": lambda answer: {**answer, "rows_updated": answer["updated_rows"]},
}
"""Answers as the client expects them, by operation, made of those of the document."""


def is_remote_client(request: Request) -> bool:
    """Return whether LanceDB's remote client sent a request."""
    return DATABASE in request.headers


def as_documented(request: Request, operation: Operation) -> Request:
    """Return a request of the remote client as the document has it; others stay as they are."""
    declared = operation.request
    if not is_remote_client(request) or declared is None or JSON_TYPE not in declared.content:
        return request
    if not request.body:
        headers = {name.title(): value for name, value in request.headers.items()}
        return request.altered(body=b"{}", headers={**headers, CONTENT_TYPE: JSON_TYPE})
    if operation.id not in QUERYING:
        return request
    try:
        body = orjson.loads(request.body)
    except orjson.JSONDecodeError:
        return request
    return request.altered(body=orjson.dumps(_documented_query(body)))


def _documented_query(body: Any) -> Any:
    """Return a query, or a request with one, with vector and full text in the forms of the document."""
    if not isinstance(body, dict):
        return body
    if isinstance(body.get(QUERY), dict):
        return {**body, QUERY: _documented_query(body[QUERY])}
    vector, text = body.get(VECTOR), body.get(FULL_TEXT)
    if isinstance(vector, list):
        several = any(isinstance(item, list) for item in vector)
        body = {**body, VECTOR: {"multi_vector" if several else "single_vector": vector}}
    if isinstance(text, dict) and QUERY in text:
        body = {**body, FULL_TEXT: {"structured_query" if isinstance(text[QUERY], dict) else "string_query": text}}
    return body


def as_expected(request: Request, operation: Operation, reply: Reply) -> Reply:
    """Return an answer to the remote client as it expects it; others stay as they are.

    The final slash tells its requests from those that have its headers and the document's path: these get the answer of
    the document.
    """
    own = is_remote_client(request) and request.path.endswith("/")
    if own and operation.id in EXPECTED and reply.status == 200:
        reply.body = orjson.dumps(EXPECTED[operation.id](orjson.loads(reply.body)))
    return reply


def schema_of_lance(schema: pa.Schema) -> dict[str, Any]:
    """Return a schema in JSON with Lance's names of types. Raises OSError for a type without one."""
    from lance.schema import schema_to_json  # noqa: PLC0415 - slow to import

    described: dict[str, Any] = schema_to_json(schema)
    return described
