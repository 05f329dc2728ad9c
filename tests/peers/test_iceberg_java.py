"""Iceberg's Java kit: what it is asked, and what we make of its words."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import jsonschema_rs
import orjson
import pytest

from conformance.after.reading import read_results
from conformance.report import render_reports
from conformance.values.exit_codes import EXIT_BROKEN, EXIT_CONFORMS, EXIT_FAILS
from conformance.values.results import SCHEMA
from peers.iceberg_java.judging import command_line
from peers.iceberg_java.junit_xml import FILE, Outcome, read_outcomes
from peers.iceberg_java.kit import CLASSES, ServerInfo, arguments, method_pattern, probe
from peers.iceberg_java.rck import parse_properties
from peers.iceberg_java.verdicts import (
    KitRun,
    build_results,
    requirement_id,
    statement,
    subjects,
    to_result,
    to_verdict,
)
from specs.problems import Problem

ROOT = Path(__file__).parent.parent.parent
CATALOG, VIEWS = CLASSES
JUNIT = f"""<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="JUnit Jupiter" tests="6">
<properties><property name="credential" value="id:secret"/></properties>
<testcase name="testRenameTable()" classname="{CATALOG}" time="0.25"><system-out>x</system-out></testcase>
<testcase name="createOrReplaceView(boolean)[2]" classname="{VIEWS}" time="0.5">
<failure message="short" type="java.lang.AssertionError">java.lang.AssertionError: [words]&#32;
Expecting throwable message:
  "a: b"
to contain:
  "c"
