"""Results: the file, the exit code, and the reports that are made of it."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema_rs
import pyarrow as pa
import pytest

from conformance.after.causes import with_causes
from conformance.after.reading import read_results
from conformance.report import render_reports
from conformance.report.headline import sentence
from conformance.report.html import render_html
from conformance.report.junit import render_junit
from conformance.report.matrix import GLYPHS, MEANINGS, WORST_FIRST
from conformance.report.pretty import body_lines
from conformance.report.untested import MOST, why_untested
from conformance.values.arrow_lines import arrow_lines
from conformance.values.resources import summary
from conformance.values.results import SCHEMA, VERDICTS, ClauseRecord, Results, results_schema
from conformance.values.verdict import ExpectationRecord
from lakeproof.github import workflow_commands
from lakeproof.terminal import COLOURS
from specs.problems import Problem
from specs.profiles import find_profile
from tests.conformance.made_results import NASTY, Page, result, results

OUT_OF_TIME = {"message": "the run's time is over", "gone": False, "step": None}
GONE = {"message": "the server is gone", "gone": True, "step": None}
PUBLISHED = sorted(Path(__file__).parents[2].glob("reports/*/results.json.gz"))
REFUSED = [
    (("version",), 3),
    (("run", "id"), ""),
    (("run", "seconds"), -1),
    (("run", "depth"), "bottomless"),
    (("run", "interrupted"), "no"),
    (("target", "facts"), {"namespaces": 1}),
    (("target", "operations", 0, "state"), "odd"),
    (("requirements", 0, "id"), "No id"),
    (("requirements", 0, "verdict"), "odd"),
    (("requirements", 0, "statement"), ""),
    (("requirements", 0, "steps", 0, "response", "status"), "200"),
    (("totals", "pass"), -1),
]
OFFERED = [{"id": "ListTables", "resource": "table", "summary": "s", "state": "offered"}]
REQUIRED = {"id": "DropTable", "resource": "table", "summary": "s", "state": "refused", "required": True}
ALL = results(
    result("fail", name="f"),
    result("pass", name="p"),
    result("warn", "SHOULD", name="w"),
    result("blocked", name="b", blocked_by="lance.table.f"),
    result("unoffered", name="u"),
    result("skipped", name="s"),
    result("known", name="k"),
    result("error", name="e"),
)


@pytest.mark.parametrize(
    ("judged", "strict", "code"),
    [
        (results(result("pass")), False, 0),
        (results(result("pass"), result("unoffered", name="u")), False, 0),
        (results(result("fail")), False, 1),
        (results(result("pass"), result("blocked", name="b")), False, 1),
        (results(result("warn", "SHOULD")), False, 0),
        (results(result("warn", "SHOULD")), True, 1),
        (results(result("warn", "MAY")), True, 0),
        (results(result("known"), result("known", "SHOULD", "k")), True, 0),
        (results(result("blocked", "SHOULD")), False, 0),
        (results(result("fail"), result("error", name="e")), False, 1),
        (results(result("pass"), result("error", name="e")), False, 3),
        (results(result("warn", "SHOULD"), result("error", name="e")), False, 3),
        (results(result("fail"), interrupted=True), False, 2),
        (results(result("pass"), stopped=OUT_OF_TIME), False, 2),
        (results(result("fail"), stopped=OUT_OF_TIME), False, 1),
        (results(result("error"), stopped=OUT_OF_TIME), False, 3),
        (results(result("pass"), stopped=GONE), False, 1),
        (results(result("error"), stopped=GONE), False, 1),
        (results(result("pass"), operations=[REQUIRED]), False, 1),
        (results(), False, 5),
    ],
)
def test_exit_codes(judged, strict, code):
    assert judged.exit_code(strict=strict) == code


@pytest.mark.parametrize(
    ("judged", "words"),
    [
        (
            results(result("pass")),
            "Conforms to lance/2026-03 in the 1 operation of 2 that it offers: none of 1 MUST requirements is broken.",
        ),
        (
            results(result("pass"), operations=OFFERED),
            "Conforms to lance/2026-03: none of 1 MUST requirements is broken.",
        ),
        (
            results(result("pass"), result("unoffered", name="u"), operations=[*OFFERED, REQUIRED]),
            "Does not conform to lance/2026-03: none of 1 MUST requirements is broken; DropTable is not offered "
            "(--require).",
        ),
        (
            results(result("pass"), result("fail", name="f"), result("blocked", name="b"), result("warn", "MAY", "w")),
            "Does not conform to lance/2026-03: 1 cause breaks MUST (1 of 3 requirements); 1 could not be tested.",
        ),
        (
            results(result("fail"), result("error", name="e")),
            "Does not conform to lance/2026-03: 1 cause breaks MUST (1 of 2 requirements); 1 error of the kit.",
        ),
        (
            results(result("pass"), result("error", name="e")),
            "No verdict on lance/2026-03: none of 2 MUST requirements is broken; 1 error of the kit.",
        ),
        (
            results(result("pass"), stopped=OUT_OF_TIME),
            "No verdict on lance/2026-03: none of 1 MUST requirements is broken; stopped: 1 requirement tested.",
        ),
        (
            results(result("pass"), stopped=GONE),
            "No verdict on lance/2026-03: the server went away after 1 requirement, "
            "and no request is known to have caused it.",
        ),
        (
            results(result("fail"), result("blocked", name="b"), stopped=GONE, selected=9),
            "Does not conform to lance/2026-03: 1 cause of findings; 1 could not be tested; "
            "the server went away after 2 of 9 requirements, and no request is known to have caused it.",
        ),
        (
            results(result("fail"), result("warn", "SHOULD", "w", steps=[], message="else")),
            "Does not conform to lance/2026-03: 2 causes: 1 breaks MUST (1 of 1 requirements), 1 only SHOULD or MAY.",
        ),
        (
            results(result("pass"), result("warn", "SHOULD", "w")),
            "Conforms to lance/2026-03 in the 1 operation of 2 that it offers: none of 1 MUST requirements is broken; "
            "1 cause breaks SHOULD or MAY.",
        ),
        (results(result("fail"), interrupted=True), "Interrupted: 1 requirement tested."),
        (results(result("fail"), interrupted=True, selected=9), "Interrupted: 1 of 9 requirements tested."),
        (
            results(result("pass"), result("pass", name="b"), available=1563, selected=2),
            "2 of 1,563 requirements of lance/2026-03 tested: none of 2 MUST requirements is broken.",
        ),
        (
            results(result("fail"), available=1563, selected=1),
            "Does not conform to lance/2026-03: 1 cause breaks MUST (1 of 1 requirements); "
            "1 of 1,563 requirements tested.",
        ),
        (
            results(result("pass"), result("known", name="k")),
            "Does not conform to lance/2026-03, as expected: 1 of 2 MUST requirements is a known failure, "
            "no other is broken.",
        ),
        (
            results(result("fail"), result("known", name="k")),
            "Does not conform to lance/2026-03: 1 cause breaks MUST (1 of 2 requirements, 1 more is a known failure).",
        ),
        (results(), "No requirement was tested."),
    ],
)
def test_a_run_is_told_in_one_sentence(judged, words):
    assert sentence(judged) == words


TABLES = {"kind": "table", "reason": "DropTable returned 405"}
LEFT = {
    "grouped": [TABLES | {"names": [f"n.t{number}" for number in range(3)]}],
    "one by one": [TABLES | {"name": f"n.t{number}"} for number in range(3)],  # of older kits
    "lines": ["table n.t0", "table n.t1"],
}


@pytest.mark.parametrize("left", LEFT.values(), ids=LEFT)
def test_what_was_left_behind_and_why_a_run_was_stopped_is_told_everywhere(left, tmp_path):
    judged = results(result("pass"), left_behind=left, notes=["the server closed 2 of 9"], stopped=GONE)
    jsonschema_rs.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(judged.to_json())
    texts = {kind: path.read_text() for kind, path in render_reports(judged, tmp_path).items()}
    for kind in ("html", "markdown"):
        for words in (*summary(judged.run.left_behind), "the server closed 2 of 9", "the server is gone"):
            assert words in texts[kind]
    assert "n.t1" in texts["html"]
    assert "{'" not in texts["html"]
    assert "&#39;kind" not in texts["html"]


def test_the_file_fits_its_schema_and_comes_back(tmp_path):
    path = ALL.write(tmp_path)
    jsonschema_rs.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(json.loads(path.read_text()))
    assert read_results(path).to_json() == ALL.to_json()
    assert read_results(tmp_path).totals["fail"] == 1


def test_the_schema_file_follows_the_types():
    assert SCHEMA.read_bytes() == results_schema(), "write it anew: python -m conformance.values.results"


def test_the_types_refuse_what_the_schema_refuses(tmp_path):
    """A reader of the file that goes by the schema and the kit itself take and refuse the same files."""
    validator = jsonschema_rs.Draft202012Validator(json.loads(SCHEMA.read_text()))
    good = ALL.to_json()
    for path, value in REFUSED:
        parent, key = good, path[-1]
        for step in path[:-1]:
            parent = parent[step]
        kept, parent[key] = parent[key], value
        assert not validator.is_valid(good), path
        (tmp_path / "results.json").write_text(json.dumps(good))
        with pytest.raises(Problem, match="is no results file of version 1 or 2"):
            read_results(tmp_path)
        parent[key] = kept
        assert validator.is_valid(good)


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.parent.name)
def test_published_results_are_read(path):
    assert read_results(path).requirements


def test_fields_of_later_kits_are_left_out(tmp_path):
    value = ALL.to_json()
    value["run"]["later"] = value["requirements"][0]["later"] = 1
    (tmp_path / "results.json").write_text(json.dumps(value))
    assert read_results(tmp_path).to_json() == ALL.to_json()


def test_every_verdict_has_its_signs_and_no_other_has():
    words = set(VERDICTS)
    types = json.loads(SCHEMA.read_text())["$defs"]
    assert set(WORST_FIRST) == set(GLYPHS) == set(MEANINGS) == set(COLOURS) == words
    assert set(types["Results"]["properties"]["totals"]["required"]) == words
    assert set(types["Result"]["properties"]["verdict"]["enum"]) == words
    assert set(ALL.totals) == {entry.verdict for entry in ALL.requirements} == words


def test_files_that_count_a_verdict_of_older_kits_are_read(tmp_path):
    value = ALL.to_json()
    (tmp_path / "results.json").write_text(json.dumps({**value, "totals": {**value["totals"], "gone": 0}}))
    assert read_results(tmp_path).totals == ALL.totals


@pytest.mark.parametrize("text", ["", "{", "{}", '{"version": 2}', "[]"])
def test_what_is_no_results_file_is_a_problem(tmp_path, text):
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(Problem):
        read_results(tmp_path)


@pytest.fixture
def reports(tmp_path):
    return {kind: path.read_text() for kind, path in render_reports(ALL, tmp_path).items()}


def test_the_page_needs_no_network_and_runs_nothing_foreign(reports):
    page = Page(reports["html"])
    assert page.loads == ["data:,"]
    assert "img" not in page.tags
    assert page.tags.count("script") == 2, "the data, and what shows them"
    assert not re.search(r"@import|url\(|\bfetch\(", reports["html"])


def test_the_page_has_every_requirement_worst_first(reports):
    shown = Page(reports["html"]).data["requirements"]
    assert {entry["id"]: entry["verdict"] for entry in shown} == {entry.id: entry.verdict for entry in ALL.requirements}
    assert [entry["verdict"] for entry in shown][:2] == ["error", "fail"]


def test_the_page_marks_the_offending_field(reports):
    shown = {entry["id"]: entry for entry in Page(reports["html"]).data["requirements"]}
    marked = [text for text, marked in shown["lance.table.f"]["steps"][-1]["lines"] if marked]
    assert [text.strip().partition(":")[0] for text in marked] == ['"a"']


def test_the_page_has_the_document_in_its_order(reports):
    shown = Page(reports["html"]).data["clauses"]
    states = {clause["id"]: clause["state"] for clause in shown}
    assert set(states.values()) == {"tested", "excluded", "missing"}
    assert [clause for clause in shown if clause["state"] == "excluded" and not clause["why"]] == []
    groups = list(dict.fromkeys(clause["group"] for clause in shown))
    document = list(find_profile(ALL.target.profile).document().operations)
    operations = [group for group in groups if group in document]
    assert operations == sorted(operations, key=document.index)
    assert any(clause["said"] for clause in shown)
    requirements = Page(reports["html"]).data["requirements"]
    assert [entry for entry in requirements if shown[entry["clause"]]["state"] != "tested"] == []


def test_a_page_of_a_profile_that_is_gone_has_the_clauses_of_its_run(tmp_path):
    judged = results(result("fail"))
    judged.target.profile = "lance/1999"
    (clause,) = Page(render_reports(judged, tmp_path)["html"].read_text()).data["clauses"]
    assert (clause["id"], clause["state"]) == (judged.requirements[0].clause.id, "tested")


def test_arrow_is_told_as_schema_and_rows():
    table = pa.table({"id": pa.array(range(7)), "name": pa.array(["ü", None] * 3 + ["z"])})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    whole = sink.getvalue().to_pybytes()
    lines = arrow_lines(whole)
    assert lines[:4] == ["Arrow, with the columns", "  id: int64", "  name: string", "and 7 rows"]
    assert lines[4] == '  {"id": 0, "name": "ü"}'
    assert lines[-1] == "  …"
    body = {"base64": base64.b64encode(whole).decode(), "size": len(whole)}
    assert [line.text for line in body_lines(body, "")] == lines
    assert "cannot be read" in arrow_lines(whole[: len(whole) // 2])[-1]
    assert arrow_lines(b"\xff\xff\xff\xff nothing") == arrow_lines(b"PNG") == []


def test_sarif_has_a_result_for_each_cause(reports):
    (run,) = json.loads(reports["sarif"])["runs"]
    assert [entry["ruleId"] for entry in run["results"]] == [cause.example for cause in ALL.causes]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [cause.example for cause in ALL.causes]
    levels = {"fail": "error", "warn": "warning", "blocked": "note"}
    assert [entry["level"] for entry in run["results"]] == [levels[cause.verdict] for cause in ALL.causes]
    assert [
        (entry, cause)
        for entry, cause in zip(run["results"], ALL.causes, strict=True)
        if cause.sentence not in entry["message"]["text"]
    ] == []


def test_the_summary_names_causes_before_it_counts(reports):
    assert reports["markdown"].index(ALL.causes[0].sentence) < reports["markdown"].index("| resource |")


def test_annotations_are_lines_of_their_own():
    lines = list(workflow_commands(ALL))
    assert len(lines) == len(ALL.causes)
    assert lines[0].startswith("::error title=MUST (1 of 2)%2C ")
    assert ALL.causes[0].example in lines[0]
    assert [line for line in lines if "\n" in line] == []


def expectation(name, state):
    return ExpectationRecord(
        requirement=f"lance.table.{name}",
        state=state,
        cause="",
        reason=f"by design {NASTY}",
        link="https://example.com/17",
        expires="2027-06-30",
        seen="what was seen",
    )


def test_expectations_are_on_the_page_and_their_reasons_in_junit():
    records = [expectation("k", "known"), expectation("gone", "orphan")]
    judged = with_causes(Results.of(ALL.run, ALL.target, ALL.requirements, expectations=records))
    page = render_html(judged)
    section = page[page.index('id="expected-title"') :].partition("</section>")[0]
    assert section.index("1 orphan: correct the ids") < section.index("1 known")
    assert '<a href="#lance.table.k">' in section
    assert "until 2027-06-30" in section
    assert '<a href="https://example.com/17">' in section
    assert "expected-title" not in render_html(ALL)
    cases = {case.get("name"): case for case in ET.fromstring(render_junit(judged)).iter("testcase")}
    assert cases["k"].find("skipped").get("message").startswith("known: by design")
    assert "https://example.com/17" in cases["k"].find("skipped").get("message")


def test_a_reason_why_requirements_were_not_tested_is_one_line_with_the_option_that_helps():
    unoffered = [
        result("unoffered", name=f"u{number}", lacks="CreateNamespace", option="--namespace NAME")
        for number in range(3)
    ]
    blocked = [
        result("blocked", name="b", blocked_by="CreateTable", option="--location URI"),
        result("blocked", name="c", blocked_by="lance.x"),  # its cause shows it
    ]
    skipped = [result("skipped", name=f"s{number}", option="--token", message="no token") for number in range(2)]
    assert why_untested(results(*unoffered, *blocked, *skipped, result("unoffered", name="v", message="why"))) == [
        "3 unoffered: CreateNamespace is not offered: --namespace NAME would test this",
        "2 skipped: no token",
        "1 blocked: CreateTable failed: --location URI would test this",
        "1 unoffered: why",
    ]
    assert why_untested(results(result("pass"))) == []
    many = [result("unoffered", name=f"u{number}", message=f"why {number}") for number in range(10)]
    assert why_untested(results(*many))[MOST:] == ["2 not tested for 2 other reasons: see the report"]


def test_the_page_names_every_reason_why_requirements_were_not_tested():
    """The page is the report: it refers to no other for the rarest reasons."""
    many = [result("unoffered", name=f"u{number}", message=f"why {number}.") for number in range(2 * MOST)]
    shown = render_html(results(*many))
    assert "see the report" not in shown
    assert [number for number in range(2 * MOST) if f"1 unoffered: why {number}." not in shown] == []


def test_junit_has_a_failure_for_a_required_operation_that_is_not_offered():
    suite = ET.fromstring(render_junit(results(result("pass"), operations=[*OFFERED, REQUIRED]))).find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    (failed,) = (case for case in suite.iter("testcase") if case.find("failure") is not None)
    assert (failed.get("classname"), failed.get("name")) == ("require", "DropTable")


def test_junit_has_failures_that_ci_systems_see(reports):
    suite = ET.fromstring(reports["junit"]).find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) == (
        "8",
        "2",
        "1",
        "4",
    )
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert cases["f"].find("failure") is not None
    assert cases["b"].find("failure") is not None
    assert cases["e"].find("error") is not None
    assert cases["w"].find("skipped") is not None
    assert cases["p"].find("failure") is None
    properties = {element.get("name"): element.get("value") for element in cases["f"].iter("property")}
    assert properties["requirement"] == "lance.table.f"
    assert properties["level"] == "MUST"


def test_the_summary_is_short_and_names_the_findings(reports):
    assert len(reports["markdown"].splitlines()) < 60
    assert "`lance.table.f`" in reports["markdown"]


@pytest.mark.parametrize(
    ("clause", "page", "markdown"),
    [
        ({"place": ["/paths"]}, ["/paths"], "(`/paths`)"),
        ({"place": ["https://x/#y"]}, ["https://x/#y"], " <https://x/#y>"),
        ({}, [], ""),
    ],
)
def test_reports_tell_where_the_norms_say_it(clause, page, markdown, tmp_path):
    judged = results(result("fail"))
    judged.requirements[0].clause = ClauseRecord(id="c", text="t", source="document", **clause)
    written = render_reports(judged, tmp_path)
    assert [row["place"] for row in Page(written["html"].read_text()).data["clauses"] if row["id"] == "c"] == [page]
    line = next(line for line in written["markdown"].read_text().split("\n") if "`lance.table.a`" in line)
    assert line.endswith(markdown or "`")


@pytest.mark.parametrize(
    ("judged", "colour", "message"),
    [
        (results(result("pass"), operations=OFFERED), "brightgreen", "1/1"),
        (results(result("pass")), "brightgreen", "1/1, 1/2 operations"),
        (results(result("pass"), operations=[*OFFERED, REQUIRED]), "yellow", "1/1, 1/2 operations"),
        (results(result("fail")), "red", "0/1, 1/2 operations"),
        (results(result("pass"), available=9), "lightgrey", "1/1, 1/2 operations (partial run)"),
        (results(result("known")), "red", "0/1, 1/2 operations"),
        (results(result("unoffered"), result("skipped", name="s")), "red", "0/0, 1/2 operations"),
    ],
)
def test_the_badge_counts_what_must_hold(judged, colour, message, tmp_path):
    badge = json.loads(render_reports(judged, tmp_path)["badge"].read_text())
    assert (badge["schemaVersion"], badge["color"], badge["message"]) == (1, colour, message)


@pytest.mark.parametrize(
    ("mark", "marked"),
    [
        ("body:/a/1", ["    2"]),
        ("body:/b~1c", ['  "b/c": null']),
        ("body:/none", ["{", "}"]),
        ("status", []),
        ("body:", ["{", "}"]),
    ],
)
def test_marks_point_into_bodies(mark, marked):
    lines = body_lines({"json": {"a": [1, 2], "b/c": None}}, mark)
    assert [line.text for line in lines if line.marked] == marked


def test_bodies_that_are_not_json_are_shown_too():
    assert body_lines(None, "body:")[0].marked
    assert body_lines({"text": "x\ny", "size": 3}, "status")[1].text == "y"
    assert "9 bytes" in body_lines({"base64": "AA==", "size": 9}, "status")[0].text
    assert "more lines" in body_lines({"json": list(range(500))}, "")[-1].text
