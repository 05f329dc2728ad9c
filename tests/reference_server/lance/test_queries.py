"""Queries, parsed and checked before Lance gets them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from reference_server import limits
from reference_server.errors import InvalidInput
from reference_server.lance.data.full_text import full_text_query
from reference_server.lance.data.projection import projection
from reference_server.lance.data.sql import whole
from reference_server.lance.data.sql_limits import LONGEST_CHAIN, check_depth, depth
from reference_server.lance.data.vector_search import find_column, search
from reference_server.lance.handlers.queries import RowRange

FLOATS = pa.list_(pa.float32(), 2)
SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "two words": pa.string(),
        "place": pa.struct({"city": pa.string(), "at": FLOATS}),
        "stays": pa.list_(pa.struct({"night": pa.int32()})),
        "vector": FLOATS,
        "bytes": pa.list_(pa.uint8(), 2),
        "several": pa.list_(FLOATS),
        "whole": pa.list_(pa.int32(), 2),
    }
)
ROWS = 10


def test_columns_by_name_and_by_alias():
    assert projection(SCHEMA, None) is None
    assert projection(SCHEMA, {}) is None
    assert projection(SCHEMA, {"column_names": ["id", "_rowid"]}) == ["id", "_rowid"]
    aliases = {"a": "two words", "b": "place.city", "c": "_distance", "d": "id + 1"}
    assert projection(SCHEMA, {"column_aliases": aliases}) == {
        "a": "`two words`",
        "b": "`place`.`city`",
        "c": "_distance",
        "d": "(id + 1)",
    }


def test_columns_in_both_forms_are_refused():
    with pytest.raises(InvalidInput):
        projection(SCHEMA, {"column_names": [], "column_aliases": {}})


def test_the_usual_column_of_vectors():
    assert find_column(SCHEMA, None).name == "vector"
    assert find_column(pa.schema({"only": FLOATS}), None).name == "only"
    for schema in (pa.schema({"one": FLOATS, "other": FLOATS}), pa.schema({"id": pa.int64()})):
        with pytest.raises(InvalidInput):
            find_column(schema, None)


@pytest.mark.parametrize("name", ["id", "place", "whole", "two words"])
def test_columns_without_vectors(name):
    with pytest.raises(InvalidInput):
        find_column(SCHEMA, name)


def query_of(**query):
    """Return the arguments of a search for a vector of two numbers."""
    search_query = search({"vector": {"single_vector": [1.0, 2.0]}, **query}, SCHEMA, 3, ROWS)
    assert search_query is not None
    return search_query.nearest


@pytest.mark.parametrize("vector", [None, {}, {"single_vector": []}, {"multi_vector": []}])
def test_queries_without_vectors(vector):
    assert search({"vector": vector}, SCHEMA, 3, ROWS) is None


def test_several_vectors_are_a_batch_but_in_a_column_of_several():
    vectors = {"vector": {"multi_vector": [[1.0, 2.0], [3.0, 4.0]]}}
    assert search(vectors, SCHEMA, 3, ROWS).batch
    assert not search({**vectors, "vector_column": "several"}, SCHEMA, 3, ROWS).batch


@pytest.mark.parametrize(
    "query",
    [
        {"vector": {"single_vector": [1.0], "multi_vector": [[1.0]]}},
        {"vector": {"single_vector": [1.0]}},
        {"vector": {"multi_vector": [[]]}},
        {"vector": {"multi_vector": [[1.0, 2.0], [1.0]]}},
        {"vector": {"multi_vector": [[1.0, 2.0]] * (limits.VECTORS + 1)}},
        {"vector_column": "bytes", "vector": {"single_vector": [256, 0]}},
        {"vector_column": "bytes", "vector": {"single_vector": [0.5, 0]}},
        {"distance_type": ""},
        {"distance_type": "perhaps"},
    ],
)
def test_vectors_that_do_not_fit(query):
    with pytest.raises(InvalidInput):
        query_of(**query)


@pytest.mark.parametrize(
    ("query", "effort"),
    [
        ({}, {}),
        ({"nprobes": 0, "refine_factor": 0, "ef": 0}, {}),
        ({"nprobes": 7}, {"nprobes": 7}),
        ({"nprobes": 2**40}, {"nprobes": 2**31 - 1}),
        ({"refine_factor": 2**31}, {"refine_factor": 4}),
        ({"ef": 1}, {"ef": 3}),
        ({"ef": 5, "refine_factor": 2}, {"refine_factor": 2, "ef": 6}),
        ({"ef": 2.0**70}, {"ef": 10}),
    ],
)
def test_effort_stays_within_what_there_is(query, effort):
    nearest = query_of(**query)
    assert {name: nearest[name] for name in ("nprobes", "refine_factor", "ef") if name in nearest} == effort


def test_bounds_and_index():
    assert query_of(upper_bound=2)["distance_range"] == (None, 2)
    assert "distance_range" not in query_of()
    assert query_of(bypass_vector_index=True)["use_index"] is False


def test_pages():
    table = pa.table({"query_index": [0, 0, 0, 1, 1], "id": [1, 2, 3, 4, 5]})
    assert RowRange(1, 2).cut(table)["id"].to_pylist() == [2, 3]
    assert RowRange(1, 2, batch=True).cut(table)["id"].to_pylist() == [2, 3, 5]
    assert RowRange(5, 2, batch=True).cut(table)["id"].to_pylist() == []


class Texts:
    """A dataset as far as texts are concerned: its schema, and indices over these columns."""

    schema = SCHEMA

    def __init__(self, *indexed: str) -> None:
        self.indexed = indexed

    def list_indices(self):
        """Return indices as pylance describes them."""
        return [{"type": "Inverted", "fields": [name]} for name in self.indexed] + [{"type": "BTree", "fields": ["id"]}]


def tree(query):
    return {"structured_query": {"query": query}}


MATCH = {"match": {"terms": "x", "column": "two words"}}


def deep(levels):
    query: dict[str, Any] = MATCH
    for _ in range(levels):
        query = {"boolean": {"must": [query], "should": [], "must_not": []}}
    return query


def test_texts():
    assert full_text_query(Texts(), {}) is None
    assert full_text_query(Texts(), {"string_query": {"query": "x"}}) == "x"
    assert full_text_query(Texts(), {"string_query": {"query": "x", "columns": ["place.city"]}}) == {
        "query": "x",
        "columns": ["place.city"],
    }
    for query in (MATCH, deep(20), {"phrase": {"terms": "x", "column": "two words", "slop": 2.0}}):
        assert full_text_query(Texts(), tree(query)) is not None
    assert (
        full_text_query(Texts("two words", "place.city"), tree({"match": {"terms": "x", "fuzziness": 1}})) is not None
    )


@pytest.mark.parametrize(
    "query",
    [
        {},
        {**MATCH, "phrase": {"terms": "x", "column": "two words"}},
        {"match": {"terms": "x"}},
        {"match": {**MATCH["match"], "operator": "nor"}},
        {"match": {**MATCH["match"], "fuzziness": 1}},
        {"match": {**MATCH["match"], "max_expansions": 2**31}},
        {"phrase": {"terms": "x", "column": "two words", "slop": 2**40}},
        {"multi_match": {"match_queries": []}},
        deep(51),
    ],
)
def test_trees_that_are_no_queries(query):
    with pytest.raises(InvalidInput):
        full_text_query(Texts(), tree(query))


@pytest.mark.parametrize(
    ("expression", "levels"),
    [
        ("id > 1", 1),
        ("'+ + +' = s -- + + +", 1),
        ("1 + (2 + (3 + 4))", 3),
        ("(1)+(1)+(1)+1", 3),
        ("f(1, 1) + f(1, 1) + f(1, 1)", 2),
        ("id = 1 OR id = 2 OR id = 3", 1),
        ("x BETWEEN 1 AND 2 AND y BETWEEN 1 AND 2", 1),
        ("x BETWEEN 1 AND 2 BETWEEN 3 AND 4", 2),
        ("x[0][1][2]", 3),
        ("a) + b)", 1),
    ],
)
def test_depth_of_expressions(expression, levels):
    assert depth(expression) == levels


def test_long_chains_are_refused_but_not_long_lists():
    check_depth(" OR ".join(["id = 1"] * 5000))
    check_depth(f"id IN ({', '.join(['1'] * 5000)})")
    for sign in ("+", "||", "::int"):
        with pytest.raises(InvalidInput):
            whole("id" + f"{sign}1" * (LONGEST_CHAIN + 1))
