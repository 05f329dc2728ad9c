"""Format versions that a revision of the document does not have: tables of them are neither made nor shown."""

from __future__ import annotations

import pytest

from lakeproof import serve
from tests.reference_server.iceberg.conftest import Api

UPGRADE = {"action": "upgrade-format-version", "format-version": 3}
SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": False}]}


@pytest.fixture
def opened(tmp_path, http):
    """Start a server of a revision, with the same directory each time."""
    return lambda revision: serve(f"iceberg/{revision}", storage=f"dir:{tmp_path}")


def test_no_table_of_a_later_version_comes_into_being(opened, http):
    with opened("1.6") as server:
        api = Api(http, server.url)
        api.namespace("a")
        body = {"name": "t", "schema": SCHEMA, "properties": {"format-version": "3"}}
        for more in ({}, {"stage-create": True}):
            api.call("POST", "namespaces/a/tables", {**body, **more}, expect=400)
        api.table()
        api.commit([UPGRADE], expect=400)
        assert api.load().body["metadata"]["format-version"] == 2


def test_no_table_of_a_later_version_is_shown(opened, http):
    with opened("1.11") as server:
        api = Api(http, server.url)
        api.namespace("a")
        location = api.table(properties={"format-version": "3"}).body["metadata-location"]
    with opened("1.6") as server:
        api = Api(http, server.url)
        api.load(expect=400)
        api.call("POST", "namespaces/a/register", {"name": "r", "metadata-location": location}, expect=400)
