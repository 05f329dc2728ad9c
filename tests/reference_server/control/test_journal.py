"""Journal: what a client sent can be read back, secrets cannot."""

from __future__ import annotations

import json

import pytest

from lakeproof import serve
from reference_server.context import Reply, Request
from reference_server.control.journal import LARGEST_BODY, MOST, MOST_BYTES, Journal
from specs.problems import Problem

SECRET = "s3cr3t-value"
SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "x", "type": "long", "required": False}]}


@pytest.fixture(scope="module")
def running():
    with serve("iceberg", faults=("slow:loadTable:0",)) as server:
        yield server


@pytest.fixture
def server(running):
    running.forget_requests()
    return running


def test_a_request_is_noted_with_its_answer(server, http):
    http("POST", f"{server.url}/v1/namespaces", json={"namespace": ["a"]})
    http("POST", f"{server.url}/v1/namespaces/a/tables", json={"name": "t", "schema": SCHEMA})
    http("GET", f"{server.url}/v1/namespaces/a/tables/t?snapshots=refs", headers={"X-Mine": "1"})
    (created,) = server.requests("createTable")
    assert (created.status, created.body["name"], created.parameters) == (200, "t", {"namespace": "a"})
    (loaded,) = server.requests("loadTable")
    assert (loaded.method, loaded.query, loaded.headers["x-mine"]) == ("GET", {"snapshots": "refs"}, "1")
    assert loaded.answer["metadata"]["format-version"] == 2
    assert loaded.answer_bytes > 100
    assert (loaded.rules, loaded.body, loaded.bytes) == (["slow"], None, 0)
    assert loaded.ms > 0
    assert [request.operation for request in server.requests()][1:] == ["createTable", "loadTable"]


def test_requests_without_an_operation_and_refused_ones_are_noted(server, http):
    http("GET", f"{server.url}/v1/nothing")
    http("POST", f"{server.url}/v1/namespaces", body=b"{", headers={"Content-Type": "application/json"})
    nothing, broken = server.requests()
    assert (nothing.operation, nothing.status, nothing.parameters) == (None, 404, {})
    assert (broken.operation, broken.status, broken.body) == ("createNamespace", 400, "{")


def test_an_answer_that_was_cached_is_noted(server, http):
    for _ in range(2):
        http("GET", f"{server.url}/v1/config")
    server.assert_requested("getConfig", times=2)


def test_a_connection_that_was_cut_is_noted(http):
    with serve("iceberg", faults=("connection-lost",)) as server:
        with pytest.raises(Exception, match="Connection"):
            http("GET", f"{server.url}/v1/config")
        (request,) = server.requests("getConfig")
    assert (request.status, str(request)) == (0, "GET /v1/config -> connection cut")


@pytest.mark.parametrize("api", ["lance", "iceberg", "polaris"])
def test_no_secret_is_in_the_journal(api, http, tmp_path):
    log = tmp_path / "journal.jsonl"
    bodies = [
        {"client_secret": SECRET, "nested": [{"properties": {"s3.secret-access-key": SECRET}}]},
        {"credentials": {"id": SECRET, "list": [SECRET]}, "query": json.dumps({"token": SECRET})},
    ]
    with serve(api, journal=str(log), auth="none" if api == "polaris" else f"token:{SECRET}") as server:
        for body in bodies:
            headers = {"Authorization": f"Bearer {SECRET}", "x-api-key": SECRET, "X-My-Token": SECRET, "Cookie": SECRET}
            http("POST", f"{server.url}/v1/any?access_token={SECRET}", json=body, headers=headers)
            half = json.dumps(body)[:-3].encode()
            http("POST", f"{server.url}/v1/any", body=half, headers={**headers, "Content-Type": "application/json"})
        form = {"grant_type": "client_credentials", "client_id": "me", "client_secret": SECRET}
        http("POST", f"{server.url}/v1/oauth/tokens", fields=form, encode_multipart=False)
        answer = http("GET", f"{server.control_address}/_lakeproof/requests").data.decode()
    assert SECRET not in answer
    assert SECRET not in log.read_text()
    assert len(log.read_text().splitlines()) == 5
    assert json.loads(answer)["requests"][-1]["query"] == {}
    assert ('"client_id":"me"' in answer) is (api == "iceberg")  # the others do not read such a body


