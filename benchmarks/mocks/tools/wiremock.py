"""WireMock, over its HTTP API: in Java the same stubs are as many statements."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests

from benchmarks.mocks.answers import CONFIG, CONFLICT, TABLE, TOKEN, UNSUPPORTED, page, table
from benchmarks.mocks.client import TABLES, Client, Refused
from benchmarks.mocks.jars import java, running
from specs.ports import free_port

COORDINATES = "org.wiremock:wiremock-standalone:3.13.2"
READY = "/__admin/health"
LOAD, ALL, VIEWS = f"{TABLES}/t", TABLES, "/v1/namespaces/a/views"
COMMAND = "java -jar {jar} --port {port} --root-dir ."
FILES = {
    "mappings/all.json": """{"mappings": [
  {"scenarioName": "s", "requiredScenarioState": "Started", "newScenarioState": "1",
   "request": {"urlPath": "/v1/namespaces/a/tables/t"}, "response": {"status": 503}},
  {"scenarioName": "s", "requiredScenarioState": "1", "newScenarioState": "2",
   "request": {"urlPath": "/v1/namespaces/a/tables/t"}, "response": {"status": 503}},
  {"scenarioName": "s", "requiredScenarioState": "2",
   "request": {"urlPath": "/v1/namespaces/a/tables/t"}, "response": {"jsonBody": TABLE}}]}"""
}
LANGUAGE = """curl --json '{{"mappings": [
  {{"scenarioName": "s", "requiredScenarioState": "Started", "newScenarioState": "1",
   "request": {{"urlPath": "/v1/namespaces/a/tables/t"}}, "response": {{"status": 503}}}},
  {{"scenarioName": "s", "requiredScenarioState": "1", "newScenarioState": "2",
   "request": {{"urlPath": "/v1/namespaces/a/tables/t"}}, "response": {{"status": 503}}}}]}}' \\
  {url}/__admin/mappings/import"""


class Mock:
    """A running WireMock: `stub` adds an answer, which comes before earlier ones."""

    def __init__(self, url: str) -> None:
        self.url = url

    def stub(self, method: str, path: str, answer: Any = None, was: str = "", now: str = "", **response: Any) -> None:
        """Answer requests, in one state of a scenario if it is named, with JSON or as `response` says."""
        states = {"requiredScenarioState": was, "newScenarioState": now}
        scenario = {"scenarioName": "s", **{name: state for name, state in states.items() if state}} if was else {}
        body = {} if answer is None else {"jsonBody": answer, "headers": {"Content-Type": "application/json"}}
        self.admin(
            "/mappings", {"request": {"method": method, "urlPath": path}, "response": {**body, **response}} | scenario
        )

    def admin(self, path: str, body: Any) -> requests.Response:
        """Send a request to its administration."""
        return requests.post(f"{self.url}/__admin{path}", json=body, timeout=9)

    def count(self, method: str, path: str, **request: Any) -> int:
        """Return the number of received requests."""
        return int(self.admin("/requests/count", {"method": method, "urlPath": path, **request}).json()["count"])


@contextmanager
def start() -> Iterator[Any]:
    """The mock."""
    with running(lambda port: java(COORDINATES, "--port", str(port)), READY) as url:
        yield Mock(url)


@contextmanager
def fresh(mock: Mock) -> Iterator[Any]:
    """The mock of a row."""
    mock.admin("/reset", None)
    yield mock


def seed(mock: Mock, client: Client) -> None:
    mock.stub("GET", LOAD, TABLE)
    client.load()


def retry(mock: Mock, client: Client) -> None:
    mock.stub("GET", LOAD, was="Started", now="1", status=503)
    mock.stub("GET", LOAD, was="1", now="2", status=503)
    client.load()
    assert mock.count("GET", LOAD) == 4


def delay(mock: Mock, client: Client) -> None:
    mock.stub("GET", LOAD, TABLE, fixedDelayMilliseconds=100)
    with pytest.raises(TimeoutError):
        client.load(timeout=0.05)


def applied(mock: Mock, client: Client) -> None:
    mock.stub("POST", LOAD, was="Started", now="applied", status=504)
    mock.stub("GET", LOAD, table(k="v"), was="applied")
    with pytest.raises(Refused, match="504"):
        client.commit(k="v")
    assert client.properties()["k"] == "v"


def lost(mock: Mock, client: Client) -> None:
    mock.stub("POST", LOAD, status=504)
    with pytest.raises(Refused, match="504"):
        client.commit(k="v")
    assert "k" not in client.properties()


def conflict(mock: Mock, client: Client) -> None:
    mock.stub("POST", LOAD, table(k="v"))
    mock.stub("POST", LOAD, CONFLICT, was="Started", now="1", status=409)
    client.commit(k="v")
    assert mock.count("POST", LOAD) == 2


def sent(mock: Mock, client: Client) -> None:
    mock.stub("POST", LOAD, table(k="v"))
    client.commit(k="v")
    pattern = {"matchesJsonPath": "$.requirements[?(@.type == 'assert-table-uuid')]"}
    assert mock.count("POST", LOAD, bodyPatterns=[pattern]) == 1


def reset(mock: Mock) -> None:
    mock.admin("/reset", None)
    with pytest.raises(Refused, match="404"):
        Client(mock.url).load()


def isolated(mock: Mock) -> None:
    mock.stub("GET", f"/one{LOAD}", TABLE)
    Client(f"{mock.url}/one").load()
    with pytest.raises(Refused, match="404"):
        Client(f"{mock.url}/two").load()


def unauthorized(mock: Mock, client: Client) -> None:
    mock.stub("POST", "/v1/oauth/tokens", TOKEN)
    mock.stub("GET", LOAD, was="Started", now="1", status=401)
    client.load()
    assert mock.count("POST", "/v1/oauth/tokens") == 1


def expired(mock: Mock, client: Client) -> None:
    mock.stub("POST", "/v1/oauth/tokens", TOKEN)
    mock.stub("GET", LOAD, was="Started", now="1", status=419)
    client.load()
    assert mock.count("POST", "/v1/oauth/tokens") == 1


def pages(mock: Mock, client: Client) -> None:
    mock.stub("GET", ALL, page("t", "next"), was="Started", now="1")
    mock.stub("GET", ALL, page("u"), was="1")
    assert client.names() == ["t", "u"]


def partial(mock: Mock, client: Client) -> None:
    mock.stub("GET", VIEWS, UNSUPPORTED, status=406)
    mock.stub("GET", "/v1/config", CONFIG)
    with pytest.raises(Refused, match="406"):
        client.views()
    assert not any("/views" in endpoint for endpoint in client.endpoints())


def read_only(mock: Mock, client: Client) -> None:
    mock.admin("/mappings", {"request": {"method": "POST", "urlPathPattern": "/v1/.*"}, "response": {"status": 403}})
    with pytest.raises(Refused, match="403"):
        client.commit(k="v")


def cut(mock: Mock, client: Client) -> None:
    mock.stub("GET", LOAD, fault="EMPTY_RESPONSE")
    with pytest.raises(ConnectionError):
        client.load()


def status(mock: Mock, client: Client) -> None:
    mock.stub("HEAD", LOAD, status=200)
    assert client.exists() == 200


def stale(mock: Mock, client: Client) -> None:
    mock.stub("POST", LOAD, table(k="v"), was="Started", now="stale")
    mock.stub("GET", LOAD, TABLE, was="stale", now="new")
    mock.stub("GET", LOAD, table(k="v"), was="new")
    client.commit(k="v")
    assert "k" not in client.properties()
    assert client.properties()["k"] == "v"


def tls(folder: Path) -> None:
    store = f"{folder}/store.p12"
    key = ["-keystore", store, "-storepass", "secret", "-alias", "mock"]
    names = ["-keyalg", "RSA", "-dname", "CN=mock", "-ext", "san=ip:127.0.0.1"]
    subprocess.run(["keytool", "-genkeypair", *key, *names], check=True, capture_output=True)
    subprocess.run(
        ["keytool", "-exportcert", "-rfc", *key, "-file", f"{folder}/ca.pem"], check=True, capture_output=True
    )
    https = ["--https-port", str(free_port()), "--https-keystore", store, "--keystore-password", "secret"]
    with running(
        lambda port: java(COORDINATES, "--port", str(port), *https, "--key-manager-password", "secret"), READY
    ):
        assert requests.get(f"https://127.0.0.1:{https[1]}{READY}", verify=f"{folder}/ca.pem", timeout=9).ok
