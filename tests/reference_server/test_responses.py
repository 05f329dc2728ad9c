"""Messages on the wire: written in one piece or by the HTTP library, a client sees the same."""

from __future__ import annotations

import asyncio
import http.client
import socket
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import pytest
from aiohttp import HttpVersion10, HttpVersion11, web
from aiohttp.test_utils import make_mocked_request

from lakeproof import serve
from reference_server import responses
from reference_server.context import Reply
from reference_server.responses import WholeResponse, to_response

LIST = "/v1/namespace/%24/list"
EMPTY = b'{"namespaces":[],"page_token":null}'


@pytest.fixture(params=["in one piece", "by the library"])
def server(request, monkeypatch):
    """A server whose small answers are written either way."""
    if request.param == "by the library":
        monkeypatch.setattr(responses, "SMALL", -1)
    with serve("lance", storage="memory:pure") as server:
        yield server


@pytest.fixture
def connection(server):
    """A connection to it."""
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        yield connection


def read_answer(stream):
    """Return the status line, the headers and the body of the next answer."""
    status = stream.readline().decode().strip()
    headers = http.client.parse_headers(stream)
    return status, headers, stream.read(int(headers["Content-Length"]))


def test_requests_in_a_row(connection):
    connection.sendall(f"GET {LIST} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 3)
    stream = connection.makefile("rb")
    ids = set()
    for _ in range(3):
        status, headers, body = read_answer(stream)
        assert (status, body, headers["Content-Type"]) == ("HTTP/1.1 200 OK", EMPTY, "application/json")
        assert parsedate_to_datetime(headers["Date"])
        assert "aiohttp" in headers["Server"]
        assert "Connection" not in headers
        ids.add(headers["X-Request-Id"])
    assert len(ids) == 3


@pytest.mark.parametrize(
    "asked", ["GET {} HTTP/1.0\r\n\r\n", "GET {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]
)
def test_the_last_request_ends_the_connection(connection, asked):
    connection.sendall(asked.format(LIST).encode())
    stream = connection.makefile("rb")
    status, _, body = read_answer(stream)
    assert (status.partition(" ")[2], body, stream.read()) == ("200 OK", EMPTY, b"")


def test_head_has_the_length_and_no_body(connection):
    connection.sendall(f"HEAD {LIST} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    head, _, body = connection.makefile("rb").read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 405")
    assert body == b""


def test_errors_are_answers_like_others(connection):
    connection.sendall(b"GET /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n")
    status, _, body = read_answer(connection.makefile("rb"))
    assert status == "HTTP/1.1 404 Not Found"
    assert b'"code":0' in body


def request(method="GET", version=HttpVersion11):
    return make_mocked_request(method, LIST, version=version)


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        (Reply(204), request()),
        (Reply(304, headers={"ETag": '"a"'}), request()),
        (Reply(body=b"x" * (responses.SMALL + 1)), request()),
        (Reply(413, b"{}", headers={"Connection": "close"}), request("POST")),
        (Reply(body=b"{}"), request("HEAD")),
        (Reply(body=b"{}"), request(version=HttpVersion10)),
        (Reply(body=b"{}", headers={"ETag": "a\r\nSet-Cookie: b"}), request()),
    ],
)
def test_what_is_not_simple_is_left_to_the_library(reply, asked):
    assert isinstance(to_response(reply, asked, "1"), web.Response)


def test_a_client_that_is_gone():
    asked = request()
    asked.protocol.transport = None
    with pytest.raises(ConnectionResetError):
        asyncio.run(WholeResponse(asked, 200, {}, b"{}").write_eof())
