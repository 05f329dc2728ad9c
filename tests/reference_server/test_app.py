"""What holds for every request, whatever the operation."""

from __future__ import annotations

import json
import logging
import socket

import pytest

from lakeproof import serve
from reference_server.faults import HEADER
from reference_server.lance.handlers import namespaces

CREATE = "/v1/namespace/{}/create"


@pytest.fixture
def server():
    with serve("lance", storage="memory:pure", allow_faults=True, max_body=10_000) as server:
        yield server


def test_unknown_routes_have_an_error_body(server, http):
    answer = http("GET", server.url + "/v1/nothing")
    assert answer.status == 404
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json()["code"] == 0


def test_wrong_methods_name_the_right_ones(server, http):
    answer = http("PUT", server.url + CREATE.format("a"))
    assert answer.status == 405
    assert answer.headers["Allow"] == "POST"
    assert answer.json()["code"] == 0


def test_operations_can_be_switched_off(server, http):
    headers = {HEADER: "unsupported:RestoreTable"}
    answer = http("POST", server.url + "/v1/table/a/restore", json={"version": 1}, headers=headers)
    assert answer.status == 406
    assert answer.json()["code"] == 0


@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_that_are_too_large_are_refused(server, http, chunked):
    body = b" " * 10_001
    sent = iter([body[:5000], body[5000:]]) if chunked else body
    headers = {"Content-Type": "application/json", **({"Transfer-Encoding": "chunked"} if chunked else {})}
    answer = http("POST", server.url + CREATE.format("a"), body=sent, headers=headers)
    assert answer.status == 413
    assert answer.json()["code"] == 13
    assert http("GET", server.url + "/v1/table").status == 200


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{", "application/json"),
        (b"", "application/json"),
        (b"[]", "application/json"),
        (b"{}", "text/plain"),
        (b"{}", None),
    ],
)
def test_bad_bodies_are_refused(server, http, body, kind):
    headers = {"Content-Type": kind} if kind else {}
    answer = http("POST", server.url + CREATE.format("a"), body=body, headers=headers)
    assert answer.status == 400
    assert answer.json()["code"] == 13


def test_a_path_that_is_no_utf8_is_refused(server, http):
    answer = http("POST", server.url + CREATE.format("%ff"), json={})
    assert (answer.status, answer.json()["code"]) == (400, 13)


def test_slashes_before_the_path_are_ignored(server, http):
    assert http("GET", server.url + "//v1/table").status == 200


def test_every_answer_has_its_own_id(server, http):
    ids = {http("GET", server.url + "/v1/table").headers["X-Request-Id"] for _ in range(3)}
    assert len(ids) == 3
    refused = http("POST", server.url + "/v1/namespace/none/describe", json={})
    assert refused.headers["X-Request-Id"] in refused.json()["instance"]


def test_a_bug_leaves_its_traceback_under_the_id_of_the_answer(server, http, monkeypatch, caplog):
    async def broken(context):
        raise ZeroDivisionError("planted")

    broken.__module__ = namespaces.__name__  # only what a module defines is its handler
    monkeypatch.setattr(namespaces, "list_namespaces", broken)
    with serve("lance", storage="memory:pure") as planted, caplog.at_level(logging.ERROR, "lakeproof.server"):
        answer = http("GET", planted.url + "/v1/namespace/$/list")
    assert answer.status == 500
    assert answer.json()["code"] == 18
    assert "planted" not in answer.data.decode()
    (record,) = caplog.records
    assert answer.headers["X-Request-Id"] in record.getMessage()
    assert record.exc_info is not None


def test_curl_style_expectation_is_answered(server):
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=5) as raw:
        raw.sendall(
            b"POST /v1/namespace/a/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Content-Length: 2\r\nExpect: 100-continue\r\n\r\n"
        )
        assert raw.recv(1000).startswith(b"HTTP/1.1 100")
        raw.sendall(b"{}")
        assert raw.recv(1000).startswith(b"HTTP/1.1 200")


# Credentials


def test_nobody_is_asked_for_credentials_by_default(server, http):
    assert http("GET", server.url + "/v1/table").status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Basic s3cret"}, 401),
        ({"Authorization": "Bearer s3cret"}, 200),
        ({"Authorization": "bearer s3cret"}, 200),
        ({"x-api-key": "s3cret"}, 200),
        ({"x-api-key": "wrong"}, 401),
    ],
)
def test_a_token_is_asked_for(http, headers, status):
    with serve("lance", storage="memory:pure", auth="token:s3cret") as server:
        answer = http("GET", server.url + "/v1/table", headers=headers)
    assert answer.status == status
    if status == 401:
        assert answer.json()["code"] == 16
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


