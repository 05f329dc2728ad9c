"""Credentials over HTTP, in local warehouses and in such on S3."""

from __future__ import annotations

import time
from contextlib import contextmanager

import pytest

from lakeproof import serve
from tests.reference_server.iceberg.conftest import SCHEMA, Api

ASK = {"X-Iceberg-Access-Delegation": "vended-credentials"}


@pytest.fixture
def open_s3(http, s3_url):
    """Start a server with a warehouse whose `credentials` are these; it has a table."""

    @contextmanager
    def opened(handed="dummy", profile="iceberg", **settings):
        uri = f"s3://key:s3cret@lake/house?endpoint_override={s3_url}&region=eu-west-1&credentials={handed}"
        with serve(profile, warehouses=(f"w={uri}", "lab"), **settings) as server:
            api = Api(http, server.url)
            api.namespace("a")
            api.table()
            yield api

    return opened


@pytest.fixture
def s3(open_s3):
    with open_s3() as api:
        yield api


def credential(answer):
    (vended,) = answer.body["storage-credentials"]
    return vended


@pytest.mark.parametrize(
    ("profile", "vended", "signed"),
    [
        ("iceberg/1.6", {"config"}, {"config"}),
        ("iceberg/1.11", {"config", "storage-credentials"}, {"config"}),
        ("iceberg/2026-08", {"config", "storage-credentials"}, {"config", "remote-signing-config"}),
    ],
)
def test_an_answer_has_the_fields_of_its_revision(open_s3, profile, vended, signed):
    """A field of a later revision would be a sign of that; before the list of credentials they are in `config`."""
    ways = "vended-credentials", "remote-signing"
    with open_s3(profile=profile) as api:
        shown = {way: api.load(headers={"X-Iceberg-Access-Delegation": way}, expect=200).body for way in ways}
    assert [set(answer) - {"metadata", "metadata-location"} for answer in shown.values()] == [vended, signed]
    keys = shown["vended-credentials"]
    of_keys = keys["storage-credentials"][0]["config"] if "storage-credentials" in vended else keys["config"]
    assert of_keys["s3.access-key-id"].startswith("ASIA")


def test_files_in_a_local_warehouse_need_no_keys(api):
    api.table()
    for word in ("vended-credentials", "remote-signing", "nonsense", ""):
        answer = api.load(headers={"X-Iceberg-Access-Delegation": word}, expect=200)
        assert answer.body["config"] == {}
        assert answer.body.keys() == {"metadata-location", "metadata", "config"}
    assert api.call("GET", "namespaces/a/tables/t/credentials", expect=200).body == {"storage-credentials": []}


def test_keys_for_a_table(s3):
    answer = s3.load(headers=ASK, expect=200)
    vended = credential(answer)
    assert vended["prefix"] == answer.body["metadata"]["location"]
    config = vended["config"]
    assert config["s3.access-key-id"].startswith("ASIA")
    assert len(config["s3.access-key-id"]) == 20
    assert len(config["s3.secret-access-key"]) == 40
    seconds_left = int(config["s3.session-token-expires-at-ms"]) / 1000 - time.time()
    assert 1790 < seconds_left <= 3600
    assert config["client.refresh-credentials-endpoint"] == "v1/namespaces/a/tables/t/credentials"
    assert s3.call("GET", config["client.refresh-credentials-endpoint"].removeprefix("v1/"), expect=200).body == {
        "storage-credentials": [vended]
    }
    assert "s3.secret-access-key" not in answer.body["config"]


def test_only_who_asks_gets_keys(s3):
    assert "storage-credentials" not in s3.load().body
    assert "storage-credentials" in s3.load(headers=ASK).body
    assert "storage-credentials" not in s3.load().body
    both = {"X-Iceberg-Access-Delegation": "vended-credentials, remote-signing"}
    assert "remote-signing-config" not in s3.load(headers=both).body
    assert "storage-credentials" in s3.load(headers=both).body


def test_tables_have_keys_of_their_own(s3):
    s3.table("a/tables/u")
    first, second = (credential(s3.load(f"a/tables/{name}", headers=ASK)) for name in "tu")
    assert first["prefix"] != second["prefix"]
    for name in ("s3.access-key-id", "s3.secret-access-key", "s3.session-token"):
        assert first["config"][name] != second["config"][name]


def test_keys_change_with_the_time(s3, monkeypatch):
    before = credential(s3.load(headers=ASK))
    assert credential(s3.load(headers=ASK)) == before
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 1800)
    after = credential(s3.load(headers=ASK))
    assert after["config"]["s3.session-token"] != before["config"]["s3.session-token"]
    times = [int(vended["config"]["s3.session-token-expires-at-ms"]) for vended in (before, after)]
    assert times[1] == times[0] + 1800_000


def test_created_staged_and_registered_tables_come_with_keys(s3):
    location = s3.load().body["metadata-location"]
    for body in ({"name": "u", "schema": SCHEMA}, {"name": "v", "schema": SCHEMA, "stage-create": True}):
        created = s3.call("POST", "namespaces/a/tables", body, headers=ASK, expect=200)
        assert credential(created)["prefix"] == created.body["metadata"]["location"]
    s3.call("DELETE", "namespaces/a/tables/t", expect=204)
    body = {"name": "w", "metadata-location": location}
    registered = s3.call("POST", "namespaces/a/register", body, headers=ASK, expect=200)
    assert credential(registered)["config"]["client.refresh-credentials-endpoint"].endswith("/tables/w/credentials")


