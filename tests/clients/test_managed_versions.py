"""Clients that keep versions of tables through the catalog, as a server with managed versions tells them."""

from __future__ import annotations

import threading

import lance
import lance_namespace
import pyarrow as pa
import pytest

from lakeproof import serve

ROWS = pa.table({"id": [1, 2, 3]})
WRITERS = 8
PATHS = [["t"], ["n", "t"]]


@pytest.fixture(params=["memory", "dir"])
def namespace(request, tmp_path):
    storage = request.param if request.param == "memory" else f"dir:{tmp_path}/lake"
    with serve("lance", storage=storage, managed_versions=True) as server:
        namespace = lance_namespace.connect("rest", {"uri": server.url})
        namespace.create_namespace(lance_namespace.CreateNamespaceRequest(id=["n"]))
        yield namespace


def write(namespace, path, rows=ROWS, mode="append"):
    return lance.write_dataset(rows, namespace_client=namespace, table_id=path, mode=mode)


@pytest.mark.parametrize("path", PATHS)
def test_clients_commit_through_the_catalog(namespace, path):
    write(namespace, path, mode="create")
    dataset = write(namespace, path)
    dataset.delete("id = 1")
    assert (dataset.version, dataset.count_rows()) == (3, 4)
    dataset.checkout_version(1).restore()
    opened = lance.dataset(namespace_client=namespace, table_id=path)
    assert (opened.version, opened.count_rows()) == (4, 3)
    listed = namespace.list_table_versions(lance_namespace.ListTableVersionsRequest(id=path))
    assert [version.version for version in listed.versions] == [1, 2, 3, 4]


@pytest.mark.parametrize("path", PATHS)
def test_no_append_is_lost_in_a_race(namespace, path):
    write(namespace, path, mode="create")
    failed = []

    def append(number):
        try:
            write(namespace, path, pa.table({"id": [100 + number]}))
        except OSError as error:
            failed.append(error)

    writers = [threading.Thread(target=append, args=(number,)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    written = lance.dataset(namespace_client=namespace, table_id=path)
    assert written.count_rows() == ROWS.num_rows + WRITERS - len(failed)
    assert len(failed) < WRITERS
