"""Actions of a requirement beside HTTP are recorded, shown and repeated; or the requirement is tested again."""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
from dataclasses import replace

import msgspec
import pytest

from conformance.after import reproduction
from conformance.after.expectations_update import updated
from conformance.after.reading import read_results
from conformance.after.reproduction import Recorded, as_shell, recorded, reproduce, settings_for
from conformance.replay.beside import FileActions, unrepeatable
from conformance.replay.chosen import names_files
from conformance.replay.expectations_file import ExpectationFile, read_expectations, write_expectations
from conformance.replay.flaky import TESTED_AGAIN
from conformance.replay.issued import to_steps
from conformance.replay.renaming import Renaming
from conformance.replay.replaying import Finding, Replayed, lack, replay
from conformance.report.card import card
from conformance.report.html import render_html
from conformance.report.junit import render_junit
from conformance.report.sarif import render_sarif
from conformance.run.session import met
from conformance.values.exchange import MAX_BODY, Action, Beside, Exchange, Step
from conformance.values.settings import Settings
from lakeproof import check, serve
from reference_server.faults import find_fault
from tests.conformance import made_results
from tests.conformance.mutants import Mended

LOST, LATER = "iceberg.table.load.lost_file", "iceberg.table.load.uncommitted"
SCHEME = "lance.version.create.scheme"
BASE, OLD, NEW = "http://h:1", "lpabc123", "lpdef456"


def found(name, fault, folder):
    """Return the only result of a run on a server with a fault, and the outcomes there and on a server without."""
    api = name.partition(".")[0]
    with serve(api, faults=[fault]) as server:
        results, _ = check(server.url, api=api, select=name, report=str(folder))
        record = recorded(read_results(folder), name)
        there = reproduce(record, settings_for(record, server.url, {}))
        check_stored(results, server.url, folder / "known.toml")
    with serve(api) as fixed:
        gone = reproduce(record, settings_for(record, fixed.url, {}))
    (entry,) = results.requirements
    assert not results.run.left_behind
    return entry, there, gone


def check_stored(results, url, path):
    """Check that the finding is stored in expectations and replayed as it was, if its steps can be repeated."""
    write_expectations(path, updated(ExpectationFile(profile=results.target.profile), results))
    (entry,) = read_expectations(path).known
    repeatable = not any(unrepeatable(step, results.run.prefix) for step in results.requirements[0].steps)
    assert bool(entry.steps) == repeatable
    if entry.steps:
        with met(Settings(url, api=results.target.api)) as target:
            assert replay(entry.finding("error"), target).state == "same"


def test_a_restored_file_of_a_dropped_table_is_a_step_of_the_written_results(tmp_path):
    with serve("iceberg", faults=["purge-unasked", "registered-anew"]) as server:
        check(server.url, api="iceberg", select="iceberg.register.table.same", report=str(tmp_path))
    (entry,) = read_results(tmp_path).requirements
    assert entry.verdict == "fail"
    assert [step.beside.verb for step in entry.steps if step.beside] == ["wrote"]


@pytest.mark.parametrize(
    ("name", "fault", "verbs"),
    [
        (LATER, "newest-file-shown", ["wrote"]),
        (LOST, "unreadable-file-as-500", ["deleted"]),
        (SCHEME, "naming-scheme-ignored", ["staged"]),
    ],
)
def test_a_defect_that_needs_files_is_neither_fixed_nor_flaky_on_the_same_server(tmp_path, name, fault, verbs):
    entry, there, gone = found(name, fault, tmp_path)
    assert [step.beside.verb for step in entry.steps if step.beside] == verbs
    assert not entry.flaky
    assert there.state == "fails", there.why
    assert gone.state == "fixed", gone.why


def test_a_finding_whose_steps_no_replay_can_do_is_flaky_if_it_passes_when_tested_again(tmp_path, monkeypatch):
    mended = Mended(monkeypatch, find_fault("naming-scheme-ignored"))
    with serve("lance", faults=["once"]) as server:
        results, code = check(server.url, api="lance", select=SCHEME, report=str(tmp_path), listener=mended)
    (entry,) = results.requirements
    assert (code, entry.verdict, entry.flaky) == (0, "warn", True)
    (note,) = entry.notes
    assert note.startswith(f"{TESTED_AGAIN}: ")
    assert str(entry.steps[-1].response.status) in note
    assert set(mended.verdicts) == {"warn"}


