"""Generated from the document by conformance/http/operation_stub.py."""

from typing import Any

from conformance.http.client import Answer, Expected
from conformance.http.operation_client import Headers, Id, OperationClient, Query

class IcebergMethods(OperationClient):
    def get_config(
        self,
        *,
        warehouse: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def get_token(
        self,
        form: Any,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_namespaces(
        self,
        parent: Any = ...,
        *,
        pageToken: Any = ...,
        pageSize: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def create_namespace(
        self,
        namespace: Any = ...,
        *,
        properties: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def load_namespace_metadata(
        self,
        namespace: Id,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def drop_namespace(
        self,
        namespace: Id,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def namespace_exists(
        self,
        namespace: Id,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def update_properties(
        self,
        namespace: Id,
        *,
        removals: Any = ...,
        updates: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_tables(
        self,
        namespace: Id,
        *,
        pageToken: Any = ...,
        pageSize: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def create_table(
        self,
        id: Id,
        schema: Any = ...,
        *,
        location: Any = ...,
        partition_spec: Any = ...,
        write_order: Any = ...,
        stage_create: Any = ...,
        properties: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_functions(
        self,
        namespace: Id,
        *,
        pageToken: Any = ...,
        pageSize: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def load_function(
        self,
        id: Id,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def plan_table_scan(
        self,
        id: Id,
        *,
        snapshot_id: Any = ...,
        select: Any = ...,
        filter: Any = ...,
        min_rows_requested: Any = ...,
        case_sensitive: Any = ...,
        use_snapshot_schema: Any = ...,
        start_snapshot_id: Any = ...,
        end_snapshot_id: Any = ...,
        stats_fields: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def fetch_planning_result(
        self,
        id: Id,
        plan_id: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def cancel_planning(
        self,
        id: Id,
        plan_id: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def fetch_scan_tasks(
        self,
        id: Id,
        plan_task: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def register_table(
        self,
        id: Id,
        metadata_location: Any = ...,
        *,
        overwrite: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def load_table(
        self,
        id: Id,
        *,
        snapshots: Any = ...,
        referenced_by: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def update_table(
        self,
        id: Id,
        updates: Any = ...,
        requirements: Any = ...,
        *,
        identifier: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def drop_table(
        self,
        id: Id,
        *,
        purgeRequested: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def table_exists(
        self,
        id: Id,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def unregister_table(
        self,
        id: Id,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def load_credentials(
        self,
        id: Id,
        *,
        planId: Any = ...,
        referenced_by: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def sign_request(
        self,
        id: Id,
        region: Any = ...,
        uri: Any = ...,
        method: Any = ...,
        headers: Any = ...,
        *,
        properties: Any = ...,
        body: Any = ...,
        provider: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def rename_table(
        self,
        source: Any = ...,
        destination: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def report_metrics(
        self,
        id: Id,
        report_type: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def commit_transaction(
        self,
        table_changes: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_views(
        self,
        namespace: Id,
        *,
        pageToken: Any = ...,
        pageSize: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def create_view(
        self,
        id: Id,
        schema: Any = ...,
        view_version: Any = ...,
        *,
        location: Any = ...,
        properties: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def load_view(
        self,
        id: Id,
        *,
        referenced_by: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def replace_view(
        self,
        id: Id,
        updates: Any = ...,
        requirements: Any = ...,
        *,
        identifier: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def drop_view(
        self,
        id: Id,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def view_exists(
        self,
        id: Id,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def rename_view(
        self,
        source: Any = ...,
        destination: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def register_view(
        self,
        id: Id,
        metadata_location: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
