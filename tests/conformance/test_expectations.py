"""Known deviations: a round trip on a faulty server, and every way in which an entry holds no more."""

from __future__ import annotations

import gzip
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.after.expectations_update import pruned, updated
from conformance.after.reading import read_results
from conformance.replay.expectations import Expectations
from conformance.replay.expectations_examples import examples_file
from conformance.replay.expectations_file import (
    RUN,
    Entry,
    ExpectationFile,
    read_expectations,
    stored,
    write_expectations,
)
from conformance.replay.older import alike_in_words
from conformance.replay.replaying import Replayed
from conformance.run.ledger import Judged, Ledger
from conformance.run.selection import narrows
from conformance.run.verdicts import Facts, Outcome
from conformance.values.evidence import Evidence
from conformance.values.kinds import KINDS
from conformance.values.requirement import Level, Requirement
from conformance.values.results import Result
from conformance.values.settings import Settings
from lakeproof import check, serve
from reference_server.context import Reply
from reference_server.faults import FAULTS, find_fault
from specs.problems import Problem
from tests.conformance.mutants import Mended
from tests.conformance.whole_runs import not_met

CONFLICT = "lance.namespace.create.conflict"
WORDS = "lance.namespace.create"
PROFILE = "lance/0.11"
SEEN = "CreateNamespace: expected 409, got 400"
PAST, SOON, LATER = date(2020, 1, 1), date(2999, 1, 1), date(2999, 6, 1)


@pytest.fixture(scope="module")
def faulty():
    with serve("lance", storage="memory:pure", faults=["conflict-as-400"]) as server:
        yield server


@pytest.fixture(scope="module")
def fixed():
    with serve("lance", storage="memory:pure") as server:
        yield server


@pytest.fixture(scope="module")
def findings(faulty, tmp_path_factory):
    """The findings of a run on the faulty server."""
    return check(faulty.url, select=WORDS, report=str(tmp_path_factory.mktemp("found")))[0]


@pytest.fixture
def judge(tmp_path, findings):
    """Judge a server by the expectations of the run above, changed as is given."""

    def run(server, change=lambda file: None, select=WORDS, **settings):
        path, file = tmp_path / "known.toml", updated(ExpectationFile(profile=PROFILE), findings)
        change(file)
        write_expectations(path, file)
        assert read_expectations(path) == file
        return check(server.url, select=select, report=str(tmp_path / "out"), expect=str(path), **settings)

    return run


def states(results):
    return {record.requirement: record.state for record in results.expectations}


def test_what_is_seen_as_it_is_known_breaks_no_gate(findings, faulty, judge):
    results, code = judge(faulty, strict=True)
    broken = {name for cause in findings.causes for name in cause.requirements}
    assert code == 0, not_met(results)
    assert CONFLICT in broken
    assert {entry.id for entry in results.requirements if entry.verdict == "known"} == broken
    assert (states(results), results.causes) == (dict.fromkeys(broken, "known"), [])


def test_what_is_fixed_is_stale_until_it_is_removed(fixed, judge, findings):
    results, code = judge(fixed)
    assert code == 1
    assert results.totals["fail"] == 0
    assert states(results)[CONFLICT] == "stale"
    assert pruned(updated(ExpectationFile(profile=PROFILE), findings), results).known == []


def test_an_id_that_is_gone_is_an_orphan(fixed, judge):
    gone = "lance.namespace.create.renamed"

    def rename(file):
        file.known = [Entry(reason="r", findings={gone: SEEN, "iceberg.config.no_such": "of another suite"})]

    results, code = judge(fixed, rename)
    assert code == 1
    assert states(results) == {gone: "orphan", "iceberg.config.no_such": "untested"}


def test_an_entry_past_its_date_is_expired(faulty, judge):
    results, code = judge(faulty, lambda file: [setattr(entry, "expires", PAST) for entry in file.known])
    assert code == 1
    assert set(states(results).values()) == {"expired"}
    assert next(entry for entry in results.requirements if entry.id == CONFLICT).verdict == "fail"


