"""Requests that Lance works on for long keep nobody from the catalog."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

from lakeproof import serve
from reference_server.lance.api import DATA_WORKERS
from reference_server.lance.data.table_data import TableData
from tests.reference_server.lance.arrow_streams import ARROW, stream

REQUESTS = 8
PATIENCE = 20.0


@pytest.fixture
def held(monkeypatch):
    """Let reading rows wait until the event `end`; `begun` counts who waits."""
    begun, end = threading.Semaphore(0), threading.Event()

    def hold(*_):
        begun.release()
        end.wait(PATIENCE)
        return b""

    monkeypatch.setattr(TableData, "on_dataset", hold)
    yield begun, end
    end.set()


def test_the_catalog_answers_while_eight_requests_are_worked_on(http, held):
    begun, end = held
    answered = []

    def ask(method, path, **sent):
        answer = http(method, server.url + path, timeout=PATIENCE, **sent)
        answered.append(path)
        return answer.status

    with serve("lance") as server, ThreadPoolExecutor(REQUESTS) as clients:
        assert ask("POST", "/v1/namespace/a/create", json={}) == 200
        rows = stream(pa.table({"id": [1]}))
        assert ask("POST", "/v1/table/a$t/create", body=rows, headers=ARROW) == 200
        assert ask("POST", "/v1/table/a$d/declare", json={}) == 200
        answered.clear()
        query = {"k": 1, "vector": {}}
        queries = [clients.submit(ask, "POST", "/v1/table/a$t/query", json=query) for _ in range(REQUESTS)]
        for _ in range(DATA_WORKERS):
            assert begun.acquire(timeout=PATIENCE)
        listings = ["/v1/namespace/$/list", "/v1/namespace/a/table/list"]
        assert [ask("GET", path) for path in listings] == [200, 200]
        assert answered == listings
        end.set()
        assert [query.result(PATIENCE) for query in queries] == [200] * REQUESTS
