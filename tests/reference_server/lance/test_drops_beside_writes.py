"""Tables that are dropped while others write them: Lance would create the files of a table anew."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep

import httpx
import pyarrow as pa
import pytest

from reference_server.lance.data.table_data import TableData
from reference_server.serve import serve
from tests.reference_server.lance.arrow_streams import ARROW, stream

ROWS = stream(pa.table({"id": [1]}))


@pytest.mark.parametrize("end", [("/drop", {}), ("/rename", {"new_table_name": "other"}), ("/deregister", {})])
def test_a_table_ends_after_its_writes_and_later_ones_are_refused(tmp_path, monkeypatch, end):
    started, goes_on = Event(), Event()
    write = TableData.write

    def slow(self, *args, **options):
        started.set()
        goes_on.wait(5)
        return write(self, *args, **options)

    with (
        serve("lance/0.11", storage=f"dir:{tmp_path}") as server,
        httpx.Client(base_url=f"{server.url}/v1/table/t") as client,
        ThreadPoolExecutor(3) as threads,
    ):
        client.post("/create", content=ROWS, headers=ARROW).raise_for_status()
        monkeypatch.setattr(TableData, "write", slow)
        first = threads.submit(client.post, "/insert", content=ROWS, headers=ARROW)
        started.wait(5)
        ended = threads.submit(client.post, end[0], json=end[1])
        sleep(0.05)
        second = threads.submit(client.post, "/insert", content=ROWS, headers=ARROW)
        sleep(0.05)
        goes_on.set()
        assert [answer.result().status_code for answer in (first, ended, second)] == [200, 200, 404]
        assert client.post("/exists", json={}).status_code == 404
        if end[0] == "/rename":
            assert client.post(f"{server.url}/v1/table/other/count_rows", json={}).json() == 2
