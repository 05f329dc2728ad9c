"""A script of curl commands takes what a server chose from its answers, and says what it cannot show."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from urllib.request import urlopen

import pytest

from conformance.after.expectations_update import updated
from conformance.after.reproduction import NOT_KEPT, Recorded, as_shell, recorded, reproduce, settings_for
from conformance.replay.chosen import chosen, names_files
from conformance.replay.expectations_file import ExpectationFile, read_expectations, write_expectations
from conformance.replay.issued import to_steps
from conformance.replay.replaying import UNPREPARED, Finding, obstacle, replay
from conformance.report.pytest_module import as_pytest
from conformance.run.session import met
from conformance.values.exchange import MAX_BODY, Exchange
from conformance.values.redaction import REDACTED
from conformance.values.settings import Settings
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
    """Return the URL and the body of a script's last command when every command gets this answer."""
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


def asked(method, url, body=b"", answer=b"", headers=None, **sent):
    """An exchange as results show it, with the command of its request."""
    exchange = Exchange("op", method, f"{BASE}/{url}", sent, body, 200, headers or {}, answer)
    return exchange.to_step()


PLANNED = b'{"plan-id":"abc","plan-tasks":["first","second-one"]}'
ISSUED_ANEW = [
    # A value of an answer, a later request that carries it, another answer, and that request then.
    (b'{"next-page-token":"abcd=="}', asked("GET", "t?pageToken=abcd%3D%3D&n=2"), '{"next-page-token":"x/y"}',
     "/t?pageToken=%78%2f%79&n=2>"),
    (b'{"page_token":"bc"}', asked("POST", "t", b'{"page_token":"bc","name":"bc"}'), '{"page_token":"de"}',
     '{"page_token":"de","name":"bc"}'),
    (b'{"page_token":"bc"}', asked("POST", "t", b'{"page_token":"bc"}'), r'{"page_token":"a\u003d\/b"}',
     '{"page_token":"a=/b"}'),
    (PLANNED, asked("GET", "plan/abc/tasks"), '{"plan-id":"x"}', "/plan/%78/tasks>"),
    (PLANNED, asked("POST", "tasks", b'{"plan-task":"second-one"}'), '{"plan-tasks":["1","b"]}', '{"plan-task":"b"}'),
    (b'{"version":3}', asked("POST", "t", b'{"version":3,"limit":3}'), '{"version":4}', '{"version":4,"limit":3}'),
    (b'{"entityVersion":1}', asked("PUT", "t", b'{"currentEntityVersion":1,"n":1}'), '{"entityVersion":2}',
     '{"currentEntityVersion":2,"n":1}'),
    (b'{"version":3}', asked("GET", "t?version=3"), '{"version":4}', "/t?version=%34>"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "carrying", "anew", "then"), ISSUED_ANEW)
def test_whatever_a_server_issues_is_taken_from_its_answer(answer, carrying, anew, then):
    script = as_shell(finding(asked("POST", "make", b"{}", answer), carrying), BASE)
    assert then in said(script, anew)


def test_a_short_tag_is_taken_from_its_header():
    steps = [asked("GET", "t", headers={"ETag": '"1"'}), asked("GET", "t?n=1", **{"If-None-Match": '"1"'})]
    last = said(as_shell(finding(*steps), BASE), 'HTTP/1.1 200 OK\r\netag: "two"\r\n\r\n{}')
    assert '<If-None-Match: "two">' in last
    assert "/t?n=1>" in last


@pytest.mark.parametrize(
    ("sent", "carrying"),
    [
        (b'{"id":7}', asked("POST", "t", b'{"source-id":7}')),  # the run chose it
        (b"{}", asked("POST", "t", b'{"limit":7}')),  # of another name
        (b"{}", asked("GET", "t/7")),  # a number is no part of a path
        (b"{}", asked("GET", "t?limit=7")),
    ],
)
def test_a_number_that_happens_to_be_the_same_is_not_taken(sent, carrying):
    assert "ANSWER" not in as_shell(finding(asked("POST", "make", sent, b'{"id":7}'), carrying), BASE)


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
    assert done.returncode == 1, done.stderr
    assert NOT_KEPT in done.stderr
    assert "too large to store" in script


def test_a_script_of_a_race_says_that_it_is_one():
    assert "its requests were concurrent" in as_shell(finding(step("a"), kind="race"), BASE)


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
    assert "at the same place" in outcome.why


