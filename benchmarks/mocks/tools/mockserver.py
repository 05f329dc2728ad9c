"""MockServer, over its HTTP API: in Java the same expectations are as many statements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests

from benchmarks.mocks.answers import CONFIG, CONFLICT, TABLE, TOKEN, UNSUPPORTED, page, table
from benchmarks.mocks.client import TABLES, Client, Refused
from benchmarks.mocks.jars import java, running

COORDINATES = "org.mock-server:mockserver-netty:7.6.0:jar:jar-with-dependencies"
READY = "/mockserver/retrieve"
LOAD = f"{TABLES}/t"
COMMAND = "java -jar {jar} -serverPort {port} --init expectations.json"
FILES = {
    "expectations.json": """[
  {"httpRequest": {"path": "/v1/namespaces/a/tables/t"}, "httpResponse": {"statusCode": 503},
   "times": {"remainingTimes": 2}},
  {"httpRequest": {"path": "/v1/namespaces/a/tables/t"}, "httpResponse": {"body": TABLE}}]"""
}
LANGUAGE = """curl -X PUT {url}/mockserver/expectation -d '{{"httpRequest": {{"path": "/v1/namespaces/a/tables/t"}},
  "httpResponse": {{"statusCode": 503}}, "times": {{"remainingTimes": 2}}, "priority": 99}}'"""


class Mock:
    """A running MockServer: `expect` adds an answer, which comes before earlier ones."""

    def __init__(self, url: str) -> None:
        self.url, self.priority = url, 0

    def expect(self, method: str, path: str, answer: Any = None, times: int = 0, **response: Any) -> None:
        """Answer requests, so often as `times` says if it does, with JSON or as `response` says."""
        self.priority += 1
        body = {} if answer is None else {"body": answer}
        limit = {"times": {"remainingTimes": times}} if times else {}
        given = {"httpError": response} if "dropConnection" in response else {"httpResponse": {**body, **response}}
        request = {"method": method, "path": path}
        self.admin("/expectation", {"httpRequest": request, "priority": self.priority, **given, **limit})

    def admin(self, path: str, body: Any = None) -> None:
        """Send a request to its administration."""
        answer = requests.put(f"{self.url}/mockserver{path}", json=body, timeout=9)
        assert answer.ok, answer.text

    def verify(self, method: str, path: str, times: int, **request: Any) -> None:
        """Assert the number of received requests."""
        expected = {"method": method, "path": path, **request}
        self.admin("/verify", {"httpRequest": expected, "times": {"atLeast": times, "atMost": times}})


@contextmanager
def start() -> Iterator[Any]:
    """The mock."""
    with running(lambda port: java(COORDINATES, "-serverPort", str(port)), READY, 404) as url:
        yield Mock(url)


@contextmanager
def fresh(mock: Mock) -> Iterator[Any]:
    """The mock of a row."""
    mock.admin("/reset")
    yield mock


def seed(mock: Mock, client: Client) -> None:
    mock.expect("GET", LOAD, TABLE)
    client.load()


def retry(mock: Mock, client: Client) -> None:
    mock.expect("GET", LOAD, times=2, statusCode=503)
    client.load()
    mock.verify("GET", LOAD, times=4)


def delay(mock: Mock, client: Client) -> None:
    mock.expect("GET", LOAD, TABLE, delay={"timeUnit": "MILLISECONDS", "value": 100})
    with pytest.raises(TimeoutError):
        client.load(timeout=0.05)


def applied(mock: Mock, client: Client) -> None:
    mock.expect("GET", LOAD, table(k="v"))
    mock.expect("GET", LOAD, TABLE, times=1)
    mock.expect("POST", LOAD, statusCode=504)
    with pytest.raises(Refused, match="504"):
        client.commit(k="v")
    assert client.properties()["k"] == "v"


def lost(mock: Mock, client: Client) -> None:
    mock.expect("POST", LOAD, statusCode=504)
    with pytest.raises(Refused, match="504"):
        client.commit(k="v")
    assert "k" not in client.properties()


def conflict(mock: Mock, client: Client) -> None:
    mock.expect("POST", LOAD, table(k="v"))
    mock.expect("POST", LOAD, CONFLICT, times=1, statusCode=409)
    client.commit(k="v")
    mock.verify("POST", LOAD, times=2)


def sent(mock: Mock, client: Client) -> None:
    mock.expect("POST", LOAD, table(k="v"))
    client.commit(k="v")
    mock.verify("POST", LOAD, times=1, body={"requirements": [{"type": "assert-table-uuid"}]})


def reset(mock: Mock) -> None:
    mock.admin("/reset")
    with pytest.raises(Refused, match="404"):
        Client(mock.url).load()


def isolated(mock: Mock) -> None:
    mock.expect("GET", f"/one{LOAD}", TABLE)
    Client(f"{mock.url}/one").load()
    with pytest.raises(Refused, match="404"):
        Client(f"{mock.url}/two").load()


def unauthorized(mock: Mock, client: Client) -> None:
    mock.expect("POST", "/v1/oauth/tokens", TOKEN)
    mock.expect("GET", LOAD, times=1, statusCode=401)
    client.load()
    mock.verify("POST", "/v1/oauth/tokens", times=1)


def expired(mock: Mock, client: Client) -> None:
    mock.expect("POST", "/v1/oauth/tokens", TOKEN)
    mock.expect("GET", LOAD, times=1, statusCode=419)
    client.load()
    mock.verify("POST", "/v1/oauth/tokens", times=1)


def pages(mock: Mock, client: Client) -> None:
    mock.expect("GET", TABLES, page("u"))
    mock.expect("GET", TABLES, page("t", "next"), times=1)
    assert client.names() == ["t", "u"]


def partial(mock: Mock, client: Client) -> None:
    mock.expect("GET", "/v1/namespaces/a/views", UNSUPPORTED, statusCode=406)
    mock.expect("GET", "/v1/config", CONFIG)
    with pytest.raises(Refused, match="406"):
        client.views()
    assert not any("/views" in endpoint for endpoint in client.endpoints())


def read_only(mock: Mock, client: Client) -> None:
    mock.expect("POST", "/v1/.*", statusCode=403)
    with pytest.raises(Refused, match="403"):
        client.commit(k="v")


def cut(mock: Mock, client: Client) -> None:
    mock.expect("GET", LOAD, dropConnection=True)
    with pytest.raises(ConnectionError):
        client.load()


def status(mock: Mock, client: Client) -> None:
    mock.expect("HEAD", LOAD, statusCode=200)
    assert client.exists() == 200


def stale(mock: Mock, client: Client) -> None:
    mock.expect("POST", LOAD, table(k="v"))
    mock.expect("GET", LOAD, table(k="v"))
    mock.expect("GET", LOAD, TABLE, times=2)
    client.commit(k="v")
    assert "k" not in client.properties()
    assert client.properties()["k"] == "v"


def tls(folder: Path) -> None:
    own = ["-Dmockserver.dynamicallyCreateCertificateAuthorityCertificate=true"]
    own += [f"-Dmockserver.directoryToSaveDynamicSSLCertificate={folder}"]
    with running(lambda port: java(COORDINATES, "-serverPort", str(port), options=own), READY, 404) as url:
        place, ca = f"{url.replace('http', 'https')}/x", f"{folder}/CertificateAuthorityCertificate.pem"
        requests.get(place, verify=False, timeout=9)  # makes the authority
        assert requests.get(place, verify=ca, timeout=9).status_code == 404
