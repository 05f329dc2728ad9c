"""Tables over HTTP: created, loaded, renamed, dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reference_server.iceberg.conftest import BAD_REQUEST, SCHEMA, at_once


def files_below(location):
    return sorted(path.name for path in Path(location.removeprefix("file://")).rglob("*") if path.is_file())


def local(location):
    return Path(location.removeprefix("file://"))


def test_names_are_taken_once(api):
    first = api.table().body
    refused = api.call("POST", "namespaces/a/tables", {"name": "t", "schema": SCHEMA}, expect=409)
    assert refused.type == "AlreadyExistsException"
    staged = {"name": "t", "schema": SCHEMA, "stage-create": True}
    api.call("POST", "namespaces/a/tables", staged, expect=409)
    assert api.load().body == first
    assert len(files_below(first["metadata"]["location"])) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"name": "t"},
        {"name": "", "schema": SCHEMA},
        {
            "name": "t",
            "schema": {"type": "struct", "fields": [{"id": 1, "name": "x", "type": "wrong", "required": True}]},
        },
        {"name": "t", "schema": SCHEMA, "properties": {"format-version": "9"}},
        {"name": "t", "schema": SCHEMA, "properties": {"x": 1}},
        {"name": "t", "schema": SCHEMA, "location": "relative"},
        {"name": "t", "schema": SCHEMA, "location": "file:///etc/lakeproof"},
        {"name": "t", "schema": SCHEMA, "location": "/tmp/../etc"},
        {"name": "t", "schema": SCHEMA, "location": "s3://elsewhere/t"},
        {"name": "t", "schema": SCHEMA, "location": "/tmp/\x00"},
    ],
)
def test_bad_tables_are_refused(api, body):
    assert api.call("POST", "namespaces/a/tables", body, expect=400).type in BAD_REQUEST
    assert api.call("GET", "namespaces/a/tables").body["identifiers"] == []


def test_a_requested_location_is_granted(api, tmp_path):
    location = f"file:{tmp_path}/mine"
    created = api.table(location=location + "/").body
    assert created["metadata"]["location"] == location
    assert created["metadata-location"].startswith(location + "/metadata/00000-")


def test_staging_leaves_an_empty_folder_alone(api, tmp_path):
    location = f"file://{tmp_path}/staged"
    staged = api.table(location=location, **{"stage-create": True})
    assert "metadata-location" not in staged.body
    assert "ETag" not in staged.headers
    assert staged.body["metadata"]["location"] == location
    assert list((tmp_path / "staged").rglob("*")) == [tmp_path / "staged/metadata"]
    assert api.load(expect=404).type == "NoSuchTableException"
    assert api.call("GET", "namespaces/a/tables").body["identifiers"] == []


def test_an_etag_names_a_state_and_what_is_shown_of_it(api):
    tags = [
        api.table().headers["ETag"],
        api.load().headers["ETag"],
        api.load("a/tables/t?snapshots=all").headers["ETag"],
    ]
    refs = api.load("a/tables/t?snapshots=refs").headers["ETag"]
    assert len(set(tags)) == 1
    assert refs != tags[0]
    for condition in (tags[0], f'"x", {tags[0]}', f"W/{tags[0]}", "*"):
        unchanged = api.load(headers={"If-None-Match": condition}, expect=304)
        assert unchanged.headers["ETag"] == tags[0]
    for _ in range(2):  # the second time the answer may be one that is kept
        api.load(headers={"If-None-Match": refs}, expect=200)
        api.load("a/tables/t?snapshots=refs", headers={"If-None-Match": refs}, expect=304)
        api.load("a/tables/t?snapshots=refs", expect=200)
    changed = api.commit([{"action": "set-properties", "updates": {"a": "b"}}], expect=200).headers["ETag"]
    assert changed not in tags
    api.load(headers={"If-None-Match": tags[0]}, expect=200)
    api.load(headers={"If-None-Match": changed}, expect=304)


def test_a_lost_file(api):
    created = api.table().body
    other = api.table("a/tables/u")
    api.load(expect=200)
    path = local(created["metadata-location"])
    aside = path.rename(path.with_name("aside"))
    assert api.load(expect=404).type == "NotFoundException"
    assert api.load(headers={"If-None-Match": other.headers["ETag"]}, expect=404).type == "NotFoundException"
    assert len(api.call("GET", "namespaces/a/tables", expect=200).body["identifiers"]) == 2
    assert api.load("a/tables/u", expect=200).body == other.body
    aside.rename(path)
    assert api.load(expect=200).body == created
    path.unlink()
    api.call("DELETE", "namespaces/a/tables/t?purgeRequested=true", expect=204)


def test_bad_parameters(api):
    api.table()
    assert api.load("a/tables/t?snapshots=some", expect=400).type == "BadRequestException"
    api.call("DELETE", "namespaces/a/tables/t?purgeRequested=perhaps", expect=400)
    api.load("a/tables/t?later=1&referenced-by=a%1Fv", expect=200)


@pytest.mark.parametrize("flag", ["True", "true", "TRUE"])
def test_purging_removes_what_is_the_tables_own(api, flag):
    location = api.table().body["metadata"]["location"]
    (local(location) / "data").mkdir()
    (local(location) / "data" / "x.parquet").write_text("rows")
    api.commit([{"action": "set-properties", "updates": {"a": "b"}}], expect=200)
    other = api.table("a/tables/u").body
    api.call("DELETE", f"namespaces/a/tables/t?purgeRequested={flag}", expect=204)
    assert not local(location).exists()
    assert api.load("a/tables/u", expect=200).body == other


def test_purging_a_location_of_the_clients_removes_what_the_metadata_name(api, tmp_path):
    api.table(location=f"file://{tmp_path}/shared")
    (tmp_path / "shared" / "x.parquet").write_text("of somebody else")
    api.commit([{"action": "set-properties", "updates": {"a": "b"}}], expect=200)
    api.call("DELETE", "namespaces/a/tables/t?purgeRequested=true", expect=204)
    assert files_below(f"{tmp_path}/shared") == ["x.parquet"]


def test_a_protected_table_keeps_its_data(api):
    location = api.table(properties={"gc.enabled": "false"}).body["metadata"]["location"]
    (local(location) / "x.parquet").write_text("rows")
    api.call("DELETE", "namespaces/a/tables/t?purgeRequested=true", expect=204)
    assert files_below(location) == ["x.parquet"]


def rename(api, source, target, **rest):
    names = {"source": source, "destination": target}
    body = {key: {"namespace": value[:-1], "name": value[-1]} for key, value in names.items()}
    return api.call("POST", "tables/rename", body, **rest)


@pytest.mark.parametrize(
    ("source", "target", "status", "kind"),
    [
        (["a", "t"], ["a", "t"], 409, "AlreadyExistsException"),
        (["a", "t"], ["a", ""], 400, "BadRequestException"),
        (["t"], ["a", "u"], 400, "BadRequestException"),
    ],
)
def test_refused_renamings_change_nothing(api, source, target, status, kind):
    tables = [api.table("a/tables/t").body, api.table("a/tables/u").body]
    assert rename(api, source, target, expect=status).type == kind
    assert [api.load("a/tables/t").body, api.load("a/tables/u").body] == tables


def test_a_race_for_a_name_has_one_winner(api):
    body = {"name": "t", "schema": SCHEMA}
    assert sorted(at_once(8, lambda: api.call("POST", "namespaces/a/tables", body).status)) == [200] + [409] * 7
    folder = local(api.load().body["metadata"]["location"]).parent
    assert len(files_below(str(folder))) == 1


def test_a_table_survives_the_server(open_api):
    with open_api() as api:
        api.namespace("a")
        created = api.table().body
        changed = api.commit([{"action": "set-properties", "updates": {"a": "b"}}], expect=200).body
    with open_api() as api:
        if local(created["metadata-location"]).exists():
            assert api.load(expect=200).body["metadata"] == changed["metadata"]
        else:
            assert api.call("GET", "namespaces").body["namespaces"] == []