def test_a_module_of_a_finding_about_all_answers_has_the_requests_that_show_it(defect, monkeypatch):
    server, record = defect
    module = as_pytest(record, server.url)
    assert len(module.splitlines()) <= 60
    assert "schemas" not in module.partition("FOUND = ")[2].replace(record.due, "")  # of what the server answered
    names = {}
    exec(compile(module, "module", "exec"), names)
    test = next(value for name, value in names.items() if name.startswith("test_"))
    with pytest.raises(AssertionError, match=re.escape(record.due)):
        test()
    with serve("iceberg") as fixed:
        monkeypatch.setenv("BASE", fixed.url)
        test()


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
    """Steps that name files of the run are replayed by the requirement, which writes these files."""
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


ROOT = "root:s3cr3t"
ADDED, ABSENT = "iceberg.update.schema.id", "polaris.grant.catalog.absent_refused"
FAULTS = ["added-is-chosen", "absent-revoke-conflicts"]


@pytest.fixture(scope="module")
def polaris(tmp_path_factory):
    """The results of a run on a server with faults, which made a catalog and a caller first."""
    select, folder = f"{ADDED} or {ABSENT}", tmp_path_factory.mktemp("polaris")
    with serve("polaris", bootstrap=ROOT, faults=FAULTS) as server:
        results, _ = check(server.url, api="polaris", credential=ROOT, select=select, jobs=2, report=str(folder))
    return results


def token_of(url):
    form = "grant_type=client_credentials&client_id=root&client_secret=s3cr3t&scope=PRINCIPAL_ROLE:ALL"
    with urlopen(f"{url}/api/catalog/v1/oauth/tokens", form.encode()) as answer:
        return json.load(answer)["access_token"]


def sent_by(script, url):
    """The statuses of what a script sends, by whether it stands before step 1, and all that it prints."""
    environ = {**os.environ, "LAKEPROOF_AUTHORIZATION": f"Bearer {token_of(url)}"}
    done = subprocess.run(["sh"], input=script, capture_output=True, text=True, check=True, env=environ)
    return [int(status) for status in re.findall(r"^HTTP/\S+ (\d+)", done.stdout, re.MULTILINE)], done.stdout


@pytest.mark.parametrize("name", [ADDED, ABSENT])
def test_a_script_makes_the_catalog_of_the_run_and_its_caller_first(polaris, name):
    record = recorded(polaris, name)
    with serve("polaris", bootstrap=ROOT, faults=FAULTS) as fresh:
        statuses, shown = sent_by(as_shell(record, fresh.url), fresh.url)
    steps = [*record.preparation, *record.finding.steps]
    assert statuses == [step.response.status for step in steps]
    assert record.preparation[0].operation == "createCatalog"
    assert polaris.run.prefix not in shown


def test_a_finding_about_management_rests_on_the_catalog_alone(polaris):
    assert [step.operation for step in recorded(polaris, ADDED).preparation][-1] == "getToken"
    assert [step.operation for step in recorded(polaris, ABSENT).preparation] == ["createCatalog"]


def test_steps_that_bear_a_secret_of_an_answer_are_not_sent_again_by_another():
    about = finding(*to_steps(ISSUING[1:], ISSUING[:1])).finding
    assert "a secret from an earlier answer" in obstacle(about, {"Authorization": "Bearer of-me"})


def test_neither_results_nor_scripts_show_the_secrets_of_the_caller(polaris):
    record = recorded(polaris, ADDED)
    with serve("polaris", bootstrap=ROOT, faults=FAULTS) as fresh:
        _, shown = sent_by(as_shell(record, fresh.url), fresh.url)
    for text in (shown, json.dumps(polaris.to_json())):
        secrets = re.findall(r'"(?:clientSecret|access_token)": *"([^"]*)"', text)
        assert len(secrets) > 1
        assert set(secrets) == {REDACTED}


@pytest.mark.parametrize("name", [ADDED, ABSENT])
def test_steps_are_sent_again_in_the_catalog_of_now_and_by_the_same_caller(polaris, name):
    record = recorded(polaris, name)
    with serve("polaris", bootstrap=ROOT, faults=FAULTS) as fresh:
        outcome = reproduce(record, settings_for(record, fresh.url, {"credential": ROOT}))
    assert outcome.fails, outcome.why
    assert [exchange.status for exchange in outcome.exchanges] == [
        step.response.status for step in record.finding.steps
    ]


