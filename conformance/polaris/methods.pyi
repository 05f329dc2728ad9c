"""Generated from the document by conformance/http/operation_stub.py."""

from typing import Any

from conformance.http.client import Answer, Expected
from conformance.http.operation_client import Headers, Id, OperationClient, Query

class PolarisMethods(OperationClient):
    def send_notification(
        self,
        namespace: Id,
        table: str,
        notification_type: Any = ...,
        payload: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_generic_tables(
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
    def create_generic_table(
        self,
        namespace: Id,
        name: Any = ...,
        format: Any = ...,
        *,
        base_location: Any = ...,
        doc: Any = ...,
        properties: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def load_generic_table(
        self,
        namespace: Id,
        generic_table: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def drop_generic_table(
        self,
        namespace: Id,
        generic_table: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_policies(
        self,
        namespace: Id,
        *,
        pageToken: Any = ...,
        pageSize: Any = ...,
        policyType: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def create_policy(
        self,
        namespace: Id,
        name: Any = ...,
        type: Any = ...,
        *,
        description: Any = ...,
        content: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def load_policy(
        self,
        namespace: Id,
        policy_name: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def update_policy(
        self,
        namespace: Id,
        policy_name: str,
        *,
        description: Any = ...,
        content: Any = ...,
        current_policy_version: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def drop_policy(
        self,
        namespace: Id,
        policy_name: str,
        *,
        detach_all: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def attach_policy(
        self,
        namespace: Id,
        policy_name: str,
        target: Any = ...,
        *,
        parameters: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def detach_policy(
        self,
        namespace: Id,
        policy_name: str,
        target: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def get_applicable_policies(
        self,
        *,
        pageToken: Any = ...,
        pageSize: Any = ...,
        namespace: Any = ...,
        target_name: Any = ...,
        policyType: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_catalogs(
        self,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def create_catalog(
        self,
        catalog: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def get_catalog(
        self,
        catalogName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def update_catalog(
        self,
        catalogName: str,
        *,
        currentEntityVersion: Any = ...,
        properties: Any = ...,
        storageConfigInfo: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def delete_catalog(
        self,
        catalogName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_principals(
        self,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def create_principal(
        self,
        principal: Any = ...,
        *,
        credentialRotationRequired: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def get_principal(
        self,
        principalName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def update_principal(
        self,
        principalName: str,
        currentEntityVersion: Any = ...,
        properties: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def delete_principal(
        self,
        principalName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def rotate_credentials(
        self,
        principalName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def reset_credentials(
        self,
        principalName: str,
        *,
        clientId: Any = ...,
        clientSecret: Any = ...,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_principal_roles_assigned(
        self,
        principalName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def assign_principal_role(
        self,
        principalName: str,
        principalRole: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def revoke_principal_role(
        self,
        principalName: str,
        principalRoleName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_principal_roles(
        self,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def create_principal_role(
        self,
        principalRole: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def get_principal_role(
        self,
        principalRoleName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def update_principal_role(
        self,
        principalRoleName: str,
        currentEntityVersion: Any = ...,
        properties: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def delete_principal_role(
        self,
        principalRoleName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_assignee_principals_for_principal_role(
        self,
        principalRoleName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_catalog_roles_for_principal_role(
        self,
        principalRoleName: str,
        catalogName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def assign_catalog_role_to_principal_role(
        self,
        principalRoleName: str,
        catalogName: str,
        catalogRole: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def revoke_catalog_role_from_principal_role(
        self,
        principalRoleName: str,
        catalogName: str,
        catalogRoleName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_catalog_roles(
        self,
        catalogName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def create_catalog_role(
        self,
        catalogName: str,
        catalogRole: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def get_catalog_role(
        self,
        catalogName: str,
        catalogRoleName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def update_catalog_role(
        self,
        catalogName: str,
        catalogRoleName: str,
        currentEntityVersion: Any = ...,
        properties: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def delete_catalog_role(
        self,
        catalogName: str,
        catalogRoleName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_assignee_principal_roles_for_catalog_role(
        self,
        catalogName: str,
        catalogRoleName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def list_grants_for_catalog_role(
        self,
        catalogName: str,
        catalogRoleName: str,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def add_grant_to_catalog_role(
        self,
        catalogName: str,
        catalogRoleName: str,
        grant: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
    def revoke_grant_from_catalog_role(
        self,
        catalogName: str,
        catalogRoleName: str,
        grant: Any = ...,
        *,
        expect: Expected = ...,
        _query: Query | None = ...,
        _headers: Headers | None = ...,
        **fields: Any,
    ) -> Answer: ...