def test_what_is_seen_in_another_way_is_a_finding(faulty, judge):
    def other(file):
        for entry in file.known:
            entry.evidence = {name: seen.replace("-> 400", "-> 500") for name, seen in entry.evidence.items()}

    results, code = judge(faulty, other)
    assert code == 1
    assert states(results)[CONFLICT] == "different"
    assert updated(ExpectationFile(profile=PROFILE), results).known[0].findings[CONFLICT] == SEEN


def test_what_stored_steps_should_have_returned_is_read_from_no_sentence(findings):
    known = updated(ExpectationFile(profile=PROFILE), findings).known
    (entry,) = [entry for entry in known if entry.example == CONFLICT]
    evidence = msgspec.structs.replace(entry, findings={CONFLICT: "in other words"}).finding("error").seen_as
    assert (evidence.statuses, evidence.about_status) == ((409,), True)
    older = msgspec.structs.replace(entry, evidence={}, due=[]).finding("error").seen_as
    assert (older.statuses, older.about_status) == ((409,), True)


def test_what_was_not_selected_is_not_tested(fixed, judge):
    results, code = judge(fixed, select="lance.namespace.exists")
    assert code == 0, not_met(results)
    assert set(states(results).values()) == {"untested"}


def test_an_update_keeps_what_is_there_and_what_people_wrote(findings):
    first = updated(ExpectationFile(profile=PROFILE), findings, reason="by design", link="https://x/1")
    kept = Entry(reason="other", findings={"lance.table.other": "seen"})
    first.known.append(kept)
    again = updated(first, findings)
    assert kept in again.known
    assert {entry.reason for entry in again.known} == {"other", "by design"}
    assert {entry.link for entry in again.known} == {"", "https://x/1"}


@pytest.mark.parametrize(("before", "given", "after"), [(SOON, None, SOON), (SOON, LATER, LATER), (PAST, None, None)])
def test_an_update_keeps_a_date_that_is_to_come(findings, before, given, after):
    first = updated(ExpectationFile(profile=PROFILE), findings, expires=before)
    assert {entry.expires for entry in first.known} == {before}
    assert {entry.expires for entry in updated(first, findings, expires=given).known} == {after}


def test_names_of_a_run_are_not_stored(findings):
    entry = next(finding for finding in findings.requirements if finding.id == CONFLICT)
    steps = [stored(step, findings.target.url, findings.run.prefix) for step in entry.steps]
    text = msgspec.json.encode(steps).decode()
    assert findings.run.prefix not in text
    assert findings.target.url not in text
    assert RUN in text


def result(verdict, kind="behaviour", message=""):
    requirement = Requirement("lance.table.a", "MUST", kind, ("ListTables",), "page-token", "It holds.", "m:f")
    return Result.of(requirement, verdict, message)


def decided(expected, tested):
    """A result as a run has it that expects this."""
    outcomes: dict[str, Outcome] = {
        "pass": "passed",
        "fail": "violated",
        "warn": "violated",
        "error": "broken",
        "blocked": "blocked",
        "unoffered": "unoffered",
    }
    level: Level = "SHOULD" if tested.verdict == "warn" else "MUST"
    facts = Facts(outcomes[tested.verdict], level)
    return Ledger(expected, lambda: ()).take(Judged(facts, tested))


def expectations(depth="gate", kept=SEEN, **entry):
    known = Entry(reason="r", findings={"lance.table.a": kept}, **entry)
    return Expectations(ExpectationFile(profile=PROFILE, known=[known]), depth, date(2026, 1, 1))


@pytest.mark.parametrize(
    ("state", "verdict", "said"),
    [
        ("same", "known", "known"),
        ("fixed", "pass", "stale"),
        ("changed", "pass", "stale"),
        ("impossible", "pass", "stale"),
    ],
)
def test_where_the_test_passes_the_stored_steps_decide(findings, state, verdict, said):
    steps = next(finding for finding in findings.requirements if finding.id == CONFLICT).steps
    expected = expectations(example="lance.table.a", steps=steps)
    expected.replays["lance.table.a"] = Replayed(state, "why")
    assert decided(expected, result("pass")).verdict == verdict
    assert expected.states == {"lance.table.a": said}


