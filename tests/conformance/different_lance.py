"""Freedoms of Lance namespaces."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from tests.conformance.different_server import JSON, Call, Freedom, after, before, of_json, with_json
from tests.conformance.proxy import Answer

API = "lance"
PAGED = {
    "ListNamespaces",
    "ListTables",
    "ListAllTables",
    "ListTableVersions",
    "ListTableTags",
    "ListTableIndices",
    "ListTableBranches",
}
LISTINGS = {"ListNamespaces": "namespaces", "ListTables": "tables", "ListAllTables": "tables"}
CREATIONS = {
    "CreateNamespace",
    "CreateTable",
    "DeclareTable",
    "CreateEmptyTable",
    "RegisterTable",
    "CreateMaterializedView",
}
OF_TABLES = ("/v1/table/", "/v1/materialized_view/")
OWN = {"server.tier": "gold"}
LETTERS = re.compile(r"[\w$.:-]{1,200}", re.ASCII)


@before(API)
def short_pages_of_lance(call: Call) -> Answer | None:
    """Pages end before they are full."""
    if call.operation in PAGED and call.query.get("limit", "").isdecimal() and call.query["limit"] != "0":
        call.query["limit"] = str(max(1, int(call.query["limit"]) // 2))
    return None


@after(API)
def other_order_of_names(call: Call, answer: Answer) -> Answer:
    """Names on a page come in any order."""
    value, field = of_json(answer), LISTINGS.get(call.operation, "")
    if not field or answer.status != 200 or not isinstance(value, dict) or not value.get(field):
        return answer
    return with_json(answer, {**value, field: call.chance.sample(value[field], len(value[field]))})


@after(API)
def own_properties_of_lance(call: Call, answer: Answer) -> Answer:
    """Namespaces and tables have properties that nobody gave them."""
    value = of_json(answer)
    if call.operation not in ("DescribeNamespace", "DescribeTable") or answer.status != 200:
        return answer
    return with_json(answer, {**value, "properties": OWN | (value.get("properties") or {})})


@after(API)
def other_messages_of_lance(_: Call, answer: Answer) -> Answer:
    """Errors say it in their own words."""
    value = of_json(answer)
    if answer.status < 400 or not isinstance(value, dict) or "error" not in value:
        return answer
    return with_json(answer, {**value, "error": f"Nein: {value['error']}", "detail": "Because."})


@before(API)
def plain_names_of_lance(call: Call) -> Answer | None:
    """Names have few letters."""
    if call.operation not in CREATIONS:
        return None
    names = call.values["id"].split(call.query.get("delimiter") or "$")
    if all(LETTERS.fullmatch(name) for name in names if name):
        return None
    return _refusal(400, 13, "letters, digits and underscores only")


def _refusal(status: int, code: int, said: str) -> Answer:
    return Answer(status, {"Content-Type": JSON}, json.dumps({"error": said, "code": code}).encode())


def _behind(call: Call, action: str, body: Any, **query: str) -> Answer:
    """Ask the server behind about the table of a request."""
    path = f"/v1/table/{quote(call.values['id'], safe='')}/{action}"
    delimiter = {"delimiter": call.query["delimiter"]} if "delimiter" in call.query else {}
    pairs = "&".join(f"{name}={quote(value, safe='')}" for name, value in {**delimiter, **query}.items())
    return call.behind("POST", f"{path}?{pairs}", {"Content-Type": JSON}, json.dumps(body).encode())


@before(API)
def tables_before_bodies(call: Call) -> Answer | None:
    """A table is looked for before the body of a request is read."""
    if call.operation in CREATIONS or not call.path.startswith(OF_TABLES) or "id" not in call.values:
        return None
    answer = _behind(call, "exists", {})
    return _refusal(404, 4, "no such table") if answer.status == 404 else None


@after(API)
def own_metadata_of_schemas(call: Call, answer: Answer) -> Answer:
    """Schemas have metadata that nobody gave them."""
    value = of_json(answer)
    if answer.status != 200 or not isinstance(value, dict):
        return answer
    if call.operation == "UpdateTableSchemaMetadata":
        return with_json(answer, {"server:writer": "9", **value})
    if call.operation == "DescribeTable" and isinstance(value.get("schema"), dict):
        own = {"server:writer": "9", **(value["schema"].get("metadata") or {})}
        return with_json(answer, {**value, "schema": {**value["schema"], "metadata": own}})
    return answer


@before(API)
def few_types_of_indices(call: Call) -> Answer | None:
    """Some of the types of indices that the document names as examples are not there."""
    built = call.operation.startswith("CreateTable") and call.operation.endswith("Index")
    few = built and call.json.get("index_type") in ("IVF_HNSW_SQ", "LABEL_LIST")
    return _refusal(406, 0, "no such index here") if few else None


@before(API)
def no_cascades(call: Call) -> Answer | None:
    """Namespaces are dropped when they are empty."""
    cascades = call.operation == "DropNamespace" and str(call.json.get("behavior", "")).lower() == "cascade"
    return _refusal(406, 0, "drop what is in it first") if cascades else None


@after(API)
def wider_results(call: Call, answer: Answer) -> Answer:
    """Results of a batch have fields of their own."""
    return _with_results(call, answer, {"took_millis": 1})


def _with_results(call: Call, answer: Answer, fields: dict[str, Any]) -> Answer:
    """The answer to a batch with further fields in each result."""
    if call.operation != "BatchCommitTables" or answer.status != 200:
        return answer
    value = of_json(answer)
    return with_json(answer, {**value, "results": [{**fields, **result} for result in value["results"]]})


@before(API)
def empty_trees_find_nothing(call: Call) -> Answer | None:
    """A tree of no full-text queries is one, which finds nothing."""
    tree = _within(call.json, "full_text_query", "structured_query", "query")
    none = tree.get("multi_match") == {"match_queries": []}
    if call.operation == "QueryTable" and (none or not any((_within(tree, "boolean") or {"": 1}).values())):
        call.body = json.dumps({**call.json, "full_text_query": None, "filter": "1 = 0"}).encode()
    return None


def _within(value: dict[str, Any], *names: str) -> dict[str, Any]:
    """An object within objects, an empty one where a request has something else there."""
    for name in names:
        inner = value.get(name)
        value = inner if isinstance(inner, dict) else {}
    return value


@before(API)
def changes_take_versions(call: Call) -> Answer | None:
    """A change of columns makes more than one version."""
    if call.operation in ("AlterTableAddColumns", "AlterTableAlterColumns"):
        branch = {"branch": call.json["branch"]} if "branch" in call.json else {}
        described = of_json(_behind(call, "describe", branch, load_detailed_metadata="true")) or {}
        if described.get("version"):
            _behind(call, "restore", {**branch, "version": described["version"]})
    return None


@before(API)
def tags_in_lower_case(call: Call) -> Answer | None:
    """Tags have lower-case letters and digits in their names, and nothing else."""
    tag = str(call.json.get("tag", "a"))
    refused = call.operation == "CreateTableTag" and not re.fullmatch("[a-z0-9]+", tag)
    return _refusal(400, 13, "lower-case letters only") if refused else None


@before(API)
def few_types_of_columns(call: Call) -> Answer | None:
    """Tables have columns of some types."""
    if call.operation != "CreateTable" or not call.body:
        return None
    try:
        schema = pa.ipc.open_stream(call.body).schema
    except pa.ArrowInvalid:
        return None
    few = any(re.search("uint|decimal|binary|struct", str(kind)) for kind in schema.types)
    return _refusal(400, 20, "no such columns here") if few else None


@before(API)
def no_narrower_types(call: Call) -> Answer | None:
    """A column never gets a type that holds less."""
    alterations = call.json.get("alterations")
    listed = alterations if isinstance(alterations, list) else []
    types = [entry.get("data_type") for entry in listed if isinstance(entry, dict)]
    narrower = call.operation == "AlterTableAlterColumns" and any(
        isinstance(kind, dict) and kind.get("type") == "int32" for kind in types
    )
    return _refusal(400, 13, "it would not hold the values") if narrower else None


@before(API)
def wider_rows(call: Call) -> Answer | None:
    """A table gets the columns of rows that have more than it has."""
    if call.operation in ("InsertIntoTable", "MergeInsertIntoTable") and b"extra" in call.body:
        columns = [{"name": "extra", "expression": "CAST(NULL AS BOOLEAN)"}]
        _behind(call, "add_columns", {"new_columns": columns})
    return None


@after(API)
def many_parts(call: Call, answer: Answer) -> Answer:
    """An index has as many parts as it likes."""
    if call.operation != "DescribeTableIndexStats" or answer.status != 200:
        return answer
    return with_json(answer, {**of_json(answer), "num_indices": 512})


@after(API)
def other_order_of_rows(call: Call, answer: Answer) -> Answer:
    """Rows of a query come in any order, also those of a search."""
    if call.operation != "QueryTable" or answer.status != 200:
        return answer
    table = pa.ipc.open_file(answer.body).read_all()
    shuffled = table.take(pa.array(call.chance.sample(range(table.num_rows), table.num_rows), pa.int64()))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(shuffled)
    return replace(answer, body=sink.getvalue().to_pybytes())


@before(API)
def relative_locations(call: Call) -> Answer | None:
    """Tables are registered by a location below the root, and another is refused before anything else is looked at."""
    location = str(call.json.get("location", ""))
    absolute = call.operation == "RegisterTable" and (location.startswith("/") or "://" in location)
    return _refusal(400, 13, "relative locations only") if absolute else None


def root_alone(call: Call) -> Answer | None:
    """The root is the only namespace; whoever names another one is told that it is not supported."""
    id = str(call.values.get("id", "$"))
    of_table = call.path.startswith(OF_TABLES) and "$" in id.strip("$")
    below = of_table or (call.path.startswith("/v1/namespace/") and id != "$")
    return _refusal(406, 0, "no namespaces but the root") if below else None


ROOT_ALONE = Freedom(root_alone.__name__, API, before=root_alone)  # not drawn: most requirements need namespaces


def _modes_ignored(call: Call) -> Answer | None:
    """Accept any mode when registering a table, as well as relative locations."""
    if call.operation == "RegisterTable" and call.json.get("mode") == "Perhaps":
        call.body = json.dumps({**call.json, "mode": "Create"}).encode()
    return relative_locations(call)


DEFECTS = {"modes_ignored": Freedom("modes_ignored", API, before=_modes_ignored)}


PARTS = {"GetTableTagVersion": 8, "UpdateTableTag": 8, "DeleteTableTag": 8, "RestoreTable": 11, "DropTableIndex": 6}


@after(API)
def parts_are_sought_first(call: Call, answer: Answer) -> Answer:
    """The tag, version or index of a table that is missing is missing itself: the error names it."""
    value = of_json(answer)
    missing = answer.status == 404 and isinstance(value, dict) and value.get("code") == 4
    return (
        with_json(answer, {**value, "code": PARTS[call.operation]}) if missing and call.operation in PARTS else answer
    )


def _long_names_fail(call: Call) -> Answer | None:
    """Names of more than two hundred letters fail: a column of the catalog's database is too short."""
    names = [*(part for part in call.values.values()), call.json.get("name"), call.json.get("tag")]
    long = any(isinstance(name, str) and len(name.rpartition("$")[2]) > 200 for name in names)
    return _refusal(500, 18, "value too long") if long else None


DEFECTS["long_names_fail"] = Freedom("long_names_fail", API, before=_long_names_fail)


def _another_code(call: Call, answer: Answer) -> Answer:
    """Creating a namespace that exists is refused with the code of a concurrent change."""
    value = of_json(answer)
    taken = call.operation == "CreateNamespace" and answer.status == 409
    return with_json(answer, {**value, "code": 14}) if taken else answer


DEFECTS["another_code"] = Freedom("another_code", API, after=_another_code)


def _null_results(call: Call, answer: Answer) -> Answer:
    """Results of a batch have every field, null where it is that of another operation: the schema wants objects."""
    kinds = ("declare_table", "create_table_version", "delete_table_versions", "deregister_table")
    return _with_results(call, answer, dict.fromkeys(kinds))


DEFECTS["null_results"] = Freedom("null_results", API, after=_null_results)
