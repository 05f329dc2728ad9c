"""Names as the Iceberg client spells them, and configurations as the prober reads them."""

from __future__ import annotations

import orjson
import pytest

from conformance.http.client import Client
from conformance.http.transport import Connection
from conformance.iceberg.catalog import KEY_LIFETIME
from conformance.iceberg.client import IcebergClient, change
from conformance.iceberg.operations import ALWAYS, DEFAULT_OPERATIONS, OPERATIONS
from conformance.iceberg.prober import IcebergProber
from conformance.iceberg.support.idempotency import new_key
from conformance.run.session import handshake
from conformance.target.capabilities import NAMESPACES, SEPARATOR
from conformance.target.offers import Router
from conformance.target.target import MISSING, OFFERED, REFUSED, connect
from conformance.values.exchange import Exchange
from conformance.values.settings import Settings
from lakeproof import serve
from specs.identifiers import IdentifierError
from specs.profiles import find_profile

DOCUMENT = find_profile("iceberg").document()


def spelled(namespace, separator):
    client = IcebergClient(Client(Connection("http://t", {}, 1.0), DOCUMENT), separator)
    return client.namespace_path(namespace)["namespace"]


@pytest.mark.parametrize(
    ("namespace", "separator", "path"),
    [
        (["a"], "\x1f", "a"),
        (["a", "b c"], "\x1f", "a%1Fb%20c"),
        (["a.b", "c"], ".", "a.b%2Ec"),
        (["ü/%", "d"], "::", "%C3%BC%2F%25%3A%3Ad"),
    ],
)
def test_namespaces_in_paths(namespace, separator, path):
    assert spelled(namespace, separator) == path


def test_the_root_has_no_path():
    with pytest.raises(IdentifierError):
        spelled([], "\x1f")


def test_change_of_a_transaction():
    made = change(("a", "b", "t"), [{"action": "x"}])
    assert made["identifier"] == {"namespace": ["a", "b"], "name": "t"}
    assert (made["updates"], made["requirements"]) == ([{"action": "x"}], [])


def prober(config):
    made = IcebergProber(connect(Settings(server="http://t", api="iceberg")))
    made._config = config
    return made


def probe(operation, status, body=b'{"error": {}}'):
    return Exchange(operation, OPERATIONS_BY_ID[operation].method, "http://t/x", {}, status=status, response_body=body)


OPERATIONS_BY_ID = {operation.id: operation for operation in OPERATIONS.values()}


class Unanswering:
    """A client whose requests get no answer."""

    def __init__(self, document):
        self.document = document

    def send(self, exchange):
        return exchange


NOWHERE = Exchange("", "GET", "http://t/y", {}, status=404, response_body=b"nowhere")
ONE = {"endpoints": ["GET /v1/{prefix}/namespaces"]}


@pytest.mark.parametrize(
    ("config", "operation", "status", "body", "state"),
    [
        (ONE, "listNamespaces", 200, b"{}", OFFERED),
        (ONE, "listNamespaces", 404, b"<html>", MISSING),
        (ONE, "createTable", 404, b'{"error": {}}', REFUSED),
        (ONE, "getConfig", 200, b"{}", OFFERED),
        (ONE, "getToken", 404, b"<html>", REFUSED),
        ({}, "createTable", 404, b'{"error": {}}', OFFERED),
        ({}, "createTable", 404, b"<html>", MISSING),
        ({}, "listViews", 404, b"<html>", REFUSED),
        ({}, "listViews", 404, b'{"error": {}}', OFFERED),
        ({}, "viewExists", 404, b"", OFFERED),
        ({}, "viewExists", 405, b"", REFUSED),
    ],
)
def test_states(config, operation, status, body, state):
    made = prober(config)
    router = Router(Unanswering(made.target.document), NOWHERE, "nothing")  # type: ignore[arg-type]
    assert made.state(probe(operation, status, body), router)[0] == state


@pytest.mark.parametrize(
    ("prefix", "path"),
    [
        (None, "/v1/namespaces"),
        ("a", "/v1/a/namespaces"),
        ("/a/b/", "/v1/a/b/namespaces"),
        ("a%20b", "/v1/a%20b/namespaces"),
    ],
)
def test_prefix(prefix, path):
    made = prober({"defaults": {}, "overrides": {"prefix": prefix} if prefix else {}})
    made._read_config()
    assert made.target.client.known.locate("/v1/{prefix}/namespaces") == path
    assert made.target.client.known.locate("/v1/config") == "/v1/config"


def test_unsupported_is_told_by_type_or_status():
    body = {"error": {"type": "UnsupportedOperationException"}}
    client = prober({}).target.client
    for status, content, refuses, properly in [
        (406, body, True, True),
        (501, None, True, False),
        (404, {}, False, True),
    ]:
        exchange = probe("renameTable", status, orjson.dumps(content))
        assert (client.refuses(exchange), client.refuses_properly(exchange)) == (refuses, properly)
    assert client.refuses(probe("renameTable", 500, orjson.dumps(body)))


def test_default_operations_are_of_the_document():
    assert set(OPERATIONS_BY_ID) >= DEFAULT_OPERATIONS | ALWAYS
    assert len(DEFAULT_OPERATIONS) == 14


def test_meeting_the_reference_server():
    with serve("iceberg") as server:
        target = connect(Settings(server=server.url, api="iceberg"))
        handshake(target)
    assert target.capabilities[SEPARATOR] == "\x1f"
    assert target.capabilities[NAMESPACES] == "nested"
    assert target.capabilities[KEY_LIFETIME].startswith("P")
    assert "listNamespaces" in target.offered()


def test_keys_are_of_version_7():
    keys = [new_key() for _ in range(50)]
    assert len(set(keys)) == 50
    assert {key[14] for key in keys} == {"7"}
    assert {key[19] for key in keys} <= set("89ab")
