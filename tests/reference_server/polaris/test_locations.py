"""Locations of entities: within their catalog and their namespace, and not within each other."""

from __future__ import annotations

import json
import secrets

import pytest

from reference_server import limits
from reference_server.errors import InvalidInput
from reference_server.polaris.catalog.location_rules import WRITTEN_TO
from reference_server.polaris.catalog.places import is_within, place_of
from tests.reference_server.polaris.served_catalogs import ICEBERG, served


@pytest.fixture
def root(http, tmp_path):
    with served(http, tmp_path) as root:
        yield root


@pytest.mark.parametrize(
    ("spelling", "other"),
    [
        ("s3a://b/x/", "s3://b//x"),
        ("file:/a/b", "/a/b"),
        ("file:///a/b", "file://localhost/a/b"),
        ("file://", "/"),
        ("file://localhost", "file:///"),
        ("wasbs://c@a.blob.core.windows.net/x", "abfss://c@a.dfs.core.windows.net/x"),
    ],
)
def test_a_place_has_one_spelling(spelling, other):
    assert place_of(spelling) == place_of(other)


@pytest.mark.parametrize(
    "location",
    [
        "",
        "a/b",
        "file:",
        "file:a",
        "file://host/a",
        "s3://",
        "s3:///x",
        "s3://../x",
        "s3://a b/x",
        "/a/../b",
        "s3://b/./x",
        "/a\0",
    ],
)
def test_what_is_no_place(location):
    with pytest.raises(InvalidInput):
        place_of(location)


@pytest.mark.parametrize(
    ("below", "limit"), [("/x" * 100_000, limits.LOCATION), ("/x" * limits.FOLDERS, limits.FOLDERS)]
)
def test_what_is_too_large_to_be_a_place(below, limit):
    for start in ("s3://b", "file:///a", "/a"):
        with pytest.raises(InvalidInput, match=f"more than {limit}"):
            place_of(start + below)


def test_a_longer_name_is_not_within():
    assert not is_within(place_of("s3://b/table"), place_of("s3://b/tab"))


def test_a_table_lies_in_its_namespace(root):
    base = root.catalog("c")
    assert root.namespace("c", "a").body["properties"] == {"location": f"{base}/a/"}
    assert root.table("c").body["metadata"]["location"] == f"{base}/a/t"
    for location in (f"{base}/b/u", f"{base}", "file:///etc/u", f"{base}/a/../../u"):
        refused = root.table("c", name="u", location=location, expect=None)
        assert refused.status in (400, 403), refused.body


def test_settings_lift_the_rules(root):
    base = root.catalog("c", **{"polaris.config.allow.unstructured.table.location": "true"})
    root.namespace("c", "a")
    root.table("c", location=f"{base}/elsewhere")
    assert root.table("c", name="u", location=f"{base}/elsewhere/in", expect=403).error[0] == "ForbiddenException"
    loose = root.catalog("d", **{"polaris.config.allow.overlapping.table.location": "true"})
    root.namespace("d", "a")
    root.table("d")
    root.table("d", name="u", location=f"{loose}/a/t")


def test_a_table_has_a_second_name_where_overlaps_are_allowed(root, tmp_path):
    """Without the setting its location is taken; with it a purge deletes the files with the last name."""
    settings = {"allow.overlapping.table.location": "true", "drop-with-purge.enabled": "true"}
    root.catalog("c")
    root.catalog("d", **{f"polaris.config.{name}": value for name, value in settings.items()})
    for catalog, status in (("c", 403), ("d", 200)):
        root.namespace(catalog, "a")
        location = root.table(catalog).body["metadata-location"]
        body = {"name": "u", "metadata-location": location}
        root.call("POST", f"{ICEBERG}/{catalog}/namespaces/a/register", body, expect=status)
    for name in ("t", "u"):
        assert (tmp_path / "d/a/t/metadata").exists()
        root.call("GET", f"{ICEBERG}/d/namespaces/a/tables/u", expect=200)
        root.call("DELETE", f"{ICEBERG}/d/namespaces/a/tables/{name}?purgeRequested=true", expect=204)
    assert not (tmp_path / "d/a/t/metadata").exists()


def test_siblings_do_not_overlap(root):
    base = root.catalog("c")
    root.namespace("c", "a")
    root.table("c")
    for location in (f"{base}/a/t", f"{base}/a/t/in", f"{base}/a"):
        _, message = root.table("c", name="u", location=location, expect=403).error
        assert "conflicts with existing table or namespace" in message
    root.namespace("c", "a", "t")  # a namespace shares the folder of the table that is called like it
    root.call("DELETE", f"{ICEBERG}/c/namespaces/a/tables/t", expect=204)
    root.call("DELETE", f"{ICEBERG}/c/namespaces/a%1Ft", expect=204)
    root.table("c", name="u", location=f"{base}/a/t")


def test_only_children_of_one_namespace_must_not_overlap(root):
    base = root.catalog("c", **{"polaris.config.allow.unstructured.table.location": "true"})
    for name in ("a", "b", "d"):
        root.namespace("c", name)
    root.table("c")
    root.table("c", path="b/tables", name="u", location=f"{base}/a/t/x")
    root.table("c", path="b/tables", name="x", location=f"{base}/d/in")
    _, message = root.table("c", path="b/tables", name="v", location=f"{base}/a/t", expect=403).error
    assert message.endswith(f"conflicts with existing table or namespace at location '{base}/a/t/x/'")
    root.table("c", name="s", location=f"{base}/a/t/x", expect=403)