def outcome(state, verdict, kind="behaviour", message="", recorded=(), now=()):
    about = replace(finding(*recorded), id="lance.table.a", kind=kind, message="op: expected 400, got 200")
    tested = made_results.result(verdict, message=message or about.message, evidence=None)
    return reproduction._outcome(about, Replayed(state, "why", list(now)), tested if verdict != "none" else None).state


@pytest.mark.parametrize(
    ("state", "verdict", "expected"),
    [
        ("same", "none", "fails"),
        ("fixed", "pass", "fixed"),
        ("fixed", "fail", "fails"),
        ("changed", "pass", "fixed"),
        ("changed", "warn", "fails"),
        ("impossible", "pass", "fixed"),
        ("impossible", "unoffered", "unknown"),
        ("impossible", "error", "unknown"),
        ("impossible", "none", "unknown"),
        ("changed", "blocked", "fails"),
    ],
)
def test_fixed_is_said_only_where_the_requirement_passes(state, verdict, expected):
    assert outcome(state, verdict) == expected


def test_what_is_blocked_in_another_way_is_unknown():
    assert outcome("changed", "blocked", message="something else") == "unknown"


def test_a_check_over_all_answers_that_sees_few_of_them_says_nothing():
    sent, refused = [answer(), answer()], [answer(), answer(status=404)]
    for state, now, expected in (
        ("impossible", [], "unknown"),
        ("impossible", sent[:1], "unknown"),
        ("changed", refused, "unknown"),
        ("changed", sent, "fixed"),
    ):
        assert outcome(state, "pass", kind="wire", recorded=sent, now=now) == expected


def written(location, content=b'{"a": 1}', verb="wrote", thing="a file"):
    return Action(Beside(verb=verb, thing=thing), location, content)


def answer(location="", before=(), status=200, url=f"{BASE}/x"):
    exchange = Exchange("op", "GET", url, {}, status=status, before=tuple(before))
    exchange.response_body = json.dumps({"location": location}).encode()
    return exchange


def finding(*exchanges):
    return Finding("x.y", "behaviour", "op: expected 400, got 200", to_steps(exchanges), BASE, OLD)


def test_an_action_is_a_step_before_the_next_request():
    first, second = answer("file:///t"), answer(before=[written("file:///t/m.json")])
    steps = to_steps([first, second])
    assert [bool(step.beside) for step in steps] == [False, True, False]
    assert steps[1].request.body == {"json": {"a": 1}}
    copy = msgspec.json.decode(msgspec.json.encode(steps), type=list[Step])
    assert copy == steps


def test_a_run_notes_actions_until_its_example_ends():
    with serve("iceberg") as server:
        target_client = check_client(server.url)
        target_client.note_beside("wrote", "file:///x", b"1")
        target_client.begin_example()
        target_client.note_beside("deleted", "file:///y")
        sent = target_client.get_raw("/v1/config")
    assert [(action.beside.verb, action.location) for action in sent.before] == [("deleted", "file:///y")]


def check_client(url):
    from conformance.target.target import connect  # noqa: PLC0415

    return connect(Settings(url, api="iceberg")).client


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (written("file:///t/m.json"), ""),
        (written("file:///t/m.json", verb="deleted", content=b""), ""),
        (written(f"file:///tmp/{OLD}-canary-x1/a-canary.json"), ""),
        (written("file:///t", b"", verb="staged", thing="version 2 of a Lance dataset"), "staged version 2"),
        (written("file:///t", b"", thing="a Lance dataset"), "wrote a Lance dataset"),
        (written("file:///t/m.json", b"x" * (MAX_BODY + 1)), "too large"),
        (written("file:///t/m.avro", b"\x00" + OLD.encode()), "binary form"),
        (written("file:///t/m.gz", gzip.compress(OLD.encode())), "binary form"),
        (written("file:///t/m.parquet", b"\x00PAR1"), ""),
    ],
)
def test_what_no_replay_can_repeat_is_known_before(action, words):
    step = action.to_step()
    assert words in unrepeatable(step, OLD)
    assert bool(unrepeatable(step, OLD)) == bool(words)
    why = lack(finding(answer("file:///t", before=[action])))
    assert (f"step 1: the run {step.beside.verb}" in why) == bool(words)


