"""Null for what a client does not set, as clients made of Polaris' document write it."""

from __future__ import annotations

import pytest

from tests.reference_server.polaris.served_catalogs import MANAGEMENT, OWN, served

GENERIC = f"{OWN}/c/namespaces/a/generic-tables"
POLICIES = f"{OWN}/c/namespaces/a/policies"


@pytest.fixture
def root(http, tmp_path):
    with served(http, tmp_path) as root:
        root.catalog("c")
        root.namespace("c", "a")
        yield root


def test_generic_tables_with_nulls(root):
    unset = {"base-location": None, "doc": None, "properties": None}
    made = root.call("POST", GENERIC, {"name": "g", "format": "delta", **unset}, expect=200)
    assert made.body == root.call("GET", f"{GENERIC}/g", expect=200).body
    assert "doc" not in made.body["table"]
    root.call("POST", GENERIC, {"name": "h", "format": None}, expect=400)


def test_policies_with_nulls(root):
    body = {"name": "p", "type": "system.data-compaction", "content": '{"enable": true}', "description": None}
    made = root.call("POST", POLICIES, body, expect=200).body["policy"]
    change = {"content": '{"enable": false}', "description": None, "current-policy-version": made["version"]}
    changed = root.call("PUT", f"{POLICIES}/p", change, expect=200).body["policy"]
    assert changed == {**made, "content": change["content"], "version": made["version"] + 1}
    root.call("PUT", f"{POLICIES}/p", {**change, "current-policy-version": None}, expect=400)  # it is needed


def test_catalogs_and_roles_with_nulls(root, tmp_path):
    storage = {"storageType": "FILE", "allowedLocations": None}
    properties = {"default-base-location": f"file://{tmp_path}/d"}
    catalog = {"name": "d", "type": "INTERNAL", "properties": properties, "storageConfigInfo": storage}
    catalog |= dict.fromkeys(["createTimestamp", "lastUpdateTimestamp", "entityVersion"])
    root.call("POST", f"{MANAGEMENT}/catalogs", {"catalog": catalog}, expect=201)
    root.call("POST", f"{MANAGEMENT}/principal-roles", {"principalRole": {"name": "r", "properties": None}}, expect=201)
    root.call("POST", f"{MANAGEMENT}/principal-roles", {"name": "bare", "properties": None}, expect=201)
    refused = root.call("PUT", f"{MANAGEMENT}/principal-roles/r", {"currentEntityVersion": None, "properties": {}})
    assert refused.status == 400
