"""Full-text queries: from the JSON of the API to pylance's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference_server.errors import InvalidInput

Json = dict[str, Any]


def full_text_query(given: Json) -> Any:
    """Return what a scanner takes for a full-text query: text with columns, or a structured query.

    Raises InvalidInput for a query that is neither, or both.
    """
    text, structured = given.get("string_query"), given.get("structured_query")
    if text is not None and structured is None:
        columns = text.get("columns")
        return {"query": text["query"], "columns": columns} if columns else text["query"]
    if structured is not None and text is None:
        return _query(structured["query"])
    raise InvalidInput("A full-text query is a string_query or a structured_query.")


def _query(given: Json) -> Any:
    chosen = [kind for kind in KINDS if given.get(kind) is not None]
    if len(chosen) != 1:
        raise InvalidInput(f"A full-text query is exactly one of {', '.join(KINDS)}.")
    return KINDS[chosen[0]](given[chosen[0]])


def _match(given: Json) -> Any:
    from lance.query import MatchQuery  # noqa: PLC0415 - slow to import

    names = ("boost", "fuzziness", "max_expansions", "prefix_length")
    options: dict[str, Any] = {name: given[name] for name in names if name in given}
    if given.get("operator") is not None:
        options["operator"] = _operator(given["operator"])
    return MatchQuery(given["terms"], _column(given), **options)


def _operator(text: str) -> Any:
    from lance.query import FullTextOperator  # noqa: PLC0415

    operators = {"and": FullTextOperator.AND, "or": FullTextOperator.OR}
    if text.lower() not in operators:
        raise InvalidInput(f"The operator must be And or Or, not {text!r}.")
    return operators[text.lower()]


def _phrase(given: Json) -> Any:
    from lance.query import PhraseQuery  # noqa: PLC0415

    return PhraseQuery(given["terms"], _column(given), **({"slop": given["slop"]} if "slop" in given else {}))


def _boost(given: Json) -> Any:
    from lance.query import BoostQuery  # noqa: PLC0415

    negative = given.get("negative_boost")
    options = {} if negative is None else {"negative_boost": negative}
    return BoostQuery(_query(given["positive"]), _query(given["negative"]), **options)


def _multi_match(given: Json) -> Any:
    from lance.query import MultiMatchQuery  # noqa: PLC0415

    queries = given["match_queries"]
    if not queries or len({one["terms"] for one in queries}) > 1:
        raise InvalidInput("The match queries of a multi_match must be about the same terms.")
    return MultiMatchQuery(
        queries[0]["terms"],
        [_column(one) for one in queries],
        boosts=[one.get("boost", 1.0) for one in queries],
    )


def _boolean(given: Json) -> Any:
    from lance.query import BooleanQuery, Occur  # noqa: PLC0415

    clauses = (("should", Occur.SHOULD), ("must", Occur.MUST), ("must_not", Occur.MUST_NOT))
    return BooleanQuery([(occur, _query(one)) for name, occur in clauses for one in given[name]])


def _column(given: Json) -> str:
    column: str | None = given.get("column")
    if not column:
        raise InvalidInput("A structured full-text query must name its column.")
    return column


KINDS: dict[str, Callable[[Json], Any]] = {
    "match": _match,
    "phrase": _phrase,
    "boost": _boost,
    "multi_match": _multi_match,
    "boolean": _boolean,
}
