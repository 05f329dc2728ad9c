"""Generic tables, policies, and what policies hold for."""

from __future__ import annotations

import pytest

from tests.reference_server.polaris.served_catalogs import ICEBERG, OWN, served

GENERIC = f"{OWN}/c/namespaces/a/generic-tables"
POLICIES = f"{OWN}/c/namespaces/a/policies"
COMPACTION, EXPIRY = "system.data-compaction", "system.snapshot-expiry"
ON, OFF = '{"enable": true}', '{"enable": false}'
CATALOG = {"type": "catalog"}
NAMESPACE = {"type": "namespace", "path": ["a"]}
TABLE = {"type": "table-like", "path": ["a", "t"]}


@pytest.fixture
def root(http, tmp_path):
    with served(http, tmp_path) as root:
        root.catalog("c")
        root.namespace("c", "a")
        root.table("c")
        yield root


def policy(root, name="p", policy_type=COMPACTION, content=ON, expect=200, **fields):
    body = {"name": name, "type": policy_type, "content": content, **fields}
    return root.call("POST", POLICIES, body, expect=expect)


def attach(root, name, target, expect=204):
    return root.call("PUT", f"{POLICIES}/{name}/mappings", {"target": target}, expect=expect)


def detach(root, name, target, expect=204):
    return root.call("POST", f"{POLICIES}/{name}/mappings", {"target": target}, expect=expect)


def applicable(root, query=""):
    policies = root.call("GET", f"{OWN}/c/applicable-policies{query}", expect=200).body["applicable-policies"]
    return {(applied["policy-type"], applied["name"], applied["inherited"]) for applied in policies}


def test_a_generic_table_comes_and_goes(root):
    table = {"name": "g", "format": "delta", "doc": "d", "properties": {"k": "v"}}
    assert root.call("POST", GENERIC, table, expect=200).body == {"table": table}
    assert root.call("GET", GENERIC, expect=200).body["identifiers"] == [{"namespace": ["a"], "name": "g"}]
    assert root.call("GET", f"{GENERIC}/g", expect=200).body == {"table": table}
    assert root.call("POST", GENERIC, table, expect=409).error[0] == "AlreadyExistsException"
    assert root.call("DELETE", f"{ICEBERG}/c/namespaces/a/tables/g", expect=404).error[0] == "NoSuchTableException"
    root.call("DELETE", f"{GENERIC}/g", expect=204)
    assert root.call("GET", f"{GENERIC}/g", expect=404).error[0] == "NoSuchTableException"


def test_tables_and_generic_tables_share_their_names(root):
    root.call("POST", GENERIC, {"name": "t", "format": "delta"}, expect=409)
    root.call("POST", GENERIC, {"name": "g", "format": "delta"}, expect=200)
    root.table("c", name="g", expect=409)
    root.call("DELETE", f"{ICEBERG}/c/namespaces/a/tables/t", expect=204)
    root.call("DELETE", f"{ICEBERG}/c/namespaces/a", expect=409)


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


def test_a_policy_has_versions(root):
    assert policy(root).body["policy"]["version"] == 0
    assert policy(root, expect=409).error[0] == "AlreadyExistsException"
    update = {"content": OFF, "current-policy-version": 0}
    assert root.call("PUT", f"{POLICIES}/p", update, expect=200).body["policy"]["version"] == 1
    assert root.call("PUT", f"{POLICIES}/p", update, expect=409).error[0] == "PolicyVersionMismatchException"
    root.call("PUT", f"{POLICIES}/p", {"content": ON}, expect=400)
    assert root.call("GET", f"{POLICIES}/p", expect=200).body["policy"]["content"] == OFF


@pytest.mark.parametrize("content", [None, "", "x", "[]", "{}", '{"enable": 1}', '{"enable": true, "other": 1}'])
def test_what_is_no_content(root, content):
    assert policy(root, content=content, expect=None).status == 400
    policy(root)
    update = {"content": content, "current-policy-version": 0}
    if content:
        assert root.call("PUT", f"{POLICIES}/p", update, expect=400).error[0] == "InvalidPolicyException"


