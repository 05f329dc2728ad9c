"""Restores of one table by several clients at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import orjson
import pytest
import urllib3

from conformance.author.strategies import tables
from conformance.lance.support.arrow import stream
from lakeproof import serve

CLIENTS, RESTORES = 8, 40


@pytest.mark.parametrize("storage", ["memory", "dir"])
def test_each_restore_tells_its_own_transaction(storage, tmp_path):
    where = storage if storage == "memory" else f"dir:{tmp_path}"
    with serve("lance/0.11", storage=where) as server, urllib3.PoolManager(maxsize=CLIENTS) as pool:

        def post(path, body, kind="application/json"):
            return pool.request("POST", f"{server.url}/v1/table/t/{path}", body=body, headers={"Content-Type": kind})

        assert post("create", stream(tables(3)), "application/vnd.apache.arrow.stream").status == 200
        with ThreadPoolExecutor(CLIENTS) as clients:
            answers = list(clients.map(lambda _: post("restore", b'{"version": 1}'), range(RESTORES)))
    assert {answer.status for answer in answers} == {200}
    assert len({orjson.loads(answer.data)["transaction_id"] for answer in answers}) == RESTORES
