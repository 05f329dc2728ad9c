"""responses, which answers for the library requests in the process of the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import requests
import responses

from benchmarks.mocks.answers import CONFIG, CONFLICT, TABLE, TOKEN, UNSUPPORTED, page, table
from benchmarks.mocks.client import Client, Refused
from benchmarks.mocks.libraries import ALL, LOAD, OF_LIBRARIES, TOKENS, URL

UNSEEDED = ("retry", "delay", "applied", "unauthorized", "expired", "cut", "stale")
CANNOT = OF_LIBRARIES


@contextmanager
def start() -> Iterator[Any]:
    """The mock."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock


@contextmanager
def fresh(mock: Any) -> Iterator[Any]:
    """The mock of a row."""
    mock.reset()
    mock.url = URL
    yield mock


def seed(mock: Any, client: Client) -> None:
    mock.get(LOAD, json=TABLE)
    client.load()


def retry(mock: Any, client: Client) -> None:
    for answer in ({"status": 503}, {"status": 503}, {"json": TABLE}):
        mock.get(LOAD, **answer)
    client.load()
    mock.assert_call_count(LOAD, 3)


def delay(mock: Any, client: Client) -> None:
    mock.get(LOAD, body=requests.Timeout())
    with pytest.raises(TimeoutError):
        client.load(timeout=0.05)


def applied(mock: Any, client: Client) -> None:
    mock.get(LOAD, json=TABLE)
    mock.get(LOAD, json=table(k="v"))
    mock.post(LOAD, status=504)
    with pytest.raises(Refused, match="504"):
        client.commit(k="v")
    assert client.properties()["k"] == "v"


def lost(mock: Any, client: Client) -> None:
    mock.post(LOAD, status=504)
    with pytest.raises(Refused, match="504"):
        client.commit(k="v")
    assert "k" not in client.properties()


def conflict(mock: Any, client: Client) -> None:
    mock.post(LOAD, status=409, json=CONFLICT)
    mock.post(LOAD, json=table(k="v"))
    client.commit(k="v")
    assert sum(call.request.method == "POST" for call in mock.calls) == 2


def sent(mock: Any, client: Client) -> None:
    mock.post(LOAD, json=table(k="v"))
    client.commit(k="v")
    assert b'"type": "assert-table-uuid"' in mock.calls[-1].request.body


def reset(mock: Any) -> None:
    mock.reset()
    with pytest.raises(ConnectionError):
        Client(mock.url).load()


def unauthorized(mock: Any, client: Client) -> None:
    mock.get(LOAD, status=401)
    mock.get(LOAD, json=TABLE)
    mock.post(TOKENS, json=TOKEN)
    client.load()
    mock.assert_call_count(TOKENS, 1)


def expired(mock: Any, client: Client) -> None:
    mock.get(LOAD, status=419)
    mock.get(LOAD, json=TABLE)
    mock.post(TOKENS, json=TOKEN)
    client.load()
    mock.assert_call_count(TOKENS, 1)


def pages(mock: Any, client: Client) -> None:
    mock.get(ALL, json=page("t", "next"))
    mock.get(ALL, json=page("u"))
    assert client.names() == ["t", "u"]


def partial(mock: Any, client: Client) -> None:
    mock.get(f"{URL}/v1/namespaces/a/views", status=406, json=UNSUPPORTED)
    mock.get(f"{URL}/v1/config", json=CONFIG)
    with pytest.raises(Refused, match="406"):
        client.views()
    assert not any("/views" in endpoint for endpoint in client.endpoints())


def read_only(mock: Any, client: Client) -> None:
    mock.post(LOAD, status=403)
    with pytest.raises(Refused, match="403"):
        client.commit(k="v")


def cut(mock: Any, client: Client) -> None:
    mock.get(LOAD, body=requests.ConnectionError())
    with pytest.raises(ConnectionError):
        client.load()


def status(mock: Any, client: Client) -> None:
    mock.head(LOAD, status=200)
    assert client.exists() == 200


def stale(mock: Any, client: Client) -> None:
    for answer in (TABLE, TABLE, table(k="v")):
        mock.get(LOAD, json=answer)
    mock.post(LOAD, json=table(k="v"))
    client.commit(k="v")
    assert "k" not in client.properties()
    assert client.properties()["k"] == "v"
