"""Files of a server that is killed before the commit of a new table: the next start deletes them."""

from __future__ import annotations

from functools import partial

import pytest

from reference_server.errors import ServiceUnavailable
from reference_server.polaris.catalog.object_store import OBJECTS
from reference_server.storage.transactions import Transaction
from tests.reference_server.polaris.served_catalogs import MANAGEMENT, served


async def end(_transaction):
    raise ServiceUnavailable("The server ends here.")


@pytest.fixture
def start(http, tmp_path):
    """Start a server on the directory, with local catalogs beside it."""
    return partial(served, http, tmp_path / "files", storage=f"dir:{tmp_path / 'lake'}")


def files(folder):
    return sorted(path for path in folder.rglob("*") if "sqlite" not in path.name)


@pytest.mark.parametrize("storage", ["FILE", "S3"])
def test_unfinished_tables_are_taken_back(tmp_path, start, monkeypatch, storage):
    with start() as root:
        base = root.catalog("c", storage)
        root.namespace("c", "a")
        root.table("c")
        before = files(tmp_path)
        with monkeypatch.context() as patched:
            patched.setattr(Transaction, "commit", end)
            root.table("c", name="u", expect=503)
        metadata = [path for path in files(tmp_path) if path not in before and path.is_file()]
        assert [path.parents[1].name for path in metadata] == ["u"]
        assert (OBJECTS in metadata[0].parts) == (storage == "S3")
    with start() as root:
        assert files(tmp_path) == before
        assert root.table("c", name="u").body["metadata"]["location"] == f"{base}/a/u"
        before = files(tmp_path)
    with start():
        assert files(tmp_path) == before


def test_notes_go_with_their_catalog(tmp_path, start, monkeypatch):
    with start() as root:
        root.catalog("c")
        root.namespace("c", "a")
        with monkeypatch.context() as patched:
            patched.setattr(Transaction, "commit", end)
            root.table("c", expect=503)
        left = files(tmp_path / "files")
        root.call("DELETE", "/api/catalog/v1/c/namespaces/a", expect=204)
        root.call("DELETE", f"{MANAGEMENT}/catalogs/c", expect=204)
        root.catalog("c")
    with start():
        assert files(tmp_path / "files") == left
