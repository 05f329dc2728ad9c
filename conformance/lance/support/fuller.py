"""Requests with the optional parts that plain requests lack: every batch operation, action and full-text query."""

from __future__ import annotations

from typing import Any

from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.ordinary import LanceRequest, Prepare
from conformance.lance.support.staging import stage
from conformance.lance.support.versions import new_transaction
from conformance.lance.support.words import new_texts

Json = dict[str, Any]
SCAN: Json = {"vector": {}, "k": 10}
MATCH: Json = {
    "terms": "crimson",
    "column": "text",
    "boost": 2.0,
    "fuzziness": 1,
    "max_expansions": 5,
    "operator": "And",
    "prefix_length": 1,
}
WORD: Json = {"match": {"terms": "tulip", "column": "text"}}
STRUCTURED: dict[str, Json] = {
    "match": {"match": MATCH},
    "phrase": {"phrase": {"terms": "tulip crimson", "column": "text", "slop": 1}},
    "boost": {"boost": {"positive": WORD, "negative": WORD, "negative_boost": 0.5}},
    "multi_match": {"multi_match": {"match_queries": [MATCH]}},
    "boolean": {"boolean": {"must": [WORD], "must_not": [WORD], "should": [WORD]}},
}


def _of_texts(**body: Any) -> Prepare:
    return lambda catalog, _name: LanceRequest(new_texts(catalog, "text"), {**SCAN, **body})


def _actions(catalog: LanceCatalog, name: str) -> LanceRequest:
    actions = [{"setStatusAction": {"status": "Succeeded"}}, {"unsetPropertyAction": {"key": "k", "mode": "Skip"}}]
    return LanceRequest(new_transaction(catalog, name), {"actions": actions})


def _operations(catalog: LanceCatalog, name: str) -> LanceRequest:
    """Return a batch with one operation of each kind, each on a table of its own."""
    declared = catalog.table_id(name)
    catalog.note_tables([declared])
    made, cut, gone = (catalog.new_table(f"{name}{what}") for what in ("made", "cut", "gone"))
    ranges = [{"start_version": 9000, "end_version": 9001}]
    return LanceRequest(
        body={
            "operations": [
                {"declare_table": {"id": declared, "properties": {"a": "1"}}},
                {
                    "create_table_version": {
                        "id": made,
                        **stage(catalog, made),
                        "e_tag": "a-tag",
                        "metadata": {"a": "1"},
                    }
                },
                {"delete_table_versions": {"id": cut, "ranges": ranges}},
                {"deregister_table": {"id": gone}},
            ]
        }
    )


# The operation, the field that the plain request lacks, and the request with it.
FULLER: dict[str, tuple[str, str, Prepare]] = {
    "alter_transaction.actions": ("AlterTransaction", "actions", _actions),
    "batch_commit_tables.operations": ("BatchCommitTables", "operations", _operations),
    "query_table.names": ("QueryTable", "columns", _of_texts(columns={"column_names": ["id"]})),
    "query_table.aliases": ("QueryTable", "columns", _of_texts(columns={"column_aliases": {"number": "id"}})),
    "query_table.words": (
        "QueryTable",
        "full_text_query",
        _of_texts(full_text_query={"string_query": {"query": "crimson", "columns": ["text"]}}),
    ),
    **{
        f"query_table.{what}": (
            "QueryTable",
            "full_text_query",
            _of_texts(full_text_query={"structured_query": {"query": query}}),
        )
        for what, query in STRUCTURED.items()
    },
}
