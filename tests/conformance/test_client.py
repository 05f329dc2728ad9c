"""The client: exact bytes, verdicts on statuses, the wire log, marks."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.common.wire import raise_first
from conformance.http.client import MOST_TRIES, Client
from conformance.http.refusals import MOST_REFUSALS
from conformance.http.transport import Connection
from conformance.values.outcomes import Blocked, Unoffered, Violation
from specs.profiles import find_profile

DOCUMENT = find_profile("lance").document()


class ScriptedServer(ThreadingHTTPServer):
    """Server that returns the answer of the test and records the requests."""

    asked: list[tuple[str, str, dict[str, str], bytes]]
    script: tuple[int, Any, str | None]


class Scripted(BaseHTTPRequestHandler):
    """Handler of a `ScriptedServer`."""

    server: ScriptedServer
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append((self.command, self.path, dict(self.headers), body))
        status, answer, kind = self.server.script
        raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        if kind:
            self.send_header("content-type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    do_POST = do_GET  # noqa: N815 - the name that http.server calls

    def log_message(self, *_):
        pass


@pytest.fixture
def target():
    server = ScriptedServer(("127.0.0.1", 0), Scripted)
    server.asked, server.script = [], (200, {"namespaces": []}, "application/json")
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def client(target):
    connection = Connection(f"http://127.0.0.1:{target.server_port}/base", {"X-Extra": "1"}, 5.0)
    client = Client(connection, DOCUMENT)
    client.begin(["ListNamespaces"])
    yield client
    client.close()


def test_names_are_sent_percent_encoded_once(client, target):
    client.call("ListNamespaces", path={"id": "a/b %2F?#ü.."}, query={"limit": 2, "page_token": None, "x": "a b&c"})
    _, path, headers, body = target.asked[0]
    assert path == "/base/v1/namespace/a%2Fb%20%252F%3F%23%C3%BC../list?limit=2&x=a%20b%26c"
    assert headers["X-Extra"] == "1"
    assert body == b""


@pytest.mark.parametrize("name", [".", "..", "a..b"])
def test_dots_are_sent_as_they_are(client, target, name):
    client.call("ListNamespaces", path={"id": name})
    assert target.asked[0][1] == f"/base/v1/namespace/{name}/list"


def test_redirects_are_not_followed_and_nothing_is_retried(client, target):
    target.script = (302, b"", None)
    with pytest.raises(Violation):
        client.call("ListNamespaces", path={"id": "a"})
    target.script = (503, {"code": 17}, "application/json")
    with pytest.raises(Violation):
        client.call("ListNamespaces", path={"id": "a"})
    assert len(target.asked) == 2


def test_an_unexpected_status_of_a_subject_is_a_violation(client, target):
    target.script = (404, {"code": 1}, "application/json")
    with pytest.raises(Violation, match="expected 200, got 404"):
        client.call("ListNamespaces", path={"id": "a"})
    assert client.steps[-1].mark == "status"


def test_all_statuses_of_a_class_are_told_as_it(client, target):
    target.script = (500, {"code": 18}, "application/json")
    with pytest.raises(Violation, match="expected 200 or 4xx, got 500"):
        client.call("ListNamespaces", path={"id": "a"}, expect=(200, *range(400, 500)))


def test_before_the_subject_it_blocks_and_afterwards_it_violates(client, target):
    target.script = (500, {"code": 18}, "application/json")
    with pytest.raises(Blocked) as caught:
        client.call("CreateNamespace", path={"id": "a"}, json={})
    assert caught.value.by == "CreateNamespace"
    client.call("ListNamespaces", path={"id": "a"}, expect=None)
    with pytest.raises(Violation):
        client.call("CreateNamespace", path={"id": "a"}, json={})


def test_what_prepares_blocks_whatever_was_called(client, target):
    client.call("ListNamespaces", path={"id": "a"})
    target.script = (500, {"code": 18}, "application/json")
    with pytest.raises(Blocked) as caught, client.preparing():
        client.call("ListNamespaces", path={"id": "a"})
    assert caught.value.by == "ListNamespaces"
    with pytest.raises(Blocked, match="not what it was"), client.preparing():
        raise Violation("not what it was")
    with pytest.raises(Violation):
        client.call("ListNamespaces", path={"id": "a"})


def test_what_prepares_is_no_call_of_a_subject(client, target):
    with client.preparing():
        client.call("ListNamespaces", path={"id": "a"})
    assert client.reached == set()
    target.script = (500, {"code": 18}, "application/json")
    with pytest.raises(Blocked):
        client.call("DropNamespace", path={"id": "a"}, json={})


def test_what_cannot_be_read_while_it_prepares_blocks(client, target):
    client.call("ListNamespaces", path={"id": "a"})
    target.script = (200, {"namespaces": 7}, "application/json")
    with pytest.raises(TypeError) as caught, client.preparing():
        client.call("ListNamespaces", path={"id": "a"})["namespaces"][0]
    with pytest.raises(Blocked, match="cannot be used"):
        client.reject_malformed(caught.value)


@pytest.mark.parametrize(
    ("status", "id", "kind", "judged"),
    [
        (404, "a/b", "application/json", False),
        (405, "..", "application/json", False),
        (404, "ab", "application/json", True),
        (200, "a/b", "application/json", True),
        (415, "ab", "text/xml", False),
        (415, "ab", "application/json", True),
        (429, "ab", "application/json", False),
    ],
)
def test_what_a_router_answers_says_nothing_of_the_operation(client, target, status, id, kind, judged):
    target.script = (status, b"no such path", "text/plain")
    client.call("ListNamespaces", path={"id": id}, body=b"{}", content_type=kind, expect=None)
    assert bool(client.wire.of("ListNamespaces")) == judged


def test_what_is_not_supported_is_not_offered(client, target):
    target.script = (406, {"code": 0}, "application/json")
    with pytest.raises(Unoffered):
        client.call("ListNamespaces", path={"id": "a"}, expect=404)
    with pytest.raises(Unoffered, match="this needs DropNamespace"):
        client.call("DropNamespace", path={"id": "a"}, json={})
    client.call("ListNamespaces", path={"id": "a"}, expect=406)


def test_what_has_succeeded_once_is_offered_whatever_is_said_later(client, target):
    target.script = (200, {"namespaces": []}, "application/json")
    client.call("ListNamespaces", path={"id": "a"})
    target.script = (406, {"code": 0}, "application/json")
    with pytest.raises(Violation, match="expected 404, got 406"):
        client.call("ListNamespaces", path={"id": "a"}, expect=404)


def test_a_server_that_is_gone_is_a_violation(client, target):
    target.shutdown()
    target.server_close()
    with pytest.raises(Violation, match="got no answer"):
        client.call("ListNamespaces", path={"id": "a"})


def test_reached_statuses_are_those_that_were_asked_for(client, target):
    client.call("ListNamespaces", path={"id": "a"})
    target.script = (404, {"code": 1}, "application/json")
    client.call("ListNamespaces", path={"id": "a"}, expect=(400, 404))
    client.call("DescribeNamespace", path={"id": "a"}, json={}, expect=404)
    client.call("ListNamespaces", path={"id": "a"}, expect=None)
    assert client.reached == {"ListNamespaces 200", "ListNamespaces 404"}


@pytest.mark.parametrize(
    ("script", "mark", "words"),
    [
        ((200, {"namespaces": [1]}, "application/json"), "body:/namespaces/0", "string"),
        ((200, {}, "application/json"), "body:", "required"),
        ((200, {"namespaces": []}, "text/html"), "header:Content-Type", "text/html"),
        ((200, b"{", "application/json"), "body:", "not JSON"),
        ((200, b'{"error": "\xe4"}', "application/json"), "body:", "not UTF-8"),
        ((218, {"namespaces": []}, "application/json"), "status", "not declared"),
        ((404, {"error": "x"}, "application/json"), "body:", "code"),
    ],
)
def test_answers_are_compared_with_the_document(client, target, script, mark, words):
    target.script = script
    client.call("ListNamespaces", path={"id": "a"}, expect=None)
    client.call("ListNamespaces", path={"id": "b"}, expect=None)
    (finding,) = client.wire.of("ListNamespaces")
    assert finding.mark == mark
    assert words in finding.message
    assert [step.url.rsplit("/", 2)[1] for step in finding.steps] == ["a"]


def test_json_of_another_type_is_compared_with_the_document_as_well(client, target):
    target.script = (200, {"namespaces": [1]}, "application/x-amz-json-1.0")
    client.call("ListNamespaces", path={"id": "a"})
    marks = [finding.mark for finding in client.wire.of("ListNamespaces")]
    assert marks == ["body:/namespaces/0", "header:Content-Type"]


def test_an_error_of_a_reader_is_explained_by_a_body_and_not_by_a_header(client, target):
    target.script = (200, {"namespaces": []}, "text/plain")
    client.call("ListNamespaces", path={"id": "a"})
    with pytest.raises(KeyError):
        client.reject_malformed(KeyError("x"))
    target.script = (200, {"namespaces": 7}, "text/plain")
    client.call("ListNamespaces", path={"id": "a"})
    with pytest.raises(Violation, match='cannot be used: 7 is not of type "array"'):
        client.reject_malformed(KeyError("x"))


def test_a_violation_of_the_document_lists_all_its_findings(client, target):
    for status in (218, 219, 220):
        target.script = (status, {"namespaces": []}, "application/json")
        client.call("ListNamespaces", path={"id": "a"}, expect=None)
    first, *others = (finding.message for finding in client.wire.of("ListNamespaces"))
    suite: Any = SimpleNamespace(client=client)
    with pytest.raises(Violation) as caught:
        raise_first(suite, client.wire.of("ListNamespaces"))
    assert str(caught.value).splitlines() == [f"{first} (and 2 more)", *(f"also: {other}" for other in others)]
    assert "220" in others[-1]


def test_a_request_that_is_not_sent_is_passed_on_so_that_nothing_is_dropped_for_it(client, target):
    target.script = (404, {"error": "no route", "code": 4}, "application/json")
    client.known.unoffered.add("CreateNamespace")
    withheld = []
    client.recording.unsent = withheld.append
    for _ in range(MOST_TRIES + 2):
        with pytest.raises(Unoffered):
            client.call("CreateNamespace", path={"id": "a"}, json={})
    assert len(target.asked) == MOST_TRIES
    assert [exchange.operation for exchange in withheld] == ["CreateNamespace"] * 2


def test_good_answers_leave_no_finding(client, target):
    target.script = (200, {"namespaces": ["a"], "page_token": None, "more": 1}, "application/json; charset=utf-8")
    client.call("ListNamespaces", path={"id": "a"})
    assert client.wire.of("ListNamespaces") == []
    assert client.wire.count("ListNamespaces") == 1


def test_the_field_that_was_looked_at_last_is_marked(client, target):
    target.script = (200, {"namespaces": ["a"], "page_token": "t"}, "application/json")
    first = client.call("ListNamespaces", path={"id": "a"})
    second = client.call("ListNamespaces", path={"id": "b"})
    assert second["namespaces"] == ["a"]
    assert first.get("page_token") == "t"
    assert [step.mark for step in client.steps] == ["body:/page_token", ""]


def test_a_missing_field_is_a_violation_that_points_at_it(client):
    answer = client.call("ListNamespaces", path={"id": "a"})
    with pytest.raises(Violation):
        answer["nothing"]
    assert client.steps[-1].mark == "body:/nothing"


# Prerequisites that are always refused


def refusals(client, times, **more):
    """Call a prerequisite so many times, and return the texts of the errors."""
    texts = []
    for _ in range(times):
        with pytest.raises((Blocked, Unoffered)) as caught:
            client.call("CreateNamespace", path={"id": "n"}, json={}, **more)
        texts.append(str(caught.value))
    return texts


def test_a_prerequisite_that_is_always_refused_is_sent_ever_more_rarely(client, target):
    target.script = 403, {"error": "no"}, "application/json"
    withheld: list[str] = []
    client.recording.unsent = lambda exchange: withheld.append(exchange.url)
    texts = refusals(client, 200)
    assert len(target.asked) == MOST_REFUSALS + 4  # the calls 16, 32, 64 and 128
    assert len(withheld) == 200 - len(target.asked)
    assert set(texts) == {"CreateNamespace: expected 200, got 403"}  # one reason, whether it was sent or not
    client.begin_example()
    refusals(client, 1)
    assert len(target.asked) == MOST_REFUSALS + 4
    assert [(step.operation, step.status, step.mark) for step in client.steps] == [("CreateNamespace", 403, "status")]


def test_a_call_that_allows_the_status_of_the_refusals_is_sent(client, target):
    target.script = 403, {"error": "no"}, "application/json"
    refusals(client, 2 * MOST_REFUSALS)
    sent = len(target.asked)
    with suppress(Blocked):  # pytest takes it for a skipped test
        assert client.call("CreateNamespace", path={"id": "n"}, json={}, expect=(200, 403)).status == 403
    assert len(target.asked) == sent + 1


def test_only_refusals_with_the_same_status_count(client, target):
    for status in [403, 500] * MOST_REFUSALS:
        target.script = status, {"error": "no"}, "application/json"
        refusals(client, 1)
    assert len(target.asked) == 2 * MOST_REFUSALS


def test_a_success_ends_the_refusals(client, target):
    target.script = 403, {"error": "no"}, "application/json"
    refusals(client, 15)
    target.script = 200, {}, "application/json"
    assert client.call("CreateNamespace", path={"id": "n"}, json={}).status == 200
    target.script = 403, {"error": "no"}, "application/json"
    sent = len(target.asked)
    refusals(client, 20)
    assert len(target.asked) == sent + 20


def test_subjects_and_calls_without_an_expectation_are_always_sent(client, target):
    target.script = 403, {"error": "no"}, "application/json"
    refusals(client, MOST_REFUSALS)
    for _ in range(3):
        client.call("CreateNamespace", path={"id": "n"}, json={}, expect=None)
    client.begin(["CreateNamespace"])
    for _ in range(3):
        with pytest.raises(Violation):
            client.call("CreateNamespace", path={"id": "n"}, json={})
    assert len(target.asked) == MOST_REFUSALS + 6


def test_an_operation_that_the_server_refuses_as_unsupported_stays_unoffered_without_a_request(client, target):
    target.script = 406, {"error": "no", "code": 0}, "application/json"
    client.begin(["CreateNamespace"])
    for _ in range(3 * MOST_REFUSALS):
        with pytest.raises(Unoffered), client.preparing():
            client.call("CreateNamespace", path={"id": "n"}, json={})
    assert len(target.asked) == MOST_REFUSALS + 1
