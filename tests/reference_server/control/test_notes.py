"""Notes about requests: each habit is noted, and a careful client gets none."""

from __future__ import annotations

import time

import pytest
from pyiceberg.catalog import load_catalog

from lakeproof import serve

SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "x", "type": "long", "required": False}]}
SEED = {"iceberg": {"namespaces": ["b", "c"], "tables": {"a.t": {"schema": {"id": "long"}}}}, "lance": {}}
COMMIT = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "b"}}]}
TABLE = "/v1/namespaces/a/tables/t"


@pytest.fixture(scope="module")
def server():
    with serve("iceberg", "lance", allow_faults=True) as server:
        yield server


@pytest.fixture
def tenant(server):
    with server.tenant(seed=SEED) as tenant:
        yield tenant


def notes(tenant):
    return [note.text for request in tenant.requests() for note in request.notes]


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("GET", f"{TABLE}?snapshot=refs", None, ["loadTable has no query parameter snapshot. Did you mean snapshots?"]),
        (
            "GET",
            "/v1/namespaces?access_token=x",
            None,
            ["The query has the secret access_token: it belongs into a header."],
        ),
        (
            "GET",
            "/v1/namespaces/a%251Fb",
            None,
            ["The path is percent-encoded twice: /_t/ID/iceberg/v1/namespaces/a%251Fb"],
        ),
        (
            "POST",
            "/v1/namespaces",
            {"namespace": ["n"], "propertys": {}},
            ["createNamespace has no field /propertys in its body. Did you mean properties?"],
        ),
        (
            "POST",
            TABLE,
            {**COMMIT, "requirements": [{"type": "assert-create", "extra": 1}]},
            ["updateTable has no field /requirements/0/extra in its body. Known: type."],
        ),
        (
            "POST",
            TABLE,
            COMMIT,
            ["updateTable has updates without requirements: it overwrites the changes of others."],
        ),
        ("GET", "/v1/namespaces?pageToken=mine", None, ["The page token 'mine' is in no earlier answer."]),
        ("GET", f"{TABLE}?snapshots=refs", None, []),
        ("POST", "/v1/namespaces", {"namespace": ["n"], "properties": {"any": "name"}}, []),
        ("GET", "/v1/config?warehouse=default", None, []),
    ],
)
def test_a_request_is_compared_with_the_document(tenant, http, method, path, body, expected):
    http(method, tenant.urls["iceberg"] + path, **({} if body is None else {"json": body}))
    assert notes(tenant) == [note.replace("ID", tenant.id) for note in expected]


def test_deprecated_operations_are_noted(tenant, http):
    http("POST", f"{tenant.urls['iceberg']}/v1/oauth/tokens", fields={"a": "b"}, encode_multipart=False)
    assert notes(tenant) == ["getToken is deprecated."]


def test_a_repetition_without_a_pause_or_a_key_is_noted(tenant, http):
    url, commit = tenant.urls["iceberg"] + TABLE, {**COMMIT, "requirements": [{"type": "assert-create"}]}
    http("POST", url, json=commit, headers={"X-Lakeproof-Fault": "commit-state-unknown"})
    http("POST", url, json=commit)
    first, second = notes(tenant)
    assert first.startswith("It repeats a request that failed with 500 after 0.0")
    assert second == "It repeats a request without Idempotency-Key: the first one may have been applied."


def test_a_repetition_after_a_pause_is_not_noted(tenant, http):
    url = tenant.urls["iceberg"] + TABLE
    http("GET", url, headers={"X-Lakeproof-Fault": "unavailable:0"})
    time.sleep(0.06)
    http("GET", url)
    assert notes(tenant) == []


def test_retry_after_is_the_shortest_pause(tenant, http):
    url = tenant.urls["iceberg"] + TABLE
    http("GET", url, headers={"X-Lakeproof-Fault": "unavailable:7"})
    http("GET", url)
    assert [note.partition("; ")[2] for note in notes(tenant)] == ["due are 7 s."]


def test_page_tokens_of_answers_are_not_noted(tenant, http):
    url = f"{tenant.urls['iceberg']}/v1/namespaces?pageSize=1"
    token = http("GET", f"{url}&pageToken=").json()["next-page-token"]
    http("GET", f"{url}&pageToken={token}")
    assert notes(tenant) == []


def test_a_forgotten_token_is_not_noted(tenant, http):
    url = f"{tenant.urls['iceberg']}/v1/namespaces?pageSize=1"
    token = http("GET", f"{url}&pageToken=").json()["next-page-token"]
    tenant.forget_requests()
    http("GET", f"{url}&pageToken={token}")
    assert notes(tenant) == []


def test_a_client_that_follows_the_document_gets_no_notes(tenant):
    catalog = load_catalog("careful", type="rest", uri=tenant.urls["iceberg"])
    table = catalog.load_table("a.t")
    with table.transaction() as transaction:
        transaction.set_properties(a="b")
    catalog.list_namespaces()
    assert notes(tenant) == []


def test_strict_requests_are_refused(http):
    with serve("iceberg", strict_requests=True) as server:
        refused = http("POST", f"{server.url}/v1/namespaces", json={"namespace": ["n"], "propertys": {}})
        assert (refused.status, refused.json()["error"]["type"]) == (400, "BadRequestException")
        assert "no field /propertys" in refused.json()["error"]["message"]
        assert http("GET", f"{server.url}/v1/namespaces?x=1").status == 400
        assert http("GET", f"{server.url}/v1/nothing?x=1").status == 404
        assert http("POST", f"{server.url}/v1/namespaces", json={"namespace": ["n"]}).status == 200
        broken = http("POST", f"{server.url}/v1/namespaces", body=b"{", headers={"Content-Type": "application/json"})
        assert (broken.status, "not JSON" in broken.json()["error"]["message"]) == (400, True)


def test_lance_requests_are_noted_too(tenant, http):
    url = f"{tenant.urls['lance']}/v1/namespace/n/create"
    http("POST", f"{url}?delimiter=.&mode=x", json={"mode": "Create", "propertys": {}})
    assert [note.partition(". ")[0] for note in notes(tenant)] == [
        "CreateNamespace has no query parameter mode",
        "CreateNamespace has no field /propertys in its body",
    ]
