"""Full-text queries: texts to search, query trees, and the expected results computed word by word.

No word is a stop word, and words other than SIMILAR differ from each other by more than two letters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa

from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.indexing import KINDS, new_index
from conformance.lance.support.queries import ids

Json = dict[str, Any]
TEXTS = [
    "crimson tulip",
    "tulip crimson marble",
    "marble tulip",
    "crimson velvet marble tulip",
    "velvet garden",
    "garden velvet crimson",
    None,
    "",
    "Größe Ångström",
]
TITLES = ["garden", "tulip", "window", "window garden", "crimson", None, "velvet", "marble", "window"]
SIMILAR = ["marble", "marblo", "marbli"]
WORDS = ("crimson", "tulip", "marble", "velvet", "garden")
SETTINGS = {"with_position": True, "stem": False, "remove_stop_words": False}
NUMBERS = range(len(TEXTS))


def new_texts(catalog: LanceCatalog, *indexed: str, texts: list[str | None] | None = None) -> Names:
    """Create a table of texts (default TEXTS) and TITLES with a full-text index on each of the `indexed` columns."""
    chosen = TEXTS if texts is None else texts
    columns = {"id": pa.array(range(len(chosen)), pa.int64()), "text": pa.array(chosen), "title": TITLES[: len(chosen)]}
    id = catalog.new_table_of(pa.table(columns))
    for column in indexed:
        new_index(catalog, id, KINDS["fts"], column, column=column, **SETTINGS)
    return id


def having(condition: Callable[[list[str]], bool], texts: list[str | None] | None = None) -> list[int]:
    """Return the rows whose words meet a condition."""
    chosen = TEXTS if texts is None else texts
    return [number for number in NUMBERS if chosen[number] and condition((chosen[number] or "").lower().split())]


def with_any(words: Iterable[str], texts: list[str | None] | None = None) -> list[int]:
    """Return the rows with at least one of the words."""
    return having(lambda text: not set(words).isdisjoint(text), texts)


def with_all(words: Iterable[str]) -> list[int]:
    """Return the rows with all of the words."""
    return having(lambda text: set(words) <= set(text))


def with_phrase(first: str, second: str, between: int = 0) -> list[int]:
    """Return the rows in which `second` follows `first`, with at most `between` words between them."""
    return having(
        lambda text: any(text[at] == first and second in text[at + 1 : at + 2 + between] for at in range(len(text)))
    )


def match(terms: str, **fields: Any) -> Json:
    """Return a match query on the column `text`."""
    return {"match": {"terms": terms, "column": "text", **fields}}


def phrase(terms: str, **fields: Any) -> Json:
    """Return a phrase query on the column `text`."""
    return {"phrase": {"terms": terms, "column": "text", **fields}}


def boolean(must: Iterable[Json] = (), should: Iterable[Json] = (), must_not: Iterable[Json] = ()) -> Json:
    """Return a boolean query of other queries."""
    return {"boolean": {"must": list(must), "should": list(should), "must_not": list(must_not)}}


def structured(query: Json) -> Json:
    """Return a query tree as the full-text part of a query."""
    return {"full_text_query": {"structured_query": {"query": query}}}


def text_query(terms: str, *columns: str) -> Json:
    """Return plain text as the full-text part of a query."""
    return {"full_text_query": {"string_query": {"query": terms, **({"columns": list(columns)} if columns else {})}}}


def found(catalog: LanceCatalog, id: Names, query: Json, **options: Any) -> list[int]:
    """Return the ids of the rows that a query finds, in the order of the response."""
    return ids(catalog.rows(id, **query, **options))
