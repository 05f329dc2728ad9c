"""Configuration, names, pages, purges and credentials: what a catalog has, by its settings and its revision."""

from __future__ import annotations

import time

import pytest

from reference_server.polaris.catalog.rules import PAGINATION, PREFIX, flag
from tests.reference_server.polaris.served_catalogs import ICEBERG, MANAGEMENT, served

VENDED = {"X-Iceberg-Access-Delegation": "vended-credentials"}
KEYS = {
    "S3": "s3.session-token",
    "GCS": "gcs.oauth2.token",
    "AZURE": "adls.sas-token.account.dfs.core.windows.net",
}
REFRESH = {
    "S3": "client.refresh-credentials-endpoint",
    "GCS": "gcs.oauth2.refresh-credentials-endpoint",
    "AZURE": "adls.refresh-credentials-endpoint",
}


@pytest.fixture
def root(http, tmp_path):
    with served(http, tmp_path) as root:
        yield root


@pytest.fixture
def older(http, tmp_path):
    with served(http, tmp_path, "polaris/2024-09") as root:
        yield root


def test_flags_have_two_spellings():
    assert flag({PREFIX + PAGINATION: "TRUE"}, PAGINATION, {})
    assert flag({PAGINATION: "true"}, PAGINATION, {})
    assert not flag({PREFIX + PAGINATION: "false", PAGINATION: "true"}, PAGINATION, {})


def test_configuration(root):
    base = root.catalog("c", color="red")
    config = root.call("GET", f"{ICEBERG}/config?warehouse=c", expect=200).body
    assert config["defaults"] == {"default-base-location": base, "color": "red"}
    assert config["overrides"]["prefix"] == "c"
    assert "GET /polaris/v1/{prefix}/namespaces/{namespace}/generic-tables" in config["endpoints"]
    assert root.call("GET", f"{ICEBERG}/config", expect=400).error[1] == "Please specify a warehouse"
    assert root.call("GET", f"{ICEBERG}/config?warehouse=C", expect=404).error == (
        "NoSuchWarehouseException",
        "Unable to find warehouse C",
    )


def test_a_catalog_has_settings_at_once(root):
    root.catalog("c")
    root.namespace("c", "a")
    root.namespace("c", "b")
    listing = f"{ICEBERG}/c/namespaces?pageSize=1"
    paged = f"{listing}&pageToken="
    assert len(root.call("GET", listing, expect=200).body["namespaces"]) == 2
    record = root.call("GET", f"{MANAGEMENT}/catalogs/c", expect=200).body
    properties = {**record["properties"], "polaris.config.list-pagination-enabled": "true"}
    body = {"currentEntityVersion": record["entityVersion"], "properties": properties}
    root.call("PUT", f"{MANAGEMENT}/catalogs/c", body, expect=200)
    first = root.call("GET", paged, expect=200).body
    assert first["namespaces"] == [["a"]]
    token = first["next-page-token"]
    assert root.call("GET", f"{paged}{token}", expect=200).body["namespaces"] == [["b"]]


@pytest.mark.parametrize("name", [*(f"a{letter}" for letter in "/\\:*?<>|#+`"), '"a"', ".", "..", " a"])
def test_names(root, older, name):
    root.catalog("c")
    assert root.namespace("c", name, expect=400).error[1].startswith("Entity name")
    root.namespace("c", "a")
    root.table("c", name=name, expect=400)
    older.catalog("old")
    older.namespace("old", name)


def test_purging_is_a_setting(root, older):
    root.catalog("c")
    root.namespace("c", "a")
    root.table("c")
    purge = f"{ICEBERG}/c/namespaces/a/tables/t?purgeRequested=true"
    assert root.call("DELETE", purge, expect=403).error[1].startswith("Unable to purge entity: t.")
    older.catalog("c")
    older.namespace("c", "a")
    older.table("c")
    older.call("DELETE", purge, expect=204)


def test_a_namespace_that_is_not_empty(root, older):
    for server in (root, older):
        server.catalog("c")
        server.namespace("c", "a")
        server.table("c")
        refused = server.call("DELETE", f"{ICEBERG}/c/namespaces/a", expect=409)
        assert refused.error[0] == "NamespaceNotEmptyException"


def test_what_a_client_asks_for_while_loading(root, older):
    table = f"{ICEBERG}/c/namespaces/a/tables/t"
    for server in (root, older):
        server.catalog("c")
        server.namespace("c", "a")
        server.table("c")
    root.call("GET", f"{table}?snapshots=REFS", expect=200)
    root.call("GET", f"{table}?snapshots=none", expect=400)
    root.call("GET", table, headers={"If-None-Match": "*"}, expect=400)
    shown = older.call("GET", table, headers={"If-None-Match": "*"}, expect=200)  # its document has no ETags
    assert "ETag" not in shown.headers


