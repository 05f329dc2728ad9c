"""Recovery from the files of a killed server, which are made by hand."""

from __future__ import annotations

import asyncio

import lance
import pytest

from conformance.author.strategies import tables
from conformance.lance.client import STREAM_TYPE
from conformance.lance.support.arrow import stream
from conformance.lance.support.staging import stage_in
from lakeproof import serve
from reference_server.lance.catalog.keys import PENDING
from reference_server.lance.catalog.layout import open_layout
from reference_server.lance.catalog.recovery import recover
from reference_server.lance.data.table_data import TableData


@pytest.fixture
def root(tmp_path):
    return tmp_path / "lance"


@pytest.fixture
def restart(tmp_path, http):
    """Run a server on the directory, send it one request and stop it; return status and JSON."""

    def run(path, body=None, *, data=None):
        with serve("lance", storage=f"dir:{tmp_path}") as server:
            headers = {"Content-Type": STREAM_TYPE} if data else {}
            sent = {"body": data, "headers": headers} if data else {"json": body or {}}
            answer = http("POST", f"{server.url}/v1/{path}", **sent)
            return answer.status, answer.json() if answer.data else None

    return run


def doubt(root, name):
    folder = root / ".lakeproof" / "in-doubt"
    folder.mkdir(exist_ok=True)
    (folder / name).touch()
    return folder / name


def test_a_hidden_table_whose_row_is_there_is_shown(restart, root):
    restart("table/t/create", data=stream(tables(3)))
    note = doubt(root, "t")
    marker = root / "t.lance" / ".lance-deregistered"
    marker.write_bytes(b"reserved")
    assert restart("table/t/count_rows") == (200, 3)
    assert not marker.exists()
    assert not note.exists()


def test_a_hidden_table_whose_row_is_gone_stays_hidden(restart, root):
    restart("table/t/create", data=stream(tables(3)))
    restart("table/t/deregister")
    note = doubt(root, "t")
    assert restart("table/t/exists")[0] == 404
    assert not note.exists()


def test_a_declared_table_gets_its_directory(restart, root):
    restart("table/t/declare")
    (root / "t.lance" / ".lance-reserved").unlink()
    (root / "t.lance").rmdir()
    doubt(root, "t")
    assert restart("table/t/describe?check_declared=true")[1]["is_only_declared"]
    assert (root / "t.lance" / ".lance-reserved").exists()


def test_what_was_half_deleted_is_deleted(restart, root):
    restart("table/t/create", data=stream(tables(3)))
    removed = root / ".lakeproof" / "removed" / "x"
    removed.parent.mkdir()
    (root / "t.lance").rename(removed)
    restart("table/u/declare")
    assert not removed.exists()


def test_versions_of_a_batch_are_put_in_place(restart, root):
    for name in ("a", "b"):
        restart(f"table/{name}/create", data=stream(tables(3)))
    staged = {name: stage_in(root / f"{name}.lance", 2) for name in ("a", "b")}
    asyncio.run(commit_without_files(root, staged))
    assert lance.dataset(str(root / "a.lance")).count_rows() == 3
    restart("namespace/n/create")
    for name in ("a", "b"):
        assert lance.dataset(str(root / f"{name}.lance")).count_rows() == 5
        assert not list((root / f"{name}.lance" / "_versions").glob("*.manifest-*"))


def test_a_table_that_goes_in_a_batch_takes_the_versions_of_the_batch_along(restart, root):
    restart("table/a/create", data=stream(tables(3)))
    version = {"id": ["a"], **stage_in(root / "a.lance", 2)}
    batch = [{"create_table_version": version}, {"deregister_table": {"id": ["a"]}}]
    assert restart("table/batch-commit", {"operations": batch})[0] == 200
    catalog = open_layout(root)
    assert catalog.tables_with_pending_versions() == []
    catalog.close()
    restart("table/a/register", {"location": "a.lance"})
    assert restart("table/a/count_rows") == (200, 3)


async def commit_without_files(root, staged):
    """Commit a batch and stop where a server may be killed: before the files are in their place."""
    catalog = open_layout(root)

    async def build(change):
        for name, body in staged.items():
            path = body["manifest_path"].partition(f"{name}.lance/")[2]
            change.add_version((name,), body["version"], {"staged": path, "naming_scheme": "V2"})

    await catalog.change(build)
    assert [name for name in staged if not catalog.versions(PENDING, (name,))] == []
    catalog.close()


def test_a_version_that_somebody_else_made_is_given_up(restart, root, caplog):
    restart("table/a/create", data=stream(tables(3)))
    staged = stage_in(root / "a.lance", 2)
    asyncio.run(commit_without_files(root, {"a": staged}))
    lance.write_dataset(tables(1, first=500), str(root / "a.lance"), mode="append")
    catalog = open_layout(root)
    asyncio.run(recover(catalog, TableData(str(root))))
    catalog.close()
    assert "cannot be put in place" in caplog.text
    assert restart("table/a/count_rows") == (200, 4)
