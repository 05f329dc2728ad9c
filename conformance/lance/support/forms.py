"""Forms of requests: what clients add to the smallest valid request.

The forms of real clients are recorded from their releases, without what the document forbids (null for a field that
is not nullable) or does not describe (fields of a later revision), and without credentials.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.lance.client import Id
from conformance.lance.operations import reads
from specs.lance.identifiers import DELIMITER
from specs.openapi import JSON_TYPE, Operation

Fields = Mapping[str, Any]
WITHOUT_FIELDS = ("UpdateTableSchemaMetadata",)  # every name in its body is a key of the metadata
OTHER_DELIMITER = "::"  # no name in a run has it
LISTS_IDENTIFIERS = ("ListTables", "ListAllTables")  # they write their items with the delimiter of the request


@dataclass(frozen=True, slots=True)
class Form:
    """Additions of a form to requests; the own fields of a request stay as they are.

    `version` names the client and its release that sent requests in this form. `headers`, `query` and `body` are those
    of every request, `queries` and `bodies` of operations. With `with_id` a JSON body repeats the id of the path.
    `delimiter` replaces the default one in reads: the transaction ids that other operations return are written with the
    delimiter of their request. With `json` the client accepts JSON alone where an operation returns JSON.
    """

    version: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Fields = field(default_factory=dict)
    body: Fields = field(default_factory=dict)
    queries: Mapping[str, Fields] = field(default_factory=dict)
    bodies: Mapping[str, Fields] = field(default_factory=dict)
    with_id: bool = False
    delimiter: str = ""
    json: bool = False

    def apply(
        self, operation: Operation, id: Id | None, body: Any, options: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """Return the body and the options of LanceCatalog.send in this form."""
        own = options.get("query") or {}
        known = {*(body if isinstance(body, dict) else ()), *options}
        query = {
            name: value
            for name, value in {**self.query, **self.queries.get(operation.id, {})}.items()
            if name not in own and name not in known
        }
        if query:
            options = {**options, "query": {**query, **own}}
        if headers := self._headers(operation):
            options = {**options, "headers": {**headers, **(options.get("headers") or {})}}
        if self.delimiter and "delimiter" not in options and self._may_join(operation, id):
            options = {**options, "delimiter": self.delimiter}
        return self._filled(operation, id, body, own), options

    def _headers(self, operation: Operation) -> dict[str, str]:
        accepted = {"Accept": JSON_TYPE} if self.json and _returns_json(operation) else {}
        return {**self.headers, **accepted}

    def _filled(self, operation: Operation, id: Id | None, body: Any, query: Fields) -> Any:
        """Return a JSON body with the fields of the form."""
        if not isinstance(body, dict) or operation.request is None or operation.id in WITHOUT_FIELDS:
            return body
        further = {**self.body, **self.bodies.get(operation.id, {})}
        named = {"id": list(id)} if self.with_id and id is not None and not isinstance(id, str) else {}
        filled = {**named, **{name: value for name, value in further.items() if name not in query}, **body}
        return body if filled == body else filled

    def _may_join(self, operation: Operation, id: Id | None) -> bool:
        joinable = id is not None and not isinstance(id, str) and not any(self.delimiter in part for part in id)
        return joinable and reads(operation) and operation.id not in LISTS_IDENTIFIERS


def _returns_json(operation: Operation) -> bool:
    return all(
        JSON_TYPE in response.content
        for status, response in operation.responses.items()
        if status.startswith("2") and response.content
    )


OF_INDEX = dict.fromkeys(
    (
        "name",
        "with_position",
        "base_tokenizer",
        "language",
        "max_token_length",
        "lower_case",
        "stem",
        "remove_stop_words",
        "ascii_folding",
    )
)
OF_MERGE = dict.fromkeys(
    ("when_matched_update_all", "when_not_matched_insert_all", "when_not_matched_by_source_delete", "use_index"), False
)
SPELLED = Form(
    queries={
        "CreateTable": {"mode": "Create"},
        "DescribeTable": {"with_table_uri": False, "load_detailed_metadata": False},
        "InsertIntoTable": {"mode": "append"},
        "ListTableVersions": {"descending": False},
        "MergeInsertIntoTable": OF_MERGE,
    },
    bodies={
        "CreateNamespace": {"mode": "Create", "properties": {}},
        "DropNamespace": {"mode": "Fail", "behavior": "Restrict"},
        "RegisterTable": {"mode": "Create", "properties": {}},
        "DeclareTable": {"properties": {}},
        "CreateEmptyTable": {"properties": {}},
        "DescribeTable": {"with_table_uri": False},
        "UpdateTable": {"predicate": None, "properties": {}},
        "CreateTableIndex": OF_INDEX,
        "CreateTableScalarIndex": OF_INDEX,
        "ListTableIndices": {"version": None},
        "DescribeTableIndexStats": {"version": None},
        "QueryTable": {"columns": None, "full_text_query": None},
        "AnalyzeTableQueryPlan": {"columns": None, "full_text_query": None},
        "ExplainTableQueryPlan": {"verbose": False},
    },
)
FORMS: Mapping[str, Form] = {
    "id": Form(with_id=True),
    "spelled": SPELLED,
    "context": Form(headers={"x-lance-ctx-trace": "1"}, body={"identity": {}, "context": {"trace": "1"}}, with_id=True),
    "delimiter": Form(delimiter=OTHER_DELIMITER),
    "pylance": Form(
        version="pylance 14.0.2",
        headers={"Accept-Encoding": "gzip"},
        query={"delimiter": DELIMITER},
        queries={"DescribeTable": {"with_table_uri": False}, "InsertIntoTable": {"mode": "append"}},
        bodies={"DescribeTable": {"with_table_uri": False}, "ExplainTableQueryPlan": {"verbose": False}},
        with_id=True,
    ),
    "generated": Form(
        version="lance-namespace-urllib3-client 0.13.0",
        headers={"Accept-Encoding": "identity", "User-Agent": "OpenAPI-Generator/0.13.0/python"},
        bodies={"DescribeTable": {"with_table_uri": False}},
        json=True,
    ),
    "lancedb": Form(
        version="lancedb 0.40.0",
        headers={
            "Accept-Encoding": "gzip",
            "User-Agent": "LanceDB-Python-Client/0.40.0",
            "x-lancedb-database": "lakeproof",
            "x-lancedb-min-read-version": "1",
            "x-request-id": "5f0c2a52-6a0e-4c1b-9d0a-6a1f3f5f2f10",
        },
        queries={
            "CreateTable": {"mode": "create"},
            "MergeInsertIntoTable": {"when_not_matched_by_source_delete": False},
        },
    ),
}
