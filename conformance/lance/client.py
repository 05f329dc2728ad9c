"""The operations of the Lance Namespace as methods, named after them, each one request.

Identifiers are sequences of names, the empty one is the root; a string is sent as it is. Further
keyword arguments are fields of the body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.client import Answer, Client, Expected
from conformance.lance.arrow import STREAM_TYPE
from specs.identifiers import LANCE_DELIMITER, join_parts

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
        delimiter: str = LANCE_DELIMITER,
        data: bytes | None = None,
        expect: Expected = 200,
        **options: Any,
    ) -> Answer:
        """Send an operation on an object: `body` as JSON or `data` as an Arrow stream.

        `options` are those of Client.call and win over what follows from the other arguments.
        """
        path = {} if id is None else {"id": id if isinstance(id, str) else join_parts(id, delimiter)}
        extra = {} if delimiter == LANCE_DELIMITER else {"delimiter": delimiter}
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

    # Rows

    def insert_into_table(self, id: Id, data: bytes, *, expect: Expected = 200, **query: Any) -> Answer:
        """InsertIntoTable."""
        return self.send("InsertIntoTable", id, data=data, expect=expect, query=query)

    def count_table_rows(self, id: Id, *, expect: Expected = 200, **body: Any) -> Answer:
        """CountTableRows."""
        return self.send("CountTableRows", id, body, expect=expect)
