"""The operations of the Iceberg REST catalog as methods, named after them, each one request.

Namespaces are sequences of levels, tables and views sequences of levels and a name. Further keyword
arguments are fields of the body, or of the query where there is no body, with `_` for `-`; `_headers`
are headers. The statuses of success that the document declares are expected unless told otherwise.
Updates of tables are named as the newest document names them, and sent by the names of the judged one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from conformance.client import Answer, Client, Encoded, Expected
from specs.iceberg.commits import spelling
from specs.identifiers import UNIT_SEPARATOR, IdentifierError, encode_segment, join_levels

Id = Sequence[str]
Body = Mapping[str, Any]
FORM = "application/x-www-form-urlencoded"
SUCCESS: Any = object()  # as `expect`: any success that the document declares


def identifier(id: Id) -> dict[str, Any]:
    """Return the identifier of a table or view as bodies hold it."""
    return {"namespace": list(id[:-1]), "name": id[-1]}


class IcebergClient:
    """See the module. `separator` is what namespaces are written with in paths."""

    def __init__(self, client: Client, separator: str = UNIT_SEPARATOR) -> None:
        self.client = client
        self.separator = separator
        self._spelling = spelling(client.document)

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
        return self.client.document.operation(operation).successes

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

    def get_token(
        self,
        form: Mapping[str, str],
        *,
        expect: Expected = SUCCESS,
        _headers: Mapping[str, str | None] | None = None,
    ) -> Answer:
        """getToken, with the fields of the form. The token of the run is not sent along unless the headers say so."""
        headers = {"Authorization": None, **(_headers or {})}
        body = urlencode(form).encode()
        return self.send("getToken", body=body, content_type=FORM, headers=headers, expect=expect)

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
        content = {"requirements": list(requirements), "updates": list(map(self._spelled, updates)), **body}
        return self.send("updateTable", self.table_path(id), content, expect=expect, headers=_headers)

    def _spelled(self, update: Body) -> Body:
        """Return an update with the action that the document has for it; what is no update is left alone."""
        action = self._spelling.get(update.get("action", "")) if isinstance(update, dict) else None
        return {**update, "action": action} if action else update

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

    # Access to files

    def load_credentials(self, id: Id, *, expect: Expected = SUCCESS, **query: Any) -> Answer:
        """loadCredentials; the query may hold planId."""
        return self.send("loadCredentials", self.table_path(id), query=query, expect=expect)

    def sign_request(self, id: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None, **body: Any) -> Answer:
        """signRequest: `region`, `uri`, `method`, `headers` and so on, of a request to object storage."""
        return self.send("signRequest", self.table_path(id), body, expect=expect, headers=_headers)

    # Functions

    def list_functions(self, namespace: Id, *, expect: Expected = SUCCESS, **query: Any) -> Answer:
        """listFunctions; the query may hold pageToken and pageSize."""
        return self.send("listFunctions", self.namespace_path(namespace), query=query, expect=expect)

    def load_function(self, id: Id, *, expect: Expected = SUCCESS) -> Answer:
        """LoadFunction."""
        path = {**self.namespace_path(id[:-1]), "function": id[-1]}
        return self.send("loadFunction", path, expect=expect)

    # Scans

    def plan_table_scan(
        self, id: Id, *, expect: Expected = SUCCESS, _headers: Body | None = None, **body: Any
    ) -> Answer:
        """planTableScan: `snapshot_id`, `filter`, `select` and so on."""
        return self.send("planTableScan", self.table_path(id), _fields(body), expect=expect, headers=_headers)

    def fetch_planning_result(
        self, id: Id, plan_id: str, *, expect: Expected = SUCCESS, _headers: Body | None = None
    ) -> Answer:
        """FetchPlanningResult."""
        path = {**self.table_path(id), "plan-id": plan_id}
        return self.send("fetchPlanningResult", path, expect=expect, headers=_headers)

    def cancel_planning(
        self, id: Id, plan_id: str, *, expect: Expected = SUCCESS, _headers: Body | None = None
    ) -> Answer:
        """CancelPlanning."""
        path = {**self.table_path(id), "plan-id": plan_id}
        return self.send("cancelPlanning", path, expect=expect, headers=_headers)

    def fetch_scan_tasks(
        self, id: Id, plan_task: str, *, expect: Expected = SUCCESS, _headers: Body | None = None
    ) -> Answer:
        """FetchScanTasks."""
        body = {"plan-task": plan_task}
        return self.send("fetchScanTasks", self.table_path(id), body, expect=expect, headers=_headers)

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