def test_no_secret_of_an_answer_is_in_the_journal(http):
    with serve("iceberg", auth=f"oauth:me:{SECRET}") as server:
        form = {"grant_type": "client_credentials", "client_id": "me", "client_secret": SECRET}
        tokens = [
            http("POST", f"{server.url}/v1/oauth/tokens", fields=form, encode_multipart=False).json()["access_token"]
            for _ in range(2)
        ]
        for token in (*tokens, tokens[0]):
            assert http("GET", f"{server.url}/v1/config", headers={"Authorization": f"Bearer {token}"}).status == 200
        answer = http("GET", f"{server.control_address}/_lakeproof/requests").data.decode()
        sent = [request.headers["authorization"] for request in server.requests("getConfig")]
        issued = [request.answer["access_token"] for request in server.requests("getToken")]
    assert [token for token in tokens if token in answer] == []
    assert sent[0] == sent[2] != sent[1]
    assert [mark.partition(" ")[2] for mark in sent[:2]] == issued


def test_page_tokens_are_no_secrets(server, http):
    http("GET", f"{server.url}/v1/namespaces?pageToken=abc")
    server.assert_requested("listNamespaces", query={"pageToken": "abc"})


def test_the_journal_can_be_cleared_and_switched_off(server, http):
    http("GET", f"{server.url}/v1/config")
    server.forget_requests()
    assert server.requests() == []
    with serve("iceberg", journal="none") as silent, pytest.raises(Problem, match="no journal"):
        silent.requests()


def test_an_unknown_operation_gets_the_nearest(server):
    with pytest.raises(Problem, match="Did you mean loadTable"):
        server.assert_requested("loadTabel")


@pytest.fixture
def loaded(server, http):
    for query in ("", "?snapshots=all", "?snapshots=refs"):
        http("GET", f"{server.url}/v1/namespaces/a/tables/none{query}", headers={"X-Mine": "1"})
    http("POST", f"{server.url}/v1/namespaces", json={"namespace": ["b"], "properties": {"a": "1", "b": "2"}})
    return server


@pytest.mark.parametrize(
    "expected",
    [
        {},
        {"times": 3},
        {"times": 1, "query": {"snapshots": "refs"}},
        {"times": 1, "query": {"snapshots": None}},
        {"times": 0, "query": {"snapshots": "none"}},
        {"times": 3, "headers": {"X-MINE": "1", "other": None}},
        {"times": 3, "parameters": {"table": "none", "namespace": "a"}},
    ],
)
def test_requests_are_counted_by_their_parts(loaded, expected):
    loaded.assert_requested("loadTable", **expected)


@pytest.mark.parametrize(
    "body",
    [{"namespace": ["b"]}, {"properties": {"b": "2"}}, {"namespace": ["b"], "properties": {"a": "1", "b": "2"}}],
)
def test_a_body_may_have_more_than_is_expected(loaded, body):
    loaded.assert_requested("createNamespace", times=1, body=body)


def commit(http, server):
    """Send a commit as PyIceberg sends the one of an append."""
    requirements = [
        {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None},
        {"type": "assert-table-uuid", "uuid": "u"},
    ]
    updates = [{"action": "add-snapshot", "snapshot": {"snapshot-id": 1}}, {"action": "set-snapshot-ref"}]
    body = {"identifier": {"namespace": ["a"], "name": "t"}, "requirements": requirements, "updates": updates}
    http("POST", f"{server.url}/v1/namespaces/a/tables/none", json=body)
    return body


CONTAINED = [
    {"requirements": [{"type": "assert-table-uuid"}]},
    {"updates": [{"action": "set-snapshot-ref"}, {"action": "add-snapshot", "snapshot": {"snapshot-id": 1}}]},
    {"updates": []},
    {"identifier": {"namespace": ["a"]}},
]
OTHERS = [
    {"requirements": [{"type": "assert-create"}]},
    {"updates": [{"action": "add-snapshot", "snapshot": {"snapshot-id": 2}}]},
    {"identifier": {"namespace": ["b"]}},
    {"more": 1},
]


