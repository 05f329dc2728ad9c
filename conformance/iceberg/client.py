"""The operations of the Iceberg REST catalog as methods, named after them, each one request.

Namespaces are sequences of levels, tables and views sequences of levels and a name. Further keyword
arguments are fields of the body, or of the query where there is no body, with `_` for `-`; `_headers`
are headers. The statuses of success that the document declares are expected unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.client import Answer, Client, Encoded, Expected
from specs.identifiers import UNIT_SEPARATOR, IdentifierError, encode_segment, join_levels

Id = Sequence[str]
Body = Mapping[str, Any]
SUCCESS: Any = object()  # as `expect`: any success that the document declares


def identifier(id: Id) -> dict[str, Any]:
    """Return the identifier of a table or view as bodies hold it."""
    return {"namespace": list(id[:-1]), "name": id[-1]}


class IcebergClient:
    """See the module. `separator` is what namespaces are written with in paths."""

    def __init__(self, client: Client, separator: str = UNIT_SEPARATOR) -> None:
        self.client = client
        self.separator = separator

    def send(
        self,
        operation: str,
        path: Mapping[str, str] | None = None,
        body: Any = None,
        *,
        query: Body | None = None,
        expect: Expected = SUCCESS,
        **options: Any,
    ) -> Answer:
        """Send an operation; a body of bytes goes as it is. `options` are those of Client.call."""
        wanted = self.successes(operation) if expect is SUCCESS else expect
        content = {"body": body} if isinstance(body, bytes) else {"json": body}
        return self.client.call(operation, path=path, query=query, expect=wanted, **content, **options)

    def successes(self, operation: str) -> list[int]:
        """Return the statuses of success that the document declares for an operation."""
        responses = self.client.document.operation(operation).responses
        return [int(status) for status in responses if status.startswith("2")]

    def namespace_path(self, namespace: Id) -> dict[str, str]:
        """Return the path values that name a namespace; the separator is written percent-encoded, as advertised.

        Raises IdentifierError for the root, which no path names.
        """
        if not namespace:
            raise IdentifierError("the root has no name")
        separator = "".join(f"%{byte:02X}" for byte in self.separator.encode())
        return {"namespace": Encoded(separator.join(map(encode_segment, namespace)))}

    def table_path(self, id: Id) -> dict[str, str]:
        """Return the path values that name a table."""
        return {**self.namespace_path(id[:-1]), "table": id[-1]}

    def view_path(self, id: Id) -> dict[str, str]:
        """Return the path values that name a view."""
        return {**self.namespace_path(id[:-1]), "view": id[-1]}

    # Configuration

    def get_config(self, *, expect: Expected = SUCCESS, **query: Any) -> Answer:
        """GetConfig."""
        return self.send("getConfig", query=query, expect=expect)

    # Namespaces

    def list_namespaces(self, parent: Id | None = None, *, expect: Expected = SUCCESS, **query: Any) -> Answer:
        """listNamespaces; the query may hold pageToken and pageSize."""
        below = {} if parent is None else {"parent": join_levels(parent, self.separator)}
        return self.send("listNamespaces", query={**below, **query}, expect=expect)

    def create_namespace(
        self, namespace: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None, **body: Any
    ) -> Answer:
        """CreateNamespace."""
        content = {"namespace": list(namespace), **body}
        return self.send("createNamespace", body=content, expect=expect, headers=_headers)

    def load_namespace_metadata(self, namespace: Id, *, expect: Expected = SUCCESS) -> Answer:
        """LoadNamespaceMetadata."""
        return self.send("loadNamespaceMetadata", self.namespace_path(namespace), expect=expect)

    def namespace_exists(self, namespace: Id, *, expect: Expected = SUCCESS) -> Answer:
        """NamespaceExists."""
        return self.send("namespaceExists", self.namespace_path(namespace), expect=expect)

    def drop_namespace(self, namespace: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None) -> Answer:
        """DropNamespace."""
        return self.send("dropNamespace", self.namespace_path(namespace), expect=expect, headers=_headers)

    def update_properties(
        self, namespace: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None, **body: Any
    ) -> Answer:
        """updateProperties: `updates` and `removals`."""
        return self.send("updateProperties", self.namespace_path(namespace), body, expect=expect, headers=_headers)

    # Tables

    def list_tables(self, namespace: Id, *, expect: Expected = SUCCESS, **query: Any) -> Answer:
        """listTables; the query may hold pageToken and pageSize."""
        return self.send("listTables", self.namespace_path(namespace), query=query, expect=expect)

    def create_table(self, id: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None, **body: Any) -> Answer:
        """CreateTable."""
        content = {"name": id[-1], **_fields(body)}
        return self.send("createTable", self.namespace_path(id[:-1]), content, expect=expect, headers=_headers)

    def load_table(self, id: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None, **query: Any) -> Answer:
        """loadTable; the query may hold snapshots and referenced-by."""
        return self.send("loadTable", self.table_path(id), query=_fields(query), expect=expect, headers=_headers)

    def update_table(
        self,
        id: Id,
        updates: Sequence[Body] = (),
        requirements: Sequence[Body] = (),
        *,
        expect: Expected = SUCCESS,
        _headers: Body | None = None,
        **body: Any,
    ) -> Answer:
        """updateTable: a commit."""
        content = {"requirements": list(requirements), "updates": list(updates), **body}
        return self.send("updateTable", self.table_path(id), content, expect=expect, headers=_headers)

    def drop_table(self, id: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None, **query: Any) -> Answer:
        """dropTable; the query may hold purgeRequested."""
        return self.send("dropTable", self.table_path(id), query=query, expect=expect, headers=_headers)

    def table_exists(self, id: Id, *, expect: Expected = SUCCESS) -> Answer:
        """TableExists."""
        return self.send("tableExists", self.table_path(id), expect=expect)

    def rename_table(
        self, source: Id, destination: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None
    ) -> Answer:
        """RenameTable."""
        body = {"source": identifier(source), "destination": identifier(destination)}
        return self.send("renameTable", body=body, expect=expect, headers=_headers)

    def register_table(
        self, id: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None, **body: Any
    ) -> Answer:
        """registerTable: `metadata_location`, `overwrite`."""
        content = {"name": id[-1], **_fields(body)}
        return self.send("registerTable", self.namespace_path(id[:-1]), content, expect=expect, headers=_headers)

    def unregister_table(self, id: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None) -> Answer:
        """UnregisterTable."""
        return self.send("unregisterTable", self.table_path(id), expect=expect, headers=_headers)

    def report_metrics(self, id: Id, *, expect: Expected = SUCCESS, **body: Any) -> Answer:
        """ReportMetrics."""
        return self.send("reportMetrics", self.table_path(id), _fields(body), expect=expect)

    def commit_transaction(
        self, changes: Sequence[Body], *, expect: Expected = SUCCESS, _headers: Body | None = None
    ) -> Answer:
        """commitTransaction: changes as `change` makes them."""
        body = {"table-changes": list(changes)}
        return self.send("commitTransaction", body=body, expect=expect, headers=_headers)

    # Views

    def list_views(self, namespace: Id, *, expect: Expected = SUCCESS, **query: Any) -> Answer:
        """listViews; the query may hold pageToken and pageSize."""
        return self.send("listViews", self.namespace_path(namespace), query=query, expect=expect)

    def create_view(self, id: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None, **body: Any) -> Answer:
        """CreateView."""
        content = {"name": id[-1], **_fields(body)}
        return self.send("createView", self.namespace_path(id[:-1]), content, expect=expect, headers=_headers)

    def load_view(self, id: Id, *, expect: Expected = SUCCESS, **query: Any) -> Answer:
        """loadView; the query may hold referenced-by."""
        return self.send("loadView", self.view_path(id), query=_fields(query), expect=expect)

    def replace_view(
        self,
        id: Id,
        updates: Sequence[Body] = (),
        requirements: Sequence[Body] = (),
        *,
        expect: Expected = SUCCESS,
        _headers: Body | None = None,
    ) -> Answer:
        """replaceView: a commit to a view."""
        content = {"requirements": list(requirements), "updates": list(updates)}
        return self.send("replaceView", self.view_path(id), content, expect=expect, headers=_headers)

    def drop_view(self, id: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None) -> Answer:
        """DropView."""
        return self.send("dropView", self.view_path(id), expect=expect, headers=_headers)

    def view_exists(self, id: Id, *, expect: Expected = SUCCESS) -> Answer:
        """ViewExists."""
        return self.send("viewExists", self.view_path(id), expect=expect)

    def rename_view(
        self, source: Id, destination: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None
    ) -> Answer:
        """RenameView."""
        body = {"source": identifier(source), "destination": identifier(destination)}
        return self.send("renameView", body=body, expect=expect, headers=_headers)

    def register_view(self, id: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None, **body: Any) -> Answer:
        """registerView: `metadata_location`."""
        content = {"name": id[-1], **_fields(body)}
        return self.send("registerView", self.namespace_path(id[:-1]), content, expect=expect, headers=_headers)


def change(id: Id, updates: Sequence[Body] = (), requirements: Sequence[Body] = ()) -> dict[str, Any]:
    """Return the change of one table in a transaction."""
    return {"identifier": identifier(id), "requirements": list(requirements), "updates": list(updates)}


def _fields(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return keyword arguments as the fields that they stand for."""
    return {name.replace("_", "-"): value for name, value in arguments.items()}
