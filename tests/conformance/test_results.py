"""Results: the file, the exit code, and the reports that are made of it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import jsonschema_rs
import pytest

from conformance.exchange import Exchange
from conformance.report import render_reports
from conformance.report.pretty import body_lines
from conformance.requirement import Requirement
from conformance.results import SCHEMA, Result, Results, read_results
from specs.problems import Problem

RUN = {
    "id": "20260101T000000Z-abc",
    "started": "2026-01-01T00:00:00+00:00",
    "seconds": 1.5,
    "seed": 0,
    "depth": "gate",
    "command": "lakeproof check",
    "kit": "lakeproof 0.1.0",
    "interrupted": False,
    "requests": 7,
    "left_behind": [],
}
TARGET = {
    "url": "http://h:1",
    "name": "http://h:1",
    "api": "lance",
    "profile": "lance/2026-03",
    "document": "T 1",
    "server": "",
    "facts": {"namespaces": "nested"},
    "operations": [
        {"id": "ListTables", "resource": "table", "summary": "s", "state": "offered"},
        {"id": "DropTable", "resource": "table", "summary": "s", "state": "refused"},
    ],
    "settings": {"report": "x"},
}
NASTY = "</script><img src=x onerror=alert(1)>\x00\x1b&\u2028"


def result(verdict, level="MUST", name="a", **changes):
    one = Requirement(
        f"lance.table.{name}", level, "behaviour", ("ListTables",), "page-token", f"It holds {NASTY}.", "m:f"
    )
    exchange = Exchange(
        "ListTables",
        "GET",
        "http://h:1/v1/x?a='b'",
        {"X": NASTY},
        b"",
        200,
        {"Content-Type": "t"},
        json.dumps({"a": NASTY}).encode(),
    )
    exchange.mark = "body:/a"
    return Result(one, verdict, f"message {NASTY}", 0.1, 2, [exchange.to_json()], ["ListTables 200"], **changes)


def results(*entries, **run):
    return Results({**RUN, **run}, TARGET, [entry.to_json() for entry in entries])


ALL = results(
    result("fail", name="f"),
    result("pass", name="p"),
    result("warn", "SHOULD", name="w"),
    result("blocked", name="b", blocked_by="lance.table.f"),
    result("unoffered", name="u"),
    result("error", name="e"),
)


@pytest.mark.parametrize(
    ("found", "strict", "code"),
    [
        (results(result("pass")), False, 0),
        (results(result("pass"), result("unoffered", name="u")), False, 0),
        (results(result("fail")), False, 1),
        (results(result("pass"), result("blocked", name="b")), False, 1),
        (results(result("warn", "SHOULD")), False, 0),
        (results(result("warn", "SHOULD")), True, 1),
        (results(result("warn", "MAY")), True, 0),
        (results(result("blocked", "SHOULD")), False, 0),
        (results(result("fail"), result("error", name="e")), False, 3),
        (results(result("fail"), interrupted=True), False, 2),
        (results(), False, 5),
    ],
)
def test_exit_codes(found, strict, code):
    assert found.exit_code(strict=strict) == code


def test_the_file_fits_its_schema_and_comes_back(tmp_path):
    path = ALL.write(tmp_path)
    jsonschema_rs.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(json.loads(path.read_text()))
    assert read_results(path).to_json() == ALL.to_json()
    assert read_results(tmp_path).totals["fail"] == 1


@pytest.mark.parametrize("text", ["", "{", "{}", '{"version": 2}', "[]"])
def test_what_is_no_results_file_is_a_problem(tmp_path, text):
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(Problem):
        read_results(tmp_path)


@pytest.fixture
def reports(tmp_path):
    return {kind: path.read_text() for kind, path in render_reports(ALL, tmp_path).items()}


class Page(HTMLParser):
    """Collects what a page would load or run, and its requirement cards."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.cards, self.tags = [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append(tag)
        self.loads += [found[name] for name in ("src", "href") if name in found and not found[name].startswith("#")]
        self.loads += [name for name in found if name.startswith("on")]
        if "requirement" in (found.get("class") or "").split():
            self.cards[found["id"]] = found["data-verdict"]


def test_the_page_needs_no_network_and_runs_nothing_foreign(reports):
    page = Page(reports["html"])
    assert page.loads == ["data:,"]
    assert "img" not in page.tags
    assert page.tags.count("script") == 1
    assert not re.search(r"@import|url\(", reports["html"])


def test_the_page_has_a_card_for_every_requirement_worst_first(reports):
    cards = Page(reports["html"]).cards
    assert cards == {entry["id"]: entry["verdict"] for entry in ALL.requirements}
    assert list(cards.values())[:2] == ["error", "fail"]


def test_the_page_marks_the_offending_field(reports):
    assert re.search(r"<mark>\s*&#34;a&#34;", reports["html"])


def test_junit_has_failures_that_ci_systems_see(reports):
    suite = ET.fromstring(reports["junit"]).find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) == (
        "6",
        "2",
        "1",
        "2",
    )
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert cases["f"].find("failure") is not None
    assert cases["b"].find("failure") is not None
    assert cases["e"].find("error") is not None
    assert cases["w"].find("skipped") is not None
    assert cases["p"].find("failure") is None
    properties = {one.get("name"): one.get("value") for one in cases["f"].iter("property")}
    assert properties["requirement"] == "lance.table.f"
    assert properties["level"] == "MUST"


def test_the_summary_is_short_and_names_the_findings(reports):
    assert len(reports["markdown"].splitlines()) < 60
    assert "`lance.table.f`" in reports["markdown"]


@pytest.mark.parametrize(
    ("found", "colour", "message"),
    [
        (results(result("pass")), "brightgreen", "1/1"),
        (results(result("fail")), "red", "0/1"),
        (results(result("unoffered")), "red", "0/0"),
    ],
)
def test_the_badge_counts_what_must_hold(found, colour, message, tmp_path):
    badge = json.loads(render_reports(found, tmp_path)["badge"].read_text())
    assert (badge["schemaVersion"], badge["color"], badge["message"]) == (1, colour, message)


@pytest.mark.parametrize(
    ("mark", "marked"),
    [
        ("body:/a/1", ["    2"]),
        ("body:/b~1c", ['  "b/c": null']),
        ("body:/none", ["(there is no /none)"]),
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
