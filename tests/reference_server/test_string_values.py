"""A number, a truth value or null in an object of strings is refused with 400.

Each refusal has an accepted twin: the same request with a string.
"""

from __future__ import annotations

import json
from urllib.parse import quote

import pyarrow as pa
import pytest

from conformance.lance.client import STREAM_TYPE
from conformance.lance.support.arrow import stream
from lakeproof import serve
from tests.reference_server.polaris.served_catalogs import ICEBERG, MANAGEMENT, OWN, SCHEMA, Root

NO_STRINGS = [1, 1.5, True, None, [], {}]
VERSION = {"version-id": 1, "timestamp-ms": 1, "schema-id": 0, "default-namespace": ["a"]}
VERSION |= {"representations": [{"type": "sql", "sql": "select 1", "dialect": "spark"}]}
TABLE = {"namespace": ["a"], "name": "t"}
ROWS = stream(pa.table({"id": [1]}))


def in_lance(values):
    return [
        ("POST", "/v1/namespace/n/create", {"properties": values}),
        ("POST", "/v1/table/d/declare", {"properties": values}),
        ("POST", "/v1/table/d/describe", {"context": values}),
        ("POST", f"/v1/table/c/create?properties={quote(json.dumps(values))}", ROWS),
        ("POST", "/v1/table/c/schema_metadata/update", values),
        ("POST", "/v1/table/c/update", {"updates": [["id", "2"]], "properties": values}),
    ]


def in_iceberg(values, base="/v1"):
    tables, views = f"{base}/namespaces/a/tables", f"{base}/namespaces/a/views"
    view = {"name": "v", "schema": SCHEMA, "view-version": {**VERSION, "summary": {}}, "properties": values}
    change = {"requirements": [], "updates": [{"action": "set-properties", "updates": values}]}
    new_version = {**VERSION, "version-id": 2, "summary": values}
    return [
        ("POST", f"{base}/namespaces", {"namespace": ["n"], "properties": values}),
        ("POST", f"{base}/namespaces/a/properties", {"updates": values}),
        ("POST", tables, {"name": "n", "schema": SCHEMA, "properties": values}),
        ("POST", tables, {"name": "s", "schema": SCHEMA, "properties": values, "stage-create": True}),
        ("POST", f"{tables}/t", change),
        ("POST", f"{base}/transactions/commit", {"table-changes": [{"identifier": TABLE, **change}]}),
        ("POST", views, view),
        ("POST", f"{views}/v", change),
        ("POST", f"{views}/v", {"updates": [{"action": "add-view-version", "view-version": new_version}]}),
    ]


def in_polaris(values):
    storage = {"type": "INTERNAL", "storageConfigInfo": {"storageType": "FILE"}}
    catalog = {"name": "n", **storage, "properties": {"default-base-location": "file:///tmp/lakeproof/n", **values}}
    named, generic = {"name": "n", "properties": values}, {"name": "g", "format": "delta", "properties": values}
    changed = {"currentEntityVersion": 1, "properties": values}
    return [
        *in_iceberg(values, f"{ICEBERG}/c"),
        ("POST", f"{OWN}/c/namespaces/a/generic-tables", generic),
        ("POST", f"{MANAGEMENT}/catalogs", {"catalog": catalog}),
        ("POST", f"{MANAGEMENT}/principals", {"principal": named}),
        ("POST", f"{MANAGEMENT}/principal-roles", named),
        ("POST", f"{MANAGEMENT}/catalogs/c/catalog-roles", {"catalogRole": named}),
        ("PUT", f"{MANAGEMENT}/principals/n", changed),
        ("PUT", f"{MANAGEMENT}/principal-roles/n", changed),
        ("PUT", f"{MANAGEMENT}/catalogs/c/catalog-roles/n", changed),
    ]


def check(http, url, requests, headers):
    """Send each request with wrong values, which is refused, and then with a string, which is not."""

    def send(request):
        method, path, body = request
        content = STREAM_TYPE if isinstance(body, bytes) else "application/json"
        sent = body if isinstance(body, bytes) else json.dumps(body)
        return http(method, url + path, body=sent, headers={"Content-Type": content, **headers})

    wrong = [requests({"k": value}) for value in NO_STRINGS]
    for place, right in enumerate(requests({"k": "1"})):
        for refused in (requests[place] for requests in wrong):
            assert send(refused).status == 400, refused
        accepted = send(right)
        assert accepted.status < 300, (right, accepted.data)


def make_table(http, url, base, headers):
    http("POST", f"{url}{base}/namespaces", json={"namespace": ["a"]}, headers=headers)
    http("POST", f"{url}{base}/namespaces/a/tables", json={"name": "t", "schema": SCHEMA}, headers=headers)


def test_strings_of_lance(http):
    with serve("lance") as server:
        check(http, server.url, in_lance, {})


@pytest.mark.parametrize("profile", ["iceberg/1.6", "iceberg/2026-08"])
def test_strings_of_iceberg(http, profile):
    with serve(profile) as server:
        make_table(http, server.url, "/v1", {})
        check(http, server.url, in_iceberg, {})


def test_strings_of_polaris(http, tmp_path):
    with serve("polaris", bootstrap="root:s3cr3t") as server:
        root = Root(http, server.url, tmp_path)
        root.catalog("c")
        make_table(http, server.url, f"{ICEBERG}/c", root.authorization())
        check(http, server.url, in_polaris, root.authorization())
