"""Full-text queries: conversion from the JSON of the API to pylance's classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference_server.errors import InvalidInput
from reference_server.lance.data.paths import find_values

LARGEST = 2**31 - 1
NUMBERS = ("fuzziness", "max_expansions", "prefix_length")
PLAIN = {"terms", "column", "boost"}
DEEPEST = 50
TEXT_INDEX = "Inverted"
Json = dict[str, Any]


def full_text_query(dataset: Any, query: Json) -> Any:
    """Return a full-text query for a scanner: text with columns, or a structured query; None for none.

    Raises InvalidInput for a query in both forms, and TableColumnNotFound.
    """
    text, structured = query.get("string_query"), query.get("structured_query")
    if text is None and structured is None:
        return None
    if text is not None and structured is None:
        for column in text.get("columns") or ():
            find_values(dataset.schema, column)
        return {"query": text["query"], "columns": text["columns"]} if text.get("columns") else text["query"]
    if structured is not None and text is None:
        return _query(dataset, structured["query"])
    raise InvalidInput("A full-text query is a string_query or a structured_query, not both.")


def _query(dataset: Any, query: Json, depth: int = 0) -> Any:
    if depth > DEEPEST:
        raise InvalidInput(f"A full-text query has at most {DEEPEST} levels.")
    chosen = [kind for kind in KINDS if query.get(kind) is not None]
    if len(chosen) != 1:
        raise InvalidInput(f"A full-text query is exactly one of {', '.join(KINDS)}.")
    return KINDS[chosen[0]](dataset, query[chosen[0]], depth + 1)


def _match(dataset: Any, query: Json, _depth: int = 0) -> Any:
    from lance.query import MatchQuery  # noqa: PLC0415 - slow to import

    options: dict[str, Any] = {name: _number(query, name) for name in NUMBERS if name in query}
    if "boost" in query:
        options["boost"] = query["boost"]
    if "operator" in query:
        options["operator"] = _operator(query["operator"])
    columns = _columns(dataset, query)
    if options.get("fuzziness") and not set(columns) <= set(_indexed(dataset)):
        raise InvalidInput("Only a column with an index for full-text search can be searched for similar words.")
    return _in_any([MatchQuery(query["terms"], column, **options) for column in columns])


def _number(query: Json, name: str) -> int:
    number = int(query[name])
    if number > LARGEST:
        raise InvalidInput(f"{name} is at most {LARGEST}.")
    return number


def _operator(text: str) -> Any:
    from lance.query import FullTextOperator  # noqa: PLC0415

    operators = {"and": FullTextOperator.AND, "or": FullTextOperator.OR}
    if text.lower() not in operators:
        raise InvalidInput(f"The operator must be And or Or, not {text!r}.")
    return operators[text.lower()]


def _phrase(dataset: Any, query: Json, _depth: int = 0) -> Any:
    from lance.query import PhraseQuery  # noqa: PLC0415

    options: dict[str, Any] = {"slop": _number(query, "slop")} if "slop" in query else {}
    return _in_any([PhraseQuery(query["terms"], column, **options) for column in _columns(dataset, query)])


def _boost(dataset: Any, query: Json, depth: int) -> Any:
    from lance.query import BoostQuery  # noqa: PLC0415

    options = {"negative_boost": query["negative_boost"]} if "negative_boost" in query else {}
    return BoostQuery(_query(dataset, query["positive"], depth), _query(dataset, query["negative"], depth), **options)


def _multi_match(dataset: Any, query: Json, _depth: int) -> Any:
    """Return Lance's own query, which ranks by the best column, if it can express this one, else a combination."""
    from lance.query import MultiMatchQuery  # noqa: PLC0415

    queries = query["match_queries"]
    if not queries:
        raise InvalidInput("A multi_match has one match query at least.")
    if (
        any(not match_query.keys() <= PLAIN or "column" not in match_query for match_query in queries)
        or len({match_query["terms"] for match_query in queries}) > 1
    ):
        return _in_any([_match(dataset, match_query) for match_query in queries])
    columns = [column for match_query in queries for column in _columns(dataset, match_query)]
    return MultiMatchQuery(
        queries[0]["terms"], columns, boosts=[match_query.get("boost", 1.0) for match_query in queries]
    )


def _boolean(dataset: Any, query: Json, depth: int) -> Any:
    from lance.query import BooleanQuery, Occur  # noqa: PLC0415

    clauses = (("should", Occur.SHOULD), ("must", Occur.MUST), ("must_not", Occur.MUST_NOT))
    return BooleanQuery([(occur, _query(dataset, clause, depth)) for name, occur in clauses for clause in query[name]])


def _in_any(queries: list[Any]) -> Any:
    """Return a query that matches if any of several matches."""
    from lance.query import BooleanQuery, Occur  # noqa: PLC0415

    return queries[0] if len(queries) == 1 else BooleanQuery([(Occur.SHOULD, query) for query in queries])


def _columns(dataset: Any, query: Json) -> list[str]:
    """Return the columns to search: the given one, or those with an index for full-text search.

    Raises TableColumnNotFound, and InvalidInput when no column can be searched.
    """
    column: str | None = query.get("column")
    if column is not None:
        find_values(dataset.schema, column)
        return [column]
    indexed = _indexed(dataset)
    if not indexed:
        raise InvalidInput("No column has an index for full-text search, so the query must name its column.")
    return indexed


def _indexed(dataset: Any) -> list[str]:
    """Return the columns with an index for full-text search."""
    return sorted({index["fields"][0] for index in dataset.list_indices() if index["type"] == TEXT_INDEX})


KINDS: dict[str, Callable[[Any, Json, int], Any]] = {
    "match": _match,
    "phrase": _phrase,
    "boost": _boost,
    "multi_match": _multi_match,
    "boolean": _boolean,
}
