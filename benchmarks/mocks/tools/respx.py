"""respx, which answers for the library httpx in the process of the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
import respx

from benchmarks.mocks.answers import CONFIG, CONFLICT, TABLE, TOKEN, UNSUPPORTED, page, table
from benchmarks.mocks.client import Client, Refused
from benchmarks.mocks.libraries import ALL, LOAD, OF_LIBRARIES, TOKENS, URL

UNSEEDED = ("retry",)
CANNOT = OF_LIBRARIES


@contextmanager
def start() -> Iterator[Any]:
    """The mock."""
    with respx.mock(assert_all_called=False) as mock:
        yield mock


@contextmanager
def fresh(mock: Any) -> Iterator[Any]:
    """The mock of a row."""
    mock.clear()
    mock.url = URL
    yield mock


def client(mock: Any) -> Client:
    """The client over httpx."""
    return Client(mock.url, httpx.Client())


def seed(mock: Any, client: Client) -> None:
    mock.get(LOAD).respond(json=TABLE)
    client.load()


def retry(mock: Any, client: Client) -> None:
    route = mock.get(LOAD).mock(side_effect=[httpx.Response(503), httpx.Response(503), httpx.Response(200, json=TABLE)])
    client.load()
    assert route.call_count == 3


def delay(mock: Any, client: Client) -> None:
    mock.get(LOAD).mock(side_effect=httpx.ReadTimeout)
    with pytest.raises(TimeoutError):
        client.load(timeout=0.05)


def applied(mock: Any, client: Client) -> None:
    mock.get(LOAD).mock(side_effect=[httpx.Response(200, json=answer) for answer in (TABLE, table(k="v"))])
    mock.post(LOAD).respond(504)
    with pytest.raises(Refused, match="504"):
        client.commit(k="v")
    assert client.properties()["k"] == "v"


def lost(mock: Any, client: Client) -> None:
    mock.post(LOAD).respond(504)
    with pytest.raises(Refused, match="504"):
        client.commit(k="v")
    assert "k" not in client.properties()


def conflict(mock: Any, client: Client) -> None:
    route = mock.post(LOAD).mock(side_effect=[httpx.Response(409, json=CONFLICT), httpx.Response(200, json=TABLE)])
    client.commit(k="v")
    assert route.call_count == 2


def sent(mock: Any, client: Client) -> None:
    route = mock.post(LOAD).respond(json=table(k="v"))
    client.commit(k="v")
    assert b'"type":"assert-table-uuid"' in route.calls.last.request.content


def reset(mock: Any) -> None:
    mock.clear()
    with pytest.raises(respx.models.AllMockedAssertionError):
        client(mock).load()


def unauthorized(mock: Any, client: Client) -> None:
    mock.get(LOAD).mock(side_effect=[httpx.Response(401), httpx.Response(200, json=TABLE)])
    route = mock.post(TOKENS).respond(json=TOKEN)
    client.load()
    assert route.call_count == 1


def expired(mock: Any, client: Client) -> None:
    mock.get(LOAD).mock(side_effect=[httpx.Response(419), httpx.Response(200, json=TABLE)])
    route = mock.post(TOKENS).respond(json=TOKEN)
    client.load()
    assert route.call_count == 1


def pages(mock: Any, client: Client) -> None:
    mock.get(ALL).mock(side_effect=[httpx.Response(200, json=one) for one in (page("t", "next"), page("u"))])
    assert client.names() == ["t", "u"]


def partial(mock: Any, client: Client) -> None:
    mock.get(f"{URL}/v1/namespaces/a/views").respond(406, json=UNSUPPORTED)
    mock.get(f"{URL}/v1/config").respond(json=CONFIG)
    with pytest.raises(Refused, match="406"):
        client.views()
    assert not any("/views" in endpoint for endpoint in client.endpoints())


def read_only(mock: Any, client: Client) -> None:
    mock.post(LOAD).respond(403)
    with pytest.raises(Refused, match="403"):
        client.commit(k="v")


def cut(mock: Any, client: Client) -> None:
    mock.get(LOAD).mock(side_effect=httpx.RemoteProtocolError)
    with pytest.raises(ConnectionError):
        client.load()


def status(mock: Any, client: Client) -> None:
    mock.head(LOAD).respond(200)
    assert client.exists() == 200


def stale(mock: Any, client: Client) -> None:
    mock.get(LOAD).mock(side_effect=[httpx.Response(200, json=one) for one in (TABLE, TABLE, table(k="v"))])
    mock.post(LOAD).respond(json=table(k="v"))
    client.commit(k="v")
    assert "k" not in client.properties()
    assert client.properties()["k"] == "v"
