"""QueryTable with full-text queries: plain text and query trees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from conformance.author.checks import contains, equal, holds, same_items, within
from conformance.author.requirement import given, must, should
from conformance.common.names import TOO_LONG
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.queries import column, ids
from conformance.lance.support.words import (
    SIMILAR,
    TEXTS,
    TITLES,
    WORDS,
    Json,
    boolean,
    found,
    having,
    match,
    new_texts,
    phrase,
    structured,
    text_query,
    with_all,
    with_any,
    with_phrase,
)

QUERY = ["QueryTable"]
one_word = st.sampled_from(WORDS)
pairs = st.lists(one_word, min_size=2, max_size=2, unique=True)
some = st.lists(one_word, max_size=2, unique=True)
FOUND = "the ids of the rows found"


def _finds(catalog: LanceCatalog, id: Names, query: Json, expected: Iterable[int], **options: Any) -> None:
    """Check that a query finds exactly these rows."""
    same_items(found(catalog, id, query, **options), expected, FOUND)


# Text queries


@must("lance.query.text.word", operations=QUERY, clause="query-text")
@given(word=one_word)
def test_word(catalog: LanceCatalog, word: str) -> None:
    """A text query of one word returns exactly the rows with that word in the column."""
    _finds(catalog, new_texts(catalog, "text"), text_query(word, "text"), with_any([word]))


@must("lance.query.text.version", operations=QUERY, clause="query-version")
def test_text_of_version(catalog: LanceCatalog) -> None:
    """A text query with a version returns rows of that version only."""
    id = new_texts(catalog, "text")
    before, new = catalog.version(id), len(TEXTS)
    rows = {"id": pa.array([new], pa.int64()), "text": ["crimson garden"], "title": ["new"]}
    catalog.insert_into_table(id, stream(pa.table(rows)))
    query, expected = text_query("crimson", "text"), with_any(["crimson"])
    _finds(catalog, id, query, expected, version=before)
    _finds(catalog, id, query, [*expected, new])


@must("lance.query.text.columns", operations=QUERY, clause="query-text")
@given(word=one_word, column=st.sampled_from(["text", "title"]))
def test_text_in_column(catalog: LanceCatalog, word: str, column: str) -> None:
    """A text query with `columns` searches the named column only."""
    texts = {"text": TEXTS, "title": TITLES}[column]
    rows = found(catalog, new_texts(catalog, "text", "title"), text_query(word, column))
    same_items(rows, with_any([word], texts), FOUND)


@should("lance.query.text.both_columns", operations=QUERY, clause="query-text-columns")
@given(word=one_word, columns=st.sampled_from([("text", "title"), ()]))
def test_text_in_columns(catalog: LanceCatalog, word: str, columns: tuple[str, ...]) -> None:
    """A text query searches all columns that it names, and all indexed columns without `columns`."""
    expected = {*with_any([word]), *with_any([word], TITLES)}
    _finds(catalog, new_texts(catalog, "text", "title"), text_query(word, *columns), expected)


@should("lance.query.text.words", operations=QUERY, clause="query-text-words")
@given(words=pairs)
def test_words(catalog: LanceCatalog, words: list[str]) -> None:
    """A text query of several words returns the rows with any of them."""
    _finds(catalog, new_texts(catalog, "text"), text_query(" ".join(words), "text"), with_any(words))


@must("lance.query.text.filter", operations=QUERY, clause="query-filter")
@given(word=one_word, bound=st.integers(0, 6), prefilter=st.booleans())
def test_filtered_text(catalog: LanceCatalog, word: str, bound: int, prefilter: bool) -> None:
    """A text query with a filter returns exactly the rows that match both."""
    options = {"filter": f"id >= {bound}", "prefilter": prefilter}
    rows = found(catalog, new_texts(catalog, "text"), text_query(word, "text"), **options)
    same_items(rows, [number for number in with_any([word]) if number >= bound], FOUND)


@must("lance.query.text.page", operations=QUERY, clause="query-k")
@given(k=st.integers(1, 5), offset=st.integers(0, 5))
def test_page_of_text(catalog: LanceCatalog, k: int, offset: int) -> None:
    """A text query with k and offset returns k matching rows after the skipped ones, fewer only at the end."""
    expected = with_any(["tulip"])
    rows = found(catalog, new_texts(catalog, "text"), text_query("tulip", "text"), k=k, offset=offset)
    equal(len(rows), min(k, max(0, len(expected) - offset)), "the number of rows found")
    within(rows, expected, FOUND)


@should("lance.query.text.score", operations=QUERY, clause="query-score")
def test_scores(catalog: LanceCatalog) -> None:
    """A text query returns the _score of every row, highest score first."""
    rows = catalog.rows(new_texts(catalog, "text"), **text_query("velvet garden", "text"))
    scores = column(rows, "_score")
    holds(scores, "the query finds rows")
    holds(None not in scores, "every row found has a _score")
    equal(scores, sorted(scores, reverse=True), "the _score of the rows found, in their order")


@should("lance.query.text.unicode", operations=QUERY, clause="query-text-words")
@given(word=st.sampled_from(["Größe", "größe", "Ångström"]))
def test_unicode_word(catalog: LanceCatalog, word: str) -> None:
    """A text query finds non-ASCII words, with a lower-case or an upper-case first letter."""
    _finds(catalog, new_texts(catalog, "text"), text_query(word, "text"), [8])


ODD_TEXTS = {
    "empty": "",
    "blank": "  ",
    "quotes": "\"'`",
    "signs": "+-&|!(){}[]^~*?:\\/",
    "nul": "a\0b",
    "emoji": "\N{SNOWMAN}",
}


@must("lance.query.text.odd.{}", operations=QUERY, clause="query-odd-text", kind="hostile", each=ODD_TEXTS)
def test_odd_text(catalog: LanceCatalog, case: str) -> None:
    """A text query without any word of the table ({}) returns 400 or no rows."""
    _finds_nothing(catalog, case, (400,))


LONG = {"long": "word " * 5000}


@should("lance.query.text.odd.{}", operations=QUERY, clause="long-texts", kind="hostile", each=LONG)
def test_long_text(catalog: LanceCatalog, case: str) -> None:
    """A text query of 5,000 words that the table lacks ({}) returns 4xx or no rows."""
    _finds_nothing(catalog, case, TOO_LONG)


def _finds_nothing(catalog: LanceCatalog, case: str, refusals: tuple[int, ...]) -> None:
    answer = catalog.query_table(
        new_texts(catalog, "text"), **text_query(case, "text"), vector={}, k=5, expect=(200, *refusals)
    )
    if answer.succeeded:
        _finds(catalog, catalog.table_id(), text_query(case, "text"), [])


@must("lance.query.text.no_index", operations=QUERY, clause="query-no-index")
@given(query=st.sampled_from([text_query("tulip", "text"), structured(match("tulip")), structured(phrase("tulip"))]))
def test_text_without_index(catalog: LanceCatalog, query: Json) -> None:
    """A full-text query on a column without an index returns the matching rows or 400."""
    id = new_texts(catalog)
    answer = catalog.query_table(id, **query, vector={}, k=50, expect=(200, 400))
    if answer.succeeded:
        _finds(catalog, id, query, with_any(["tulip"]))


@should("lance.query.text.no_index_similar", operations=QUERY, clause="query-no-index")
def test_similar_text_without_index(catalog: LanceCatalog) -> None:
    """A fuzzy query on a column without an index returns the rows with similar words or 400."""
    id, query = new_texts(catalog), structured(match("tulap", fuzziness=1))
    answer = catalog.query_table(id, **query, vector={}, k=50, expect=(200, 400))
    if answer.succeeded:
        _finds(catalog, id, query, with_any(["tulip"]))


# Query trees


@must("lance.query.match.word", operations=QUERY, clause="query-match")
@given(word=one_word)
def test_match(catalog: LanceCatalog, word: str) -> None:
    """A match query returns exactly the rows with its word in its column."""
    _finds(catalog, new_texts(catalog, "text", "title"), structured(match(word)), with_any([word]))


@must("lance.query.match.operator", operations=QUERY, clause="query-operator")
@given(words=pairs, operator=st.sampled_from([None, "Or", "or", "And", "and", "AND"]))
def test_operator(catalog: LanceCatalog, words: list[str], operator: str | None) -> None:
    """A match query with operator And returns rows with all terms; with Or or without operator, rows with any term."""
    fields = {"operator": operator} if operator else {}
    rows = found(catalog, new_texts(catalog, "text"), structured(match(" ".join(words), **fields)))
    same_items(rows, (with_all(words) if (operator or "").lower() == "and" else with_any(words)), FOUND)


@should("lance.query.match.no_column", operations=QUERY, clause="query-text-columns")
@given(kind=st.sampled_from(["match", "phrase"]))
def test_no_column(catalog: LanceCatalog, kind: str) -> None:
    """A match or phrase query without a column searches all indexed columns."""
    rows = found(catalog, new_texts(catalog, "text", "title"), structured({kind: {"terms": "marble"}}))
    same_items(rows, {*with_any(["marble"]), *with_any(["marble"], TITLES)}, FOUND)


@should("lance.query.match.fuzziness", operations=QUERY, clause="query-fuzziness")
@given(case=st.sampled_from([("marblo", 0, ""), ("mable", 1, "marble"), ("mabe", 1, ""), ("mabe", 2, "marble")]))
def test_fuzziness(catalog: LanceCatalog, case: tuple[str, int, str]) -> None:
    """A match query with fuzziness N finds words that differ in up to N letters, with 0 only the exact word."""
    word, fuzziness, similar = case
    rows = found(catalog, new_texts(catalog, "text"), structured(match(word, fuzziness=fuzziness)))
    same_items(rows, with_any([similar]), FOUND)


@should(
    "lance.query.match.prefix_length",
    operations=QUERY,
    clause="query-prefix-length",
    needs=["lance.query.match.fuzziness"],
)
@given(length=st.integers(0, 2))
def test_prefix_length(catalog: LanceCatalog, length: int) -> None:
    """A fuzzy match query with prefix_length N matches only words that share their first N letters."""
    query = structured(match("mxrble", fuzziness=1, prefix_length=length))
    _finds(catalog, new_texts(catalog, "text"), query, with_any(["marble"] if length < 2 else []))


@should("lance.query.match.max_expansions", operations=QUERY, clause="query-max-expansions")
def test_max_expansions(catalog: LanceCatalog) -> None:
    """A fuzzy match query with max_expansions 1 matches rows of one similar word only."""
    id = new_texts(catalog, "text", texts=[*SIMILAR])
    _finds(catalog, id, structured(match("marbla", fuzziness=1)), [0, 1, 2])
    rows = found(catalog, id, structured(match("marbla", fuzziness=1, max_expansions=1)))
    equal(len(rows), 1, "the number of rows found with max_expansions 1")


@must("lance.query.phrase.words", operations=QUERY, clause="query-phrase")
@given(words=pairs)
def test_phrase(catalog: LanceCatalog, words: list[str]) -> None:
    """A phrase query returns exactly the rows with its words adjacent and in order."""
    rows = found(catalog, new_texts(catalog, "text"), structured(phrase(" ".join(words))))
    same_items(rows, with_phrase(words[0], words[1]), FOUND)


@should("lance.query.phrase.slop", operations=QUERY, clause="query-slop")
@given(slop=st.integers(0, 3))
def test_slop(catalog: LanceCatalog, slop: int) -> None:
    """A phrase query with slop N also matches rows with up to N other words between its words."""
    rows = found(catalog, new_texts(catalog, "text"), structured(phrase("crimson tulip", slop=slop)))
    contains(rows, with_phrase("crimson", "tulip", slop), FOUND)
    within(rows, with_all(["crimson", "tulip"]), FOUND)
    if not slop:
        same_items(rows, with_phrase("crimson", "tulip"), FOUND)


@should("lance.query.match.boost", operations=QUERY, clause="query-boosts")
@given(boosted=st.sampled_from(["tulip", "garden"]))
def test_match_boost(catalog: LanceCatalog, boosted: str) -> None:
    """A match query with a large boost ranks its rows first."""
    parts = [match(word, boost=100.0 if word == boosted else 1.0) for word in ("tulip", "garden")]
    rows = found(catalog, new_texts(catalog, "text"), structured(boolean(should=parts)))
    first = with_any([boosted])
    same_items(rows[: len(first)], first, "the ids of the first rows found")


@must("lance.query.boost.rows", operations=QUERY, clause="query-boost")
@given(words=pairs)
def test_boost(catalog: LanceCatalog, words: list[str]) -> None:
    """A boost query returns all rows of its positive query, rows of the negative query included."""
    query = {"boost": {"positive": match(words[0]), "negative": match(words[1])}}
    _finds(catalog, new_texts(catalog, "text"), structured(query), with_any([words[0]]))


@should("lance.query.boost.order", operations=QUERY, clause="query-boosts")
def test_boost_order(catalog: LanceCatalog) -> None:
    """A boost query ranks rows of its negative query behind the others."""
    query = {"boost": {"positive": match("crimson"), "negative": match("tulip"), "negative_boost": 0.9}}
    rows = found(catalog, new_texts(catalog, "text"), structured(query))
    equal(rows[:1], [5], "the id of the first row found")
    same_items(rows, with_any(["crimson"]), FOUND)


@should("lance.query.boost.negative_boost", operations=QUERY, clause="query-boosts")
def test_negative_boost(catalog: LanceCatalog) -> None:
    """negative_boost changes the _score of rows of the negative query and of no other row."""
    id, scores = new_texts(catalog, "text"), []
    for weight in (0.1, 0.9):
        query = {"boost": {"positive": match("velvet"), "negative": match("crimson"), "negative_boost": weight}}
        rows = catalog.rows(id, **structured(query))
        scores.append(dict(zip(ids(rows), column(rows, "_score"), strict=True)))
    changed = {number for number, score in scores[0].items() if scores[1].get(number) != score}
    same_items(changed, with_all(["velvet", "crimson"]), "the ids of the rows whose _score changes")


@must("lance.query.multi_match.rows", operations=QUERY, clause="query-multi-match")
@given(words=pairs, columns=st.sampled_from([("text", "title"), ("title", "text"), ("text", "text")]))
def test_multi_match(catalog: LanceCatalog, words: list[str], columns: tuple[str, str]) -> None:
    """A multi_match query returns the rows of any of its match queries."""
    texts = {"text": TEXTS, "title": TITLES}
    queries = [{"terms": word, "column": column} for word, column in zip(words, columns, strict=True)]
    rows = found(catalog, new_texts(catalog, "text", "title"), structured({"multi_match": {"match_queries": queries}}))
    parts = [with_any([word], texts[column]) for word, column in zip(words, columns, strict=True)]
    same_items(rows, {number for part in parts for number in part}, FOUND)


@should("lance.query.multi_match.fuzzy", operations=QUERY, clause="query-fuzziness")
@given(case=st.sampled_from([("mxrble", 1, 0), ("mxrble", 1, 2), ("mxrbla", 2, 1)]))
def test_fuzzy_multi_match(catalog: LanceCatalog, case: tuple[str, int, int]) -> None:
    """fuzziness and prefix_length of a match query in a multi_match apply to that query alone."""
    word, fuzziness, length = case
    fuzzy = {"terms": word, "column": "text", "fuzziness": fuzziness, "prefix_length": length}
    queries = [fuzzy, {"terms": "gxrden", "column": "text", "fuzziness": 0}]
    rows = found(catalog, new_texts(catalog, "text"), structured({"multi_match": {"match_queries": queries}}))
    same_items(rows, with_any(["marble"] if length < 2 else []), FOUND)


@must("lance.query.boolean.several_not", operations=QUERY, clause="query-boolean")
def test_boolean_without_several(catalog: LanceCatalog) -> None:
    """A boolean query leaves out the rows that match any of several `must_not` queries."""
    without = boolean(must=[match("crimson")], must_not=[match("velvet"), match("marble")])
    rows = found(catalog, new_texts(catalog, "text"), structured(without))
    left = having(lambda text: "crimson" in text and {"velvet", "marble"}.isdisjoint(text))
    same_items(rows, left, FOUND)


@must("lance.query.boolean.rows", operations=QUERY, clause="query-boolean")
@given(all_of=some, any_of=some, none_of=st.lists(one_word, max_size=1))
def test_boolean(catalog: LanceCatalog, all_of: list[str], any_of: list[str], none_of: list[str]) -> None:
    """A boolean query returns rows that match all `must` (or, without them, any `should`) and no `must_not`."""
    all_of = all_of or ([] if any_of else ["tulip"])
    parts = [[match(word) for word in words] for words in (all_of, any_of, none_of)]
    rows = found(catalog, new_texts(catalog, "text"), structured(boolean(*parts)))
    candidates = with_all(all_of) if all_of else with_any(any_of)
    same_items(rows, [number for number in candidates if number not in with_any(none_of)], FOUND)


NESTED: dict[str, tuple[Json, list[int]]] = {
    "boolean": (
        boolean(must=[boolean(should=[match("garden"), match("marble")])], must_not=[match("velvet")]),
        having(lambda text: bool({"garden", "marble"} & set(text)) and "velvet" not in text),
    ),
    "phrase": (boolean(must=[phrase("velvet garden")]), with_phrase("velvet", "garden")),
    "boost": (
        boolean(must=[{"boost": {"positive": match("velvet"), "negative": match("garden")}}]),
        with_any(["velvet"]),
    ),
    "multi_match": (
        boolean(must=[{"multi_match": {"match_queries": [{"terms": "tulip", "column": "text"}]}}]),
        with_any(["tulip"]),
    ),
}


@must("lance.query.nested.{}", operations=QUERY, clause="query-tree", each=NESTED)
def test_nested_query(catalog: LanceCatalog, case: tuple[Json, list[int]]) -> None:
    """A {} query can be nested in a boolean query."""
    query, expected = case
    _finds(catalog, new_texts(catalog, "text"), structured(query), expected)
