"""A script of curl commands takes what a server chose from its answers, and says what it cannot show."""

from __future__ import annotations

import subprocess

import pytest

from conformance.findings.chosen import chosen, names_files
from conformance.findings.replay import Finding, replay
from conformance.findings.reproduction import NOT_KEPT, Recorded, as_shell, recorded, reproduce, settings_for
from conformance.http.exchange import MAX_BODY, Exchange
from conformance.run.session import met
from conformance.settings import Settings
from lakeproof import check, serve

BASE, RUN = "http://127.0.0.1:1", "lpabcdef"
PLACE = f"file:///lake/{RUN}n1/t_0b50cbcb-2fe0-4d1e-993b-6b412f1b672f"
JSON = {"Content-Type": "application/json"}
WIRE = "iceberg.wire.load_table"


def step(path, sent=b"", answer=b"", headers=None):
    """An exchange as results show it."""
    exchange = Exchange("op", "POST", f"{BASE}/{path}", {}, sent)
    exchange.status, exchange.response_body, exchange.response_headers = 200, answer, headers or {}
    return exchange.to_step()


def finding(*steps, kind="behaviour"):
    about = Finding("x.y", kind, "op: expected 400, got 200", steps, BASE, RUN)
    return Recorded(finding=about, statement="It is so.", kit="0", seen="now", settings={})


def said(script, answer):
    """What a shell prints as the URL and the body of the last command, when all are answered in this way."""
    stub = f"curl() {{ printf '%b' {answer!r}; printf ' <%s>' \"$@\" >&2; echo >&2; }}\n"
    done = subprocess.run(["sh"], input=stub + script, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[-1]


def test_a_later_step_names_what_the_server_chose_this_time():
    first = f'{{"a": {{"id": "x-11111111"}}, "id": "22222222", "number": 3333333, "at": "{PLACE}"}}'.encode()
    steps = [step("make", answer=first), step("use/22222222", f'{{"n":3333333,"at":"{PLACE}/m"}}'.encode())]
    script = as_shell(finding(*steps), BASE)
    last = said(script, '{"a": {"id": "y"}, "id": "$(id)`id`", "number": 55, "at": "s3://b/t"}')
    assert "/use/$(id)`id`>" in last  # an answer is text, and no command
    assert '{"n":55,"at":"s3://b/t/m"}' in last
    assert "22222222" not in script
    assert PLACE not in script


def test_a_header_is_what_the_server_chose_too():
    steps = [step("get", answer=b"{}", headers={"ETag": 'W/"0123456789abcdef0123"'}), step("get")]
    steps[1].request.curl += " -H 'If-None-Match: W/\"0123456789abcdef0123\"'"
    steps[1].request.headers["If-None-Match"] = 'W/"0123456789abcdef0123"'
    script = as_shell(finding(*steps), BASE)
    assert "If-None-Match: W/other" in said(script, "HTTP/1.1 200 OK\r\netag: W/other\r\n\r\n{}")


def test_names_of_the_run_and_what_was_sent_first_are_not_taken_from_answers():
    steps = [step("a", b'{"id":"12345678"}', b'{"id":"12345678"}'), step("b/12345678")]
    assert chosen(steps) == []
    assert "ANSWER" not in as_shell(finding(*steps), BASE)


@pytest.mark.parametrize(("named", "files"), [(f"{PLACE}/data/f.parquet", True), (PLACE, False), ("/elsewhere", False)])
def test_files_below_a_place_that_the_server_chose_are_those_of_the_run(named, files):
    steps = [step("make", answer=f'{{"location": "{PLACE}"}}'.encode()), step("use", named.encode())]
    assert names_files(steps) is files
    assert ("a request names files" in as_shell(finding(*steps), BASE)) is files


def test_a_script_without_a_body_ends_before_it_sends_another_one(tmp_path):
    script = as_shell(finding(step("big", b"x" * (MAX_BODY + 1)), kind="behaviour"), BASE)
    done = subprocess.run(["sh"], input=script, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert NOT_KEPT in done.stderr
    assert "too large to be kept" in script


def test_a_script_of_a_race_says_that_it_is_one():
    assert "at the same time" in as_shell(finding(step("a"), kind="race"), BASE)


@pytest.fixture(scope="module")
def defect(tmp_path_factory):
    """A server whose loadTable breaks the document, and the finding about it, seen with requests of others."""
    with serve("iceberg", faults=["lost-answer-field:loadTable:metadata.table-uuid"]) as server:
        names = f"{WIRE} or iceberg.table.load"
        results, _ = check(server.url, api="iceberg", select=names, report=str(tmp_path_factory.mktemp("defect")))
        record = recorded(results, WIRE)
        record.finding.steps[-1].response.body["json"]["metadata"]["properties"] = {"another": "server's"}
        yield server, record


def test_a_defect_in_the_same_place_is_the_same_whatever_else_the_answer_says(defect):
    server, record = defect
    outcome = reproduce(record, settings_for(record, server.url, {}))
    assert outcome.fails, outcome.why
    assert "in the same place" in outcome.why


def test_an_answer_may_have_defects_in_several_places():
    answer = Exchange("loadTable", "GET", f"{BASE}/t", {}, response_headers=JSON)
    answer.status, answer.response_body = 200, b'{"metadata": {"format-version": 0}}'
    with serve("iceberg") as server, met(Settings(server.url, api="iceberg")) as target:
        assert {"body:/metadata", "body:/metadata/format-version"} <= target.client.wire.defects(answer).keys()


def test_an_answer_without_the_defect_is_not_taken_for_it(defect):
    with serve("iceberg") as fixed:
        outcome = reproduce(defect[1], settings_for(defect[1], fixed.url, {}))
    assert not outcome.fails, outcome.why


def test_a_refusal_for_files_that_are_not_there_is_not_taken_for_the_due_one():
    """Where the steps name files of the run, the requirement decides: it writes them."""
    location = "file:///nowhere/0b50cbcb-2fe0-4d1e-993b-6b412f1b672f"
    with serve("iceberg") as server:
        made = Exchange("createNamespace", "POST", f"{server.url}/v1/namespaces", JSON, b'{"namespace":["lpabcdefn1"]}')
        made.status, made.response_body = 200, f'{{"properties":{{"location":"{location}"}}}}'.encode()
        sent = f'{{"name":"t","metadata-location":"{location}/m.json"}}'.encode()
        taken = Exchange("registerTable", "POST", f"{server.url}/v1/namespaces/lpabcdefn1/register", JSON, sent)
        taken.status = 200
        steps = [made.to_step(), taken.to_step()]
        about = Finding("iceberg.register.x", "error", "op: expected 400, got 200", steps, server.url, RUN)
        with met(Settings(server.url, api="iceberg")) as target:
            replayed = replay(about, target)
    assert replayed.exchanges[-1].status == 400
    assert replayed.state == "changed"


def test_settings_of_older_results_are_read_under_their_names_of_now(defect, tmp_path):
    results, _ = check(defect[0].url, api="iceberg", select=f"{WIRE} or iceberg.table.load", report=str(tmp_path))
    results.target.settings |= {"headers": ["x-tenant: a"], "storage_options": [], "operations": ["loadTable"]}
    results.target.settings.pop("header")
    settings = settings_for(recorded(results, WIRE), defect[0].url, {})
    assert settings.header == ("x-tenant: a",)
    assert settings.operation == ()
