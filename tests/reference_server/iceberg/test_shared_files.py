"""One table under several names: what is registered while another name has it, and whose purge deletes the files."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import pytest

from lakeproof import serve
from reference_server.iceberg.files.metadata_files import MetadataFiles
from tests.reference_server.iceberg.committing import register, set_property
from tests.reference_server.iceberg.conftest import Api, at_once
from tests.reference_server.iceberg.staged_tables import Staged
from tests.reference_server.iceberg.written_manifests import File

PURGE = "?purgeRequested=true"


def folder_of(answer):
    return Path(urlsplit(answer.body["metadata"]["location"]).path)


def files_in(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def drop(api, name, query="", namespace="a"):
    api.call("DELETE", f"namespaces/{namespace}/tables/{name}{query}", expect=204)


@pytest.fixture
def named_twice(api):
    """A table that is called t and u, and its folder."""
    created = api.table()
    register(api, created.body["metadata-location"], "u", expect=200)
    return folder_of(created)


@pytest.mark.parametrize(("first", "last"), [("t", "u"), ("u", "t")])
def test_the_last_purge_deletes_the_files(api, named_twice, first, last):
    before = files_in(named_twice)
    drop(api, first, PURGE)
    assert files_in(named_twice) == before
    api.load(f"a/tables/{last}", expect=200)
    api.commit([set_property()], path=f"a/tables/{last}", expect=200)
    drop(api, last, PURGE)
    assert not named_twice.exists()


@pytest.mark.parametrize("way", ["DELETE namespaces/a/tables/t", "POST namespaces/a/tables/t/unregister"])
def test_a_name_that_is_gone_keeps_no_files(api, named_twice, way):
    api.call(*way.split())
    drop(api, "u", PURGE)
    assert not named_twice.exists()


def test_data_and_manifests_stay_for_the_other_name(api):
    staged = Staged(api)
    table = staged.folder.parent
    data = table / "data/f.parquet"
    data.parent.mkdir(parents=True)
    data.write_bytes(b"rows")
    staged.commit(File(data.as_uri()))
    register(api, api.load().body["metadata-location"], "u", expect=200)
    before = files_in(table)
    drop(api, "u", PURGE)
    assert files_in(table) == before
    assert staged.files() == [data.as_uri()]
    drop(api, "t", PURGE)
    assert not table.exists()


def test_names_go_their_own_ways(api, named_twice):
    """Each name commits by itself, and what the other one wrote stays."""
    for name, value in (("t", "1"), ("u", "2")):
        api.commit([set_property("of", value)], path=f"a/tables/{name}", expect=200)
    drop(api, "t", PURGE)
    assert api.load("a/tables/u", expect=200).body["metadata"]["properties"]["of"] == "2"


def test_a_new_name_and_namespace_share_too(api, named_twice):
    api.namespace("b")
    source, target = {"namespace": ["a"], "name": "u"}, {"namespace": ["b"], "name": "moved"}
    api.call("POST", "tables/rename", {"source": source, "destination": target}, expect=204)
    before = files_in(named_twice)
    drop(api, "t", PURGE)
    assert files_in(named_twice) == before
    api.load("b/tables/moved", expect=200)
    drop(api, "moved", PURGE, "b")
    assert not named_twice.exists()


def test_a_name_in_another_warehouse_shares_too(open_api, http):
    with open_api(warehouses=("default", "lab")) as api:
        lab = Api(http, api.url, "lab/")
        for each in (api, lab):
            each.namespace("a")
        created = api.table()
        register(lab, created.body["metadata-location"], expect=200)
        drop(api, "t", PURGE)
        lab.load(expect=200)
        drop(lab, "t", PURGE)
        assert not folder_of(created).exists()


def test_a_table_that_has_moved_away_shares_no_more(api, named_twice, tmp_path):
    api.commit([{"action": "set-location", "location": f"file://{tmp_path}/else"}], path="a/tables/u", expect=200)
    api.commit([set_property()], expect=200)
    drop(api, "t", PURGE)
    assert not named_twice.exists()
    api.load("a/tables/u", expect=200)


def test_metadata_files_that_a_commit_lets_go_stay_for_the_other_name(api):
    settings = {"write.metadata.delete-after-commit.enabled": "true", "write.metadata.previous-versions-max": "1"}
    created = api.table(properties=settings)
    register(api, created.body["metadata-location"], "u", expect=200)
    for number in range(3):
        api.commit([set_property("n", str(number))], expect=200)
    api.load("a/tables/u", expect=200)
    assert len(files_in(folder_of(created))) == 4
    drop(api, "u")
    api.commit([set_property("n", "last")], expect=200)
    assert len(files_in(folder_of(created))) == 4


def test_overwriting_with_the_metadata_of_another_name(api):
    first, second = api.table("a/tables/first"), api.table()
    assert register(api, first.body["metadata-location"], overwrite=True, expect=200).body == first.body
    drop(api, "first", PURGE)
    assert api.load(expect=200).body == first.body
    assert folder_of(second).exists(), "an overwritten table is not purged"
    drop(api, "t", PURGE)
    assert not folder_of(first).exists()


def test_names_that_are_purged_at_once_leave_no_files(api):
    for _ in range(10):
        created = api.table("a/tables/n0")
        for name in ("n1", "n2", "n3"):
            register(api, created.body["metadata-location"], name, expect=200)
        names = iter(range(4))
        at_once(4, lambda names=names: drop(api, f"n{next(names)}", PURGE))
        assert not folder_of(created).exists()


def test_nothing_is_registered_of_files_that_are_being_deleted(api, monkeypatch):
    deleting, go_on, delete = Event(), Event(), MetadataFiles.delete

    def late(files, locations):
        deleting.set()
        go_on.wait(5)
        delete(files, locations)

    location = api.table().body["metadata-location"]
    monkeypatch.setattr(MetadataFiles, "delete", late)
    with ThreadPoolExecutor(2) as pool:
        purged = pool.submit(drop, api, "t", PURGE)
        deleting.wait(5)
        registered = pool.submit(register, api, location, "u")
        wait([registered], 0.2)  # as long as it takes where nothing holds it
        go_on.set()
        purged.result()
        assert registered.result().type == "NotFoundException"


def test_what_is_registered_during_a_purge_is_there_or_is_refused(api):
    for _ in range(20):
        created = api.table()
        with ThreadPoolExecutor(2) as pool:
            purged = pool.submit(drop, api, "t", PURGE)
            registered = pool.submit(register, api, created.body["metadata-location"], "u").result()
            purged.result()
        assert registered.status in (200, 404), registered.body
        if registered.status == 200:
            api.load("a/tables/u", expect=200)
            drop(api, "u", PURGE)
        assert not folder_of(created).exists()


def test_names_share_after_a_restart(http, tmp_path):
    storage = f"dir:{tmp_path}/lake"
    with serve("iceberg", storage=storage) as server:
        api = Api(http, server.url)
        api.namespace("a")
        created = api.table()
        register(api, created.body["metadata-location"], "u", expect=200)
    with serve("iceberg", storage=storage) as server:
        api = Api(http, server.url)
        drop(api, "t", PURGE)
        api.load("a/tables/u", expect=200)
        drop(api, "u", PURGE)
        assert not folder_of(created).exists()
