"""A server of the Iceberg API on each backend, and a client that compares every answer with the document."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from lakeproof import serve
from reference_server.iceberg.catalog.prefixes import PrefixRouter, PrefixRoutes
from specs.identifiers import decode_segment
from specs.profiles import find_profile
from specs.validation import Validators
from tests.conftest import storage_option

DOCUMENT = find_profile("iceberg").document()
VALIDATORS = Validators(DOCUMENT)
NAMES = ("default", "lab", "far/away")
ROUTER = PrefixRouter(PrefixRoutes(DOCUMENT), (*NAMES, None).__contains__)
SCHEMA: dict[str, Any] = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 3, "name": "id", "type": "long", "required": True},
        {"id": 4, "name": "name", "type": "string", "required": False},
    ],
}
JSON = {"Content-Type": "application/json"}
BAD_REQUEST = ("BadRequestException", "IllegalArgumentException", "ValidationException")


class Answer:
    """Status, JSON and headers of an answer."""

    def __init__(self, raw):
        self.status, self.headers = raw.status, raw.headers
        self.body = json.loads(raw.data) if raw.data else None

    @property
    def type(self):
        return self.body["error"]["type"]


class Api:
    """Sends requests to one server. Paths are below `/v1/`; those of tables and namespaces may have a prefix."""

    def __init__(self, http, url, prefix=""):
        self.http, self.url, self.prefix = http, url, prefix

    def call(self, method, path, body=None, *, headers=None, expect=None, undeclared=False):
        sent = (
            {"body": json.dumps(body), "headers": {**JSON, **(headers or {})}}
            if body is not None
            else {"headers": headers}
        )
        target = f"/v1/{self.prefix}{path}"
        answer = Answer(self.http(method, self.url + target, **sent))
        if not undeclared:
            _check(method, target, answer)
        if expect is not None:
            assert answer.status == expect, answer.body
        return answer

    def namespace(self, *levels, properties=None):
        body = {"namespace": list(levels), "properties": properties or {}}
        return self.call("POST", "namespaces", body, expect=200)

    def table(self, path="a/tables/t", **fields):
        namespace, _, name = path.partition("/tables/")
        body = {"name": decode_segment(name), "schema": SCHEMA, **fields}
        return self.call("POST", f"namespaces/{namespace}/tables", body, expect=200)

    def load(self, path="a/tables/t", **rest):
        return self.call("GET", f"namespaces/{path}", **rest)

    def commit(self, updates, requirements=(), path="a/tables/t", **rest):
        body = {"requirements": list(requirements), "updates": list(updates)}
        return self.call("POST", f"namespaces/{path}", body, **rest)


def at_once(count, call):
    """Call a function in several threads at the same time, and return what they returned."""
    with ThreadPoolExecutor(count) as pool:
        return [future.result() for future in [pool.submit(call) for _ in range(count)]]


def _check(method, target, answer):
    path = target.partition("?")[0].strip("/")
    operation, _ = ROUTER.match(method, [decode_segment(part) for part in path.split("/")])
    assert operation.declared(answer.status), (operation.id, answer.status, answer.body)
    if method == "HEAD" or answer.status in (204, 304):
        assert answer.body is None
    else:
        assert VALIDATORS.response_mismatches(operation.id, answer.status, answer.body) == []
    if answer.status >= 400 and method != "HEAD" and operation.id != "getToken":
        assert answer.body["error"]["code"] == answer.status


@pytest.fixture(params=["memory", "dir"])
def open_api(request, tmp_path, http):
    """Start a server with settings and return a client of it; on a directory it is the same one each time."""

    @contextmanager
    def opened(**settings):
        with serve("iceberg", storage=storage_option(request.param, tmp_path / "lake"), **settings) as server:
            yield Api(http, server.url)

    return opened


@pytest.fixture
def api(open_api):
    """A server with the namespace `a`."""
    with open_api(allow_faults=True, page_size=10) as api:
        api.namespace("a")
        yield api
