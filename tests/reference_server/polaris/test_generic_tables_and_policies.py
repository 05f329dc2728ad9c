"""Generic tables: their locations and credentials; and contents and targets that a policy cannot have."""

from __future__ import annotations

import pytest

from tests.reference_server.polaris.served_catalogs import OWN, served

GENERIC = f"{OWN}/c/namespaces/a/generic-tables"
POLICIES = f"{OWN}/c/namespaces/a/policies"
ON = '{"enable": true}'


@pytest.fixture
def root(http, tmp_path):
    with served(http, tmp_path) as root:
        root.catalog("c")
        root.namespace("c", "a")
        root.table("c")
        yield root


def policy(root, content=ON, expect=200):
    body = {"name": "p", "type": "system.data-compaction", "content": content}
    return root.call("POST", POLICIES, body, expect=expect)


def attach(root, target, expect):
    return root.call("PUT", f"{POLICIES}/p/mappings", {"target": target}, expect=expect)


def test_where_a_generic_table_lies(root, tmp_path):
    inside = {"name": "g", "format": "delta", "base-location": f"file://{tmp_path}/c/a/g"}
    root.call("POST", GENERIC, {**inside, "base-location": f"file://{tmp_path}/c/a/t"}, expect=403)
    root.call("POST", GENERIC, {**inside, "base-location": "file:///etc"}, expect=403)
    root.call("POST", GENERIC, inside, expect=200)


def test_credentials_of_a_generic_table(root):
    root.catalog("s", "S3")
    root.namespace("s", "a")
    path = f"{OWN}/s/namespaces/a/generic-tables"
    vended = {"Polaris-Generic-Table-Access-Delegation": "vended-credentials"}
    table = {"name": "g", "format": "delta", "base-location": "s3://bucket/s/a/g"}
    root.call("POST", path, table, expect=200)
    assert "storage-access-configs" not in root.call("GET", f"{path}/g", expect=200).body
    (access,) = root.call("GET", f"{path}/g", headers=vended, expect=200).body["storage-access-configs"]
    assert access["prefix"] == table["base-location"]
    assert "s3.session-token" in access["config"]


def test_a_field_that_a_type_of_policies_lacks(root):
    unknown = '{"enable": true, "other": 1}'
    assert policy(root, unknown, 400).error[0] == "InvalidPolicyException"
    policy(root)
    update = {"content": unknown, "current-policy-version": 0}
    assert root.call("PUT", f"{POLICIES}/p", update, expect=400).error[0] == "InvalidPolicyException"


def test_targets(root):
    policy(root)
    for target in ({"type": "catalog", "path": ["a"]}, {"type": "namespace"}, {"type": "table-like", "path": ["t"]}):
        attach(root, target, 400)
    root.call("POST", GENERIC, {"name": "g", "format": "delta"}, expect=200)
    refused = attach(root, {"type": "table-like", "path": ["a", "g"]}, 404)
    assert refused.error == ("NoSuchTableException", "Table does not exist: a.g")
    root.call("GET", f"{OWN}/c/applicable-policies?namespace=a&target-name=g", expect=404)
