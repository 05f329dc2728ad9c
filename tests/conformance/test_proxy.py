"""The proxy in front of a server passes on what it gets."""

from __future__ import annotations

import orjson
import pytest
import urllib3

from lakeproof import serve
from tests.conformance.proxy import Proxy

BODY = orjson.dumps({"namespace": ["sales"], "properties": {"owner": "x" * 5000}})


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunks"])
def test_a_body_comes_through(chunked):
    with serve("iceberg") as server, Proxy(server.url) as proxy:
        pool = urllib3.PoolManager()
        sent = {"body": [BODY[:100], BODY[100:]], "chunked": True} if chunked else {"body": BODY}
        for _ in range(2):  # nothing of the first request is left on the connection
            answer = pool.request(
                "POST", f"{proxy.url}/v1/namespaces", **sent, headers={"Content-Type": "application/json"}
            )
            assert answer.status in (200, 409), answer.data
            created = pool.request("GET", f"{proxy.url}/v1/namespaces/sales")
            assert created.json()["properties"]["owner"] == "x" * 5000
