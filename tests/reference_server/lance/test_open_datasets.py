"""Open datasets are used again as long as they are what lies on disk, and no longer."""

from __future__ import annotations

import shutil
import time

import lance
import pyarrow as pa
import pytest

from reference_server.lance.data import open_datasets
from reference_server.lance.data.open_datasets import OpenDatasets


def rows(*numbers):
    return pa.table({"id": list(numbers)})


def age(address):
    """Let the manifests of a table look as if they were there for long: what is young is not kept."""
    time.sleep(open_datasets.TICK * 2 / 1e9)
    return address


@pytest.fixture
def address(tmp_path):
    """The address of a table with two rows."""
    address = str(tmp_path / "t")
    lance.write_dataset(rows(1, 2), address)
    return age(address)


def test_a_dataset_stays_open(address):
    datasets = OpenDatasets(in_memory=False)
    assert datasets.newest(address) is datasets.newest(address)


def test_what_another_process_writes_is_seen(address):
    datasets = OpenDatasets(in_memory=False)
    assert datasets.newest(address).count_rows() == 2
    lance.write_dataset(rows(3), address, mode="append")
    assert datasets.newest(address).count_rows() == 3


def test_another_table_of_the_same_version_in_the_same_place_is_read_anew(address):
    datasets = OpenDatasets(in_memory=False)
    first = datasets.newest(address)
    shutil.rmtree(address)
    lance.write_dataset(rows(7, 8), address)
    age(address)
    second = datasets.newest(address)
    assert first.version == second.version
    assert second.to_table(columns=["id"], filter="id > 0") == rows(7, 8)


def test_a_table_that_is_gone_cannot_be_opened(address):
    datasets = OpenDatasets(in_memory=False)
    datasets.newest(address)
    shutil.rmtree(address)
    with pytest.raises(ValueError, match="not found"):
        datasets.newest(address)


def test_a_removed_table_in_memory_is_forgotten():
    address = "shared-memory://open-datasets/t"
    datasets = OpenDatasets(in_memory=True)
    lance.write_dataset(rows(1), address)
    first = datasets.newest(address)
    assert datasets.newest(address) is first
    datasets.forget(address)
    assert datasets.newest(address) is not first


def test_a_table_removed_while_it_is_opened_is_not_kept(address, monkeypatch):
    datasets = OpenDatasets(in_memory=True)
    opening = lance.dataset

    def removed_meanwhile(*args, **options):
        dataset = opening(*args, **options)
        datasets.forget(address)
        return dataset

    monkeypatch.setattr(lance, "dataset", removed_meanwhile)
    assert datasets.newest(address) is not datasets.newest(address)


def test_few_stay_open(tmp_path, monkeypatch):
    monkeypatch.setattr(open_datasets, "MOST", 2)
    datasets = OpenDatasets(in_memory=False)
    addresses = [str(tmp_path / name) for name in "abc"]
    for place in addresses:
        lance.write_dataset(rows(1), place)
    age(tmp_path)
    first, *others = [datasets.newest(place) for place in addresses]
    assert datasets.newest(addresses[1]) is others[0]
    assert datasets.newest(addresses[2]) is others[1]
    assert datasets.newest(addresses[0]) is not first
