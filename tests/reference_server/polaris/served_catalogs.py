"""A server of Apache Polaris with catalogs, and a client of it that is root with all rights on them."""

from __future__ import annotations

import json
from contextlib import contextmanager
from urllib.parse import urlencode

from lakeproof import serve

MANAGEMENT, ICEBERG, OWN = "/api/management/v1", "/api/catalog/v1", "/api/catalog/polaris/v1"
SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": False}]}
VIEW_VERSION = {
    "version-id": 1,
    "timestamp-ms": 1,
    "schema-id": 0,
    "summary": {},
    "representations": [{"type": "sql", "sql": "select 1", "dialect": "spark"}],
    "default-namespace": ["a"],
}
STORAGES = {
    "FILE": {"storageType": "FILE"},
    "S3": {"storageType": "S3", "roleArn": "arn:aws:iam::123456789012:role/r", "region": "eu-west-1"},
    "GCS": {"storageType": "GCS"},
    "AZURE": {"storageType": "AZURE", "tenantId": "t"},
}
BASES = {"S3": "s3://bucket", "GCS": "gs://bucket", "AZURE": "abfss://box@account.dfs.core.windows.net"}


class Answer:
    """Status, JSON and headers of an answer."""

    def __init__(self, raw):
        self.status, self.headers = raw.status, raw.headers
        self.body = json.loads(raw.data) if raw.data else None

    @property
    def error(self):
        return self.body["error"]["type"], self.body["error"]["message"]


class Root:
    """Sends requests as root."""

    def __init__(self, http, url, folder):
        self.http, self.url, self.folder = http, url, folder
        form = {"grant_type": "client_credentials", "client_id": "root", "client_secret": "s3cr3t"}
        sent = urlencode({**form, "scope": "PRINCIPAL_ROLE:ALL"})
        raw = http(
            "POST",
            f"{url}{ICEBERG}/oauth/tokens",
            body=sent,
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        )
        self._token = raw.json()["access_token"]

    def authorization(self, value=None):
        """The header that says who calls, root unless another value is given."""
        return {"Authorization": f"Bearer {self._token}" if value is None else value}

    def call(self, method, path, body=None, *, expect=None, headers=None):
        sent = {**self.authorization(), **(headers or {})}
        if body is not None:
            sent["Content-Type"] = "application/json"
        text = None if body is None else json.dumps(body)
        answer = Answer(self.http(method, self.url + path, body=text, headers=sent))
        if expect is not None:
            assert answer.status == expect, answer.body
        return answer

    def catalog(self, name, storage="FILE", kind="INTERNAL", **properties):
        base = f"{BASES.get(storage, f'file://{self.folder}')}/{name}"
        catalog = {
            "name": name,
            "type": kind,
            "properties": {"default-base-location": base, **properties},
            "storageConfigInfo": STORAGES[storage],
        }
        self.call("POST", f"{MANAGEMENT}/catalogs", {"catalog": catalog}, expect=201)
        grant = {"grant": {"type": "catalog", "privilege": "CATALOG_MANAGE_CONTENT"}}
        self.call("PUT", f"{MANAGEMENT}/catalogs/{name}/catalog-roles/catalog_admin/grants", grant, expect=201)
        return base

    def namespace(self, catalog, *levels, expect=200, **properties):
        body = {"namespace": list(levels), "properties": properties}
        return self.call("POST", f"{ICEBERG}/{catalog}/namespaces", body, expect=expect)

    def table(self, catalog, path="a/tables", name="t", *, expect=200, headers=None, **fields):
        body = {"name": name, "schema": SCHEMA, **fields}
        return self.call("POST", f"{ICEBERG}/{catalog}/namespaces/{path}", body, expect=expect, headers=headers)

    def view(self, catalog, path="a/views", name="v", *, expect=200, **fields):
        schema = {"type": "struct", "schema-id": 0, "fields": []}
        body = {"name": name, "schema": schema, "view-version": VIEW_VERSION, "properties": {}, **fields}
        return self.call("POST", f"{ICEBERG}/{catalog}/namespaces/{path}", body, expect=expect)


@contextmanager
def served(http, folder, profile="polaris/1.7", **settings):
    """Start a server and return its root."""
    with serve(profile, bootstrap="root:s3cr3t", **settings) as server:
        yield Root(http, server.url, folder)
