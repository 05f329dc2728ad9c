"""The operations of the Lance Namespace as methods, named after them, each one request.

Identifiers are sequences of names, the empty one is the root; a string is sent as it is. Further
keyword arguments are fields of the body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.client import Answer, Client, Expected
from conformance.lance.arrow import STREAM_TYPE
from specs.identifiers import DELIMITER, join_parts

Id = Sequence[str] | str
Query = Mapping[str, Any]


class LanceClient:
    """See the module. `send` is the general form that the methods are made of."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def send(
        self,
        operation: str,
        id: Id | None,
        body: Any = None,
        *,
        query: Query | None = None,
        delimiter: str = DELIMITER,
        data: bytes | None = None,
        expect: Expected = 200,
        **options: Any,
    ) -> Answer:
        """Send an operation on an object: `body` as JSON or `data` as an Arrow stream.

        `options` are those of Client.call and win over what follows from the other arguments.
        """
        path = {} if id is None else {"id": id if isinstance(id, str) else join_parts(id, delimiter)}
        extra = {} if delimiter == DELIMITER else {"delimiter": delimiter}
        arguments: dict[str, Any] = {
            "path": path,
            "query": {**extra, **(query or {})},
            "json": body,
            "expect": expect,
        }
        if data is not None:
            arguments.update(body=data, content_type=STREAM_TYPE)
        return self.client.call(operation, **{**arguments, **options})

    # Namespaces

    def create_namespace(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """CreateNamespace."""
        return self.send("CreateNamespace", id, body, expect=expect)

    def list_namespaces(self, id: Id, *, expect: Expected = 200, **query: Any) -> Answer:
        """ListNamespaces."""
        return self.send("ListNamespaces", id, query=query, expect=expect)

    def describe_namespace(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """DescribeNamespace."""
        return self.send("DescribeNamespace", id, body, expect=expect)

    def drop_namespace(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """DropNamespace."""
        return self.send("DropNamespace", id, body, expect=expect)

    def namespace_exists(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """NamespaceExists."""
        return self.send("NamespaceExists", id, body, expect=expect)

    # Tables and their names

    def list_tables(self, id: Id, *, expect: Expected = 200, **query: Any) -> Answer:
        """ListTables."""
        return self.send("ListTables", id, query=query, expect=expect)

    def list_all_tables(self, *, expect: Expected = 200, **query: Any) -> Answer:
        """ListAllTables."""
        return self.send("ListAllTables", None, query=query, expect=expect)

    def describe_table(self, id: Id, *, expect: Expected = 200, query: Query | None = None, **body: Any) -> Answer:
        """DescribeTable."""
        return self.send("DescribeTable", id, body, query=query, expect=expect)

    def table_exists(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """TableExists."""
        return self.send("TableExists", id, body, expect=expect)

    def create_table(self, id: Id, data: bytes, *, expect: Expected = 200, **query: Any) -> Answer:
        """CreateTable."""
        return self.send("CreateTable", id, data=data, expect=expect, query=query)

    def create_empty_table(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """CreateEmptyTable."""
        return self.send("CreateEmptyTable", id, body, expect=expect)

    def declare_table(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """DeclareTable."""
        return self.send("DeclareTable", id, body, expect=expect)

    def register_table(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """RegisterTable."""
        return self.send("RegisterTable", id, body, expect=expect)

    def deregister_table(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """DeregisterTable."""
        return self.send("DeregisterTable", id, body, expect=expect)

    def drop_table(self, id: Id, *, expect: Expected = 200) -> Answer:
        """DropTable."""
        return self.send("DropTable", id, expect=expect)

    def rename_table(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """RenameTable."""
        return self.send("RenameTable", id, body, expect=expect)

    # Versions, and batches over several tables

    def list_table_versions(self, id: Id, *, expect: Expected = 200, **query: Any) -> Answer:
        """ListTableVersions."""
        return self.send("ListTableVersions", id, query=query, expect=expect)

    def describe_table_version(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """DescribeTableVersion."""
        return self.send("DescribeTableVersion", id, body, expect=expect)

    def create_table_version(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """CreateTableVersion."""
        return self.send("CreateTableVersion", id, body, expect=expect)

    def batch_delete_table_versions(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """BatchDeleteTableVersions."""
        return self.send("BatchDeleteTableVersions", id, body, expect=expect)

    def restore_table(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """RestoreTable."""
        return self.send("RestoreTable", id, body, expect=expect)

    def batch_create_table_versions(self, *, expect: Expected = 200, **body: Any) -> Answer:
        """BatchCreateTableVersions."""
        return self.send("BatchCreateTableVersions", None, body, expect=expect)

    def batch_commit_tables(self, *, expect: Expected = 200, **body: Any) -> Answer:
        """BatchCommitTables."""
        return self.send("BatchCommitTables", None, body, expect=expect)

    # Columns

    def alter_table_add_columns(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """AlterTableAddColumns."""
        return self.send("AlterTableAddColumns", id, body, expect=expect)

    def alter_table_alter_columns(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """AlterTableAlterColumns."""
        return self.send("AlterTableAlterColumns", id, body, expect=expect)

    def alter_table_drop_columns(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """AlterTableDropColumns."""
        return self.send("AlterTableDropColumns", id, body, expect=expect)

    def update_table_schema_metadata(self, id: Id, body: Mapping[str, Any], *, expect: Expected = 200) -> Answer:
        """UpdateTableSchemaMetadata; the body is the metadata."""
        return self.send("UpdateTableSchemaMetadata", id, body, expect=expect)

    def get_table_stats(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """GetTableStats."""
        return self.send("GetTableStats", id, body, expect=expect)

    # Indices

    def create_table_index(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """CreateTableIndex."""
        return self.send("CreateTableIndex", id, body, expect=expect)

    def create_table_scalar_index(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """CreateTableScalarIndex."""
        return self.send("CreateTableScalarIndex", id, body, expect=expect)

    def list_table_indices(self, id: Id, *, expect: Expected = 200, query: Query | None = None, **body: Any) -> Answer:
        """ListTableIndices."""
        return self.send("ListTableIndices", id, body, query=query, expect=expect)

    def describe_table_index_stats(self, id: Id, index: str, *, expect: Expected = 200, **body: Any) -> Answer:
        """DescribeTableIndexStats."""
        return self._send_about_index("DescribeTableIndexStats", id, index, body, expect)

    def drop_table_index(self, id: Id, index: str, *, expect: Expected = 200) -> Answer:
        """DropTableIndex."""
        return self._send_about_index("DropTableIndex", id, index, None, expect)

    def _send_about_index(self, operation: str, id: Id, index: str, body: Any, expect: Expected) -> Answer:
        path = {"id": id if isinstance(id, str) else join_parts(id, DELIMITER), "index_name": index}
        return self.send(operation, id, body, path=path, expect=expect)

    # Tags and transactions

    def list_table_tags(self, id: Id, *, expect: Expected = 200, **query: Any) -> Answer:
        """ListTableTags."""
        return self.send("ListTableTags", id, query=query, expect=expect)

    def get_table_tag_version(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """GetTableTagVersion."""
        return self.send("GetTableTagVersion", id, body, expect=expect)

    def create_table_tag(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """CreateTableTag."""
        return self.send("CreateTableTag", id, body, expect=expect)

    def update_table_tag(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """UpdateTableTag."""
        return self.send("UpdateTableTag", id, body, expect=expect)

    def delete_table_tag(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """DeleteTableTag."""
        return self.send("DeleteTableTag", id, body, expect=expect)

    def describe_transaction(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """DescribeTransaction."""
        return self.send("DescribeTransaction", id, body, expect=expect)

    def alter_transaction(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """AlterTransaction."""
        return self.send("AlterTransaction", id, body, expect=expect)

    # Rows

    def insert_into_table(self, id: Id, data: bytes, *, expect: Expected = 200, **query: Any) -> Answer:
        """InsertIntoTable."""
        return self.send("InsertIntoTable", id, data=data, expect=expect, query=query)

    def count_table_rows(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """CountTableRows."""
        return self.send("CountTableRows", id, body, expect=expect)

    def merge_insert_into_table(self, id: Id, data: bytes, *, expect: Expected = 200, **query: Any) -> Answer:
        """MergeInsertIntoTable."""
        return self.send("MergeInsertIntoTable", id, data=data, expect=expect, query=query)

    def update_table(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """UpdateTable."""
        return self.send("UpdateTable", id, body, expect=expect)

    def delete_from_table(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """DeleteFromTable."""
        return self.send("DeleteFromTable", id, body, expect=expect)

    # Queries

    def query_table(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """QueryTable; the answer's body is an Arrow file."""
        return self.send("QueryTable", id, body, expect=expect)

    def explain_table_query_plan(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """ExplainTableQueryPlan."""
        return self.send("ExplainTableQueryPlan", id, body, expect=expect)

    def analyze_table_query_plan(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """AnalyzeTableQueryPlan."""
        return self.send("AnalyzeTableQueryPlan", id, body, expect=expect)
