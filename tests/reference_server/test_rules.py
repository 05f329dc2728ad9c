"""Rules: their text form, which requests they change and when, and what they do, also on the wire."""

from __future__ import annotations

import json
import re
import socket
from contextlib import nullcontext
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
import urllib3

from lakeproof import Rule, serve
from reference_server.context import Request
from reference_server.faults import Call
from reference_server.rules.smallest import smallest_success
from reference_server.rules.text import parse_rule, read_rules, rule_from
from specs.problems import Problem
from specs.profiles import find_profile
from specs.validation import Validators

NAMESPACE = "/v1/namespaces/a"
LOAD, COMMIT = "GET /v1/namespaces/a/tables/t", "POST /v1/namespaces/a/tables/t"
DESCRIBE = "POST /v1/table/a$t/describe"
ICEBERG = ("loadTable", "updateTable")


@pytest.fixture(scope="module")
def server():
    with serve("iceberg") as server:
        urllib3.request("POST", f"{server.url}/v1/namespaces", json={"namespace": ["a"]}, retries=False)
        yield server


@pytest.fixture(autouse=True)
def _no_rules(server):
    server.clear_rules()


@pytest.fixture
def ask(server, http):
    """Return a function that sends requests and returns their statuses, 0 for a broken connection."""

    def ask(method, path, times=1, **request):
        return [_status(http, method, server.url + path, request) for _ in range(times)]

    return ask


def _status(http, method, url, request):
    try:
        return http(method, url, **request).status
    except urllib3.exceptions.ProtocolError:
        return 0


# The text form