# Faults


def test_a_request_may_choose_a_fault_where_the_server_allows_it(server, http):
    path = server.url + "/v1/namespace/none/describe"
    assert http("POST", path, json={}).status == 404
    assert http("POST", path, json={}, headers={HEADER: "not-found-as-400"}).status == 400
    assert http("POST", path, json={}, headers={HEADER: "not-found-as-400:DescribeTable"}).status == 404
    assert http("POST", path, json={}, headers={HEADER: "no-such-fault"}).json()["code"] == 13


@pytest.mark.parametrize("api", ["lance", "iceberg", "polaris"])
def test_a_fault_that_the_server_does_not_allow_is_refused(http, api):
    with serve(api) as server:
        path = next(iter(server.urls.values())) + {"lance": "/v1/table"}.get(api, "/v1/config")
        answer = http("GET", path, headers={HEADER: "unavailable"})
    assert answer.status == 400
    assert "start it with --allow-faults" in answer.data.decode()


def test_faults_reach_paths_that_lead_nowhere(server, http):
    answer = http("GET", server.url + "/v1/nothing", headers={HEADER: "plain-text-errors"})
    assert (answer.status, answer.headers["Content-Type"]) == (404, "text/plain")


def test_faults_of_the_server_apply_to_every_request(http):
    with serve("lance", storage="memory:pure", faults=("throttled",)) as server:
        answer = http("GET", server.url + "/v1/table")
    assert (answer.status, answer.headers["Retry-After"], answer.json()["code"]) == (429, "1", 21)


def test_a_lost_connection_comes_after_the_work(server, http):
    import urllib3  # noqa: PLC0415

    with pytest.raises(urllib3.exceptions.ProtocolError):
        http("POST", server.url + CREATE.format("a"), json={}, headers={HEADER: "connection-lost"})
    assert http("POST", server.url + "/v1/namespace/a/describe", json={}).status == 200


# The access log


def test_the_access_log_is_one_json_object_a_line(tmp_path, http):
    log = tmp_path / "access.jsonl"
    with serve("lance", storage="memory:pure", access_log=str(log), auth="token:s3cret") as server:
        answer = http("GET", server.url + "/v1/table?limit=1", headers={"Authorization": "Bearer s3cret"})
        http("GET", server.url + "/v1/nothing")
    first, second = map(json.loads, log.read_text().splitlines())
    assert (first["method"], first["path"], first["status"]) == ("GET", "/v1/table", 200)
    assert first["id"] == answer.headers["X-Request-Id"]
    assert second["status"] == 404
    assert "s3cret" not in log.read_text()


# Kept answers


def test_kept_answers_hold_until_the_catalog_changes(lance, http):
    def listed():
        return http("GET", lance.url + "/v1/namespace/$/list").json()["namespaces"]

    def exists(name):
        return http("POST", lance.url + f"/v1/namespace/{name}/exists", json={}).status

    assert (listed(), exists("a")) == ([], 404)
    http("POST", lance.url + CREATE.format("a"), json={})
    assert (listed(), listed(), exists("a"), exists("a")) == (["a"], ["a"], 200, 200)
    http("POST", lance.url + "/v1/namespace/a/drop", json={})
    assert (listed(), exists("a")) == ([], 404)


def test_kept_answers_belong_to_their_request(server, http):
    path = server.url + "/v1/namespace/$/describe"
    assert http("POST", path, json={}).status == 200
    assert http("POST", path, json={"id": ["x"]}).status == 400
    assert http("POST", path, body=b"{}", headers={"Content-Type": "text/plain"}).status == 400
    assert http("GET", path).status == 405


def test_kept_answers_are_for_those_who_may_see_them(http):
    with serve("lance", storage="memory:pure", auth="token:s3cret") as server:
        path = server.url + "/v1/namespace/$/list"
        assert http("GET", path, headers={"x-api-key": "s3cret"}).status == 200
        assert http("GET", path).status == 401


def test_what_another_process_changes_is_seen(tmp_path, http):
    storage = f"dir:{tmp_path}"
    with serve("lance", storage=storage) as first, serve("lance", storage=storage) as other:
        path = other.url + "/v1/namespace/$/list"
        assert http("GET", path).json()["namespaces"] == []
        http("POST", first.url + CREATE.format("a"), json={})
        assert http("GET", path).json()["namespaces"] == ["a"]
