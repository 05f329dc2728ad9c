"""Nothing that a target answers acts on the terminal or the page that shows it."""

from __future__ import annotations

import io
import json
import subprocess

import msgspec
import pytest
from rich.text import Text

from conformance.after.reproduction import as_shell, recorded
from conformance.report import render_reports
from conformance.report.findings import render_findings
from conformance.report.notes import Notes
from conformance.report.pytest_module import as_pytest
from conformance.values.exchange import Exchange
from conformance.values.requirement import Requirement
from conformance.values.results import Result
from conformance.values.visible import visible
from lakeproof import cli, console, terminal
from lakeproof.shown_run import Ended, show_run
from tests.conformance.made_results import Page, results

SIGNS = {
    "NUL": "\0",
    "BEL": "\a",
    "backspace": "\b",
    "carriage return": "\r",
    "ESC": "\x1b",
    "OSC": "\x1b]0;title\x07",
    "DEL": "\x7f",
    "C1 next line": "\x85",
    "C1 CSI": "\x9b31m",
    "C1 OSC": "\x9d0;title\x9c",
    "right-to-left override": "\u202e",
    "isolate": "\u2066",
    "line separator": "\u2028",
    "byte order mark": "\ufeff",
    "tag": "\U000e0041",
}
TARGET = f"begin{''.join(SIGNS.values())}end"
ACTING = {sign for sign in TARGET if not sign.isprintable()}
BODIES = {
    "json": json.dumps({TARGET: [TARGET]}, ensure_ascii=False).encode(),
    "text": TARGET.encode(),
}


def judged(body, mark):
    """The results of a run in which a target has put the signs wherever it can."""
    exchange = Exchange(
        "ListTables",
        "GET",
        "http://h:1/v1/x",
        {"If-None-Match": TARGET},
        body,
        200,
        {"Content-Type": TARGET, "ETag": TARGET},
        body,
        mark=mark,
    )
    broken = Exchange("ListTables", "GET", "http://h:1/v1/x", {}, failure=TARGET, mark="status")
    requirement = Requirement("lance.table.a", "MUST", "behaviour", ("ListTables",), "page-token", "It holds.", "m:f")
    steps = [exchange.to_step(), broken.to_step()]
    made = Result.of(
        requirement, "fail", f"got {TARGET}\nmore {TARGET}", seconds=0.1, requests=2, steps=steps, reached=[]
    )
    made = msgspec.structs.replace(made, reference=[exchange.to_step().response, None])
    run = results(
        made, notes=[TARGET], left_behind=[f"table {TARGET}"], stopped={"message": TARGET, "gone": True, "step": None}
    )
    run.target.server = TARGET
    run.causes[0].sentence += TARGET
    return run


@pytest.fixture(params=[(body, mark) for body in BODIES for mark in ("body:", "header:ETag")], ids="-".join)
def run(request):
    body, mark = request.param
    return judged(BODIES[body], mark)


def acting(text):
    """The signs of a text that act on what shows it."""
    return ACTING & set(text)


def texts(value):
    """Yield all texts in JSON."""
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(item)


@pytest.mark.parametrize("sign", sorted(ACTING), ids=ascii)
def test_a_sign_that_acts_is_shown_as_json_writes_it(sign):
    assert json.loads(f'"{visible(sign)}"') == sign
    assert visible(sign).isascii()


def test_what_people_read_stays_as_it_is():
    text = "Zürich, 東京 😀\n\tשלום"
    assert visible(text) == text


def test_no_report_has_such_a_sign(run, tmp_path):
    paths = render_reports(run, tmp_path)
    written = {kind: path.read_bytes().decode() for kind, path in paths.items()}
    written["findings"] = render_findings(run, Notes())
    for kind, text in written.items():
        assert acting(text) == set(), kind
        assert kind == "badge" or "\\u202e" in text, kind


def test_what_scripts_take_out_of_a_report_has_no_such_sign(run, tmp_path):
    paths = render_reports(run, tmp_path)
    for value in (Page(paths["html"].read_text()).data, json.loads(paths["sarif"].read_text())):
        assert [text for text in texts(value) if acting(text) != set()] == []


def test_no_terminal_gets_such_a_sign(run, capsys):
    terminal.print_results(run)
    console.out.print(f"plain {TARGET}", Text(TARGET, "dim"))
    written = capsys.readouterr().out
    assert acting(written) == set()
    assert "\\u202e" in written


def test_styles_still_reach_a_terminal():
    written = io.StringIO()
    shown = console.SafeConsole(file=written, force_terminal=True, color_system="standard")
    shown.print(Text(f"a{TARGET}", "red"))
    assert written.getvalue().startswith("\x1b[31mabegin\\u0000")


def test_errors_and_annotations_have_no_such_sign(run, monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    cli.complain(TARGET, TARGET)
    run.target.settings, run.run.selected = {"report": "x"}, len(run.requirements)
    show_run(Ended(run, 1), as_json=False)
    written = capsys.readouterr()
    assert "::error" in written.out
    assert acting(written.out + written.err) == set()


def test_commands_and_tests_have_no_such_sign(run):
    record = recorded(run, "lance.table.a")
    for text in (as_shell(record, "http://h:1"), as_pytest(record, "http://h:1")):
        assert acting(text) == set()


def test_an_answer_is_no_command_of_a_script(run):
    run.requirements[0].steps[-1].response.failure = "gone\ntouch /nowhere/x"
    lines = as_shell(recorded(run, "lance.table.a"), "http://h:1").splitlines()
    assert not [line for line in lines if line.startswith("touch")]


def test_a_header_in_a_command_has_the_bytes_that_were_sent():
    value = "it's 100%\\ \x9b31m é"
    curl = Exchange("ListTables", "GET", "http://h:1/", {"X": value}).curl()
    assert acting(curl) == set()
    word = curl[curl.index(" -H ") + len(" -H ") :]
    shown = subprocess.run(["sh", "-c", f"printf %s {word}"], capture_output=True, check=True)
    assert shown.stdout == f"X: {value}".encode("latin-1")