@pytest.mark.parametrize(
    ("verdict", "kind", "depth", "state"),
    [
        ("pass", "behaviour", "gate", "stale"),
        ("pass", "behaviour", "smoke", "unseen"),
        ("pass", "race", "deep", "unseen"),
        ("unoffered", "behaviour", "gate", "stale"),
    ],
)
def test_without_steps_a_thorough_run_decides(verdict, kind, depth, state):
    expected = expectations(depth)
    decided(expected, result(verdict, kind))
    assert expected.states == {"lance.table.a": state}


def test_one_pass_of_what_is_flaky_decides_nothing(findings):
    steps = next(finding for finding in findings.requirements if finding.id == CONFLICT).steps
    expected = expectations(example="lance.table.a", steps=steps, flaky=["lance.table.a"])
    expected.replays["lance.table.a"] = Replayed("fixed", "why")
    assert decided(expected, result("pass")).verdict == "pass"
    assert expected.states == {"lance.table.a": "unseen"}


@pytest.mark.parametrize(
    ("narrowed", "verdict", "state", "known"),
    [
        (True, "fail", "unseen", "known"),
        (True, "warn", "unseen", "known"),
        (True, "blocked", "known", "known"),
        (True, "pass", "unseen", "pass"),
        (True, "unoffered", "unseen", "unoffered"),
        (False, "fail", "different", "fail"),
        (False, "blocked", "known", "known"),  # by another prerequisite: their order differs between two runs
        (False, "pass", "stale", "pass"),
    ],
)
def test_what_was_blocked_gates_nothing_in_a_run_that_leaves_out_what_blocked_it(narrowed, verdict, state, known):
    expected = expectations(blocked=["lance.table.a"])
    expected.narrowed = narrowed
    assert decided(expected, result(verdict, message="expected 2 tables, got 1")).verdict == known
    assert expected.states == {"lance.table.a": state}


def test_what_was_blocked_expires_in_a_narrowed_run_too():
    expected = expectations(blocked=["lance.table.a"], expires=PAST)
    expected.narrowed = True
    assert decided(expected, result("fail", message="other")).verdict == "fail"
    assert expected.states == {"lance.table.a": "expired"}


@pytest.mark.parametrize(
    ("narrowed", "given"),
    [
        (False, {}),
        (False, {"kinds": (*KINDS, "fuzz")}),
        (True, {"kinds": KINDS[:1]}),
        (True, {"operation": ("DropNamespace",)}),
        (True, {"clause": ("page-token",)}),
        (True, {"select": "table"}),
        (True, {"last_failed": True}),
        (True, {"read_only": True}),
    ],
)
def test_a_run_is_narrowed_by_what_leaves_requirements_out(narrowed, given):
    assert narrows(Settings(**given)) is narrowed


def test_a_part_of_the_requirements_meets_expectations_of_more_of_them(tmp_path):
    """The listing shows too little; without the requirement that says so, those that need it are tested."""
    path = tmp_path / "known.toml"
    given: dict[str, Any] = {"report": str(tmp_path / "out"), "depth": "smoke"}
    with serve("lance", storage="memory", faults=["short-list:ListAllTables:tables"]) as server:
        results, _ = check(server.url, select="list_all_tables", **given)
        write_expectations(path, updated(ExpectationFile(profile=PROFILE), results))
        blocked = {name for entry in read_expectations(path).known for name in entry.blocked}
        assert blocked == {entry.id for entry in results.requirements if entry.verdict == "blocked"}
        assert "lance.pagination.complete.list_all_tables" in blocked
        assert check(server.url, select="list_all_tables", expect=str(path), **given)[1] == 0
        results, code = check(server.url, select=" or ".join(sorted(blocked)), expect=str(path), **given)
    assert {state for name, state in states(results).items() if name in blocked} <= {"unseen", "known"}
    assert states(results)["lance.pagination.complete.list_all_tables"] == "unseen"
    assert code == 0, not_met(results)


