"""Misread full-text queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mutants.lance.queries import ALL, queries_become
from reference_server.faults import Around, fault

Json = dict[str, Any]
Edit = Callable[[str, Json], Json]


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
                inner[name] = [walked(child, edit) for child in inner[name]]
        result.update(edit(kind, inner))
    return result


def trees_become(edit: Edit) -> Around:
    """Read every node of a full-text query as what `edit` makes of its kind and fields."""

    def edited(query: Json) -> Json:
        text = query.get("full_text_query") or {}
        if "structured_query" not in text:
            return query
        tree = {"query": walked(text["structured_query"]["query"], edit)}
        return {**query, "full_text_query": {**text, "structured_query": tree}}

    return queries_become(edited)


def fields_ignored(*names: str) -> Around:
    """Read nodes as if they had none of these fields."""
    return trees_become(lambda kind, fields: {kind: {name: fields[name] for name in fields if name not in names}})


def kind_becomes(wanted: str, edit: Callable[[Json], Json]) -> Around:
    """Read nodes of one kind as what `edit` makes of their fields."""
    return trees_become(lambda kind, fields: edit(fields) if kind == wanted else {kind: fields})


def _anywhere(query: Json) -> Json:
    text = query.get("full_text_query") or {}
    if "string_query" not in text:
        return query
    return {**query, "full_text_query": {**text, "string_query": {"query": text["string_query"]["query"]}}}


def _exact(queries: list[Json]) -> list[Json]:
    return [{name: query[name] for name in query if name != "fuzziness"} for query in queries]


fault("text-columns-ignored", "A text is searched in all columns, whichever it names.", on=ALL)(
    queries_become(_anywhere)
)
fault("tree-columns-ignored", "A match or phrase is searched in all columns, whichever it names.", on=ALL)(
    fields_ignored("column")
)
fault("match-operator-ignored", "Any term is enough, whatever the operator.", on=ALL)(fields_ignored("operator"))
fault("match-exact", "Only the words themselves are found, whatever the fuzziness.", on=ALL)(
    fields_ignored("fuzziness")
)
fault("match-prefix-ignored", "Similar words may differ in any letter.", on=ALL)(fields_ignored("prefix_length"))
fault("match-boost-ignored", "All parts of a query count the same.", on=ALL)(fields_ignored("boost"))
fault("phrase-as-words", "The words of a phrase may stand anywhere.", on=ALL)(
    kind_becomes("phrase", lambda fields: {"match": {**fields, "operator": "And"}})
)
fault("boost-positive-only", "A boost query is read as its positive query.", on=ALL)(
    kind_becomes("boost", lambda fields: fields["positive"])
)
fault("boost-excludes", "A boost query leaves out what its negative query finds.", on=ALL)(
    kind_becomes(
        "boost",
        lambda fields: {"boolean": {"must": [fields["positive"]], "should": [], "must_not": [fields["negative"]]}},
    )
)
fault("multi-match-first-only", "Of a multi_match only the first query counts.", on=ALL)(
    kind_becomes("multi_match", lambda fields: {"match": fields["match_queries"][0]})
)
fault("multi-match-exact", "A multi_match finds only the words themselves.", on=ALL)(
    kind_becomes("multi_match", lambda fields: {"multi_match": {"match_queries": _exact(fields["match_queries"])}})
)
fault("boolean-one-not", "Of several must_not clauses the first counts.", on=ALL)(
    kind_becomes("boolean", lambda fields: {"boolean": {**fields, "must_not": fields.get("must_not", [])[:1]}})
)
fault("boolean-not-ignored", "A boolean query ignores its must_not clauses.", on=ALL)(
    kind_becomes("boolean", lambda fields: {"boolean": {**fields, "must_not": []}})
)


def _all_rows(query: Json) -> Json:
    tree = ((query.get("full_text_query") or {}).get("structured_query") or {}).get("query") or {}
    if "boolean" not in tree or any(tree["boolean"].values()):
        return query
    return {name: value for name, value in query.items() if name not in ("full_text_query", "filter")}


fault("boolean-empty-finds-all", "A boolean query without conditions finds all rows, whatever the filter.", on=ALL)(
    queries_become(_all_rows)
)
