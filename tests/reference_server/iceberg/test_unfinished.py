"""Files of a server that is killed between the first file of a table or view and the commit that adds it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from lakeproof import serve
from reference_server.errors import ServiceUnavailable
from reference_server.storage.transactions import Transaction
from tests.reference_server.iceberg.committing import CREATE, creation
from tests.reference_server.iceberg.conftest import SCHEMA, Api

VERSION = {"version-id": 1, "timestamp-ms": 1, "schema-id": 0, "summary": {}, "default-namespace": ["a"]}
VERSION["representations"] = [{"type": "sql", "sql": "select 1", "dialect": "spark"}]
VIEW = {"name": "v", "schema": SCHEMA, "properties": {}, "view-version": VERSION}
COMMIT = {"requirements": [CREATE], "updates": creation()}
CREATIONS = {
    "table": ("namespaces/a/tables", {"name": "t", "schema": SCHEMA}),
    "view": ("namespaces/a/views", VIEW),
    "commit": ("namespaces/a/tables/t", COMMIT),
    "transaction": (
        "transactions/commit",
        {"table-changes": [{**COMMIT, "identifier": {"namespace": ["a"], "name": name}} for name in "tu"]},
    ),
}


@pytest.fixture
def lake(tmp_path):
    return tmp_path / "lake"


@pytest.fixture
def start(lake, http):
    """Start a server on the directory, which has the namespace `a`."""
    on_directory = partial(serve, "iceberg", storage=f"dir:{lake}")
    with on_directory() as server:
        Api(http, server.url).namespace("a")
    return on_directory


def left(lake):
    """The folders of tables and views, and what is in them."""
    return sorted(lake.glob("iceberg/default/*/**/*"))


def leave(start, http, monkeypatch, path, body):
    """Have a server end before a commit is written: nothing that it did before is undone."""

    async def end(_transaction):
        raise ServiceUnavailable("The server ends here.")

    with start() as server, monkeypatch.context() as patched:
        patched.setattr(Transaction, "commit", end)
        Api(http, server.url).call("POST", path, body, expect=503)


@pytest.mark.parametrize("kind", CREATIONS)
@pytest.mark.parametrize("written", [True, False])
def test_unfinished_creations_are_taken_back(lake, start, http, monkeypatch, kind, written):
    path, body = CREATIONS[kind]
    leave(start, http, monkeypatch, path, body)
    files = [file for file in left(lake) if file.is_file()]
    assert len(files) == (2 if kind == "transaction" else 1)
    if not written:
        for file in files:
            file.unlink()
    with start() as server:
        assert left(lake) == []
        api = Api(http, server.url)
        api.call("POST", path, body)
        before = left(lake)
        assert len([file for file in before if file.is_file()]) == len(files)
    with start():
        assert left(lake) == before


def test_what_clients_have_written_stays(lake, start, http, monkeypatch):
    with start() as server:
        staged = Api(http, server.url).table(**{"stage-create": True}).body["metadata"]["location"]
    data = Path(urlsplit(staged).path) / "data/f.parquet"
    data.parent.mkdir(parents=True)
    data.write_bytes(b"rows")
    leave(start, http, monkeypatch, "namespaces/a/tables/t", {**COMMIT, "updates": creation(staged)})
    assert len([file for file in left(lake) if file.is_file()]) == 2
    with start():
        assert [file for file in left(lake) if file.is_file()] == [data]


def test_dropped_tables_keep_their_files(lake, start, http):
    with start() as server:
        api = Api(http, server.url)
        for name in "tu":
            api.table(f"a/tables/{name}")
        api.call("DELETE", "namespaces/a/tables/t", expect=204)
        before = left(lake)
    with start():
        assert left(lake) == before


def test_a_creation_in_another_server_is_not_disturbed(lake, start, http, monkeypatch):
    """A server that starts meanwhile takes the file back; the creation notices it and starts again."""
    commit, others = Transaction.commit, iter([start])

    async def slow(transaction):
        for other in others:
            with other():
                assert left(lake) == []
        await commit(transaction)

    with start() as server:
        api = Api(http, server.url)
        with monkeypatch.context() as patched:
            patched.setattr(Transaction, "commit", slow)
            created = api.table().body
        assert api.load(expect=200).body["metadata"] == created["metadata"]
        assert len([file for file in left(lake) if file.is_file()]) == 1
