"""lakeproof, in the process of the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests

import lakeproof
from benchmarks.mocks.client import Client, Refused

COMMAND = "lakeproof serve --api iceberg --port {port} --seed seed.yaml --fault 'loadTable: 503 x2'"
FILES = {"seed.yaml": "tables: {a.t: {schema: {id: long}}}"}
LANGUAGE = """curl --json '"loadTable: 503 x2"' {url}/_lakeproof/rules"""
READY = "/v1/config"
SEED = {"tables": {name: {"schema": {"id": "long"}} for name in ("a.t", "a.u")}}


@contextmanager
def start() -> Iterator[Any]:
    """The mock."""
    with lakeproof.serve("iceberg", auth="oauth:root:s3cret") as server:
        yield server


@contextmanager
def fresh(mock: Any) -> Iterator[Any]:
    """The mock of a row: a tenant."""
    with mock.tenant() as tenant:
        yield tenant


def prepare(mock: Any, client: Client) -> None:
    """Let the client have a token before the row."""
    client.endpoints()
    mock.forget_requests()


def seed(mock: Any, client: Client) -> None:
    mock.seed(SEED)
    client.load()


def retry(mock: Any, client: Client) -> None:
    mock.fail("loadTable", status=503, times=2)
    client.load()
    mock.assert_requested("loadTable", times=3)


def delay(mock: Any, client: Client) -> None:
    mock.delay("loadTable", 0.1)
    with pytest.raises(TimeoutError):
        client.load(timeout=0.05)


def applied(mock: Any, client: Client) -> None:
    mock.fail("updateTable", status=504, applied=True)
    with pytest.raises(Refused, match="504"):
        client.commit(k="v")
    assert client.properties()["k"] == "v"


def lost(mock: Any, client: Client) -> None:
    mock.fail("updateTable", status=504)
    with pytest.raises(Refused, match="504"):
        client.commit(k="v")
    assert "k" not in client.properties()


def conflict(mock: Any, client: Client) -> None:
    mock.fail("updateTable", status=409, times=1)
    client.commit(k="v")
    mock.assert_requested("updateTable", times=2)


def sent(mock: Any, client: Client) -> None:
    client.commit(k="v")
    mock.assert_requested("updateTable", body={"requirements": [{"type": "assert-table-uuid"}]})


def reset(mock: Any) -> None:
    with mock.tenant() as other, pytest.raises(Refused, match="404"):
        Client(other.url).load()


def isolated(mock: Any) -> None:
    with mock.tenant(seed=SEED) as one, mock.tenant() as two:
        Client(one.url).load()
        with pytest.raises(Refused, match="404"):
            Client(two.url).load()


def unauthorized(mock: Any, client: Client) -> None:
    mock.expire_tokens()
    client.load()
    mock.assert_requested("getToken", times=1)


def expired(mock: Any, client: Client) -> None:
    mock.expire_tokens(419)
    client.load()
    mock.assert_requested("getToken", times=1)


def pages(mock: Any, client: Client) -> None:
    mock.rule("listTables !query.pageToken: given pageToken= given pageSize=1")
    assert client.names() == ["t", "u"]


def partial(mock: Any, client: Client) -> None:
    mock.rule("views: absent")
    with pytest.raises(Refused, match="406"):
        client.views()
    assert not any("/views" in endpoint for endpoint in client.endpoints())


def read_only(mock: Any, client: Client) -> None:
    mock.rule("writes: absent 403")
    with pytest.raises(Refused, match="403"):
        client.commit(k="v")


def cut(mock: Any, client: Client) -> None:
    mock.cut("loadTable")
    with pytest.raises(ConnectionError):
        client.load()


def status(mock: Any, client: Client) -> None:
    mock.rule("tableExists: 200")
    assert client.exists() == 200


def stale(mock: Any, client: Client) -> None:
    mock.rule("loadTable: stale x1")
    client.commit(k="v")
    assert "k" not in client.properties()
    assert client.properties()["k"] == "v"


def tls(folder: Path) -> None:
    with lakeproof.serve("iceberg", tls="self-signed", tls_ca=f"{folder}/ca.pem") as server:
        assert requests.get(f"{server.url}/v1/config", verify=f"{folder}/ca.pem", timeout=9).ok
