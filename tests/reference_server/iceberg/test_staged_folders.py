"""The folders that staged creations make for their clients, and what becomes of them without a commit."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from lakeproof import serve
from reference_server.iceberg import context
from reference_server.iceberg.catalog import unfinished
from reference_server.iceberg.catalog.keys import STAGED
from reference_server.storage import pack
from tests.reference_server.iceberg.committing import CREATE, creation
from tests.reference_server.iceberg.conftest import Api

STAGE = {"stage-create": True}


@pytest.fixture
def start(tmp_path):
    return partial(serve, "iceberg", storage=f"dir:{tmp_path / 'lake'}")


@pytest.fixture
def later(monkeypatch):
    """Let a day pass for the server."""

    def pass_a_day():
        real = context.now
        monkeypatch.setattr(unfinished, "now", lambda: real() + unfinished.LIFETIME_MS + 1)

    return pass_a_day


def stage(api, name="t", **fields):
    """The folder of a staged table."""
    location = api.table(f"a/tables/{name}", **STAGE, **fields).body["metadata"]["location"]
    return Path(urlsplit(location).path)


def connect(http, server):
    api = Api(http, server.url)
    if api.call("HEAD", "namespaces/a").status == 404:
        api.namespace("a")
    return api


def test_clients_find_a_folder_for_metadata(api):
    folder = stage(api)
    assert list(folder.iterdir()) == [folder / "metadata"]
    assert list((folder / "metadata").iterdir()) == []
    api.load(expect=404)


def test_the_next_staged_creation_deletes_what_is_a_day_old(api, later):
    old = stage(api)
    assert stage(api).exists() and old.exists()
    later()
    new = stage(api)
    assert new.exists() and not old.exists()


def test_a_start_deletes_what_is_a_day_old(start, http, later):
    with start() as server:
        folder = stage(connect(http, server))
    with start():
        assert (folder / "metadata").is_dir()
    later()
    with start() as server:
        assert not folder.exists()
        assert connect(http, server).call("GET", "namespaces/a/tables").body["identifiers"] == []


def test_what_clients_have_filled_stays(start, http, later):
    with start() as server:
        api = connect(http, server)
        folder, other = stage(api), stage(api, "u")
        api.commit(creation(folder.as_uri()), [CREATE], expect=200)
        (other / "metadata/m0.avro").write_bytes(b"manifest")
    later()
    with start() as server:
        assert connect(http, server).load(expect=200).body["metadata"]["location"] == folder.as_uri()
        assert [file.name for file in other.rglob("*")] == ["metadata", "m0.avro"]


def test_a_folder_that_exists_is_not_the_servers(start, http, later, tmp_path):
    mine = tmp_path / "lake/iceberg/default/mine"
    (mine / "metadata").mkdir(parents=True)
    with start() as server:
        assert stage(connect(http, server), location=mine.as_uri()) == mine
    later()
    with start():
        assert (mine / "metadata").is_dir()


def test_nothing_is_left_in_the_storage(start, http, later, tmp_path):
    def notes():
        with closing(sqlite3.connect(tmp_path / "lake/iceberg/.lakeproof/state.sqlite")) as database:
            return [key for (key,) in database.execute("SELECT key FROM entries") if key.startswith(pack(STAGED))]

    with start() as server:
        stage(connect(http, server))
    assert len(notes()) == 1
    later()
    with start():
        pass
    assert notes() == []


def test_a_location_that_cannot_be_written_is_refused(start, http, tmp_path):
    (tmp_path / "lake/iceberg/default").mkdir(parents=True)
    (tmp_path / "lake/iceberg/default/file").touch()
    with start() as server:
        api = connect(http, server)
        body = {"name": "t", "schema": {"type": "struct", "fields": []}, **STAGE}
        body["location"] = (tmp_path / "lake/iceberg/default/file/t").as_uri()
        refused = api.call("POST", "namespaces/a/tables", body, expect=400)
        assert "cannot be written" in refused.body["error"]["message"]
