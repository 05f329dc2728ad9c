"""The files of versions, on disk and in memory: put in place once, and deleted without the rows of the table."""

from __future__ import annotations

import os
import secrets

import lance
import pytest

from conformance.author.strategies import tables
from reference_server.errors import InvalidInput
from reference_server.lance.catalog.dataset_files import DiskFiles, version_name
from reference_server.lance.catalog.version_names import V1, V2, beside, manifest_name, scheme_of, version_of
from reference_server.lance.data import table_data
from reference_server.lance.data.table_data import TableData
from reference_server.lance.errors import ConcurrentModification

STAGED = "_versions/staged"
TOLD = {"e_tag": "x", "metadata": {"a": "b"}, "naming_scheme": V2}


@pytest.fixture(params=["disk", "memory"])
def address(request, tmp_path):
    root = str(tmp_path) if request.param == "disk" else f"shared-memory://{secrets.token_hex(6)}"
    return f"{root}/t"


@pytest.fixture
def versions(address):
    for mode in ("create", "append", "append"):
        lance.write_dataset(tables(2), address, mode=mode)
    return TableData(address.rpartition("/")[0]).versions("t")


def numbers(versions):
    return [version.version for version in versions]


def stage(versions):
    versions._files.write(STAGED, b"manifest")


def test_the_newest_manifest_outlives_its_record(versions, address):
    versions.delete([1, 2, 3])
    assert numbers(versions.page()) == []
    assert numbers(versions.manifests()) == [3]
    assert lance.dataset(address).count_rows() == 6
    lance.write_dataset(tables(1), address, mode="append")
    assert numbers(versions.page()) == [4]


def test_deleting_twice_is_deleting_once(versions, address):
    for _ in range(2):
        versions.delete([1, 3])
    assert numbers(versions.page()) == [2]
    assert lance.dataset(address).version == 3


def test_what_is_told_of_a_version_goes_with_it(versions):
    stage(versions)
    versions.put(4, STAGED, V2, TOLD)
    stage(versions)
    versions.put(5, STAGED, V2, {})
    assert versions.records(versions.page()) == {4: {"e_tag": "x", "metadata": {"a": "b"}}}
    versions.delete([4])
    assert not versions.exists(beside(manifest_name(4, V2), ".record.json"))


def test_putting_in_place_can_be_repeated(versions):
    stage(versions)
    versions.put(4, STAGED, V2, TOLD)
    versions.put(4, STAGED, V2, TOLD)
    assert not versions.exists(STAGED)
    assert numbers(versions.page()) == [1, 2, 3, 4]


def test_a_place_that_is_taken_stays_as_it_is(versions):
    stage(versions)
    with pytest.raises(ConcurrentModification):
        versions.put(3, STAGED, V2, TOLD)
    assert versions.exists(STAGED)
    assert versions.records(versions.page()) == {}


def test_a_page_has_the_next_versions_that_are_listed(versions):
    versions.delete([2, 3])
    stage(versions)
    versions.put(4, STAGED, V2, TOLD)
    assert numbers(versions.page()) == [1, 4]
    assert numbers(versions.page(1, 5)) == [4]
    assert numbers(versions.page(count=1, descending=True)) == [4]
    assert numbers(versions.page(4, 5, descending=True)) == [1]
    assert [getattr(versions.find(number), "version", None) for number in (1, 2, 3, 4, 5)] == [1, None, 3, 4, None]


def test_a_page_of_many_versions_looks_at_its_own(tmp_path, monkeypatch):
    """Names are read once; of a folder that has changed since, only the new ones; files are looked at by the page."""
    folder = tmp_path / "t" / "_versions"
    folder.mkdir(parents=True)
    for version in range(1, 501):
        (tmp_path / "t" / manifest_name(version, V2)).touch()
    os.utime(folder, (0, 0))  # long ago, so that its time stamp can be trusted
    read, described = [], []
    monkeypatch.setattr(table_data, "version_name", lambda name: read.append(name) or version_name(name))
    describe = DiskFiles._described
    monkeypatch.setattr(DiskFiles, "_described", lambda self, entry: described.append(entry) or describe(self, entry))
    data = TableData(str(tmp_path))
    for _ in range(3):
        page = data.versions("t").page(200, 10)
        assert numbers(data.versions("t").described(page)) == list(range(201, 211))
    assert (len(read), len(described)) == (500, 30)
    (tmp_path / "t" / manifest_name(501, V2)).touch()
    (tmp_path / "t" / manifest_name(1, V2)).unlink()
    assert numbers(data.versions("t").page(None, 1)) == [2]
    assert numbers(data.versions("t").page(None, 1, descending=True)) == [501]
    assert len(read) == 502


def test_nothing_staged_makes_no_version(versions):
    with pytest.raises(InvalidInput):
        versions.put(4, STAGED, V2, TOLD)


@pytest.mark.parametrize("scheme", [V1, V2])
@pytest.mark.parametrize("version", [0, 1, 2**63 - 1])
def test_names(scheme, version):
    name = manifest_name(version, scheme)
    assert (version_of(name), scheme_of(name)) == (version, scheme)
