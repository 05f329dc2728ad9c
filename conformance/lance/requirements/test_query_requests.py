"""Columns of queries, and invalid queries."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import strategies as st

from conformance.author.checks import equal, number, one_of, same_items
from conformance.author.requirement import given, must, should
from conformance.author.strategies import COLUMN_NAMES
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.columns import check_no_column
from conformance.lance.support.queries import (
    ALL,
    PROBES,
    QUERY,
    ROWS,
    SCHEMA,
    Query,
    Row,
    any_queried,
    ask,
    column,
    matching,
    new_queried,
    search,
)
from conformance.lance.support.versions import MISSING_VERSION
from specs.openapi import Operation

NAMES = SCHEMA.names
FOUND = {"_distance", "_rowid"}  # columns that a search may add to the requested ones


def _found(catalog: LanceCatalog, key: str, columns: Query, vector: bool) -> list[Row]:
    """Return the requested columns of all rows, in the order of the column `key`."""
    id = new_queried(catalog)
    rows = search(catalog, id, PROBES[0], k=50, columns=columns) if vector else catalog.rows(id, columns=columns)
    values = [number(value, f"the column {key} of a row") for value in column(rows, key)]
    kept = [{name: value for name, value in row.items() if name not in FOUND} for row in rows]
    return [kept[place] for place in sorted(range(len(rows)), key=values.__getitem__)]


# Columns


@must("lance.query.columns.names", operations=QUERY, clause="query-columns")
@given(names=st.sets(st.sampled_from(NAMES[1:])).map(sorted), vector=st.booleans())
def test_column_names(catalog: LanceCatalog, names: list[str], vector: bool) -> None:
    """QueryTable with column_names returns these columns and no other column of the table."""
    rows = _found(catalog, "id", {"column_names": ["id", *names]}, vector)
    equal(rows, [{name: row[name] for name in ("id", *names)} for row in ROWS], "the rows")


@must("lance.query.columns.aliases", operations=QUERY, clause="query-aliases")
@given(
    aliases=st.dictionaries(st.sampled_from(["x", "n", "Two words"]), st.sampled_from(["id", "color"]), min_size=1),
    vector=st.booleans(),
)
def test_column_aliases(catalog: LanceCatalog, aliases: dict[str, str], vector: bool) -> None:
    """QueryTable with column_aliases returns these columns under their aliases and no other column."""
    rows = _found(catalog, "key", {"column_aliases": {"key": "id", **aliases}}, vector)
    expected = [{"key": row["id"], **{alias: row[name] for alias, name in aliases.items()}} for row in ROWS]
    equal(rows, expected, "the rows")


@should("lance.query.columns.nested", operations=QUERY, clause="query-nested-columns")
def test_nested_column(catalog: LanceCatalog) -> None:
    """QueryTable returns a field of a struct that column_names has by its path, as a column or as a struct."""
    rows = catalog.rows(new_queried(catalog), filter="id = 4", columns={"column_names": ["place.city"]})
    forms = [{"place.city": "town 4"}], [{"place": {"city": "town 4"}}], [{"city": "town 4"}]
    one_of(rows, forms, "the rows that are found")


@should("lance.query.columns.nested_alias", operations=QUERY, clause="query-nested-columns")
def test_nested_alias(catalog: LanceCatalog) -> None:
    """QueryTable returns a field of a struct under its alias."""
    rows = catalog.rows(new_queried(catalog), filter="id = 4", columns={"column_aliases": {"town": "place.city"}})
    equal(rows, [{"town": "town 4"}], "the rows that are found")


@must("lance.query.columns.filtered", operations=QUERY, clause="query-columns")
def test_filter_by_other_column(catalog: LanceCatalog) -> None:
    """QueryTable can filter on columns that it does not return."""
    rows = catalog.rows(new_queried(catalog), filter="n > 40", columns={"column_names": ["color"]})
    expected = [row["color"] for row in matching("n > 40")]
    same_items(column(rows, "color"), expected, "the values of color")


ODD_NAMES = {**COLUMN_NAMES, "double_quote": 'so "called"', "digits": "1st"}


@must("lance.query.columns.odd_name.{}", operations=QUERY, clause="query-columns", kind="hostile", each=ODD_NAMES)
def test_odd_column_name(catalog: LanceCatalog, case: str) -> None:
    """QueryTable accepts unusual names in column_names ({})."""
    id = catalog.new_table_of(pa.table({"id": [1, 2], case: [10, 20]}))
    rows = catalog.rows(id, columns={"column_names": [case]})
    same_items(column(rows, case), [10, 20], "the values of the column")


@must("lance.query.columns.odd_alias.{}", operations=QUERY, clause="query-aliases", kind="hostile", each=ODD_NAMES)
def test_odd_column_alias(catalog: LanceCatalog, case: str) -> None:
    """QueryTable accepts aliases of columns with unusual names ({})."""
    id = catalog.new_table_of(pa.table({"id": [1, 2], case: [10, 20]}))
    rows = catalog.rows(id, columns={"column_aliases": {"x": case}})
    same_items(column(rows, "x"), [10, 20], "the values of the column")


# Missing tables, versions and columns


@must("lance.query.{}.missing", clause="table-not-found", kind="error", each=ALL, reads=True)
def test_missing_table(catalog: LanceCatalog, case: Operation) -> None:
    """{} on a missing table returns 404 with code 4."""
    equal(ask(catalog, case, catalog.table_id("missing"), {}, expect=404).code, 4, "the code of the error")


@should("lance.query.{}.namespace_code", clause="namespace-before-table", kind="error", each=ALL, reads=True)
def test_missing_namespace(catalog: LanceCatalog, case: Operation) -> None:
    """{} on a table in a missing namespace returns 404 with code 1, not 4."""
    catalog.require_namespaces()
    equal(ask(catalog, case, (*catalog.missing_namespace(), "t"), {}, expect=404).code, 1, "the code of the error")


@must("lance.query.{}.version_missing", clause="version-not-found", kind="error", each=ALL, reads=True)
def test_missing_version(catalog: LanceCatalog, case: Operation) -> None:
    """{} with a missing version returns 404 with code 11."""
    refused = ask(catalog, case, any_queried(catalog).id, {"version": MISSING_VERSION}, expect=404)
    equal(refused.code, 11, "the code of the error")


MISSING_COLUMNS: dict[str, Query] = {
    "names": {"columns": {"column_names": ["id", "nowhere"]}},
    "nested": {"columns": {"column_names": ["place.nowhere"]}},
    "aliases": {"columns": {"column_aliases": {"x": "nowhere"}}},
    "vector": {"vector": {"single_vector": [1, 2]}, "vector_column": "nowhere"},
    "text": {"full_text_query": {"string_query": {"query": "town", "columns": ["nowhere"]}}},
    "match": {"full_text_query": {"structured_query": {"query": {"match": {"terms": "x", "column": "nowhere"}}}}},
    "phrase": {"full_text_query": {"structured_query": {"query": {"phrase": {"terms": "x", "column": "nowhere"}}}}},
}


@must("lance.query.column_missing.{}", operations=QUERY, clause="query-column", kind="error", each=MISSING_COLUMNS)
def test_missing_column(catalog: LanceCatalog, case: Query) -> None:
    """QueryTable with a missing column ({}) returns 404 with code 12 or 400 with code 13."""
    check_no_column(_refused(catalog, ALL["run"], case, (400, 404)))


def _refused(catalog: LanceCatalog, operation: Operation, query: Query, statuses: Expected) -> Answer:
    """Return the rejection of a query, after a valid filter or search on the same table succeeded."""
    id = new_queried(catalog)
    twin: Query = {"filter": "id >= 1"} if "filter" in query else {"vector": {"single_vector": [1, 2]}}
    catalog.control(lambda: ask(catalog, operation, id, twin))
    return ask(catalog, operation, id, query, expect=statuses)


@should("lance.query.column_code.{}", operations=QUERY, clause="column-not-found", kind="error", each=MISSING_COLUMNS)
def test_missing_column_code(catalog: LanceCatalog, case: Query) -> None:
    """QueryTable with a missing column ({}) returns 404 with code 12."""
    equal(ask(catalog, ALL["run"], new_queried(catalog), case, expect=404).code, 12, "the code of the error")


@should("lance.query.{}.declared", clause="query-declared", kind="error", each=ALL)
def test_declared_table(catalog: LanceCatalog, case: Operation) -> None:
    """{} on a declared-only table returns 400, 404 or an empty result."""
    answer = ask(catalog, case, catalog.new_declared_table(), {"columns": None}, expect=(200, 400, 404))
    if answer.succeeded and case.id in QUERY:
        equal(catalog.rows(catalog.table_id()), [], "the rows of the declared table")


# Invalid requests

BAD: dict[str, Query] = {
    "filter_syntax": {"filter": "((("},
    "filter_column": {"filter": "nowhere > 1"},
    "filter_type": {"filter": "id = 'text'"},
    "filter_value": {"filter": "id"},
    "filter_leftover": {"filter": "id >= 1 AN color = 'red'"},
    "filter_statement": {"filter": "id >= 1; DROP TABLE t"},
    "short_vector": {"vector": {"single_vector": [1]}},
    "long_vector": {"vector": {"single_vector": [1, 2, 3, 4]}},
    "not_a_vector": {"vector": {"single_vector": [1, 2]}, "vector_column": "id"},
    "text_as_vector": {"vector": {"single_vector": [1, 2]}, "vector_column": "color"},
    "text_in_vectors": {"vector": {"multi_vector": [["one", "two"]]}},
    "distance_unknown": {"vector": {"single_vector": [1, 2]}, "distance_type": "parsecs"},
}


NO_QUERY = {f"{name}.{key}": (operation, query) for name, operation in ALL.items() for key, query in BAD.items()}
BOTH: dict[str, Query] = {
    "columns": {"columns": {"column_names": ["id"], "column_aliases": {"x": "id"}}},
    "vectors": {"vector": {"single_vector": [1, 2], "multi_vector": [[1, 2]]}},
    "texts": {
        "full_text_query": {
            "string_query": {"query": "red", "columns": ["color"]},
            "structured_query": {"query": {"match": {"terms": "red", "column": "color"}}},
        }
    },
    "ragged_vectors": {"vector": {"multi_vector": [[1, 2], [1]]}},
}


@must("lance.query.bad.{}", operations=lambda case: [case[0].id], clause="query-invalid", kind="error", each=NO_QUERY)
def test_bad_query(catalog: LanceCatalog, case: tuple[Operation, Query]) -> None:
    """A query, explained or analyzed too, that is invalid returns 400 with code 13 ({})."""
    operation, query = case
    equal(_refused(catalog, operation, query, 400).code, 13, "the code of the error")


@should("lance.query.both.{}", operations=QUERY, clause="query-either", kind="error", each=BOTH)
def test_both_forms(catalog: LanceCatalog, case: Query) -> None:
    """QueryTable with a contradictory query ({}) returns 400 with code 13."""
    equal(ask(catalog, ALL["run"], new_queried(catalog), case, expect=400).code, 13, "the code of the error")


@should("lance.query.{}.vector_and_text", clause="query-both-searches", each=ALL)
def test_vector_and_text(catalog: LanceCatalog, case: Operation) -> None:
    """{} with a vector and a text in one query returns 200 or 400."""
    text = {"string_query": {"query": "red", "columns": ["color"]}}
    query: Query = {"vector": {"single_vector": [1, 2]}, "full_text_query": text}
    ask(catalog, case, new_queried(catalog), query, expect=(200, 400))


# No chains of operators: they crash some servers, which would end the run.
DEEP: dict[str, str] = {
    "parentheses": "(" * 2000 + "id > 1" + ")" * 2000,
    "nots": "NOT " * 3000 + "id = 1",
    "long": " OR ".join(f"id = {number}" for number in range(3000)),
}


@should("lance.query.deep.{}", operations=QUERY, clause="query-deep", kind="hostile", each=DEEP)
def test_deep_filter(catalog: LanceCatalog, case: str) -> None:
    """QueryTable with a filter of thousands of parts ({}) returns 200 or 400, and the table stays readable."""
    id = new_queried(catalog)
    ask(catalog, ALL["run"], id, {"filter": case}, expect=(200, 400))
    equal(len(catalog.rows(id)), len(ROWS), "the number of rows")


@should("lance.query.root", operations=QUERY, clause="query-root", kind="error", reads=True)
def test_query_of_root(catalog: LanceCatalog) -> None:
    """QueryTable on the root namespace returns 400 with code 13."""
    equal(ask(catalog, ALL["run"], (), {}, expect=400).code, 13, "the code of the error")
