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