def test_keys_are_not_kept_with_a_repeated_answer(open_s3, tmp_path):
    key = {"Idempotency-Key": "01900000-0000-7000-8000-000000000001"}
    with open_s3(storage=f"dir:{tmp_path}") as api:
        sent = [
            api.call("POST", "namespaces/a/tables", {"name": "u", "schema": SCHEMA}, headers={**ASK, **key}, expect=200)
            for _ in range(2)
        ]
        assert sent[0].body == sent[1].body
        token = credential(sent[0])["config"]["s3.session-token"]
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert token.encode() not in stored


def test_the_servers_own_keys(open_s3):
    with open_s3("own") as api:
        config = credential(api.load(headers=ASK))["config"]
        assert (config["s3.access-key-id"], config["s3.secret-access-key"]) == ("key", "s3cret")
        assert not {"s3.session-token", "s3.session-token-expires-at-ms"} & config.keys()


def test_no_keys_at_all(open_s3):
    with open_s3("none") as api:
        answer = api.load(headers=ASK).body
        assert "storage-credentials" not in answer
        assert answer["config"]["s3.region"] == "eu-west-1"
        assert api.call("GET", "namespaces/a/tables/t/credentials").body == {"storage-credentials": []}
        endpoints = api.call("GET", "config").body["endpoints"]
        assert not [endpoint for endpoint in endpoints if endpoint.endswith("/sign")]


def test_a_local_table_in_a_catalog_on_s3_needs_none(open_s3, tmp_path):
    with open_s3() as api:
        created = api.table("a/tables/u", location=str(tmp_path / "u")).body
        assert created["config"] == {}
        assert api.load("a/tables/u", headers=ASK).body["config"] == {}


def test_no_secret_is_logged(open_s3, tmp_path, caplog):
    with open_s3("own", access_log=str(tmp_path / "log")) as api:
        api.load(headers=ASK, expect=200)
        api.call("GET", "namespaces/a/tables/t/credentials", expect=200)
    assert "s3cret" not in (tmp_path / "log").read_text() + caplog.text


def given(answer):
    return {"If-None-Match": answer.headers["ETag"]}


def passes(monkeypatch, seconds):
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + seconds)


@pytest.mark.parametrize(("lifetime", "seconds"), [(3, 4), (None, 3600)])
def test_an_etag_is_current_until_the_credentials_of_its_answer_expire(open_s3, monkeypatch, lifetime, seconds):
    with open_s3(credential_lifetime=lifetime) as api:
        first = api.load(headers=ASK, expect=200)
        for _ in range(2):
            unchanged = api.load(headers={**ASK, **given(first)}, expect=304)
            assert unchanged.headers["ETag"] == first.headers["ETag"]
            assert unchanged.headers["Vary"] == first.headers["Vary"] == "X-Iceberg-Access-Delegation"
        passes(monkeypatch, seconds)
        later = api.load(headers={**ASK, **given(first)}, expect=200)
        assert int(credential(later)["config"]["s3.session-token-expires-at-ms"]) > time.time() * 1000
        assert later.headers["ETag"] != first.headers["ETag"]
        api.load(headers=given(api.load()), expect=304)


def test_an_etag_is_that_of_the_requested_access(s3):
    ways = ({}, ASK, {"X-Iceberg-Access-Delegation": "remote-signing"})
    loaded = [s3.load(headers=way, expect=200) for way in ways]
    assert len({answer.headers["ETag"] for answer in loaded}) == 3
    for i, way in enumerate(ways):
        for j, answer in enumerate(loaded):
            s3.load(headers={**way, **given(answer)}, expect=304 if i == j else 200)
    every = ", ".join(answer.headers["ETag"] for answer in loaded)
    s3.load(headers={**ASK, "If-None-Match": every}, expect=304)
    s3.load("a/tables/t?snapshots=refs", headers={**ASK, "If-None-Match": every}, expect=200)


def test_a_commit_has_the_etag_of_a_load_without_credentials(s3):
    committed = s3.commit([{"action": "set-properties", "updates": {"k": "v"}}], headers=ASK, expect=200)
    s3.load(headers=given(committed), expect=304)
    assert credential(s3.load(headers={**ASK, **given(committed)}, expect=200))


def test_a_repeated_creation_has_the_etag_of_its_new_credentials(open_s3, monkeypatch):
    key = {"Idempotency-Key": "01900000-0000-7000-8000-000000000002", **ASK}
    with open_s3(credential_lifetime=3) as api:
        body = {"name": "u", "schema": SCHEMA}
        first = api.call("POST", "namespaces/a/tables", body, headers=key, expect=200)
        api.load("a/tables/u", headers={**ASK, **given(first)}, expect=304)
        passes(monkeypatch, 4)
        again = api.call("POST", "namespaces/a/tables", body, headers=key, expect=200)
        api.load("a/tables/u", headers={**ASK, **given(first)}, expect=200)
        api.load("a/tables/u", headers={**ASK, **given(again)}, expect=304)