\tat org.assertj.core.Assertion.fail(Assertion.java:7)
\tat org.apache.iceberg.view.ViewCatalogTests.createOrReplaceView(ViewCatalogTests.java:991)
\tat java.base/java.lang.reflect.Method.invoke(Method.java:569)
</failure></testcase>
<testcase name="testAppend()" classname="{CATALOG}" time="0">
<error type="java.lang.NoClassDefFoundError">java.lang.NoClassDefFoundError: jdk/net/Sockets
\tat org.apache.iceberg.rest.RESTCompatibilityKitCatalogTests.beforeClass(RESTCompatibilityKitCatalogTests.java:43)
Caused by: java.lang.ClassNotFoundException: jdk.net.Sockets
</error></testcase>
<testcase name="testLoadTable()" classname="{CATALOG}" time="0">
<failure type="java.lang.AssertionError">java.lang.AssertionError: Namespaces list should not contain: [ns]
\tat org.apache.iceberg.rest.RESTCompatibilityKitCatalogTests.beforeClass(RESTCompatibilityKitCatalogTests.java:47)
</failure></testcase>
<testcase name="testListNestedNamespaces()" classname="{CATALOG}" time="0">
<skipped><![CDATA[org.opentest4j.TestAbortedException: assumption was not met due to: [Only for nested]
Expecting value to be true but was false
\tat java.base/X.y(X.java:1)]]></skipped></testcase>
<testcase name="testNamespaceWithDot()" classname="{CATALOG}" time="0">
<skipped><![CDATA[org.opentest4j.TestAbortedException: assumption was not met due to:
Expecting value to be true but was false
\tat java.base/X.y(X.java:1)]]></skipped></testcase>
<testcase name="createTableInUniqueLocation()" classname="{CATALOG}" time="0">
<skipped><![CDATA[Not per test]]></skipped></testcase>
</testsuite>
"""
VERDICTS = {
    "rck.catalog.test_rename_table": "pass",
    "rck.view_catalog.create_or_replace_view_2": "fail",
    "rck.catalog.test_append": "error",
    "rck.catalog.test_load_table": "blocked",
    "rck.catalog.test_list_nested_namespaces": "unoffered",
    "rck.catalog.test_namespace_with_dot": "unoffered",
    "rck.catalog.create_table_in_unique_location": "unoffered",
}


@pytest.fixture
def outcomes(tmp_path):
    (tmp_path / FILE).write_text(JUNIT)
    return {requirement_id(outcome): outcome for outcome in read_outcomes(tmp_path)}


def results_of(outcomes, server_info):
    run = KitRun("http://h:1", "", {"credential": "id:secret"}, datetime(2026, 1, 2, tzinfo=UTC), 1.5, "rck http://h:1")
    return build_results(run, server_info, outcomes)


def test_every_outcome_has_its_verdict(outcomes):
    assert {name: to_verdict(outcome) for name, outcome in outcomes.items()} == VERDICTS


def test_a_failure_tells_what_was_thrown_and_where_in_the_tests(outcomes):
    message = to_result(outcomes["rck.view_catalog.create_or_replace_view_2"]).message.splitlines()
    assert message[0] == "AssertionError: [words] Expecting throwable message:"
    assert message[1:] == ['  "a: b"', "to contain:", '  "c"', "at ViewCatalogTests.java:991"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("rck.catalog.test_list_nested_namespaces", "Only for nested"),
        ("rck.catalog.test_namespace_with_dot", "The flag rck.supports-names-with-dot is off."),
        ("rck.catalog.create_table_in_unique_location", "Not per test"),
    ],
)
def test_what_is_left_out_has_a_reason(outcomes, name, reason):
    assert to_result(outcomes[name]).message == reason


def test_a_test_left_out_without_any_reason_says_so():
    outcome = Outcome(CATALOG, "testAppend()", "skipped", 0.0)
    assert to_result(outcome).message == "The kit skips it without a reason."


def test_results_fit_the_schema_and_every_report_is_made(outcomes, tmp_path):
    results = results_of(outcomes.values(), ServerInfo())
    jsonschema_rs.Draft202012Validator(orjson.loads(SCHEMA.read_bytes())).validate(results.to_json())
    assert read_results(results.write(tmp_path)).totals == results.totals
    for path in render_reports(results, tmp_path / "reports").values():
        text = path.read_text()
        assert "id:secret" not in text
        assert "lakeproof check" not in text, "the kit's tests are run again by the kit"
    page = (tmp_path / "reports" / "report.html").read_text()
    assert "python -m peers.iceberg_java.rck http://h:1" in page


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ({"pass", "unoffered"}, EXIT_CONFORMS),
        ({"pass", "fail"}, EXIT_FAILS),
        ({"blocked"}, EXIT_FAILS),
        ({"pass", "error"}, EXIT_BROKEN),
    ],
)
def test_the_exit_code_is_that_of_a_gate(outcomes, verdicts, code):
    chosen = [outcome for outcome in outcomes.values() if to_verdict(outcome) in verdicts]
    assert results_of(chosen, ServerInfo()).exit_code() == code


def test_operations_that_the_server_does_not_list_are_marked():
    def states(server_info):
        return {operation.id: operation.state for operation in results_of([], server_info).target.operations}

    assert set(states(ServerInfo()).values()) == {"offered"}
    listed = states(ServerInfo("", frozenset({"GET /v1/{prefix}/namespaces"})))
    offered = {name for name, state in listed.items() if state == "offered"}
    assert offered == {"getConfig", "listNamespaces"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("testUUIDValidation()", "Uuid validation."),
        ("testCompleteCreateTransactionV2()", "Complete create transaction v2."),
        ("createTableTransaction(int)[3]", "Create table transaction, case 3."),
        ("testUpdateTableSQL()", "Update table sql."),
    ],
)
def test_a_name_becomes_a_sentence(name, words):
    assert statement(name) == words


@pytest.mark.parametrize(
    ("method", "operations"),
    [
        ("testDropNamespaceWithNestedNamespace", ["dropNamespace"]),
        ("testCreateTransaction", ["createTable", "updateTable"]),
        ("testRegisterExistingTable", ["registerTable"]),
        ("registerTableThatAlreadyExistsAsView", ["registerTable"]),
        ("loadTableThatAlreadyExistsAsView", ["loadTable"]),
        ("noSuchTest", []),
    ],
)
def test_a_test_has_subjects(method, operations):
    assert subjects(method) == operations


@pytest.mark.parametrize(
    ("text", "method", "matches"),
    [
        ("rck.catalog.test_rename_table", f"{CATALOG}#testRenameTable", True),
        ("rck.catalog.test_rename_table", f"{CATALOG}#testRenameTableMissingSourceTable", False),
        ("rck.catalog.test_rename_table", f"{VIEWS}#testRenameTable", False),
        ("rck.view_catalog.create_or_replace_view_1", f"{VIEWS}#createOrReplaceView", True),
        ("renameTable", f"{CATALOG}#testRenameTableMissingSourceTable", True),
        ("a.b", f"{CATALOG}#testAppend", False),
    ],
)
def test_an_id_selects_its_method(text, method, matches):
    assert bool(re.fullmatch(method_pattern(text), method)) == matches


def test_properties_reach_java_and_win_over_ours(monkeypatch):
    monkeypatch.setattr("peers.iceberg_java.kit.class_path", lambda: "lib/*")
    words = arguments("http://h:1", {"rck.local": "true", "scope": "a=b"}, ["append"], Path("r"))
    assert {"-Duri=http://h:1", "-Drck.local=true", "-Dscope=a=b"} <= set(words)
    assert "-Drck.local=false" not in words
    assert words.index("lib/*") < words.index("execute") < words.index("--select-class=" + CATALOG)


def test_properties_are_pairs():
    assert parse_properties(("a=b=c", "d=")) == {"a": "b=c", "d": ""}
    for bad in ("a", "=b"):
        with pytest.raises(Problem, match="has no value"):
            parse_properties((bad,))


def test_the_command_in_the_report_has_no_secret():
    shown = command_line("http://h:1", {"credential": "id:secret", "warehouse": "w"}, ["x"])
    assert shown == "python -m peers.iceberg_java.rck http://h:1 -D credential=<redacted> -D warehouse=w -k x"


def test_no_server_is_a_problem():
    with pytest.raises(Problem, match="No server responds"):
        probe("http://127.0.0.1:1", {})


@pytest.mark.parametrize(("text", "message"), [(None, "wrote no report"), ("<testsuite>", "is not XML")])
def test_a_report_that_cannot_be_read_is_a_problem(tmp_path, text, message):
    if text:
        (tmp_path / FILE).write_text(text)
    with pytest.raises(Problem, match=message):
        read_outcomes(tmp_path)