@pytest.mark.parametrize("storage", KEYS)
def test_credentials(root, older, storage):
    for server in (root, older):
        server.catalog("c", storage)
        server.namespace("c", "a")
        made = server.table("c", headers=VENDED).body
        loaded = server.call("GET", f"{ICEBERG}/c/namespaces/a/tables/t", headers=VENDED, expect=200).body
        assert made["config"][KEYS[storage]] == loaded["config"][KEYS[storage]]
        assert server.call("GET", f"{ICEBERG}/c/namespaces/a/tables/t", expect=200).body["config"] == {}
        location = loaded["metadata"]["location"]
        entry = [{"prefix": location, "config": loaded["config"]}] if server is root else None
        assert loaded.get("storage-credentials") == entry
    endpoint = loaded_refresh(root, storage)
    assert root.call("GET", f"/api/catalog/{endpoint}", expect=200).body["storage-credentials"]


def loaded_refresh(root, storage):
    loaded = root.call("GET", f"{ICEBERG}/c/namespaces/a/tables/t", headers=VENDED, expect=200).body
    return loaded["config"][REFRESH[storage]]


def test_local_files_need_no_credentials(root):
    root.catalog("c")
    root.namespace("c", "a")
    assert root.table("c", headers=VENDED).body["config"] == {}
    credentials = root.call("GET", f"{ICEBERG}/c/namespaces/a/tables/t/credentials", expect=200)
    assert credentials.body == {"storage-credentials": []}


@pytest.mark.parametrize("word", ["remote-signing", "whatever", "vended-credentials,remote-signing"])
def test_ways_of_access_are_hints(root, older, word):
    for server in (root, older):
        server.catalog("c")
        server.namespace("c", "a")
        server.table("c", headers={"X-Iceberg-Access-Delegation": word})


def test_a_catalog_that_has_no_credentials(root):
    base = root.catalog("c", "S3")
    record = root.call("GET", f"{MANAGEMENT}/catalogs/c", expect=200).body
    storage = {**record["storageConfigInfo"], "stsUnavailable": True}
    body = {"currentEntityVersion": 1, "properties": {"default-base-location": base}, "storageConfigInfo": storage}
    root.call("PUT", f"{MANAGEMENT}/catalogs/c", body, expect=200)
    root.namespace("c", "a")
    assert "no credentials are available" in root.table("c", headers=VENDED, expect=400).error[1]
    root.table("c")


@pytest.mark.parametrize("storage", ["FILE", "S3", "GCS"])
def test_etags_stand_for_the_credentials_of_the_answer(http, tmp_path, monkeypatch, storage):
    with served(http, tmp_path, credential_lifetime=3) as root:
        root.catalog("c", storage)
        root.namespace("c", "a")
        root.table("c")
        path = f"{ICEBERG}/c/namespaces/a/tables/t"
        vends = storage != "FILE"
        plain, delegated = (root.call("GET", path, headers=way, expect=200) for way in ({}, VENDED))

        def load(etag, way, expect):
            return root.call("GET", path, headers={**way, "If-None-Match": etag}, expect=expect)

        load(plain.headers["ETag"], VENDED, 200 if vends else 304)
        for _ in range(2):
            load(delegated.headers["ETag"], VENDED, 304)
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now + 4)
        load(delegated.headers["ETag"], VENDED, 200 if vends else 304)
        load(plain.headers["ETag"], {}, 304)


def test_a_dropped_view_takes_its_file_along(root):
    base = root.catalog("c", **{"polaris.config.drop-with-purge.enabled": "true"})
    root.namespace("c", "a")
    made = root.view("c").body
    assert made["metadata"]["location"] == f"{base}/a/v"
    root.call("DELETE", f"{ICEBERG}/c/namespaces/a/views/v", expect=204)
    again = {"name": "w", "metadata-location": made["metadata-location"]}
    root.call("POST", f"{ICEBERG}/c/namespaces/a/register-view", again, expect=404)


def test_a_view_whose_file_must_stay(root, older):
    kept = {"polaris.config.purge-view-metadata-on-drop": "false"}
    for server, properties, expected in ((root, {}, 403), (root, kept, 204), (older, {}, 204)):
        name = f"c{expected}"
        server.catalog(name, **properties)
        server.namespace(name, "a")
        server.view(name)
        server.call("DELETE", f"{ICEBERG}/{name}/namespaces/a/views/v", expect=expected)
