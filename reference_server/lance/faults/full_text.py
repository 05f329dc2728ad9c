"""Full-text queries that are misread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference_server.faults import Around, declare
from reference_server.lance.faults.building import lost_anywhere
from reference_server.lance.faults.queries import ALL, queries_become

Json = dict[str, Any]
Edit = Callable[[str, Json], Json]


def trees_become(edit: Edit) -> Around:
    """Read every node of a full-text query as what `edit` makes of its kind and fields."""

    def edited(query: Json) -> Json:
        text = query.get("full_text_query") or {}
        if "structured_query" not in text:
            return query
        tree = {"query": walked(text["structured_query"]["query"], edit)}
        return {**query, "full_text_query": {**text, "structured_query": tree}}

    return queries_become(edited)


def walked(node: Json, edit: Edit) -> Json:
    """Return a node whose parts were edited before itself."""
    result: Json = {}
    for kind, fields in node.items():
        inner = dict(fields)
        for name in ("positive", "negative"):
            if name in inner:
                inner[name] = walked(inner[name], edit)
        for name in ("must", "should", "must_not"):
            if name in inner:
                inner[name] = [walked(one, edit) for one in inner[name]]
        result.update(edit(kind, inner))
    return result


def fields_ignored(*names: str) -> Around:
    """Read nodes as if they had none of these fields."""
    return trees_become(lambda kind, fields: {kind: {name: fields[name] for name in fields if name not in names}})


def kind_becomes(wanted: str, edit: Callable[[Json], Json]) -> Around:
    """Read nodes of one kind as what `edit` makes of their fields."""
    return trees_become(lambda kind, fields: edit(fields) if kind == wanted else {kind: fields})


declare(
    "text-ignored",
    "Queries have no text, whatever they say.",
    lost_anywhere("full_text_query"),
    kills=[
        *(f"lance.query.{name}.*" for name in ("text", "match", "phrase", "boost", "boolean", "nested", "multi_match")),
        *(
            f"lance.query.tree.{name}"
            for name in ("no_kind", "two_kinds", "inner_no_kind", "not_text", "empty_boolean")
        ),
        "lance.query.tree.no_match_queries",
        "lance.query.tree.no_terms",
        "lance.query.column_missing.text",
        "lance.query.column_missing.match",
        "lance.query.column_missing.phrase",
        "lance.query.both.texts",
        "lance.query.*.text.planned",
    ],
    on=ALL,
)


def _anywhere(query: Json) -> Json:
    text = query.get("full_text_query") or {}
    if "string_query" not in text:
        return query
    return {**query, "full_text_query": {**text, "string_query": {"query": text["string_query"]["query"]}}}


declare(
    "text-columns-ignored",
    "A text is searched in all columns, whichever it names.",
    queries_become(_anywhere),
    kills=["lance.query.text.columns"],
    on=ALL,
)
declare(
    "tree-columns-ignored",
    "A match or phrase is searched in all columns, whichever it names.",
    fields_ignored("column"),
    kills=["lance.query.match.word", "lance.query.tree.not_text"],
    on=ALL,
)
declare(
    "match-operator-ignored",
    "Any term is enough, whatever the operator.",
    fields_ignored("operator"),
    kills=["lance.query.match.operator", "lance.query.tree.operator"],
    on=ALL,
)
declare(
    "match-exact",
    "Only the words themselves are found, whatever the fuzziness.",
    fields_ignored("fuzziness"),
    kills=[
        "lance.query.match.fuzziness",
        "lance.query.match.prefix_length",
        "lance.query.match.max_expansions",
        "lance.query.text.no_index_similar",
    ],
    on=ALL,
)
declare(
    "match-prefix-ignored",
    "Similar words may differ in any letter.",
    fields_ignored("prefix_length"),
    kills=["lance.query.match.prefix_length"],
    on=ALL,
)
declare(
    "match-expands-freely",
    "All similar words are looked for, whatever max_expansions.",
    fields_ignored("max_expansions"),
    kills=["lance.query.match.max_expansions"],
    on=ALL,
)
declare(
    "match-boost-ignored",
    "All parts of a query count the same.",
    fields_ignored("boost"),
    kills=["lance.query.match.boost"],
    on=ALL,
)
declare(
    "phrase-as-words",
    "The words of a phrase may stand anywhere.",
    kind_becomes("phrase", lambda fields: {"match": {**fields, "operator": "And"}}),
    kills=["lance.query.phrase.*", "lance.query.nested.phrase"],
    on=ALL,
)
declare(
    "phrase-slop-ignored",
    "The words of a phrase stand side by side, whatever its slop.",
    fields_ignored("slop"),
    kills=["lance.query.phrase.slop"],
    on=ALL,
)
declare(
    "boost-positive-only",
    "A boost query is read as its positive query.",
    kind_becomes("boost", lambda fields: fields["positive"]),
    kills=["lance.query.boost.order", "lance.query.boost.negative_boost"],
    on=ALL,
)
declare(
    "boost-excludes",
    "A boost query leaves out what its negative query finds.",
    kind_becomes(
        "boost",
        lambda fields: {"boolean": {"must": [fields["positive"]], "should": [], "must_not": [fields["negative"]]}},
    ),
    kills=["lance.query.boost.rows", "lance.query.boost.order", "lance.query.nested.boost"],
    on=ALL,
)
declare(
    "multi-match-first-only",
    "Of a multi_match only the first query counts.",
    kind_becomes("multi_match", lambda fields: {"match": fields["match_queries"][0]}),
    kills=["lance.query.multi_match.rows"],
    on=ALL,
)
declare(
    "boolean-not-ignored",
    "What a boolean query must not find is found.",
    kind_becomes("boolean", lambda fields: {"boolean": {**fields, "must_not": []}}),
    kills=["lance.query.boolean.rows", "lance.query.nested.boolean"],
    on=ALL,
)
