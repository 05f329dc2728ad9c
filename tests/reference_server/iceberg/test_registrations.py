"""Registering and unregistering tables over HTTP."""

from __future__ import annotations

import gzip
import json
import os

import pytest

from tests.reference_server.iceberg.committing import register
from tests.reference_server.iceberg.conftest import BAD_REQUEST

SET = [{"action": "set-properties", "updates": {"a": "b"}}]


def test_a_dropped_table_comes_back_with_its_history(api):
    api.table()
    committed = api.commit(SET, expect=200)
    api.call("DELETE", "namespaces/a/tables/t", expect=204)
    registered = register(api, committed.body["metadata-location"], "u", expect=200)
    assert registered.body["metadata"] == committed.body["metadata"]
    assert registered.headers["ETag"] == committed.headers["ETag"] == api.load("a/tables/u").headers["ETag"]
    again = api.commit([{"action": "remove-properties", "removals": ["a"]}], path="a/tables/u", expect=200)
    assert again.body["metadata-location"].rpartition("/")[2].startswith("00002-")
    assert len(again.body["metadata"]["metadata-log"]) == 2


@pytest.mark.parametrize(
    ("name", "status", "kinds"),
    [
        ("missing.json", 404, ("NotFoundException",)),
        ("text.json", 400, BAD_REQUEST),
        ("list.json", 400, BAD_REQUEST),
        ("broken.gz.metadata.json", 400, BAD_REQUEST),
        ("folder", 400, BAD_REQUEST),
        ("pipe", 400, BAD_REQUEST),
        ("text.json/below", 404, ("NotFoundException",)),
    ],
)
def test_what_is_no_metadata_file(api, tmp_path, name, status, kinds):
    (tmp_path / "text.json").write_text("no json")
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "broken.gz.metadata.json").write_bytes(b"\x1f\x8bbroken")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert register(api, f"file://{tmp_path}/{name}", expect=status).type in kinds
    assert api.call("GET", "namespaces/a/tables").body["identifiers"] == []


@pytest.mark.parametrize(
    "location", ["/etc/passwd", "file:///etc/passwd", "file:///tmp/../etc/passwd", "gs://b/x", "x"]
)
def test_files_of_the_server_are_out_of_reach(api, location):
    refused = register(api, location, expect=400)
    assert "root:" not in refused.body["error"]["message"]


def test_links_lead_nowhere(api, tmp_path):
    (tmp_path / "link.json").symlink_to("/etc/passwd")
    register(api, f"{tmp_path}/link.json", expect=400)


def test_compressed_and_first_version_files(api, tmp_path):
    metadata = api.table(properties={"format-version": "1"}).body["metadata"]
    api.call("DELETE", "namespaces/a/tables/t", expect=204)
    for key in ("table-uuid", "schemas", "partition-specs", "sort-orders", "refs"):
        metadata.pop(key, None)
    path = tmp_path / "v7.gz.metadata.json"
    path.write_bytes(gzip.compress(json.dumps(metadata).encode()))
    registered = register(api, str(path), "u", expect=200).body
    assert registered["metadata"]["table-uuid"] == api.load("a/tables/u").body["metadata"]["table-uuid"]
    committed = api.commit(SET, path="a/tables/u", expect=200).body
    assert committed["metadata"]["table-uuid"] == registered["metadata"]["table-uuid"]
    assert committed["metadata-location"].rpartition("/")[2].startswith("00008-")


def test_compression_by_property(api):
    created = api.table(properties={"write.metadata.compression-codec": "gzip"}).body
    assert created["metadata-location"].endswith(".gz.metadata.json")
    with gzip.open(created["metadata-location"].removeprefix("file://")) as file:
        assert json.load(file) == created["metadata"]
