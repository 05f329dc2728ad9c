"""Invalid and extreme trees of full-text queries."""

from __future__ import annotations

from conformance.author.checks import equal, within
from conformance.author.requirement import must, should
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import read_rows
from conformance.lance.support.queries import ids
from conformance.lance.support.words import NUMBERS, Json, boolean, found, match, new_texts, phrase, structured

QUERY = ["QueryTable"]
BAD: dict[str, Json] = {
    "no_kind": {},
    "two_kinds": {**match("tulip"), **phrase("tulip")},
    "inner_no_kind": boolean(must=[{}]),
    "operator": match("tulip marble", operator="Perhaps"),
    "not_text": {"match": {"terms": "tulip", "column": "id"}},
    "no_terms": {"match": {"column": "text"}},
}


@must("lance.query.tree.{}", operations=QUERY, clause="query-tree-invalid", kind="error", each=BAD)
def test_bad_tree(catalog: LanceCatalog, case: Json) -> None:
    """QueryTable with an invalid full-text query ({}) returns 400 with code 13."""
    id = new_texts(catalog, "text")
    catalog.control(lambda: found(catalog, id, structured(match("tulip"))))
    refused = catalog.query_table(id, **structured(case), vector={}, k=5, expect=400)
    equal(refused.code, 13, "the code of the error")


# The query and the rows that it may find: a conjunction of no conditions may match all rows.
NOTHING: dict[str, tuple[Json, list[int]]] = {
    "no_match_queries": ({"multi_match": {"match_queries": []}}, []),
    "empty_boolean": (boolean(), [0, 1]),
}


@must("lance.query.tree.{}", operations=QUERY, clause="query-tree", each=NOTHING)
def test_tree_without_queries(catalog: LanceCatalog, case: tuple[Json, list[int]]) -> None:
    """An empty query tree ({}) returns 400 with code 13 or no rows; an empty boolean may return the filtered rows."""
    id, (tree, allowed) = new_texts(catalog, "text"), case
    answer = catalog.query_table(id, **structured(tree), filter="id < 2", vector={}, k=5, expect=(200, 400))
    if answer.status == 400:
        catalog.check_invalid(answer)
    else:
        within(ids(read_rows(answer.body)), allowed, "the ids of the rows that are found")


def _deep(levels: int) -> Json:
    query = match("tulip")
    for _ in range(levels):
        query = {"boost": {"positive": query, "negative": match("garden")}}
    return query


ODD: dict[str, Json] = {
    "deep": _deep(100),
    "wide": boolean(should=[match("tulip")] * 1000),
    "fuzziness": match("tulip", fuzziness=2**31 - 1),
    "fuzziness_beyond": match("tulip", fuzziness=2**40),
    "prefix_length": match("tulip", fuzziness=1, prefix_length=2**40),
    "max_expansions": match("tulip", fuzziness=1, max_expansions=2**63),
    "slop": phrase("crimson tulip", slop=2**40),
    "boost": match("tulip", boost=-1),
    "boost_beyond": match("tulip", boost=1e300),
    "only_not": boolean(must_not=[match("tulip")]),
}


@should("lance.query.tree.odd.{}", operations=QUERY, clause="query-tree-odd", kind="hostile", each=ODD)
def test_odd_tree(catalog: LanceCatalog, case: Json) -> None:
    """QueryTable with an extreme full-text query ({}) returns 200 or 400, and the table stays readable."""
    id = new_texts(catalog, "text")
    catalog.query_table(id, **structured(case), vector={}, k=5, expect=(200, 400))
    equal(len(catalog.rows(id)), len(NUMBERS), "the number of rows")