def test_types_of_policies(root):
    policy(root, policy_type="unknown", expect=400)
    policy(root)
    policy(root, "q", EXPIRY)
    names = root.call("GET", f"{POLICIES}?policyType={EXPIRY}", expect=200).body["identifiers"]
    assert names == [{"namespace": ["a"], "name": "q"}]
    assert len(root.call("GET", POLICIES, expect=200).body["identifiers"]) == 2
    root.call("GET", f"{POLICIES}?policyType=unknown", expect=400)


def test_the_nearest_policy_of_a_type_holds(root):
    for name, policy_type in (("wide", COMPACTION), ("near", COMPACTION), ("expiry", EXPIRY)):
        policy(root, name, policy_type)
    attach(root, "wide", CATALOG)
    attach(root, "expiry", NAMESPACE)
    attach(root, "near", TABLE)
    assert applicable(root) == {(COMPACTION, "wide", False)}
    assert applicable(root, "?namespace=a") == {(COMPACTION, "wide", True), (EXPIRY, "expiry", False)}
    at_table = "?namespace=a&target-name=t"
    assert applicable(root, at_table) == {(COMPACTION, "near", False), (EXPIRY, "expiry", True)}
    assert applicable(root, f"{at_table}&policyType={EXPIRY}") == {(EXPIRY, "expiry", True)}
    root.call("GET", f"{OWN}/c/applicable-policies?target-name=t", expect=400)
    root.call("GET", f"{OWN}/c/applicable-policies?namespace=none", expect=404)


def test_one_policy_of_a_type(root):
    policy(root)
    policy(root, "q")
    attach(root, "p", TABLE)
    attach(root, "p", TABLE)
    assert attach(root, "q", TABLE, expect=409).error[0] == "PolicyMappingAlreadyExistsException"
    assert detach(root, "q", TABLE, expect=404).error[0] == "NoSuchPolicyException"
    detach(root, "p", TABLE)
    attach(root, "q", TABLE)


def test_targets(root):
    policy(root)
    for target in ({"type": "catalog", "path": ["a"]}, {"type": "namespace"}, {"type": "table-like", "path": ["t"]}):
        attach(root, "p", target, expect=400)
    attach(root, "p", {"type": "namespace", "path": ["none"]}, expect=404)
    attach(root, "p", {"type": "table-like", "path": ["a", "none"]}, expect=404)
    root.call("POST", GENERIC, {"name": "g", "format": "delta"}, expect=200)
    refused = attach(root, "p", {"type": "table-like", "path": ["a", "g"]}, expect=404)
    assert refused.error == ("NoSuchTableException", "Table does not exist: a.g")
    root.call("GET", f"{OWN}/c/applicable-policies?namespace=a&target-name=g", expect=404)


def test_a_policy_in_use(root):
    policy(root)
    attach(root, "p", TABLE)
    assert root.call("DELETE", f"{POLICIES}/p", expect=400).error[0] == "PolicyInUseException"
    root.call("DELETE", f"{POLICIES}/p?detach-all=true", expect=204)
    assert applicable(root, "?namespace=a&target-name=t") == set()


def test_mappings_follow_a_table(root):
    policy(root)
    attach(root, "p", TABLE)
    names = {"source": {"namespace": ["a"], "name": "t"}, "destination": {"namespace": ["a"], "name": "u"}}
    root.call("POST", f"{ICEBERG}/c/tables/rename", names, expect=204)
    assert applicable(root, "?namespace=a&target-name=u") == {(COMPACTION, "p", False)}
    root.call("DELETE", f"{ICEBERG}/c/namespaces/a/tables/u", expect=204)
    root.call("DELETE", f"{POLICIES}/p", expect=204)
