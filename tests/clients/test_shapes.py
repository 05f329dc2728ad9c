"""Shapes of requests: what is kept of them, and forms of the suite, which add what a client was recorded to send."""

from __future__ import annotations

import json

import pytest

from conformance.iceberg.forms import request_forms
from reference_server.context import Request
from tests.clients.matrix import clients, version_of
from tests.clients.shapes import REQUESTS, merged, shape_of, text_of

RECORDED = json.loads(REQUESTS.read_text())
FORMS = {name: form for name, form in request_forms().items() if form.client in RECORDED}


def sent(target="/v1/a", headers=(), body=None):
    content = b"" if body is None else json.dumps(body).encode()
    return shape_of(Request("1", "POST", target, dict(headers), content))


def test_a_shape_has_no_names_and_no_secrets():
    headers = {"Authorization": "Bearer s3cret", "Host": "a:1", "X-Client": "1", "Idempotency-Key": "17"}
    body = {"name": "t", "n": 1, "all": False, "doc": None, "properties": {}, "list": [1], "object": {"a": 1}}
    assert sent("/v1/a?pageToken=&size=2&token=" + 30 * "x", headers, body) == {
        "headers": {"X-Client": "1", "Idempotency-Key": ""},
        "query": {"pageToken": "", "size": "2", "token": "..."},
        "body": {
            **{"name": "text", "n": "number", "all": "false", "doc": "null"},
            **{"properties": "{}", "list": "list", "object": "object"},
        },
    }
    assert sent(body=[1])["body"] == {}


def test_shapes_of_a_client_are_merged():
    shapes = [
        ("a", sent("/v1/a?x=1", {"One": "1", "Two": "2"}, {"name": "t"})),
        ("a", sent("/v1/a", {"One": "1", "Two": "3"}, {"name": "u", "doc": None})),
        ("b", sent("/v1/b", {"One": "1"})),
    ]
    found = merged(shapes)
    assert found["headers"] == {"One": "1"}
    assert found["operations"] == {
        "a": {"headers": {"Two": ["2", "3"]}, "query": {"x?": ["1"]}, "body": {"doc?": ["null"], "name": ["text"]}},
        "b": {},
    }
    assert json.loads(text_of({"c": found})) == {"c": found}


def test_the_record_is_of_the_installed_clients():
    names = {f"{client['name']} {version_of(client)}" for client in clients()["client"] if "package" not in client}
    assert names <= RECORDED.keys()


@pytest.mark.parametrize("name", FORMS)
def test_a_form_adds_what_its_client_sends(name):
    form, recorded = FORMS[name], RECORDED[FORMS[name].client]
    operations = recorded["operations"]
    for header, value in form.headers.items():
        sent = {value for shape in operations.values() for value in shape.get("headers", {}).get(header, ())}
        assert value in {recorded["headers"].get(header), *sent}, header
    for part, given in (("query", form.query), ("body", form.body)):
        for operation, fields in given.items():
            if operation in operations:
                assert fields.keys() <= {key.rstrip("?") for key in operations[operation].get(part, {})}, operation


def test_clients_that_were_recorded_have_forms():
    assert {"pyiceberg", "rust", "js", "duckdb"} <= FORMS.keys()
