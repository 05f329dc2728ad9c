"""One directory, three writers: our server, lancedb in place, and pylance's DirectoryNamespace."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import lance
import lance_namespace as official
import lancedb
import pyarrow as pa
import pytest
from lancedb.index import BTree

from conformance.lance.support.arrow import stream
from reference_server.lance.catalog.layout import upkeep

ROWS = pa.table({"id": [1, 2, 3], "text": ["one", "two", "three"]})
EACH = 20


@pytest.fixture
def ours(lance_directory):
    """Our server's catalog, through the official client."""
    return official.connect("rest", {"uri": lance_directory.url})


@pytest.fixture
def root(lance_directory, tmp_path):
    return tmp_path / "lake" / "lance"


@pytest.fixture
def database(root):
    return lancedb.connect(str(root))


@pytest.fixture
def directory(root):
    return official.connect("dir", {"root": str(root)})


def request(name):
    """Return a request of the official client about the table `t`."""
    return getattr(official, name)(id=["t"])


def count(namespace):
    return namespace.count_table_rows(request("CountTableRowsRequest")).count


def test_lancedb_opens_what_we_made(ours, database):
    ours.create_table(official.CreateTableRequest(id=["t"]), stream(ROWS))
    table = database.open_table("t")
    table.add(pa.table({"id": [4], "text": ["four"]}))
    table.delete("id = 1")
    assert count(ours) == 3
    ours.insert_into_table(official.InsertIntoTableRequest(id=["t"]), stream(ROWS))
    table.checkout_latest()
    assert table.count_rows() == 6


def test_we_open_what_lancedb_made(ours, database):
    table = database.create_table("t", ROWS)
    table.create_index("id", config=BTree())
    table.tags.create("first", 1)
    assert count(ours) == 3
    indices = ours.list_table_indices(request("ListTableIndicesRequest")).indexes
    assert [index.columns for index in indices] == [["id"]]
    tag = ours.get_table_tag_version(official.GetTableTagVersionRequest(id=["t"], tag="first"))
    assert tag.version == 1
    ours.update_table_tag(official.UpdateTableTagRequest(id=["t"], tag="first", version=2))
    assert table.tags.get_version("first") == 2


def test_lancedb_and_we_list_the_same_tables(ours, database):
    database.create_table("theirs", ROWS)
    ours.create_table(official.CreateTableRequest(id=["ours"]), stream(ROWS))
    assert database.list_tables().tables == ["ours", "theirs"]
    assert ours.list_tables(official.ListTablesRequest(id=[])).tables == ["ours", "theirs"]
    database.drop_table("ours")
    ours.drop_table(official.DropTableRequest(id=["theirs"]))
    assert database.list_tables().tables == []


def test_our_versions_are_theirs(ours, directory):
    ours.create_table(official.CreateTableRequest(id=["t"]), stream(ROWS))
    directory.insert_into_table(official.InsertIntoTableRequest(id=["t"]), stream(ROWS))
    for namespace in (ours, directory):
        versions = namespace.list_table_versions(request("ListTableVersionsRequest")).versions
        assert [version.version for version in versions] == [1, 2]
    ours.restore_table(official.RestoreTableRequest(id=["t"], version=1))
    assert (count(ours), count(directory)) == (3, 3)


def test_nobodys_rows_are_lost_when_all_write_at_once(ours, database, directory, root):
    ours.create_table(official.CreateTableRequest(id=["t"]), stream(pa.table({"id": pa.array([], pa.int64())})))
    writers = {
        0: lambda rows: ours.insert_into_table(official.InsertIntoTableRequest(id=["t"]), stream(rows)),
        1: lambda rows: database.open_table("t").add(rows),
        2: lambda rows: directory.insert_into_table(official.InsertIntoTableRequest(id=["t"]), stream(rows)),
    }
    failures = []

    def write(number, insert):
        try:
            for serial in range(EACH):
                insert(pa.table({"id": [number * EACH + serial]}))
        except Exception as error:  # it is raised again below
            failures.append(error)

    threads = [threading.Thread(target=write, args=pair) for pair in writers.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
    ids = lance.dataset(str(root / "t.lance")).to_table()["id"].to_pylist()
    assert sorted(ids) == list(range(len(writers) * EACH))
    assert count(ours) == len(ids)


def test_a_catalog_that_is_tidied_up_stays_that_of_all(ours, database, directory, root, monkeypatch):
    """Every client opens the tables of the others while the manifest table is compacted, and afterwards."""
    monkeypatch.setattr(upkeep, "MOST_FRAGMENTS", 2)
    monkeypatch.setattr(upkeep, "KEPT_FOR", timedelta(seconds=1))
    versions = root / "__manifest" / "_versions"
    ours.create_namespace(official.CreateNamespaceRequest(id=["ns"]))
    database.create_table("theirs", ROWS)
    made = []
    for number in range(6):
        for name, namespace in (("ours", ours), ("directory", directory)):
            namespace.create_table(official.CreateTableRequest(id=["ns", f"{name}{number}"]), stream(ROWS))
            made.append(f"{name}{number}")
        check_all_open(ours, directory, made)
    ours.create_namespace(official.CreateNamespaceRequest(id=["last"]))
    while len(list(versions.glob("*.manifest"))) > 1:  # Lance cannot list versions while one goes
        time.sleep(0.05)
    check_all_open(ours, directory, made)
    in_place = lancedb.connect_namespace("dir", {"root": str(root)})
    assert in_place.open_table("ours0", namespace_path=["ns"]).count_rows() == 3
    assert database.open_table("theirs").count_rows() == 3


def check_all_open(ours, directory, made):
    for namespace in (ours, directory):
        assert sorted(namespace.list_tables(official.ListTablesRequest(id=["ns"])).tables) == sorted(made)
        for name in made:
            location = namespace.describe_table(official.DescribeTableRequest(id=["ns", name])).location
            assert lance.dataset(location).count_rows() == 3