@pytest.mark.parametrize("body", CONTAINED)
def test_a_body_contains_what_is_expected(server, http, body):
    whole = commit(http, server)
    server.assert_requested("updateTable", times=1, body=body)
    server.assert_requested("updateTable", times=0, body=body, exact=True)
    server.assert_requested("updateTable", times=1, body=whole, exact=True)


@pytest.mark.parametrize("body", OTHERS)
def test_a_body_lacks_what_is_expected(server, http, body):
    commit(http, server)
    server.assert_requested("updateTable", times=0, body=body)


def test_a_failed_assertion_shows_the_nearest_request_and_what_differs(loaded, http):
    with pytest.raises(AssertionError) as failed:
        loaded.assert_requested("loadTable", times=2, query={"snapshots": "refs"})
    assert str(failed.value).splitlines() == [
        "loadTable was requested once as described; expected: 2 times.",
        "  GET /v1/namespaces/a/tables/none?snapshots=refs -> 404",
        "The nearest of 2 others differs:",
        "  GET /v1/namespaces/a/tables/none -> 404",
        "      query snapshots",
        '        expected  "refs"',
        "      > sent      absent",
    ]
    commit(http, loaded)
    with pytest.raises(AssertionError) as failed:
        loaded.assert_requested("updateTable", body={"requirements": [{"type": "assert-table-uuid", "uuid": "v"}]})
    assert str(failed.value).splitlines() == [
        "updateTable was never requested as described; expected: at least once.",
        "The other request differs:",
        "  POST /v1/namespaces/a/tables/none -> 400",
        "      body /requirements/1/uuid",
        '        expected  "v"',
        '      > sent      "u"',
    ]
    nothing = "dropTable was never requested; expected: at least once.\nNo request of dropTable arrived."
    with pytest.raises(AssertionError, match=nothing):
        loaded.assert_requested("dropTable")


def verify(http, server, **expected):
    return http("POST", f"{server.control_address}/_lakeproof/requests/verify", json=expected)


def test_requests_are_verified_over_http(loaded, http):
    once = verify(http, loaded, operation="loadTable", times=1, query={"snapshots": "refs"}).json()
    assert once == {"verified": True, "count": 1, "message": "", "idle_rules": []}
    never = verify(http, loaded, operation="createNamespace", body={"properties": {"a": "2"}}).json()
    assert (never["verified"], never["count"]) == (False, 0)
    assert "body /properties/a" in never["message"]
    for wrong in (
        {},
        {"operation": "loadTabel"},
        {"operation": "loadTable", "times": -1},
        {"operation": "loadTable", "x": 1},
    ):
        assert verify(http, loaded, **wrong).status == 400
    assert verify(http, loaded, operation="loadTable", query=["x"]).status == 400


def test_memory_is_bounded():
    journal = Journal()
    for number in range(2 * MOST):
        journal.add(Request(str(number), "GET", "/", {}), Reply(), 0.0)
    assert [len(list(journal)), next(iter(journal)).request.id] == [MOST, str(MOST)]
    for number in range(200):
        exchange = journal.add(
            Request(str(number), "POST", "/", {}, b"a" * 10_000_000), Reply(200, b"b" * 100_000), 0.0
        )
    assert exchange.lengths == (10_000_000, 100_000)
    assert {len(each.request.body) for each in journal} == {len(each.reply.body) for each in journal} == {LARGEST_BODY}
    assert len(list(journal)) <= MOST_BYTES // (2 * LARGEST_BODY)


def test_the_answer_of_a_client_is_not_cut():
    reply = Reply(200, b"b" * 100_000)
    Journal().add(Request("1", "GET", "/", {}), reply, 0.0)
    assert len(reply.body) == 100_000


def test_the_latest_request_is_kept_whatever_its_size():
    journal = Journal(most_bytes=1)
    for number in range(3):
        journal.add(Request(str(number), "GET", "/", {}), Reply(), 0.0)
    assert [exchange.request.id for exchange in journal] == ["2"]
