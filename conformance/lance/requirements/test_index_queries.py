"""Queries of tables with indices: same results, full-text settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from conformance.author.checks import equal, holds, number, same_items
from conformance.author.requirement import must, should
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.indexing import (
    FILTERED,
    KINDS,
    ROWS,
    IndexType,
    all_indices,
    indexable,
    new_index,
    vector,
    wait_for_index,
)
from conformance.lance.worlds import UNINDEXED
from conformance.values.json_values import shown

CREATE = ["CreateTableIndex"]
SCALAR = ["CreateTableScalarIndex"]
FTS = KINDS["fts"]
FOUND = "the ids of the rows found"


def _ids_of(rows: list[dict[str, Any]]) -> list[int]:
    return [number(row["id"], "the id of a row") for row in rows]


def _ids(catalog: LanceCatalog, id: Names, filter: str) -> list[int]:
    """Return the ids of the rows that match a filter."""
    return _ids_of(catalog.rows(id, filter=filter))


def _found(catalog: LanceCatalog, id: Names, terms: str) -> list[int]:
    """Return the ids of the rows that a full-text query finds."""
    query = {"string_query": {"query": terms, "columns": ["text"]}}
    return _ids_of(catalog.rows(id, full_text_query=query))


@must("lance.index.answers.same.{}", operations=CREATE, clause="index-answers", each=FILTERED)
def test_same_answers(catalog: LanceCatalog, case: IndexType) -> None:
    """QueryTable returns the same rows before and after an index of type {} is built."""
    id = catalog.new_table_of(indexable())
    before = _ids(catalog, id, case.filter)
    new_index(catalog, id, case)
    holds(before, "the query finds rows before the index is built")
    same_items(_ids(catalog, id, case.filter), before, FOUND)


@must("lance.index.answers.new_rows.{}", operations=CREATE, clause="index-answers", each=FILTERED)
def test_new_rows_are_found(catalog: LanceCatalog, case: IndexType) -> None:
    """QueryTable finds rows inserted after an index of type {} was built."""
    id, plain = catalog.new_table_of(indexable(50)), catalog.new_table_of(indexable(), "plain")
    new_index(catalog, id, case)
    catalog.insert_into_table(id, stream(indexable(ROWS - 50, first=50)))
    same_items(_ids(catalog, id, case.filter), _ids(catalog, plain, case.filter), FOUND)


@must("lance.index.answers.deleted_rows.{}", operations=CREATE, clause="index-answers", each=FILTERED)
def test_deleted_rows_are_not_found(catalog: LanceCatalog, case: IndexType) -> None:
    """QueryTable does not return rows deleted after an index of type {} was built."""
    id = catalog.new_table_of(indexable())
    left = [number for number in _ids(catalog, id, case.filter) if number >= 110]
    new_index(catalog, id, case)
    catalog.delete_from_table(id, predicate="id < 110")
    same_items(_ids(catalog, id, case.filter), left, FOUND)


@must("lance.index.answers.nearest", operations=CREATE, clause="index-answers")
def test_nearest_row(catalog: LanceCatalog) -> None:
    """A search for the vector of a row on an indexed column returns that row first."""
    id = catalog.new_table_of(indexable())
    new_index(catalog, id, KINDS["ivf_flat"], distance_type="l2")
    rows = catalog.rows(id, vector={"single_vector": vector(17)}, k=1)
    equal([row["id"] for row in rows], [17], FOUND)


# Full-text search


@must("lance.index.fts.finds", operations=CREATE, clause="index-fts")
def test_full_text_search(catalog: LanceCatalog) -> None:
    """A text query on a column with a full-text index returns exactly the rows with its word."""
    id = catalog.new_table_of(indexable())
    new_index(catalog, id, FTS)
    same_items(_found(catalog, id, "apples"), range(0, ROWS, 7), FOUND)


@dataclass(frozen=True, slots=True)
class TextSetting:
    """A setting of a full-text index, and the words that find a row, or do not, because of it."""

    id: str
    body: dict[str, Any]
    text: str
    finds: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()


SETTINGS = {
    "base_tokenizer": TextSetting(
        "base_tokenizer whitespace", {"base_tokenizer": "whitespace"}, "the end.", ("end.",), ("end",)
    ),
    "base_tokenizer_simple": TextSetting("base_tokenizer simple", {"base_tokenizer": "simple"}, "the end.", ("end",)),
    "language": TextSetting("language German", {"language": "German", "stem": True}, "viele Häuser", ("Haus",)),
    "max_token_length": TextSetting(
        "max_token_length", {"max_token_length": 5}, "tiny lengthy", ("tiny",), ("lengthy",)
    ),
    "lower_case": TextSetting("lower_case", {"lower_case": True}, "An Apple", ("apple", "APPLE")),
    "lower_case_off": TextSetting(
        "lower_case switched off", {"lower_case": False, "stem": False}, "An Apple", ("Apple",), ("apple",)
    ),
    "stem": TextSetting("stem", {"stem": True, "language": "English"}, "running dogs", ("run", "dog")),
    "stem_off": TextSetting("stem switched off", {"stem": False}, "running dogs", ("running",), ("run",)),
    "remove_stop_words": TextSetting(
        "remove_stop_words", {"remove_stop_words": True, "language": "English"}, "the apple", ("apple",), ("the",)
    ),
    "remove_stop_words_off": TextSetting(
        "remove_stop_words switched off", {"remove_stop_words": False}, "the apple", ("the",)
    ),
    "ascii_folding": TextSetting("ascii_folding", {"ascii_folding": True}, "a café", ("cafe",)),
    "ascii_folding_off": TextSetting(
        "ascii_folding switched off", {"ascii_folding": False}, "a café", ("café",), ("cafe",)
    ),
}


def _table_of(catalog: LanceCatalog, text: str) -> Names:
    return catalog.new_table_of(pa.table({"id": pa.array([0, 1], pa.int64()), "text": [text, "another row"]}))


@should("lance.index.fts.setting.{}", operations=CREATE, clause="index-fts-settings", each=SETTINGS)
def test_full_text_settings(catalog: LanceCatalog, case: TextSetting) -> None:
    """A full-text index that CreateTableIndex builds applies the setting {}."""
    id = _table_of(catalog, case.text)
    new_index(catalog, id, FTS, **case.body)
    _check_words(catalog, id, case)


@should("lance.index.fts.scalar_setting.{}", operations=SCALAR, clause="index-fts-settings", each=SETTINGS)
def test_full_text_settings_of_scalar_index(catalog: LanceCatalog, case: TextSetting) -> None:
    """A full-text index that CreateTableScalarIndex builds applies the setting {}."""
    id = _table_of(catalog, case.text)
    catalog.send("CreateTableScalarIndex", id, {**FTS.body, "name": "idx", **case.body})
    wait_for_index(catalog, id, "idx")
    _check_words(catalog, id, case)


def _check_words(catalog: LanceCatalog, id: Names, case: TextSetting) -> None:
    for word in case.finds:
        equal(_found(catalog, id, word), [0], f"the ids of the rows found by {shown(word)}")
    for word in case.misses:
        equal(_found(catalog, id, word), [], f"the ids of the rows found by {shown(word)}")


@should("lance.index.fts.with_position", operations=CREATE, clause="index-fts-settings")
def test_phrases(catalog: LanceCatalog) -> None:
    """A full-text index built with with_position=true supports phrase queries: adjacent words in their order."""
    id = _table_of(catalog, "green apples and red pears")
    new_index(catalog, id, FTS, with_position=True)
    equal(_phrase(catalog, id, "green apples"), [0], "the ids of the rows found by the phrase green apples")
    equal(_phrase(catalog, id, "green pears"), [], "the ids of the rows found by the phrase green pears")


def _phrase(catalog: LanceCatalog, id: Names, terms: str) -> list[int]:
    query = {"structured_query": {"query": {"phrase": {"terms": terms, "column": "text"}}}}
    return _ids_of(catalog.rows(id, full_text_query=query))


UNKNOWN: dict[str, dict[str, Any]] = {
    "base_tokenizer": {"base_tokenizer": "perhaps"},
    "language": {"language": "Perhaps"},
}


@should(
    "lance.index.fts.unknown.{}",
    operations=CREATE,
    clause="index-fts-unknown",
    kind="error",
    each=UNKNOWN,
    world=UNINDEXED,
)
def test_unknown_settings(catalog: LanceCatalog, case: dict[str, Any]) -> None:
    """CreateTableIndex with an unknown {} returns 400 with code 13 and builds no index."""
    id = catalog.new_table_of(indexable(10))
    refused = catalog.create_table_index(id, **FTS.body, **case, expect=400)
    equal(refused.code, 13, "the code of the error")
    equal(all_indices(catalog, id), [], "the indices of the table")
