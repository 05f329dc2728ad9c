"""Listings and their pages over HTTP."""

from __future__ import annotations

import pytest

from reference_server.iceberg import context
from reference_server.iceberg.catalog.catalog import WarehouseCatalog
from reference_server.storage.directory import DirectoryStorage
from reference_server.storage.memory import MemoryStorage


@pytest.fixture
def full(api):
    """A server whose largest page is 10, with 25 namespaces and tables."""
    for number in range(25):
        api.namespace("a", f"n{number:02}")
        api.table(f"a/tables/t{number:02}")
    return api


PATHS = {"namespaces?parent=a": "namespaces", "namespaces/a/tables?x=1": "identifiers"}


@pytest.fixture
def parts(monkeypatch):
    """The requests for parts of listings, of 10 names each."""
    requests, list_names = [], WarehouseCatalog.list_names

    def noted(self, kind, path, request):
        requests.append(request)
        return list_names(self, kind, path, request)

    monkeypatch.setattr(context, "AT_ONCE", 10)
    monkeypatch.setattr(WarehouseCatalog, "list_names", noted)
    return requests


@pytest.mark.parametrize(("path", "key"), PATHS.items())
def test_others_have_turns_while_everything_is_listed(full, parts, path, key):
    assert len(full.call("GET", path, expect=200).body[key]) == 25
    assert [(request.size, request.token is None) for request in parts] == [(10, True), (10, False), (10, False)]


def test_a_listing_that_others_change_is_made_at_once(full, parts, monkeypatch):
    states = iter(range(1000))
    for storage in (MemoryStorage, DirectoryStorage):
        monkeypatch.setattr(storage, "version", lambda _: next(states) // 3)
    body = full.call("GET", "namespaces/a/tables", expect=200).body
    assert len(body["identifiers"]) == 25
    assert not parts[-1].paged


@pytest.mark.parametrize(("path", "key"), PATHS.items())
@pytest.mark.parametrize(("size", "pages"), [("", 3), ("&pageSize=7", 4), ("&pageSize=25", 3)])
def test_pages_hold_everything_once(full, path, key, size, pages):
    everything = full.call("GET", path).body[key]
    names, token, count = [], "", 0
    while token is not None:
        body = full.call("GET", f"{path}{size}&pageToken={token}", expect=200).body
        names += body[key]
        token, count = body["next-page-token"], count + 1
    assert names == everything
    assert count == pages


def test_a_token_belongs_to_its_listing(full):
    token = full.call("GET", "namespaces/a/tables?pageToken=").body["next-page-token"]
    full.call("GET", f"namespaces?parent=a&pageToken={token}", expect=400)
