"""Bodies in reports: JSON stays JSON, and what is marked is seen however much of a body is cut."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

from conformance.report.findings import render_findings
from conformance.report.html import render_html
from conformance.report.junit import render_junit
from conformance.report.notes import Notes
from conformance.report.pretty import MAX_LINES, MAX_SHORT, absence, answer_line, body_lines, short_body
from conformance.report.sarif import render_sarif
from conformance.values.exchange import StepResponse
from lakeproof.console import out
from lakeproof.terminal import print_results
from tests.conformance.made_results import Page, result, results

LONG = {"location": "s3://" + "x" * 300, "list": list(range(MAX_LINES)), "b/c": {"a": [1, None, True, "ü"]}, "no": {}}
WRONG = "the-wrong-value"


@pytest.mark.parametrize("value", [LONG["b/c"], [], {}, [[1], {}], "a", None, {"a": [{"b": []}, 1.5]}])
def test_json_is_shown_as_json(value):
    assert json.loads("\n".join(line.text for line in body_lines({"json": value}, "body:/a"))) == value


@pytest.mark.parametrize("pointer", ["/b~1c/a/3", "/list/199", "/list/0", "/location", "/no", ""])
def test_a_cut_keeps_what_is_marked(pointer):
    lines = body_lines({"json": LONG}, f"body:{pointer}")
    assert any(line.marked for line in lines)
    assert len(lines) <= MAX_LINES + 2
    shown = [line.text for line in lines if line.text.startswith("(")]
    assert shown, "a cut is reported"
    hidden = sum(int(text.strip("()").split()[0]) for text in shown)
    assert hidden + len(lines) - len(shown) == len(list(json.dumps(LONG, indent=1).splitlines()))


@pytest.mark.parametrize(
    ("pointer", "there"),
    [("/b~1c/a/3", '"ü"'), ("/list/150", "150"), ("/no", '"no":{}'), ("/b~1c/a/7", '"b/c":{"a":[')],
)
def test_one_line_of_a_body_has_what_is_marked(pointer, there):
    line = short_body({"json": LONG}, f"body:{pointer}")
    assert there in line
    assert line.removeprefix(f"({pointer} is missing) ").startswith('{"location":"s3://xxx')
    assert len(line.removeprefix(f"({pointer} is missing) ")) <= MAX_SHORT


def test_one_line_of_a_body_shows_its_beginning_where_nothing_is_marked():
    whole = json.dumps(LONG, separators=(",", ":"), ensure_ascii=False)
    for mark in ("", "status", "body:", "body:/location"):
        assert short_body({"json": LONG}, mark) == whole[: MAX_SHORT - 1] + "…"


DEEP = {
    "metadata": {"schemas": [{"fields": [{"id": number, "name": "a-long-name"} for number in range(9)]}]},
    "entries": [{"key": "k" * 30, "value": [{"n": 7}]}, {"key": "l" * 30}],
    "config": {"a": "b"},
    "version": WRONG,
}


@pytest.mark.parametrize(
    ("mark", "line"),
    [
        (
            "body:/version",
            f'{{"metadata":{{"schemas":[…]}},"entries":[{{…}},{{…}}],"config":{{"a":"b"}},"version":"{WRONG}"}}',
        ),
        (
            "body:/entries/0/value/0/n",
            f'{{"metadata":{{"schemas":[…]}},"entries":[{{"key":"{"k" * 30}","value":[{{"n":7}}]}},{{…}}],'
            f'"config":{{"a":"b"}},"version":"{WRONG}"}}',
        ),
    ],
)
def test_one_line_of_a_body_loses_the_contents_of_inner_objects_first(mark, line):
    assert short_body({"json": DEEP}, mark) == line
    assert len(line) <= MAX_SHORT


def test_what_is_not_there_is_named():
    body = {"json": {"a": {"b": 1}}}
    assert absence(body, "body:/a/c") == "(/a/c is missing)"
    assert (
        absence(body, "body:/a/b") == absence(body, "body:") == absence(body, "status") == absence(None, "body:") == ""
    )


def test_a_marked_header_is_on_the_line_of_its_answer():
    answer = StepResponse(status=200, headers={"ETag": "x"}, body=None, failure="")
    assert answer_line(answer, "header:ETag") == "200 ETag: x"
    assert answer_line(answer, "header:Date") == "200 Date: (absent)"


@pytest.fixture
def judged():
    """A finding whose marked field stands behind a long one."""
    found = result("fail")
    step = found.steps[-1]
    step.response.body = {"json": {"long": "x" * 2000, "items": list(range(500)), "end": WRONG}}
    step.mark = "body:/end"
    return results(found)


def test_every_report_shows_the_marked_field_of_a_long_answer(judged):
    (shown,) = Page(render_html(judged)).data["requirements"]
    assert [text for text, marked in shown["steps"][-1]["lines"] if marked] == [f'  "end": "{WRONG}"']
    page = render_html(judged)
    assert WRONG in page[page.index('id="cause-1"') : page.index('id="matrix-title"')]
    assert WRONG in ET.fromstring(render_junit(judged)).find(".//failure").text
    assert WRONG in json.loads(render_sarif(judged))["runs"][0]["results"][0]["message"]["text"]
    findings = render_findings(judged, Notes())
    assert WRONG in findings[findings.index("```") :]
    assert WRONG in findings[findings.index("<table" if "<table" in findings else "| requirement") :]
    with out.capture() as printed:
        print_results(judged)
    assert WRONG in printed.get()