def test_a_run_that_prepares_nothing_has_the_requirement_tested(polaris):
    record = recorded(polaris, ABSENT)
    record.finding.prepared["createNothing"] = []
    with serve("polaris", bootstrap=ROOT) as fixed:
        outcome = reproduce(record, settings_for(record, fixed.url, {"credential": ROOT}))
    assert not outcome.fails
    assert outcome.why.startswith(UNPREPARED)


def test_a_stored_counterexample_is_sent_in_the_catalog_of_now(polaris, tmp_path):
    """In a catalog that is not there it would get the 404 that is due, after steps that failed: that is no fix."""
    path = tmp_path / "known.toml"
    write_expectations(path, updated(ExpectationFile(profile=polaris.target.profile), polaris))
    assert polaris.run.prefix not in path.read_text()
    entries = {entry.example: entry for entry in read_expectations(path).known}
    assert {name: len(names) for name, names in entries[ABSENT].prepared.items()} == {"createCatalog": 3}
    with serve("polaris", bootstrap=ROOT, faults=FAULTS) as fresh:
        settings = settings_for(recorded(polaris, ABSENT), fresh.url, {"credential": ROOT})
        with met(settings) as target:
            assert {replay(entry.finding("error"), target).state for entry in entries.values()} == {"same"}
            lost = replace(entries[ABSENT].finding("error"), prepared={})
            assert replay(lost, target).state == "changed"


def exchange_of(operation, *, token="", sent=b"", answer=b""):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return Exchange(operation, "POST", f"{BASE}/{operation}", headers, sent, 200, {}, answer)


ISSUING = [
    exchange_of("make", token="of-root", answer=b'{"clientId":"abc","clientSecret":"f00dfeed"}'),
    exchange_of("login", sent=b"client_id=abc&client_secret=f00dfeed&x=y", answer=b'{"access_token":"c0ffee.1"}'),
    exchange_of("use", token="c0ffee.1"),
]


def test_a_script_takes_secrets_from_answers_and_prints_none():
    steps = to_steps(ISSUING, own=["Bearer of-root"])
    script = as_shell(finding(*steps), BASE)
    assert "f00dfeed" not in script + repr(steps)
    assert "c0ffee" not in script + repr(steps)
    answer = '{"clientSecret": "new-secret", "access_token": "new-token"}'
    stub = f"curl() {{ printf '%b' {answer!r}; printf ' <%s>' \"$@\" >&2; echo >&2; }}\n"
    environ = {"LAKEPROOF_AUTHORIZATION": "Bearer of-me"}
    done = subprocess.run(["sh"], input=stub + script, capture_output=True, text=True, check=True, env=environ)
    made, login, used = done.stderr.splitlines()
    assert "<Authorization: Bearer of-me>" in made
    assert "<client_id=abc&client_secret=new-secret&x=y>" in login
    assert "<Authorization: Bearer new-token>" in used
    first, second, _ = done.stdout.split("\n\n")
    assert f'"clientSecret": "{REDACTED}"' in first
    assert f'"access_token": "{REDACTED}"' in second


@pytest.mark.parametrize("unknown", [ISSUING[1:2], ISSUING[2:]])
def test_a_script_says_that_a_secret_is_from_elsewhere(unknown):
    steps = to_steps(unknown)
    assert "carries a secret that the run invented" in as_shell(finding(*steps), BASE)
    assert "carries a secret" not in as_shell(finding(*to_steps(unknown, ISSUING)), BASE)


@pytest.mark.parametrize(
    ("place", "named"), [("lake/n1/t", False), ("lake/n1/t/m.json", True), ("0a1b-canary.json", True)]
)
def test_a_folder_for_the_server_is_no_file_of_the_run(place, named):
    made = step("make", f'{{"base":"file:///tmp/{RUN}-canary-ab_c1/{place}"}}'.encode())
    assert ("a request names" in as_shell(finding(made), BASE)) is named


class KeptAlive(BaseHTTPRequestHandler):
    """A server that keeps connections, and tells the length of what an answer to HEAD leaves out."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.send_response(404)
        self.send_header("Content-Length", "10")
        self.end_headers()


def test_a_command_waits_for_no_body_of_an_answer_that_has_none():
    with HTTPServer(("127.0.0.1", 0), KeptAlive) as server:
        Thread(target=server.handle_request, daemon=True).start()
        asked = Exchange("exists", "HEAD", f"http://127.0.0.1:{server.server_port}/x", {})
        done = subprocess.run(["sh", "-c", asked.curl()], capture_output=True, text=True, check=True, timeout=5)
    assert done.stdout.startswith("HTTP/1.1 404")
