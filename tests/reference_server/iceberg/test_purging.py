"""Purging deletes every file that the metadata reach in the table's folder and in the warehouses."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.reference_server.iceberg.committing import register
from tests.reference_server.iceberg.staged_tables import SCHEMA, Staged
from tests.reference_server.iceberg.written_manifests import DELETED, EQUALITY, POSITION, File, Written


def local(uri):
    return Path(urlsplit(uri).path)


def make(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"rows")
    return path.as_uri()


def purge(api, name="t"):
    api.call("DELETE", f"namespaces/a/tables/{name}?purgeRequested=true", expect=204)


@pytest.fixture
def lab(open_api, tmp_path):
    """A server with a second warehouse, `lab`, and a client of its default one."""
    lab = tmp_path / "lab"
    with open_api(warehouses=("default", f"lab={lab.as_uri()}")) as api:
        api.namespace("a")
        api.lab = lab
        yield api


def test_files_below_the_table_go(lab, tmp_path):
    """Data, deletes, what was deleted before, manifests and lists, as far as they lie below the table's location."""
    staged = Staged(lab, location=(lab.lab / "chosen").as_uri())
    inside, outside = make(lab.lab / "chosen/data/f1.parquet"), make(lab.lab / "far/f2.parquet")
    old, deletes, equality = (make(lab.lab / f"chosen/{name}.parquet") for name in ("old", "deletes", "equality"))
    staged.commit(File(inside), File(outside), File(old, status=DELETED, sequence=1, snapshot=1))
    dropped = [File(deletes, POSITION), File(equality, EQUALITY, more={"equality_ids": [1]})]
    staged.commit(manifests=[Written(dropped, 2, snapshot=2)])
    stranger, other = lab.lab / "far/stranger.parquet", lab.lab / "chosen/data/stranger.parquet"
    make(stranger)
    make(other)
    purge(lab)
    assert {path for path in lab.lab.rglob("*") if path.is_file()} == {other, stranger, local(outside)}


@pytest.mark.parametrize("spelling", ["file://{}", "file:{}", "{}", "file://localhost{}/"])
def test_a_table_around_others_takes_none_along(lab, spelling):
    """A table that lies where others did that can be registered again, and names their files, loses its own alone."""
    folder = local(lab.table("a/tables/victim").body["metadata"]["location"])
    data = make(folder / "data/f.parquet")
    before = sorted(path for path in folder.rglob("*") if path.is_file())
    lab.call("DELETE", "namespaces/a/tables/victim", expect=204)
    Staged(lab, location=spelling.format(folder.parent)).commit(File(data))
    purge(lab)
    assert sorted(path for path in folder.rglob("*") if path.is_file()) == before


def test_a_table_at_the_place_of_another_leaves_its_metadata(lab):
    victim = lab.table("a/tables/victim").body
    lab.call("DELETE", "namespaces/a/tables/victim", expect=204)
    lab.table("a/tables/thief", location=victim["metadata"]["location"])
    purge(lab, "thief")
    assert register(lab, victim["metadata-location"], "victim", expect=200).body == victim


def test_statistics_beyond_the_table_stay(lab, tmp_path):
    elsewhere = make(tmp_path / "statistics.puffin")
    staged = Staged(lab)
    staged.commit(File(make(staged.folder.parent / "data/f.parquet")))
    file = {"snapshot-id": 1, "statistics-path": elsewhere, "file-size-in-bytes": 4, "file-footer-size-in-bytes": 1}
    update = {"action": "set-statistics", "statistics": {**file, "blob-metadata": []}}
    lab.call("POST", "namespaces/a/tables/t", {"requirements": [], "updates": [update]}, expect=200)
    purge(lab)
    assert local(elsewhere).exists()


def test_data_beyond_the_warehouses_stay(lab, tmp_path):
    elsewhere = make(tmp_path / "elsewhere/f.parquet")
    Staged(lab).commit(File(elsewhere))
    purge(lab)
    assert local(elsewhere).exists()


def test_data_of_a_table_beyond_the_warehouses_go(lab, tmp_path):
    staged = Staged(lab, location=(tmp_path / "own").as_uri())
    staged.commit(File(make(tmp_path / "own/data/f.parquet")))
    purge(lab)
    assert not (tmp_path / "own/data").exists()
    assert not list((tmp_path / "own").rglob("*.avro"))


def test_shared_data_stay(lab):
    """With gc.enabled=false data files stay; manifests and metadata go, as they do in Iceberg's Java library."""
    staged = Staged(lab, properties={"format-version": "3", "gc.enabled": "False"}, schema=SCHEMA)
    data = make(staged.folder.parent / "data/f.parquet")
    staged.commit(File(data))
    purge(lab)
    assert local(data).exists()
    assert list(staged.folder.glob("*")) == []


def test_unreadable_manifests_do_not_hold_up_the_rest(lab):
    staged = Staged(lab, location=(lab.lab / "chosen").as_uri())
    first, second = (make(lab.lab / f"chosen/data/f{number}.parquet") for number in (1, 2))
    staged.commit(File(first)).commit(File(second))
    broken = staged.lists[1][1][0].entry["manifest_path"]
    local(broken).write_bytes(b"nothing of the kind")
    purge(lab)
    assert local(first).exists()
    assert not local(second).exists()
    assert not local(broken).exists()
    lab.load(expect=404)