@pytest.fixture
def place(tmp_path):
    """A folder of an object of this run, as a server returns it."""
    folder = tmp_path / f"{NEW}n1"
    folder.mkdir()
    return folder


def test_a_replay_writes_and_deletes_files_of_its_own_objects(place):
    names, actions = Renaming({OLD: NEW}), FileActions(NEW)
    old = f"file://{place.parent}/{OLD}n1"
    assert not actions.repeat(
        written(f"{old}/m/1.json", f'{{"at": "{old}"}}'.encode()).to_step(), names, [answer(str(place.as_uri()))]
    )
    made = place / "m" / "1.json"
    assert json.loads(made.read_bytes()) == {"at": place.as_uri()}
    with actions.restored():
        assert not actions.repeat(written(f"{old}/m/1.json", b"", "deleted").to_step(), names, [answer(place.as_uri())])
        assert not made.exists()
    assert made.exists()  # a server may need it to drop the table


def test_a_replay_touches_no_other_file(place, tmp_path):
    names, actions = Renaming({OLD: NEW}), FileActions(NEW)
    other = tmp_path / "other.json"
    other.write_text("mine")
    known = [answer(place.as_uri()), answer(tmp_path.as_uri())]
    for location in (
        other.as_uri(),
        f"{place.as_uri()}/../other.json",
        f"file://{tmp_path}/elsewhere/{NEW}/x.json",
        f"s3://bucket/{NEW}/x.json",
        "relative/x.json",
    ):
        for verb, content in (("wrote", b'{"a": 1}'), ("deleted", b"")):
            assert actions.repeat(written(location, content, verb).to_step(), names, known[:1]), location
    assert actions.repeat(written(other.as_uri()).to_step(), names, known)
    assert actions.repeat(written(f"{place.as_uri()}/none.json", b"", "deleted").to_step(), names, known)
    assert other.read_text() == "mine"
    assert [path.name for path in tmp_path.rglob("*.json")] == ["other.json"]


def test_binary_content_with_values_of_the_recorded_server_is_not_written(place):
    names = Renaming({OLD: NEW})
    names.names["0b50cbcb-2fe0"] = "11111111-2222"
    step = written(f"{place.as_uri()}/a.avro", b"\x00 0b50cbcb-2fe0").to_step()
    assert base64.b64decode(step.request.body["base64"])
    assert "binary form" in FileActions(NEW).repeat(step, names, [answer(place.as_uri())])
    assert not list(place.iterdir())


def test_a_file_that_a_step_wrote_is_known_to_a_replay():
    location = f"file:///lake/{'0b50cbcb' * 3}"
    made = answer(location)
    named = answer(before=[written(f"{location}/m.json")])
    named.request_body = json.dumps({"metadata-location": f"{location}/m.json"}).encode()
    assert not names_files(to_steps([made, named]))
    named.before = ()
    assert names_files(to_steps([made, named]))


def test_reports_and_commands_show_actions_as_numbered_steps():
    steps = to_steps([answer("file:///t"), answer(before=[written("file:///t/m.json")])])
    steps[-1].mark = "status"
    entry = made_results.result("fail", steps=steps)
    results = made_results.results(entry, prefix=OLD)
    words = "wrote a file: file:///t/m.json"
    assert f"2. {words}" in card(entry, Settings())
    assert f"2. {words}" in render_junit(results)
    assert words in render_sarif(results)
    assert words in render_html(results)
    record = Recorded(
        finding=finding(answer("file:///t"), answer(before=[written("file:///t/m.json")])),
        statement="s",
        kit="0",
        seen="now",
        settings={},
    )
    script = as_shell(record, BASE)
    assert "# 2. The run wrote a file itself" in script
    assert "step 2 is no request" in script
    done = subprocess.run(
        ["sh"], input=f"curl() {{ echo '{{}}'; }}\n{script}", capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