def test_a_finding_whose_steps_end_well_when_they_are_sent_again_is_flaky(tmp_path, monkeypatch):
    mended = Mended(monkeypatch, FAULTS["conflict-as-400"])
    with serve("lance", storage="memory:pure", faults=["once"]) as server:
        results, code = check(server.url, select=CONFLICT, report=str(tmp_path), listener=mended)
        (entry,) = results.requirements
        assert (code, entry.verdict, entry.flaky) == (1, "fail", True)
        assert [step.response.status for step in entry.steps[-2:]] == [400, 409]
        assert not results.run.left_behind
        file, known = updated(ExpectationFile(profile=PROFILE), results), tmp_path / "known.toml"
        assert [record.flaky for record in file.known] == [[CONFLICT]]
        write_expectations(known, file)
        assert read_expectations(known) == file
        results, code = check(server.url, select=CONFLICT, report=str(tmp_path), expect=str(known))
        assert (code, states(results)) == (0, {CONFLICT: "unseen"})


def test_findings_that_stay_are_not_flaky(findings):
    assert [finding for finding in findings.requirements if finding.flaky] == []


def test_errors_of_the_kit_say_nothing():
    expected = expectations()
    assert decided(expected, result("error")).verdict == "error"
    assert expected.states == {}


@pytest.mark.parametrize(
    ("message", "other", "same"),
    [
        (SEEN, SEEN, True),
        (SEEN, "CreateNamespace: expected 409, got 500", False),
        (SEEN, "CreateNamespace: expected 409, got no answer (reset)", False),
        ('the names: lacks ["lp1n3"]', 'the names: lacks ["lp9n7", "x"]', True),
        ("the names: lacks [1]", "the order: lacks [1]", False),
    ],
)
def test_messages_of_older_kits_are_compared_without_their_values(message, other, same):
    assert alike_in_words(message, other) is same


def many(run, last="null"):
    """Evidence of a hundred bodies, in which the names of a run are of any length."""
    bodies = [f"{run}n{number} [{number}] with 500" for number in range(100)]
    feature = ", ".join([*bodies, f"schema {last} with 500"])
    return Evidence(operation="createView", statuses=(400,), status=500, request="invalid", feature=feature)


@pytest.mark.parametrize(("last", "state"), [("null", "known"), ("absent", "different")])
def test_of_many_wrong_bodies_all_are_compared(last, state):
    expected = expectations(evidence={"lance.table.a": many("lp1").signature})
    finding = msgspec.structs.replace(result("fail", message="createView fails"), evidence=many("lp22222", last))
    decided(expected, finding)
    assert expected.states == {"lance.table.a": state}


def test_what_is_seen_is_known_by_its_evidence_whatever_the_words():
    expected = expectations(kept="in other words", evidence={"lance.table.a": many("lp1").signature})
    finding = msgspec.structs.replace(result("fail", message="createView fails"), evidence=many("lp2"))
    assert decided(expected, finding).verdict == "known"
    older = expectations(kept="createView: expected 400, got 500")
    status = msgspec.structs.replace(many("lp2"), aspect="status")
    assert decided(older, msgspec.structs.replace(finding, evidence=status)).verdict == "known"
    other = msgspec.structs.replace(status, status=501)
    assert decided(older, msgspec.structs.replace(finding, evidence=other)).verdict == "fail"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("known = 1", "is not an expectations file"),
        ('profile = "p"\n[[known]]\nreason = "r"', "requirements"),
        ('profile = "p"\ndepth = "none"', "unknown depth"),
        ('profile = "p"\n[[known]]\nreason = "r"\nother = 1\nfindings = {}', "other"),
        ('profile = "p"\n[[known]]\nreason = "r"\nfindings = {}\n[[known.steps]]\nmark = ""', "request"),
        ('profile = "p"\n' + '[[known]]\nreason = "r"\nfindings = {a = "x"}\n' * 2, "two entries for a"),
    ],
)
def test_a_file_that_is_none_is_a_problem(tmp_path, text, words):
    (tmp_path / "known.toml").write_text(text)
    with pytest.raises(Problem, match=words):
        read_expectations(tmp_path / "known.toml")


@pytest.mark.parametrize("text", ["it's", 'a "b"', "a\\b", "new\nline", "\x7f\x00\t", "🚀 数据", "'\""])
def test_any_text_can_be_written(tmp_path, text):
    file = ExpectationFile(profile=PROFILE, known=[Entry(reason=text, cause=text, findings={text: text})])
    write_expectations(tmp_path / "known.toml", file)
    assert read_expectations(tmp_path / "known.toml") == file


