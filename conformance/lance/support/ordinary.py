"""Plain requests: a valid request of every operation, on objects created for it.

A requirement on invalid requests puts one defect into a plain request, and checks that the server accepts the
request without it.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from conformance.author.checks import text
from conformance.author.strategies import tables
from conformance.common.ordinary import Unprepared, accepted
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.locations import relative_location
from conformance.lance.support.arrow import stream
from conformance.lance.support.indexing import KINDS, new_index
from conformance.lance.support.staging import stage
from conformance.lance.support.versions import new_transaction
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Blocked, Skipped
from specs.openapi import JSON_TYPE, Operation

Json = dict[str, Any]
QUERY: Json = {"vector": {"single_vector": [0.0, 1.0]}, "vector_column": "place", "k": 1}
WORDS_INDEX: Json = {"column": "name", "index_type": "FTS", "name": "idx"}


@dataclass(frozen=True, slots=True)
class LanceRequest:
    """A request: the arguments of LanceCatalog.send except the operation. `missing`: its object does not exist."""

    id: Names | str | None = None
    body: Any = None
    data: bytes | None = None
    query: Mapping[str, Any] = field(default_factory=dict)
    path: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    missing: bool = False

    def with_bytes(self, data: bytes) -> LanceRequest:
        """Return the request with these bytes as its body and JSON as its content type."""
        return replace(self, body=None, data=data, headers={"Content-Type": JSON_TYPE})

    def with_content(self, body: Any) -> LanceRequest:
        """Return the request with another JSON body."""
        return replace(self, body=body)

    def with_body(self, **fields: Any) -> LanceRequest:
        """Return the request with these fields of the body added or replaced."""
        return self.with_content({**(self.body or {}), **fields})

    def send(self, catalog: LanceCatalog, operation: str, *, expect: Expected = None, **options: Any) -> Answer:
        """Send the request; `options` are those of LanceCatalog.send."""
        return catalog.send(
            operation,
            self.id,
            self.body,
            **{
                "data": self.data,
                "query": self.query,
                "path": self.path,
                "headers": self.headers,
                "expect": expect,
                **options,
            },
        )

    def exchange(self, catalog: LanceCatalog, operation: str) -> Exchange:
        """Return the request as an exchange without sending it."""
        arguments = catalog.arguments(self.id, self.body, query=self.query, path=self.path, data=self.data)
        return catalog.client.prepare(operation, **arguments)


Prepare = Callable[[LanceCatalog, str], LanceRequest]


def ordinary(catalog: LanceCatalog, operation: str, name: str = "t") -> LanceRequest:
    """Create the object of an operation under this name and return a plain request on it."""
    return _prepare(operation)(catalog, name)


def accepts(catalog: LanceCatalog, operation: str) -> None:
    """Check that the server accepts the plain request of an operation, on an object of its own named `twin`.

    It is the control of rejections. Raises Blocked where the request is rejected, Unoffered where the operation is.
    """
    with catalog.client.preparing():
        accepted(catalog, operation, ordinary(catalog, operation, "twin"))


def _namespace(body: Any = None) -> Prepare:
    return lambda catalog, name: LanceRequest(catalog.new_namespace(name), body)


def _listed(catalog: LanceCatalog, name: str) -> LanceRequest:
    """Return a listing of a namespace; of the home of a read-only run that has no other."""
    try:
        return LanceRequest(catalog.new_namespace(name))
    except Skipped:
        return LanceRequest(catalog.home)


def _table(body: Any = None, **query: Any) -> Prepare:
    return lambda catalog, name: LanceRequest(catalog.new_table(name), body, query=query)


def _places(body: Json) -> Prepare:
    """Prepare a query of a table with vectors: servers validate search arguments only when they search."""
    columns = {"id": [1, 2], "place": pa.array([[0.0, 0.0], [3.0, 4.0]], pa.list_(pa.float32(), 2))}
    return lambda catalog, name: LanceRequest(catalog.new_table_of(pa.table(columns), name), body)


def _rows(**query: Any) -> Prepare:
    return lambda catalog, name: LanceRequest(catalog.new_table(name), data=stream(tables(1, first=7)), query=query)


def _version(body: Json) -> Prepare:
    def prepare(catalog: LanceCatalog, name: str) -> LanceRequest:
        id = catalog.new_table(name)
        return LanceRequest(id, {**body, "version": catalog.version(id)})

    return prepare


def _tag(body: Json, *, versioned: bool = False) -> Prepare:
    def prepare(catalog: LanceCatalog, name: str) -> LanceRequest:
        id = catalog.new_table(name)
        version = catalog.version(id)
        catalog.create_table_tag(id, tag="old", version=version)
        return LanceRequest(id, {**body, **({"version": version} if versioned else {})})

    return prepare


def _index(body: Any) -> Prepare:
    def prepare(catalog: LanceCatalog, name: str) -> LanceRequest:
        id = catalog.new_table(name)
        new_index(catalog, id, KINDS["btree"], "idx", column="name")
        return LanceRequest(id, body, path={"index_name": "idx"})

    return prepare


def _transaction(body: Json) -> Prepare:
    return lambda catalog, name: LanceRequest(new_transaction(catalog, name), body)


def _registration(catalog: LanceCatalog, name: str) -> LanceRequest:
    """Deregister a table and return a request that registers its location, in the form that the server accepts."""
    id = catalog.new_table(name)
    whole = text(catalog.deregister_table(id)["location"], "the location of the table")
    for location in (whole, relative_location(whole)):
        if catalog.register_table(id, location=location, expect=None).succeeded:
            catalog.deregister_table(id)
            return LanceRequest(id, {"location": location})
    raise Blocked("the server registers no location that it told itself", "RegisterTable")


def _staged(catalog: LanceCatalog, name: str) -> LanceRequest:
    id = catalog.new_table(name)
    return LanceRequest(id, stage(catalog, id))


def _batch_of_versions(catalog: LanceCatalog, name: str) -> LanceRequest:
    staged = _staged(catalog, name)
    return LanceRequest(body={"entries": [{"id": staged.id, **staged.body}]})


def _batch_of_operations(catalog: LanceCatalog, name: str) -> LanceRequest:
    id = catalog.table_id(name)
    catalog.note_tables([id])
    return LanceRequest(body={"operations": [{"declare_table": {"id": id}}]})


def _ranges(catalog: LanceCatalog, name: str) -> LanceRequest:
    id = catalog.new_table(name)
    first = catalog.version(id)
    catalog.insert_into_table(id, stream(tables(1, first=3)))
    return LanceRequest(id, {"ranges": [{"start_version": first, "end_version": first + 1}]})


def _new_name(catalog: LanceCatalog, name: str) -> LanceRequest:
    return LanceRequest(catalog.new_table(name), {"new_table_name": catalog.table_id(f"{name}2")[-1]})


def _branch(body: Json) -> Prepare:
    def prepare(catalog: LanceCatalog, name: str) -> LanceRequest:
        id = catalog.new_table(name)
        catalog.create_table_branch(id, name="old")
        return LanceRequest(id, body)

    return prepare


def _computed(catalog: LanceCatalog, name: str) -> LanceRequest:
    id = catalog.new_table(name)
    catalog.alter_table_add_columns(id, new_columns=[{"name": "more", "computed": "id + 1"}])
    return LanceRequest(id, {"column": "more"})


def view_body() -> Json:
    """Return the body of a request for a materialized view of one column."""
    schema = base64.b64encode(pa.schema([pa.field("id", pa.int64())]).serialize().to_pybytes()).decode()
    return {"kind": "query", "source_query": "of the client", "output_schema": schema}


def _view(catalog: LanceCatalog, name: str) -> LanceRequest:
    id = catalog.table_id(name)
    catalog.create_materialized_view(id, **view_body())
    return LanceRequest(id, {})


PREPARATIONS: dict[str, Prepare] = {
    "CreateNamespace": lambda catalog, name: LanceRequest(catalog.namespace_id(name), {}),
    "ListNamespaces": _listed,
    "DescribeNamespace": _namespace({}),
    "DropNamespace": _namespace({}),
    "NamespaceExists": _namespace({}),
    "ListTables": _listed,
    "ListAllTables": lambda _catalog, _name: LanceRequest(),
    "RegisterTable": _registration,
    "DescribeTable": _table({}),
    "TableExists": _table({}),
    "DropTable": _table(),
    "DeregisterTable": _table({}),
    "RestoreTable": _version({}),
    "RenameTable": _new_name,
    "UpdateTableSchemaMetadata": _table({"origin": "here"}),
    "ListTableVersions": _table(),
    "CreateTableVersion": _staged,
    "DescribeTableVersion": _version({}),
    "BatchDeleteTableVersions": _ranges,
    "BatchCreateTableVersions": _batch_of_versions,
    "BatchCommitTables": _batch_of_operations,
    "AlterTableAlterColumns": _table({"alterations": [{"path": "name", "rename": "called"}]}),
    "AlterTableDropColumns": _table({"columns": ["name"]}),
    "AlterTableAddColumns": _table({"new_columns": [{"name": "more", "expression": "id + 1"}]}),
    "GetTableStats": _table({}),
    "InsertIntoTable": _rows(),
    "MergeInsertIntoTable": _rows(on="id", when_matched_update_all=True),
    "UpdateTable": _table({"updates": [["name", "'new'"]], "predicate": "id = 0"}),
    "DeleteFromTable": _table({"predicate": "id = 0"}),
    "QueryTable": _places(QUERY),
    "CountTableRows": _table({}),
    "CreateTable": lambda catalog, name: LanceRequest(catalog.table_id(name), data=stream(tables(1))),
    "ExplainTableQueryPlan": _places({"query": QUERY}),
    "AnalyzeTableQueryPlan": _places(QUERY),
    "CreateTableIndex": _table(WORDS_INDEX),
    "CreateTableScalarIndex": _table(WORDS_INDEX),
    "ListTableIndices": _table({}),
    "DescribeTableIndexStats": _index({}),
    "DropTableIndex": _index(None),
    "ListTableTags": _table(),
    "GetTableTagVersion": _tag({"tag": "old"}),
    "CreateTableTag": _version({"tag": "new"}),
    "DeleteTableTag": _tag({"tag": "old"}),
    "UpdateTableTag": _tag({"tag": "old"}, versioned=True),
    "DeclareTable": lambda catalog, name: LanceRequest(catalog.table_id(name), {}),
    "CreateEmptyTable": lambda catalog, name: LanceRequest(catalog.table_id(name), {}),
    "DescribeTransaction": _transaction({}),
    "ListTableBranches": _table(),
    "CreateTableBranch": _table({"name": "new"}),
    "DeleteTableBranch": _branch({"name": "old"}),
    "UpdateFieldMetadata": _table({"updates": [{"path": "id", "metadata": {"origin": "here"}}]}),
    "AlterTableBackfillColumns": _computed,
    "CreateMaterializedView": lambda catalog, name: LanceRequest(catalog.table_id(name), view_body()),
    "RefreshMaterializedView": _view,
    "AlterTransaction": _transaction({"actions": [{"setPropertyAction": {"key": "k", "value": "v"}}]}),
}


def preparation(operation: Operation) -> Prepare:
    """Return the preparation of an operation's plain request, Unprepared where there is none."""
    return _prepare(operation.id)


def _prepare(operation: str) -> Prepare:
    return PREPARATIONS.get(operation) or Unprepared(operation)
