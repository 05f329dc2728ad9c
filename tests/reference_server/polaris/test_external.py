"""External catalogs: what they refuse, and how they follow another catalog."""

from __future__ import annotations

import json

import pytest

from tests.reference_server.polaris.served_catalogs import ICEBERG, SCHEMA, served

TABLE = f"{ICEBERG}/e/namespaces/x/tables/t"
UNVENDED = {
    "polaris/1.7": (400, "IllegalArgumentException", "is not enabled for this external catalog"),
    "polaris/2024-09": (403, "ForbiddenException", "Access Delegation is not enabled for this catalog"),
}


@pytest.fixture(params=["polaris/1.7", "polaris/2024-09"])
def root(request, http, tmp_path):
    with served(http, tmp_path, request.param) as root:
        root.catalog("c")
        root.namespace("c", "a")
        root.catalog("e", kind="EXTERNAL")
        yield root


@pytest.fixture
def metadata_file(root, tmp_path):
    """A metadata file of a table in the external catalog, as another catalog would have written it."""
    return written(root.table("c").body["metadata"], tmp_path / "e" / "x" / "t")


def written(metadata, folder):
    path = folder / "metadata" / "1.metadata.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({**metadata, "location": folder.as_uri()}))
    return path.as_uri()


def notify(root, kind, timestamp, location, *, catalog="e", expect=204):
    payload = {"table-name": "t", "timestamp": timestamp, "table-uuid": "u", "metadata-location": location}
    body = {"notification-type": kind, "payload": payload}
    path = f"{ICEBERG}/{catalog}/namespaces/x/tables/t/notifications"
    return root.call("POST", path, body, expect=expect)


def test_the_newest_notification_holds(root, metadata_file):
    notify(root, "CREATE", 10, metadata_file)
    assert root.call("GET", TABLE, expect=200).body["metadata-location"] == metadata_file
    for timestamp in (9, 10, "10"):
        refused = notify(root, "UPDATE", timestamp, metadata_file, expect=409)
        assert refused.error[0] == "AlreadyExistsException"
        assert "newer timestamp" in refused.error[1]
    notify(root, "UPDATE", "11", metadata_file)
    notify(root, "CREATE", 12, metadata_file)


def test_a_validation_changes_nothing(root, metadata_file, tmp_path):
    notify(root, "VALIDATE", 10, f"file://{tmp_path}/e/x/none")
    notify(root, "UNKNOWN", 10, metadata_file)
    root.call("GET", f"{ICEBERG}/e/namespaces/x", expect=404)
    notify(root, "VALIDATE", 10, "file:///etc", expect=403)


def test_where_a_notified_table_lies(root, metadata_file, tmp_path):
    notify(root, "CREATE", 1, "file:///etc/1.metadata.json", expect=403)
    notify(root, "CREATE", 1, f"file://{tmp_path}/e/x/t/metadata/none.json", expect=404)
    outside = tmp_path / "e" / "elsewhere.json"
    outside.write_bytes((tmp_path / "e" / "x" / "t" / "metadata" / "1.metadata.json").read_bytes())
    notify(root, "CREATE", 1, f"file://{outside}", expect=400)
    metadata = json.loads(outside.read_bytes())
    stray = outside.with_name("stray.json")
    stray.write_text(json.dumps({**metadata, "location": "file:///etc"}))
    notify(root, "CREATE", 1, f"file://{stray}", expect=403)
    root.call("GET", f"{ICEBERG}/e/namespaces/x", expect=404)


def test_an_internal_catalog_follows_nobody(root, metadata_file):
    for kind in ("CREATE", "VALIDATE", "DROP"):
        refused = notify(root, kind, 1, metadata_file, catalog="c", expect=400)
        assert refused.error[1] == "Cannot update internal catalog via notifications"


def test_what_an_external_catalog_refuses(root, metadata_file):
    notify(root, "CREATE", 1, metadata_file)
    spaces = f"{ICEBERG}/e/namespaces/x"
    names = {"source": {"namespace": ["x"], "name": "t"}, "destination": {"namespace": ["x"], "name": "u"}}
    refused = [
        ("POST", f"{spaces}/tables", {"name": "u", "schema": SCHEMA}),
        ("POST", f"{spaces}/tables/t", {"requirements": [], "updates": []}),
        ("POST", f"{ICEBERG}/e/tables/rename", names),
        ("POST", f"{ICEBERG}/e/transactions/commit", {"table-changes": []}),
        ("DELETE", f"{spaces}/tables/t?purgeRequested=true", None),
    ]
    for method, path, body in refused:
        assert "external catalogs." in root.call(method, path, body, expect=400).error[1]
    root.call("DELETE", f"{spaces}/tables/t", expect=204)
    root.call("POST", f"{spaces}/register", {"name": "r", "metadata-location": metadata_file}, expect=200)
    root.namespace("e", "y")


def test_credentials_of_an_external_catalog(request, root, metadata_file, tmp_path):
    vended = {"X-Iceberg-Access-Delegation": "vended-credentials"}
    notify(root, "CREATE", 1, metadata_file)
    root.call("GET", TABLE, headers=vended, expect=200)
    root.folder = tmp_path / "second"
    root.catalog("f", kind="EXTERNAL", **{"polaris.config.enable.credential.vending": "false"})
    metadata = root.call("GET", TABLE, expect=200).body["metadata"]
    notify(root, "CREATE", 1, written(metadata, root.folder / "f" / "x" / "t"), catalog="f")
    refused = root.call("GET", f"{ICEBERG}/f/namespaces/x/tables/t", headers=vended)
    status, kind, words = UNVENDED[request.node.callspec.params["root"]]
    assert (refused.status, refused.error[0]) == (status, kind)
    assert words in refused.error[1]
