"""No operation answers with 500, whatever kind of JSON it is sent as its body or in a field.

The objects that the requests name exist: what is missing would hide what a handler does with the body.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pytest

from conformance.lance.client import STREAM_TYPE
from conformance.lance.support.arrow import stream
from lakeproof import serve
from specs.openapi import JSON_TYPE
from specs.profiles import find_profile
from specs.variants import variants
from tests.reference_server.polaris.served_catalogs import ICEBERG, MANAGEMENT, OWN, SCHEMA, Root

KINDS = [[], "x", 5, 1.5, None, True, [[]], [{}], [None], {"a": {"b": [{}]}}, {"": None}, {}]
IN_FIELDS = [[], "x", 5, None, True, [{}], {}]
VERSION = {"version-id": 1, "timestamp-ms": 1, "schema-id": 0, "summary": {}, "default-namespace": ["a"]}
VIEW = {"name": "v", "schema": SCHEMA, "view-version": {**VERSION, "representations": []}, "properties": {}}
ICEBERG_OBJECTS = [
    ("/namespaces", {"namespace": ["a"]}),
    ("/namespaces/a/tables", {"name": "t", "schema": SCHEMA}),
    ("/namespaces/a/views", VIEW),
]
POLARIS_OBJECTS = [
    ("/principals", {"principal": {"name": "p"}}),
    ("/principal-roles", {"principalRole": {"name": "r"}}),
    ("/catalogs/c/catalog-roles", {"catalogRole": {"name": "k"}}),
    ("/catalogs/e/catalog-roles", {"catalogRole": {"name": "k"}}),
]
POLICY: dict[str, Any] = {"name": "q", "type": "system.data-compaction", "content": '{"enable": true}'}
GENERIC: dict[str, Any] = {"name": "g", "format": "delta"}
POLARIS_NAMES = {"principalName": "p", "principalRoleName": "r", "catalogRoleName": "k"}
POLARIS_NAMES |= {"policy-name": "q", "generic-table": "g"}
NAMES = {"id": "a$t", "index_name": "i", "prefix": "", "namespace": "a", "table": "t", "view": "v", "plan-id": "x"}
NAMES |= {"function": "f", **POLARIS_NAMES}


def make_in_lance(http, url, _headers):
    http("POST", f"{url}/v1/namespace/a/create", json={})
    http(
        "POST", f"{url}/v1/table/a$t/create", body=stream(pa.table({"id": [1]})), headers={"Content-Type": STREAM_TYPE}
    )


def make_in_iceberg(http, url, headers, base="/v1"):
    for path, body in ICEBERG_OBJECTS:
        http("POST", f"{url}{base}{path}", json=body, headers=headers)


def make_in_polaris(http, url, headers):
    for path, body in POLARIS_OBJECTS:
        http("POST", f"{url}{MANAGEMENT}{path}", json=body, headers=headers)
    for catalog in "ce":
        make_in_iceberg(http, url, headers, f"{ICEBERG}/{catalog}")
        for kind, body in (("policies", POLICY), ("generic-tables", GENERIC)):
            http("POST", f"{url}{OWN}/{catalog}/namespaces/a/{kind}", json=body, headers=headers)


def bodies(document, operation):
    """Return each kind of JSON, and objects that have it in a declared field."""
    schema = operation.request.content.get(JSON_TYPE) if operation.request else None
    fields = {name for part, _ in variants(document, schema or {}) for name in part.get("properties", ())}
    return [*KINDS, *({field: kind} for field in sorted(fields) for kind in IN_FIELDS)]


def failures(http, url, profile, make, names, headers):
    """Send all bodies to all operations; return the requests that are answered with an error of the server."""
    document, failed, done = find_profile(profile).document(), [], set()
    for operation in document.operations.values():
        make(http, url, headers)
        path = operation.path
        for name in operation.path_names:
            path = path.replace(f"/{{{name}}}", "/" + quote(names[name], safe="") if names[name] else "")
        for body in bodies(document, operation):
            sent = {"body": json.dumps(body), "headers": {"Content-Type": JSON_TYPE, **headers}}
            answer = http(operation.method, url + path, **sent)
            if answer.status == 500:
                failed.append((operation.id, body, answer.data))
            if answer.status < 300 or answer.status == 400:
                done.add(operation.id)
    assert len(done) > len(document.operations) // 2, "few requests reach what reads bodies"
    return failed


@pytest.mark.parametrize(
    ("profile", "make"),
    [("lance/2026-03", make_in_lance), *((f"iceberg/{name}", make_in_iceberg) for name in ("1.6", "1.11", "2026-08"))],
)
def test_no_kind_of_json_is_an_error_of_the_server(http, profile, make):
    with serve(profile) as server:
        assert failures(http, server.url, profile, make, NAMES, {}) == []


@pytest.mark.parametrize("kind", ["INTERNAL", "EXTERNAL"])
@pytest.mark.parametrize("profile", ["polaris/2024-09", "polaris/1.7"])
def test_no_kind_of_json_is_an_error_of_polaris(http, tmp_path, profile, kind):
    with serve(profile, bootstrap="root:s3cr3t") as server:
        root = Root(http, server.url, tmp_path)
        root.catalog("c")
        root.catalog("e", kind="EXTERNAL")
        catalog = "c" if kind == "INTERNAL" else "e"
        names = {**NAMES, "prefix": catalog, "catalogName": catalog}
        assert failures(http, server.url, profile, make_in_polaris, names, root.authorization()) == []
