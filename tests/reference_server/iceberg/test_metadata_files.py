"""Metadata files and the places where they may lie, without HTTP."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow.fs
import pytest

from reference_server.errors import InvalidInput, ServiceUnavailable
from reference_server.iceberg.catalog.warehouses import AllowedLocations, Warehouse, local_path, parse_warehouses
from reference_server.iceberg.errors import FileNotFound
from reference_server.iceberg.files import metadata_files
from reference_server.iceberg.files.file_io import FileIO
from reference_server.iceberg.files.metadata_files import MetadataFile, MetadataFiles


def plain(document, _location):
    return document


@pytest.fixture(params=[False, True], ids=["fast", "durable"])
def files(request, tmp_path):
    return MetadataFiles(FileIO(AllowedLocations([Warehouse("w", f"file://{tmp_path}")]), durable=request.param))


@pytest.mark.parametrize("name", ["00000-x.metadata.json", "00000-x.gz.metadata.json", "00000-x.metadata.json.gz"])
def test_what_was_written_is_read(files, tmp_path, name):
    location = f"file://{tmp_path}/t/metadata/{name}"
    written = files.write(location, {"a": 1})
    assert files.recall(location, "a") is written
    again = MetadataFiles(FileIO(AllowedLocations([Warehouse("w", f"file://{tmp_path}")]), durable=False))
    assert again.recall(location, "a") is None
    assert again.read(location, "a", plain).metadata == {"a": 1}
    assert (tmp_path / "t" / "metadata" / name).read_bytes().startswith(b"\x1f\x8b") == ("gz" in name)


def test_a_file_is_never_written_over(files, tmp_path):
    files.write(f"{tmp_path}/x.json", {"a": 1})
    with pytest.raises(InvalidInput):
        files.write(f"{tmp_path}/x.json", {"a": 2})
    assert files.read(f"{tmp_path}/x.json", "a", plain).metadata == {"a": 1}


def test_deleting_leaves_no_empty_directory_and_nobody_elses_file(files, tmp_path):
    places = [f"{tmp_path}/w/t/metadata/{name}.json" for name in "ab"]
    for place in places:
        files.write(place, {})
    files.delete(places[:1])
    assert (tmp_path / "w" / "t" / "metadata").exists()
    files.delete([*places, f"{tmp_path}/none.json", "/etc/none.json", "s3://elsewhere/x"])
    assert not (tmp_path / "w" / "t").exists()
    assert (tmp_path / "w").exists()
    with pytest.raises(FileNotFound):
        files.read(places[0], "a", plain)


def test_what_is_kept_is_bounded(files, tmp_path, monkeypatch):
    monkeypatch.setattr(metadata_files, "CACHE_BYTES", 1000)
    locations = [f"{tmp_path}/{number}.json" for number in range(20)]
    for location in locations:
        files.write(location, {"text": "x" * 90})
    assert files.recall(locations[0], "text") is None
    assert files.recall(locations[-1], "text") is not None
    assert files.read(locations[0], "text", plain).metadata == {"text": "x" * 90}
    for number in range(20):
        files.write(f"{tmp_path}/{number}-more.json", {"text": "x" * 90})
        assert files.recall(locations[0], "text") is not None, "it is in use"
    files.write(f"{tmp_path}/large.json", {"text": "x" * 5000})
    assert files.recall(f"{tmp_path}/large.json", "text") is not None


@pytest.mark.parametrize(
    ("name", "number"),
    [("00007-x.metadata.json", 8), ("v3.metadata.json", 4), ("v12.gz.metadata.json", 13), ("x.json", 0), ("9" * 12, 0)],
)
def test_the_number_of_the_next_file(name, number):
    assert MetadataFile(f"file:///w/metadata/{name}", {}, b"").next_version == number


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("/a/b c%20d", "/a/b c%20d"),
        ("file:/a/b", "/a/b"),
        ("file:///a/b", "/a/b"),
        ("FILE://localhost/a", "/a"),
        ("s3://bucket/a", None),
    ],
)
def test_locations_are_taken_as_they_are(location, path):
    assert local_path(location) == (Path(path) if path else None)


@pytest.mark.parametrize("location", ["", "a/b", "file:a", "file://host/a", "/a\x00b"])
def test_what_is_no_location(location):
    with pytest.raises(InvalidInput):
        local_path(location)


def test_places(tmp_path, monkeypatch):
    temporary, home = tmp_path / "tmp", tmp_path / "home"
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(temporary))
    allowed_locations = AllowedLocations([Warehouse("w", f"file://{home}/w"), Warehouse("s", "s3://bucket/x")])
    for allowed in (f"file://{home}/w/t", f"{temporary}/x", "s3://bucket/y", "s3a://bucket/x/t"):
        allowed_locations.check(allowed)
    (home / "w").mkdir(parents=True)
    (home / "w" / "link").symlink_to("/etc")
    refused = [
        f"{home}/w/../x",
        f"{home}/wide",
        f"{home}/w/link/x",
        "gs://bucket/x",
        "s3://other/x",
        f"{home}/w/.lakeproof/state.sqlite",
    ]
    for location in refused:
        with pytest.raises(InvalidInput):
            allowed_locations.check(location)


@pytest.mark.parametrize("name", ["t", "a/b", "..", "ä ö", "x" * 300, "."])
def test_a_new_location_is_ones_own_and_inside(name):
    (warehouse,) = parse_warehouses(["w"], "/data")
    location = warehouse.new_location(("..", "a/b", name))
    assert warehouse.is_own(location)
    assert Path(location.removeprefix("file://")).resolve().is_relative_to("/data/w")
    assert len(location.removeprefix("file:///data/w/").split("/")) == 2
    assert warehouse.new_location(("a", name)) != warehouse.new_location(("a", name))


@pytest.mark.parametrize(
    "location", ["file:///data/w", "file:///data/w/a", "file:///data/w/a/t", "file:///data/v/a/t-" + "0" * 32]
)
def test_other_locations_are_not_ones_own(location):
    (warehouse,) = parse_warehouses(["w"], "/data")
    assert not warehouse.is_own(location)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Metadata files in a storage that is not local: a folder behind pyarrow's interface."""
    root = tmp_path / "bucket"
    (root / "t").mkdir(parents=True)

    local = pyarrow.fs.SubTreeFileSystem(str(root), pyarrow.fs.LocalFileSystem())

    def remote(_stores, location):
        return local, location.removeprefix("s3://bucket/")

    monkeypatch.setattr(FileIO, "_remote", remote)
    return MetadataFiles(FileIO(AllowedLocations([Warehouse("w", "s3://bucket")]), durable=True)), root


def test_other_storages(elsewhere):
    files, root = elsewhere
    files.write("s3://bucket/t/1.gz.metadata.json", {"a": 1})
    again = MetadataFiles(FileIO(AllowedLocations([Warehouse("w", "s3://bucket")]), durable=True))
    assert again.read("s3://bucket/t/1.gz.metadata.json", "a", plain).metadata == {"a": 1}
    assert again.exists("s3://bucket/t/1.gz.metadata.json")
    again.delete(["s3://bucket/t/1.gz.metadata.json", "s3://bucket/t/none.json"])
    assert list((root / "t").iterdir()) == []
    with pytest.raises(FileNotFound):
        again.read("s3://bucket/t/1.gz.metadata.json", "a", plain)
    with pytest.raises(ServiceUnavailable):
        again.write("s3://bucket/t/no/folder.json", {})
    (root / "t" / "deep").mkdir()
    again.delete_tree("s3://bucket/t/deep")
    assert not (root / "t" / "deep").exists()


def test_a_table_is_not_taken_for_a_view(files, tmp_path):
    location = f"{tmp_path}/t.json"
    files.write(location, {"table-uuid": "x"})
    assert files.recall(location, "table-uuid") is not None
    assert files.recall(location, "view-uuid") is None
