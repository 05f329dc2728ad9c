"""Behaviour of every request, whatever the operation."""

from __future__ import annotations

import json
import logging
import re
import socket
from urllib.parse import quote

import pytest

from lakeproof import serve
from reference_server.access_log import shown_query
from reference_server.faults import HEADER, PROBLEM
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


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_why_a_fault_does_not_fit_stands_in_a_header_too(http, method):
    with serve("iceberg", allow_faults=True) as server:
        answers = [
            http(method, server.url + "/v1/namespaces/a", headers={HEADER: fault})
            for fault in ("throttld", "slow:loadTabel", "n\u00fc".encode())
        ]
    problems = [answer.headers[PROBLEM] for answer in answers]
    assert [answer.status for answer in answers] == [400, 400, 400]
    assert problems[0].startswith("There is no fault 'throttld'. Did you mean throttled?")
    assert "Did you mean loadTable" in problems[1]
    assert problems[2].startswith(r"There is no fault 'n\xfc'.")
    if method == "GET":
        assert answers[0].json()["error"]["message"] == problems[0]


# The target of a request


def answered(server, target):
    """Send a GET with this request target as it stands; return status and body of the answer."""
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: elsewhere\r\nConnection: close\r\n\r\n".encode())
        head, _, body = connection.makefile("rb").read().partition(b"\r\n\r\n")
    return int(head.split()[1]), body


@pytest.mark.parametrize("host", ["http://127.0.0.1:{port}", "HTTPS://user:pw@proxy.example"])
def test_absolute_targets_are_answered_like_others(http, host):
    with serve(storage="memory:pure") as server:
        for name in ("a b", "a%2Fb"):
            http("POST", server.urls["lance"] + f"/v1/namespace/{quote(name, safe='')}/create", json={})
        http("POST", server.urls["iceberg"] + "/v1/namespaces", json={"namespace": ["a b"]})
        for target, status in [
            ("/lance/v1/namespace/%24/list?limit=1&page_token=", 200),
            ("/lance/v1/namespace/a%252Fb/list", 200),
            ("/iceberg/v1/config", 200),
            ("/iceberg/v1/namespaces/a%20b?x=http://y/z", 200),
            ("/iceberg//v1/namespaces", 200),
            ("/api/management/v1/catalogs", 401),
            ("/iceberg/http://127.0.0.1/v1/config", 404),
            ("/", 404),
        ]:
            origin = answered(server, target)
            absolute = answered(server, host.format(port=server.port) + target)
            assert origin[0] == status, target
            assert [absolute[0], without_id(absolute[1])] == [origin[0], without_id(origin[1])], target


def without_id(body):
    return re.sub(rb"#[0-9a-f]+-\d+", b"", body)


# The access log


def test_the_access_log_is_one_json_object_a_line(tmp_path, http):
    log = tmp_path / "access.jsonl"
    with serve("lance", storage="memory:pure", access_log=str(log), auth="token:s3cret") as server:
        answer = http("GET", server.url + "/v1/table?limit=1", headers={"Authorization": "Bearer s3cret"})
        http("GET", server.url + "/v1/nothing")
    first, second = map(json.loads, log.read_text().splitlines())
    assert (first["method"], first["path"], first["status"]) == ("GET", "/v1/table", 200)
    assert (first["query"], first["operation"], first["faults"]) == ("limit=1", "ListAllTables", [])
    assert first["id"] == answer.headers["X-Request-Id"]
    assert (second["status"], second["operation"]) == (404, None)
    assert "s3cret" not in log.read_text()


def test_the_access_log_names_the_faults_that_touched_a_request(tmp_path, http):
    log = tmp_path / "access.jsonl"
    asked = ["slow:0,throttled:DropTable", "throttled", "nosuch"]
    with serve(storage="memory:pure", access_log=str(log), faults=("list-empty",), allow_faults=True) as server:
        path = server.urls["lance"] + "/v1/namespace/$/list"
        for header in ("", *asked):
            http("GET", path, headers={HEADER: header})
        http("HEAD", server.urls["iceberg"] + "/v1/namespaces/a", headers={HEADER: "slow:0"})
        http("GET", server.urls["lance"].removesuffix("/lance") + "/nowhere")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["operation"] for line in lines] == [*["ListNamespaces"] * 4, "namespaceExists", None]
    assert [line["status"] for line in lines] == [200, 200, 429, 400, 404, 404]
    common = ["list-empty"]
    assert [line["faults"] for line in lines[:4]] == [common, [*common, "slow"], [*common, "throttled"], []]
    assert lines[4]["faults"] == ["slow"]


def test_the_access_log_has_the_operation_of_a_kept_answer(tmp_path, http):
    log = tmp_path / "access.jsonl"
    with serve("lance", storage="memory:pure", access_log=str(log)) as server:
        for _ in range(2):
            http("GET", server.url + "/v1/namespace/$/list?limit=5")
    assert [json.loads(line)["operation"] for line in log.read_text().splitlines()] == ["ListNamespaces"] * 2


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", ""),
        ("limit=1&delimiter=%24", "limit=1&delimiter=%24"),
        ("client_secret=s3cret&a=b", "client_secret=<redacted>&a=b"),
        ("X-Api%2DKey=s3cret&token=&aws_access_key_id=x", "X-Api%2DKey=<redacted>&token=&aws_access_key_id=<redacted>"),
        ("storage_options=%7B%22azure_account_key%22%3A%22s3cret%22%7D", "storage_options=<redacted>"),
        ("properties=%7B%22k%22%3A%22v%22%7D&x&y=%7B", "properties=%7B%22k%22%3A%22v%22%7D&x&y=%7B"),
    ],
)
def test_the_access_log_shows_no_secrets_of_a_query(query, shown):
    assert shown_query(query) == shown


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
