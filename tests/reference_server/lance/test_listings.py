"""ListTables and ListAllTables among many tables: what a page costs, and that pages together are complete."""

from __future__ import annotations

import threading
from collections import Counter
from itertools import chain

import lance
import pyarrow as pa
import pytest

from lakeproof import serve
from reference_server.lance.catalog.layout.root_tables import RootTables
from reference_server.lance.data.table_data import TableData
from reference_server.lance.handlers import listings
from tests.conftest import BACKENDS, post_json, storage_option

LOOKS, MANY = 20, 90
WITH_DATA = ("t05", "t44", "t45", "t89")
LISTINGS = {"of a namespace": "/v1/namespace/ns/table/list", "of all": "/v1/table"}


@pytest.fixture(autouse=True)
def few_looks(monkeypatch):
    monkeypatch.setattr(listings, "LOOKS", LOOKS)
    monkeypatch.setattr(listings, "AT_ONCE", 5)


@pytest.fixture
def looks(monkeypatch):
    """Count the checks for the data of each location."""
    counted = Counter()
    exists = TableData.exists

    def count(self, location):
        counted[location] += 1
        return exists(self, location)

    monkeypatch.setattr(TableData, "exists", count)
    return counted


@pytest.fixture(params=BACKENDS)
def server(request, tmp_path, http):
    """A server with many declared tables; some have got data since, behind its back."""
    with serve("lance", storage=storage_option(request.param, tmp_path / "lake")) as server:
        post_json(http, server, "/v1/namespace/ns/create")
        declared = [{"declare_table": {"id": ["ns", f"t{number:02}"]}} for number in range(MANY)]
        assert post_json(http, server, "/v1/table/batch-commit", {"operations": declared})[0] == 200
        for name in WITH_DATA:
            location = post_json(http, server, f"/v1/table/ns%24{name}/describe")[1]["location"]
            lance.write_dataset(pa.table({"id": [1]}), location)
        yield server


def pages(http, server, path, limit):
    token = ""
    while token is not None:
        page = http("GET", f"{server.url}{path}?include_declared=false&limit={limit}&page_token={token}").json()
        yield page["tables"]
        token = page["page_token"]


def whole(http, server):
    return [*chain.from_iterable(pages(http, server, LISTINGS["of a namespace"], 1000))]


@pytest.mark.parametrize("path", LISTINGS.values(), ids=LISTINGS)
@pytest.mark.parametrize("limit", [1, 3, 50, 1000])
def test_pages_have_every_table_with_data_once(http, server, path, limit):
    listing = list(pages(http, server, path, limit))
    assert [name.removeprefix("ns$") for page in listing for name in page] == list(WITH_DATA)
    assert [page for page in listing if len(page) > limit] == []


@pytest.mark.parametrize("path", LISTINGS.values(), ids=LISTINGS)
def test_a_page_looks_at_few_tables(http, server, path, looks):
    for _ in pages(http, server, path, 10):
        assert looks.total() <= LOOKS + 10
        looks.clear()


def test_what_was_found_once_is_not_looked_for_again(http, server, looks):
    assert whole(http, server) == list(WITH_DATA)
    looks.clear()
    assert whole(http, server) == list(WITH_DATA)
    assert looks.total() == MANY - len(WITH_DATA)


def test_a_page_with_declared_tables_looks_at_none(http, server, looks):
    page = http("GET", f"{server.url}{LISTINGS['of a namespace']}?limit=1000&include_declared=true").json()
    assert (len(page["tables"]), looks.total()) == (MANY, 0)


@pytest.mark.parametrize("listing", ["/v1/table", "/v1/namespace/$/table/list"])
@pytest.mark.parametrize("query", ["?include_declared=false", "?include_declared=true"])
def test_directories_of_the_root_are_looked_at_beside_other_requests(
    lance_directory, http, monkeypatch, listing, query
):
    threads, names = set(), RootTables.names

    def noted(self):
        threads.add(threading.current_thread().name)
        return names(self)

    monkeypatch.setattr(RootTables, "names", noted)
    assert http("GET", lance_directory.url + listing + query).json()["tables"] == []
    assert threads
    assert "lakeproof-server" not in threads