def test_a_new_name_keeps_the_place(root):
    base = root.catalog("c")
    root.namespace("c", "a")
    root.table("c")
    names = {"source": {"namespace": ["a"], "name": "t"}, "destination": {"namespace": ["a"], "name": "u"}}
    root.call("POST", f"{ICEBERG}/c/tables/rename", names, expect=204)
    root.table("c", name="v", location=f"{base}/a/t/x", expect=403)
    again = root.table("c").body["metadata"]["location"]
    assert again.startswith(f"{base}/a/t-")


def test_places_of_namespaces(root, http, tmp_path):
    base = root.catalog("c")
    root.namespace("c", "a")
    assert root.namespace("c", "b", location=f"{base}/a/b", expect=403).error[0] == "ForbiddenException"
    _, message = root.namespace("c", "b", location=f"{base}/z", expect=400).error
    assert "custom location, which is not enabled" in message
    root.namespace("c", "b", location=f"{base}/b/")
    updates = {"updates": {"location": f"{base}/z"}, "removals": []}
    root.call("POST", f"{ICEBERG}/c/namespaces/b/properties", updates, expect=400)
    with served(http, tmp_path, "polaris/2024-09") as older:
        base = older.catalog("old")
        older.namespace("old", "b", location=f"{base}/z")
        assert older.table("old", "b/tables").body["metadata"]["location"] == f"{base}/z/t"


def test_a_commit_cannot_lead_outside(root):
    base = root.catalog("c")
    root.namespace("c", "a")
    root.table("c")
    for location in (f"{base}/b", "file:///etc/t"):
        update = {"requirements": [], "updates": [{"action": "set-location", "location": location}]}
        root.call("POST", f"{ICEBERG}/c/namespaces/a/tables/t", update, expect=403)


@pytest.mark.parametrize("storage", ["memory", "directory"])
def test_what_is_written_elsewhere_is_written_inside(http, tmp_path, storage):
    settings = {"storage": f"dir:{tmp_path}/state"} if storage == "directory" else {}
    with served(http, tmp_path / "data", **settings) as root:
        base = root.catalog("c")
        root.namespace("c", "a")
        root.table("c")
        root.view("c")
        for name in WRITTEN_TO:
            for location in (f"{base}/b", "file:///etc/t", "s3://bucket/t"):
                write_to(root, {name: location}, expect=(403,))
            for location in ("data", ""):
                write_to(root, {name: location}, expect=(400,))
            write_to(root, {name: f"{base}/a/{name}"}, expect=(200, 204))


def write_to(root, properties, expect):
    """Bring properties into a table or a view in every way that there is."""
    path, update = f"{ICEBERG}/c/namespaces/a", {"action": "set-properties", "updates": properties}
    commit = {"requirements": [], "updates": [update]}
    change = {"identifier": {"namespace": ["a"], "name": "t"}, **commit}
    made = "-".join(properties)
    answers = [
        root.table("c", name="staged", properties=properties, **{"stage-create": True}, expect=None),
        root.table("c", name=made, properties=properties, expect=None),
        root.view("c", name=f"v-{made}", properties=properties, expect=None),
        root.call("POST", f"{path}/tables/t", commit),
        root.call("POST", f"{path}/views/v", commit),
        root.call("POST", f"{ICEBERG}/c/transactions/commit", {"table-changes": [change]}),
        *(register_with(root, kind, properties) for kind in ("table", "view")),
    ]
    assert all(answer.status in expect for answer in answers), [(answer.status, answer.body) for answer in answers]


def register_with(root, kind, properties):
    """Register a table or view by a metadata file that another catalog wrote."""
    name, register = {"table": ("t", "register"), "view": ("v", "register-view")}[kind]
    path = f"{ICEBERG}/c/namespaces/a"
    metadata = root.call("GET", f"{path}/{kind}s/{name}", expect=200).body["metadata"]
    new = f"{kind}-{secrets.token_hex(4)}"
    folder = root.folder / "c" / "a" / new
    folder.mkdir()
    file = folder / "1.metadata.json"
    file.write_text(json.dumps({**metadata, "location": folder.as_uri(), "properties": properties}))
    return root.call("POST", f"{path}/{register}", {"name": new, "metadata-location": file.as_uri()})


def test_a_setting_lets_tables_write_elsewhere_in_the_catalog(root):
    base = root.catalog("d", **{"polaris.config.allow.external.table.location": "true"})
    root.namespace("d", "a")
    for name in WRITTEN_TO:
        root.table("d", name=f"t-{name}", properties={name: f"{base}/b"})
        root.table("d", name=f"u-{name}", properties={name: "file:///etc/t"}, expect=403)


def test_a_metadata_file_of_another_catalog_is_not_read(root):
    root.catalog("c")
    root.namespace("c", "a")
    location = root.table("c").body["metadata-location"]
    root.catalog("d")
    root.namespace("d", "a")
    body = {"name": "t", "metadata-location": location}
    assert root.call("POST", f"{ICEBERG}/d/namespaces/a/register", body, expect=403).error[0] == "ForbiddenException"


def test_what_is_kept_survives_a_restart(http, tmp_path):
    settings = {"storage": f"dir:{tmp_path}/state"}
    with served(http, tmp_path / "data", **settings) as root:
        root.catalog("c", "S3")
        root.namespace("c", "a")
        root.table("c")
    with served(http, tmp_path / "data", **settings) as root:
        root.call("GET", f"{ICEBERG}/c/namespaces/a/tables/t", expect=200)
        root.table("c", name="u", location="s3://bucket/c/a/t", expect=403)