OLDER = """
profile = "lance/0.11"
depth = "smoke"

[[known]]
cause = "CreateNamespace returns 400"
reason = "by design"
link = "https://x/1"
example = "lance.namespace.create.conflict"
expires = 2999-12-31
due = [409]
[known.findings]
"lance.namespace.create.conflict" = "CreateNamespace: expected 409, got 400"
"lance.table.other" = "another"
[known.evidence]
"lance.namespace.create.conflict" = "CreateNamespace status - 409 -> 400 -"
[known.prepared]
[[known.steps]]
operation = "CreateNamespace"
request = "POST {base}/v1/namespace/{run}n1/create"
headers = { Accept = "*/*" }
body = { json = '{"mode":"create"}' }
answer = { status = 400, headers = {}, body = { json = '{"code":2}' } }
mark = "status"
"""


def test_a_file_of_an_older_kit_becomes_one_for_people(tmp_path, findings):
    path = tmp_path / "known.toml"
    path.write_text(OLDER)
    file = read_expectations(path)
    write_expectations(path, file)
    assert read_expectations(path) == file
    text = path.read_text()
    assert "by design" in text
    assert "2999-12-31" in text
    assert "{run}" not in text
    assert "got 400" not in text
    again = updated(file, findings)
    (entry,) = [entry for entry in again.known if CONFLICT in entry.findings]
    assert (entry.reason, entry.link, entry.expires) == ("by design", "https://x/1", date(2999, 12, 31))


def test_a_short_entry_by_hand_is_enough(faulty, judge, tmp_path):
    """Without counterexamples any failure is the known one, and there is nothing to replay."""

    def by_hand(file):
        file.known = []

    judge(faulty, by_hand)
    path = tmp_path / "by-hand.toml"
    path.write_text(f'profile = "{PROFILE}"\n[[known]]\nreason = "r"\nrequirements = ["{CONFLICT}"]\n')
    results, code = check(faulty.url, select=CONFLICT, report=str(tmp_path / "out"), expect=str(path))
    assert (code, states(results)) == (0, {CONFLICT: "known"})


def test_expectations_hold_without_their_counterexamples(faulty, fixed, findings, tmp_path):
    path = tmp_path / "known.toml"
    write_expectations(path, updated(ExpectationFile(profile=PROFILE), findings))
    examples_file(path).unlink()
    given: dict[str, Any] = {"select": CONFLICT, "report": str(tmp_path / "out"), "expect": str(path)}
    results, code = check(faulty.url, **given)
    assert (code, states(results)[CONFLICT]) == (0, "known")
    results, code = check(fixed.url, **given)
    assert (code, states(results)[CONFLICT]) == (1, "stale")


def test_broken_counterexamples_are_a_problem(tmp_path):
    path = tmp_path / "known.toml"
    write_expectations(path, ExpectationFile(profile=PROFILE))
    for content in (b"x", gzip.compress(b"[]")):
        examples_file(path).write_bytes(content)
        with pytest.raises(Problem, match="counterexamples"):
            read_expectations(path)


def test_a_file_is_short_enough_to_review(tmp_path):
    path = tmp_path / "known.toml"
    results = read_results(Path(__file__).parents[2] / "reports" / "pylance-14.0.2-restadapter")
    file = updated(ExpectationFile(profile=results.target.profile), results)
    write_expectations(path, file)
    assert sum(len(entry.findings) for entry in file.known) > 300
    assert path.stat().st_size < 30_000
    assert read_expectations(path) == file


def test_the_warehouse_of_a_run_is_there_when_steps_are_sent_again(tmp_path, monkeypatch):
    async def crashes(_call, proceed):
        reply = await proceed()
        return Reply(500) if b"not attached" in reply.body else reply

    monkeypatch.setitem(FAULTS, "crashes", replace(find_fault("refusal-tells"), name="crashes", around=crashes))
    given: dict[str, Any] = {
        "credential": "root:s3cr3t",
        "select": "polaris.policy.detach.absent",
        "report": str(tmp_path),
    }
    with serve("polaris", bootstrap="root:s3cr3t", faults=["crashes"]) as server:
        results, _ = check(server.url, api="polaris", **given)
    (entry,) = results.requirements
    assert (entry.verdict, entry.flaky) == ("fail", False)