JSON = '{"a": "b:c"}'
CHANGED = {"metadata.format-version": 3, "config": None}
TEXTS = [
    ("updateTable: 504 applied x2", Rule("updateTable", status=504, applied=True, times=2)),
    ("updateTable:504 x2", Rule("updateTable", status=504, times=2)),
    ("any: delay 0.5", Rule(delay=0.5)),
    ("*: delay 0.5s every 3 after 1", Rule(delay=0.5, every=3, after=1)),
    ("loadTable table=t namespace=a.b: cut", Rule("loadTable", {"table": "t", "namespace": "a.b"}, cut=True)),
    ("createTable: cut applied", Rule("createTable", cut=True, applied=True)),
    ("createTable !body.location: 400", Rule("createTable", {"body.location": None}, status=400)),
    ("createTable body.stage-create=true: 406", Rule("createTable", {"body.stage-create": "true"}, status=406)),
    ("listTables query.pageToken: stale", Rule("listTables", {"query.pageToken": "*"}, stale=True)),
    ("loadTable: 404 NoSuchViewException", Rule("loadTable", status=404, error="NoSuchViewException")),
    ("any: 403 message='Not today.'", Rule(status=403, message="Not today.")),
    ("loadTable: 503 header.Retry-After=1", Rule("loadTable", status=503, headers={"Retry-After": "1"})),
    ("loadTable: lost config,metadata.location", Rule("loadTable", lost=("config", "metadata.location"))),
    ("loadTable: half", Rule("loadTable", half=True)),
    ("loadTable: body.metadata.format-version=3 body.config=null", Rule("loadTable", changed=CHANGED)),
    ("loadTable: 502 body='<html> gone'", Rule("loadTable", status=502, body="<html> gone")),
    ("any: 500 body=", Rule(status=500, body="")),
    ('loadTable: body.config={"k":"x y"} x1', Rule("loadTable", changed={"config": {"k": "x y"}}, times=1)),
    ("loadTable: body.config.a=[1,null]", Rule("loadTable", changed={"config.a": [1, None]})),
    ('loadTable: body.config.a="1"', Rule("loadTable", changed={"config.a": "1"})),
    ("loadTable: body.config.a='x y'", Rule("loadTable", changed={"config.a": "x y"})),
    ('loadTable: 500 body={"a":"b c"}', Rule("loadTable", status=500, body='{"a":"b c"}')),
    ('createTable body.properties={"a": "b:c"}: 406', Rule("createTable", {"body.properties": JSON}, status=406)),
    ("loadTable header.X=a:b: 503", Rule("loadTable", {"header.X": "a:b"}, status=503)),
    ("loadTable table=t:503", Rule("loadTable", {"table": "t"}, status=503)),
    ("updateTable: delay 1 applied", Rule("updateTable", delay=1, applied=True)),
    ("slow", Rule(fault="slow")),
    ("slow:loadTable:2.5 x3", Rule(fault="slow:loadTable:2.5", times=3)),
    ("lost-answer-field:loadTable:config", Rule(fault="lost-answer-field:loadTable:config")),
    ("loadTable table=t: commit-conflict after 2", Rule("loadTable", {"table": "t"}, fault="commit-conflict", after=2)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rule"), TEXTS)
def test_a_rule_is_read_from_its_text_and_from_json(text, rule):
    assert parse_rule(text, ICEBERG) == rule
    assert parse_rule(str(rule), ICEBERG) == rule
    assert rule_from(json.loads(json.dumps(rule.fields))) == rule


REFUSED = [
    ("loadTabel: 503", "no operation 'loadTabel'", "Did you mean loadTable?"),
    ("thottled", "no fault 'thottled'", "Did you mean throttled?"),
    ("loadTable: thottled", "no fault 'thottled'", "Did you mean throttled?"),
    ("loadTable: 519", "loadTable has no status 519", "Near: 503"),
    ("loadTable: 404 NoSuchTable", "no error 'NoSuchTable'", "Did you mean NoSuchTableException"),
    ("updateTable: 504 aplied", "no error 'aplied'", "Did you mean applied?"),
    ("loadTable: lost metadata.locatoin", "no field 'metadata.locatoin'", "metadata.location"),
    ("dropTable: lost metadata", "no field 'metadata'", "It has no fields."),
    ("loadTable tabel=t: 503", "no 'tabel' to match", "Did you mean table?"),
    ("createTable body.nam=t: 503", "no 'body.nam' to match", "body.name"),
    ("loadTable: cut half", "has cut and half", "Leave one of them out."),
    ("loadTable: applied", "applied without an error", "504 applied"),
    ("loadTable: 400 ValidationException", "no error 'ValidationException'", "400 body.error.type=ValidationException"),
    ("loadTable: commit-conflict", "commit-conflict does not change loadTable", "updateTable"),
    ("loadTable: ignored table", "no argument 'table'", "snapshots"),
    ("loadTable: message=Busy", "message 'Busy', but no status", "504 applied"),
    ("loadTable: x2", "does not say what happens", "504 applied"),
    ("loadTable: 503 x0", "has times 0", "from 1 on"),
    ("loadTable: delay soon", "no number after 'delay'", "delay 2"),
    ("loadTable: delay 9999", "longer than 3,600 seconds", "shorter"),
    ("loadTable: 'x", "no closing quotation", "Example"),
    ({"operation": "loadTable", "statuss": 503}, "no field 'statuss'", "Did you mean status?"),
    ({"operation": "loadTable", "status": "503"}, "field status of a rule is '503'", "int or null"),
    (7, "not 7", "Example"),
]


@pytest.mark.parametrize(("rule", "message", "hint"), REFUSED)
def test_what_does_not_fit_is_refused_with_the_nearest(server, rule, message, hint):
    with pytest.raises(Problem) as problem:
        server.rule(rule)
    assert message in problem.value.message
    assert hint in problem.value.message
    assert server.rules() == []


def test_a_file_has_rules_as_texts_and_as_objects(tmp_path):
    file = tmp_path / "rules.yaml"
    file.write_text("- updateTable: 504 applied x2\n- {operation: loadTable, delay: 1}\n- slow\n")
    rules = [rule_from(rule) for rule in read_rules(file)]
    assert rules == [
        Rule("updateTable", status=504, applied=True, times=2),
        Rule("loadTable", delay=1),
        Rule(fault="slow"),
    ]
    for text in ("a: [", "{}", None):
        file.unlink() if text is None else file.write_text(text)
        with pytest.raises(Problem, match="--rules"):
            read_rules(file)


# Which requests, and when


@pytest.mark.parametrize(
    ("when", "statuses"),
    [
        ("x2", [503, 503, 200, 200, 200, 200]),
        ("after 1 x2", [200, 503, 503, 200, 200, 200]),
        ("every 3", [200, 200, 503, 200, 200, 503]),
        ("after 1 every 2 x1", [200, 200, 503, 200, 200, 200]),
    ],
)
def test_a_rule_changes_the_requests_of_its_turn(server, ask, when, statuses):
    rule = server.rule(f"loadNamespaceMetadata: 503 {when}")
    assert ask("GET", NAMESPACE, 6) == statuses
    assert (rule.seen, rule.used) == (6, statuses.count(503))


def test_rules_follow_one_another(server, ask):
    server.fail("loadNamespaceMetadata", status=503, times=2)
    server.fail("any", status=419, times=1)
    assert ask("GET", NAMESPACE, 4) == [503, 503, 419, 200]


@pytest.mark.parametrize(
    ("where", "fits"),
    [
        ("namespace=a", True),
        ("namespace=b*", False),
        ("header.x-test=y?s", True),
        ("!header.x-test", False),
        ("query.q", True),
        ("!query.other", True),
        ("body.removals.*=p", True),
        ("body.removals.1=q", True),
        ("body.removals.1=p", False),
        ("body.updates.s3.region=eu", True),
        ("namespace=a query.q=2", False),
    ],
)
def test_a_rule_is_for_requests_that_meet_its_conditions(server, ask, where, fits):
    server.rule(f"updateProperties {where}: 503")
    body = {"removals": ["p", "q"], "updates": {"s3.region": "eu"}}
    statuses = ask("POST", f"{NAMESPACE}/properties?q=1", json=body, headers={"X-Test": "yes"})
    assert statuses == ([503] if fits else [200])


def test_the_status_of_a_failure_needs_no_name(server):
    assert [server.fail("loadTable", 503).text, server.fail("any", status=503, times=2).text] == [
        "loadTable: 503",
        "any: 503 x2",
    ]


def test_a_rule_that_is_removed_changes_nothing(server, ask):
    first, second = server.add_rules("any: 503", "any: 502")
    first.remove()
    assert ask("GET", NAMESPACE) == [502]
    assert [rule.text for rule in server.rules()] == ["any: 502"]
    second.remove()
    assert ask("GET", NAMESPACE) == [200]
    with pytest.raises(Problem, match=f"no rule '{second.id}'"):
        second.remove()


def test_rules_are_set_over_http(server, http, ask):
    url = f"{server.url}/_lakeproof/rules"
    added = http("POST", url, json="loadNamespaceMetadata: 503 x1").json()["rules"]
    assert (added[0]["rule"], added[0]["status"], added[0]["used"]) == ("loadNamespaceMetadata: 503 x1", 503, 0)
    assert ask("GET", NAMESPACE, 2) == [503, 200]
    assert http("GET", f"{url}/{added[0]['id']}").json()["used"] == 1
    http("PUT", url, json=[{"operation": "loadNamespaceMetadata", "status": 419}, "any: delay 0.01"])
    assert [rule["rule"] for rule in http("GET", url).json()["rules"]] == [
        "loadNamespaceMetadata: 419",
        "any: delay 0.01",
    ]
    refused = http("PUT", url, json=["any: 503", "loadTabel: 503"])
    assert (refused.status, "Did you mean loadTable?" in refused.json()["error"]["message"]) == (400, True)
    assert ask("GET", NAMESPACE) == [419]
    assert http("DELETE", url, headers={"Content-Type": "application/json"}).status == 204
    assert ask("GET", NAMESPACE) == [200]


def test_each_tenant_has_its_own_rules_beside_those_of_the_start(http):
    with serve("iceberg", faults="loadNamespaceMetadata: 503 x1") as server, server.tenant() as tenant:
        tenant.fail("listNamespaces", status=502)
        for each, statuses in ((server, [503, 200]), (tenant, [503, 502])):
            assert [http("GET", each.url + path).status for path in (NAMESPACE, "/v1/namespaces")] == statuses
        assert len(tenant.rules()) - len(server.rules()) == 1


# What happens


@pytest.mark.parametrize(
    ("rule", "status", "exists"),
    [
        ("createNamespace: 500", 500, 404),
        ("createNamespace: 500 applied", 500, 204),
        ("createNamespace: cut", 0, 404),
        ("createNamespace: cut applied", 0, 204),
        ("createNamespace: half", 0, 204),
        ("createNamespace: 201", 201, 204),
        ("createNamespace: 204", 204, 204),
    ],
)
def test_a_request_is_done_or_not_as_the_rule_says(server, ask, rule, status, exists):
    name = rule.replace(" ", "").replace(":", "")
    server.rule(rule)
    assert ask("POST", "/v1/namespaces", json={"namespace": [name]}) == [status]
    server.clear_rules()
    assert ask("HEAD", f"/v1/namespaces/{name}") == [exists]


@pytest.mark.parametrize(
    ("api", "rule", "path", "error"),
    [
        ("iceberg", "loadTable: 404", LOAD, ("error", "type", "NoSuchTableException")),
        ("iceberg", "loadTable: 419", LOAD, ("error", "type", "AuthenticationTimeoutException")),
        ("iceberg", "updateTable: 504", COMMIT, ("error", "type", "CommitStateUnknownException")),
        ("iceberg", "loadTable: 502", LOAD, ("error", "type", "InternalServerError")),
        ("iceberg", "getToken: 400 invalid_scope", "POST /v1/oauth/tokens", ("error", "invalid_scope")),
        ("lance", "DescribeTable: 404", DESCRIBE, ("code", 4)),
        ("lance", "DescribeTable table=t namespace=a: 409 ConcurrentModification", DESCRIBE, ("code", 14)),
        ("polaris", "getPrincipal: 404", "GET /api/management/v1/principals/p", ("error", "type", "NotFoundException")),
    ],
)  # fmt: skip
def test_an_error_has_the_names_of_the_document(http, api, rule, path, error):
    method, _, target = path.partition(" ")
    own: dict[str, Any] = {"bootstrap": "root:s3cr3t"} if api == "polaris" else {}
    with serve(api, faults=(rule,), **own) as server:
        answer = http(method, server.url + target)
    body = answer.json()
    *places, expected = error
    for place in places:
        body = body[place]
    assert (answer.status, body) == (int(rule.partition(": ")[2][:3]), expected)


def test_fields_headers_and_bodies_of_answers_change(server, http):
    url = server.url + NAMESPACE
    server.rule("loadNamespaceMetadata: lost namespace body.properties.s3.region=eu header.ETag=x x1")
    answer = http("GET", url)
    assert (answer.json(), answer.headers["ETag"]) == ({"properties": {"s3.region": "eu"}}, "x")
    server.rule("loadNamespaceMetadata: 502 body='<html>' header.content-type=text/html x1")
    answer = http("GET", url)
    assert (answer.status, answer.data, answer.headers["Content-Type"]) == (502, b"<html>", "text/html")


@pytest.mark.parametrize(
    ("api", "rule", "path", "content"),
    [
        ("iceberg", "namespaceExists: 200", "HEAD /v1/namespaces/none", None),
        ("iceberg", "dropTable: 204", "DELETE /v1/namespaces/none/tables/t", None),
        ("iceberg", "listTables: 200", "GET /v1/namespaces/none/tables", {"identifiers": []}),
        ("lance", "ListTables: 200", "GET /v1/namespace/none/table/list", {"tables": []}),
        ("lance", "DescribeTable: 200 body.version=3", DESCRIBE, {"version": 3}),
    ],
)
def test_a_refusal_becomes_a_success(http, api, rule, path, content):
    method, _, target = path.partition(" ")
    with serve(api, rules=(rule,)) as server:
        answer = http(method, server.url + target, json={} if method == "POST" else None)
    assert answer.status == int(rule.partition(": ")[2][:3])
    assert (answer.json() if answer.data else None) == content


@pytest.mark.parametrize("profile", ["iceberg", "iceberg/1.6", "lance", "lance/2026-03", "polaris"])
def test_the_smallest_success_has_what_the_document_requires(profile):
    document = find_profile(profile).document()
    validators = Validators(document)
    for operation in document.operations.values():
        reply = smallest_success(Call(document, Request("1", "GET", "/", {}), operation, {}, {}, cast("Any", None)))
        assert reply.status in operation.successes
        wrong = validators.response_mismatches(operation.id, reply.status, reply.body and json.loads(reply.body))
        assert not {"required", "type", "const", "enum"} & {mismatch.keyword for mismatch in wrong if reply.body}


def test_a_changed_field_is_one_of_a_success(server, http):
    rule = server.rule("loadNamespaceMetadata: body.properties.a.b=x x1")
    missing = http("GET", f"{server.url}/v1/namespaces/none")
    assert (missing.status, missing.json().keys(), rule.used) == (404, {"error"}, 0)
    assert http("GET", server.url + NAMESPACE).json()["properties"]["a.b"] == "x"
    assert rule.used == 1


def test_a_field_has_the_json_of_the_rule(http):
    with serve("lance", rules=('DescribeTable: body.storage_options={"k":"x"}',)) as server:
        http("POST", f"{server.url}/v1/namespace/a/create", json={})
        http("POST", f"{server.url}/v1/table/a$t/declare", json={})
        assert http("POST", f"{server.url}/v1/table/a$t/describe", json={}).json()["storage_options"] == {"k": "x"}


def test_the_page_token_of_a_rule_leads_to_the_same_page(server, http):
    rule = server.rule("listNamespaces: body.next-page-token=again")
    pages = [http("GET", f"{server.url}/v1/namespaces{query}").json() for query in ("", *["?pageToken=again"] * 2)]
    assert pages == [pages[0]] * 3
    assert (pages[0]["next-page-token"], rule.used) == ("again", 3)
    server.clear_rules()
    assert http("GET", f"{server.url}/v1/namespaces?pageToken=again").status == 400


IDLE = [
    ("loadNamespaceMetadata: lost properties.owner", "of 1 requests that it is for, none had anything to change"),
    ("loadNamespaceMetadata: 503 after 5", "of 1 requests that it is for, none was due"),
    ("loadNamespaceMetadata namespace=x: 503", "none of 1 requests of its operation meets its conditions"),
    ("dropNamespace: 503", "no request of its operation arrived"),
    ("namespaceExists: 200", "no request of its operation arrived"),
]


@pytest.mark.parametrize(("rule", "reason"), IDLE)
def test_a_rule_that_changed_nothing_is_named_at_the_end(http, caplog, rule, reason):
    with serve("iceberg", like="no-views", without=("functions",)) as server:
        _with_namespace(http, server, rule)
        with pytest.warns(UserWarning, match="changed nothing") if "load" in rule else nullcontext():
            server.assert_requested("loadNamespaceMetadata")
        with pytest.raises(AssertionError, match=f"(?s)never.*{re.escape(reason)}" if "load" in rule else "never"):
            server.assert_requested("loadNamespaceMetadata", query={"a": "b"})
        server.clear_rules()
    assert [record.getMessage() for record in caplog.records] == [f"The rule {rule!r} changed nothing: {reason}."]


def test_a_rule_that_one_tenant_used_is_not_named(http, caplog):
    with serve("iceberg", rules=("loadNamespaceMetadata: 503",)) as server:
        with server.tenant() as tenant:
            assert http("GET", tenant.url + NAMESPACE).status == 503
        http("GET", f"{server.url}/v1/config")
    assert caplog.records == []


def _with_namespace(http, server, rule):
    http("POST", f"{server.url}/v1/namespaces", json={"namespace": ["a"]})
    server.rule(rule)
    assert http("GET", server.url + NAMESPACE).status == 200


def test_a_stale_answer_is_the_one_before_the_last_change(server, http):
    def listed():
        return len(http("GET", server.url + "/v1/namespaces").json()["namespaces"])

    rule = server.rule("listNamespaces: stale x1")
    before = [listed(), listed()]
    http("POST", server.url + "/v1/namespaces", json={"namespace": ["new"]})
    assert [*before, listed(), listed()] == [before[0]] * 3 + [before[0] + 1]
    assert rule.used == 1


def test_a_fault_by_its_name_is_a_rule(server, ask):
    server.rule("unavailable:5 x1")
    server.rule("loadNamespaceMetadata namespace=a: not-found-as-400 x1")
    assert ask("GET", NAMESPACE, 2) == [503, 200]
    assert ask("GET", "/v1/namespaces/b") == [404]


def test_a_delay_comes_after_a_request_that_is_applied(server, ask, monkeypatch):
    slept = []

    async def sleep(seconds):
        slept.append((seconds, ask_again()))

    def ask_again():
        return server._main.apis[""].backend.storage.version()

    before = ask_again()
    monkeypatch.setattr("reference_server.rules.running.asyncio.sleep", sleep)
    server.rule("createNamespace: 504 applied delay 30 x1")
    server.delay("createNamespace", 20)
    for name in ("late", "later"):
        ask("POST", "/v1/namespaces", json={"namespace": [name]})
    assert [seconds for seconds, _ in slept] == [20, 30, 20]
    assert slept[0][1] == before
    assert slept[1][1] != before


# On the wire


def received(server, method, path):
    """Send one request through a socket, and return all that comes until the server closes the connection."""
    parts = urlsplit(server.url)
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as connection:
        connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        text = b""
        try:
            while chunk := connection.recv(65536):
                text += chunk
        except ConnectionResetError:
            pass
    return text


def test_a_cut_connection_sends_nothing(server):
    server.rule("loadNamespaceMetadata: cut")
    assert received(server, "GET", NAMESPACE) == b""


def test_half_an_answer_breaks_off_in_its_body(server):
    server.rule("loadNamespaceMetadata: half")
    head, _, body = received(server, "GET", NAMESPACE).partition(b"\r\n\r\n")
    length = int(dict(line.split(b": ") for line in head.split(b"\r\n")[1:])[b"Content-Length"])
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert len(body) == length // 2


def test_half_an_answer_without_a_body_breaks_off_in_its_first_line(server):
    server.rule("namespaceExists: half")
    assert received(server, "HEAD", NAMESPACE) == b"HTTP/1.1"


def test_a_rule_is_named_in_the_access_log_where_it_was_used(tmp_path, http):
    log = tmp_path / "access.jsonl"
    with serve("iceberg", access_log=str(log), faults=("listNamespaces: 503 x1",)) as server:
        for _ in range(2):
            http("GET", f"{server.url}/v1/namespaces")
    assert [json.loads(line)["faults"] for line in log.read_text().splitlines()] == [["listNamespaces: 503 x1"], []]
