"""`lakeproof lint-client`: requests of a command's tests are noted, grouped by cause, and reported."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner

from lakeproof.commands.lint_client import lint_client_command
from lakeproof.lint.findings import Lint
from reference_server.control.note_kinds import KINDS, LEVELS
from specs.apis import apis
from specs.clauses import clauses
from specs.problems import Problem

CLIENT = """
import json, os, urllib.error, urllib.request
def send(path, body=None):
    headers = {"User-Agent": "sample/1", **({"Content-Type": "application/json"} if body else {})}
    url, data = os.environ["LAKEPROOF_ICEBERG_URL"] + path, json.dumps(body).encode() if body else None
    request = urllib.request.Request(url, data, headers)
    try:
        urllib.request.urlopen(request).close()
    except urllib.error.HTTPError as error:
        error.close()
"""
UNKNOWN = 'send("/v1/namespaces?x=1"); send("/v1/namespaces?x=2")'
INVALID = 'send("/v1/namespaces", {"namespace": ["a"], "properties": {"k": 1}}); send("/v1/nothing")'


def lint(tmp_path, client, *options):
    """The exit code, and the report."""
    command = ["--api", "iceberg", "--report", str(tmp_path), *options, "--", sys.executable, "-S", "-c", client]
    ran = CliRunner().invoke(lint_client_command, command, standalone_mode=False)
    assert ran.exception is None or isinstance(ran.exception, Problem), ran.exception
    return ran.return_value, json.loads((tmp_path / "lint.json").read_text()), (tmp_path / "lint.html").read_text()


def test_equal_notes_are_one_finding(tmp_path):
    code, report, page = lint(tmp_path, CLIENT + UNKNOWN)
    (finding,) = report["findings"]
    assert (finding["kind"], finding["operation"], finding["subject"]) == ("unknown-parameter", "listNamespaces", "x")
    assert (finding["count"], finding["clients"], finding["level"]) == (2, {"sample/1": 2}, "SHOULD")
    assert (finding["example"]["path"], finding["example"]["query"]) == ("/v1/namespaces", {"x": "1"})
    assert (code, report["requests"], report["operations"]) == (0, 2, {"listNamespaces": 2})
    assert finding["text"] in page


def test_strict_fails_for_a_should(tmp_path):
    assert lint(tmp_path, CLIENT + UNKNOWN, "--strict")[0] == 1


def test_a_request_that_violates_the_document_fails(tmp_path):
    code, report, _ = lint(tmp_path, CLIENT + INVALID)
    found = {(one["kind"], one["subject"]) for one in report["findings"] if one["level"] == "MUST"}
    assert found == {("invalid-body", "/properties/k"), ("no-operation", "GET /v1/nothing")}
    assert code == 1


def test_null_is_noted_where_the_document_does_not_allow_it(tmp_path):
    client = CLIENT + 'send("/v1/namespaces", {"namespace": ["a"], "properties": None})'
    code, report, _ = lint(tmp_path, client)
    assert [(one["kind"], one["subject"], code) for one in report["findings"]] == [("null-field", "/properties", 0)]


def test_a_failing_command_fails(tmp_path):
    assert lint(tmp_path, CLIENT + 'send("/v1/namespaces"); raise SystemExit(3)')[:1] == (1,)


def test_a_command_that_sends_nothing_is_told(tmp_path):
    assert lint(tmp_path, "pass")[0] == 5


def test_a_command_that_does_not_exist_is_a_problem(tmp_path):
    ran = CliRunner().invoke(lint_client_command, ["--report", str(tmp_path), "--", "no-such-program"])
    assert "'no-such-program' cannot be started: No such file or directory." in str(ran.exception)


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_rules_of_notes_are_clauses(kind):
    assert kind.level in LEVELS
    assert set(kind.clauses) <= {clause for api in apis() for clause in clauses(api)}


def test_long_bodies_are_cut():
    lint = Lint()
    note = {"kind": "deprecated", "subject": "", "text": "x is deprecated."}
    entry = {"headers": {}, "operation": "x", "notes": [note], "body": "a" * 9_000, "answer": {}, "path": "/"}
    lint.add(entry)
    (finding,) = lint.findings
    assert len(finding.example["body"]) < 3_000
    assert "answer" not in finding.example
