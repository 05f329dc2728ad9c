"""Views over HTTP, as real clients ask for them."""

from __future__ import annotations

import pytest

from lakeproof import serve
from tests.reference_server.iceberg.conftest import SCHEMA, Api
from tests.reference_server.polaris.served_catalogs import ICEBERG, served

VERSION = {"version-id": 1, "timestamp-ms": 1, "schema-id": 0, "summary": {}, "default-namespace": ["a"]}


def version(sql):
    return {**VERSION, "representations": [{"type": "sql", "sql": sql, "dialect": "spark"}]}


def view(sql="select 1"):
    """Body of Java's `buildView(...).create()`, which has no properties."""
    return {"name": "v", "schema": SCHEMA, "view-version": version(sql)}


def test_a_view_without_properties(api):
    created = api.call("POST", "namespaces/a/views", view(), expect=200).body
    assert created["metadata"]["properties"] == {}
    assert api.call("GET", "namespaces/a/views/v", expect=200).body["metadata"] == created["metadata"]


@pytest.mark.parametrize("revision", ["1.6", "1.11"])
def test_a_view_without_properties_in_earlier_revisions(http, revision):
    with serve(f"iceberg/{revision}") as server:
        api = Api(http, server.url)
        api.namespace("a")
        api.call("POST", "namespaces/a/views", view(), expect=200)


@pytest.mark.parametrize("profile", ["polaris/2024-09", "polaris/1.7"])
def test_a_view_without_properties_in_polaris(http, tmp_path, profile):
    with served(http, tmp_path, profile) as root:
        root.catalog("c")
        root.namespace("c", "a")
        root.call("POST", f"{ICEBERG}/c/namespaces/a/views", view(), expect=200)


def test_a_version_that_the_view_had_before_becomes_the_current_one(api):
    """For it iceberg-rust's client sends the version once more, and -1."""
    api.call("POST", "namespaces/a/views", view(), expect=200)

    def use(sql):
        added = {"action": "add-view-version", "view-version": version(sql)}
        current = {"action": "set-current-view-version", "view-version-id": -1}
        body = {"requirements": [], "updates": [added, current]}
        return api.call("POST", "namespaces/a/views/v", body, expect=200).body["metadata"]

    assert use("select 2")["current-version-id"] == 2
    back = use("select 1")
    assert back["current-version-id"] == 1
    assert [entry["version-id"] for entry in back["versions"]] == [1, 2]
    assert [entry["version-id"] for entry in back["version-log"]] == [1, 2, 1]
    assert use("select 1") == back
