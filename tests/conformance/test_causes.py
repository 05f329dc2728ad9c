"""Findings are told by cause: what comes from one place of the server is one.

`causes/` has the findings of three servers, and what stands behind each of them as people found out by hand.
"""

from __future__ import annotations

import json
from collections import Counter
from fnmatch import fnmatchcase
from math import comb
from pathlib import Path

import pytest

from conformance.after.causes import find_causes
from conformance.after.common_words import common_text
from conformance.after.reading import read_results
from conformance.values.patterns import pattern
from specs.files import read_toml
from tests.conformance.made_findings import clause, finding

HERE = Path(__file__).parent / "causes"
# Null pointers of Polaris have several messages for one reason: they are two causes.
TOGETHER = {"apache-polaris-1.4.1": 0.8}
SERVERS = sorted(path.stem for path in HERE.glob("*.toml"))


def truth_of(server):
    """The cause of each finding, by hand."""
    causes = read_toml(HERE / f"{server}.toml")
    findings = [
        result for result in read_results(HERE / f"{server}.json.gz").requirements if result.verdict != "blocked"
    ]
    by_id = {
        result.id: [cause for cause, ids in causes.items() if any(fnmatchcase(result.id, i) for i in ids)]
        for result in findings
    }
    assert [name for name, names in by_id.items() if len(names) != 1] == []
    return {name: names[0] for name, names in by_id.items()}


def pairs(groups):
    return sum(comb(count, 2) for count in Counter(groups).values())


@pytest.mark.parametrize("server", SERVERS)
def test_causes_are_those_that_people_found(server):
    """Of two findings that are told as one cause nearly all are, and of those that are nearly all are told so."""
    truth = truth_of(server)
    results = read_results(HERE / f"{server}.json.gz")
    numbers = {name: number for number, cause in enumerate(results.causes) for name in cause.requirements}
    assert numbers.keys() == truth.keys()
    both = pairs((truth[name], numbers[name]) for name in truth)
    assert both / pairs(numbers.values()) > 0.97
    assert both / pairs(truth.values()) > TOGETHER.get(server, 0.88)
    must = {result.id for result in results.requirements if result.verdict == "fail"}
    by_hand = len({truth[name] for name in must})
    reported = sum(cause.level == "MUST" for cause in results.causes if cause.requirements)
    assert abs(reported - by_hand) <= by_hand / 5


@pytest.mark.parametrize("server", SERVERS)
def test_what_is_blocked_belongs_to_what_blocks_it(server):
    results = read_results(HERE / f"{server}.json.gz")
    blocked = {result.id: result.blocked_by for result in results.requirements if result.verdict == "blocked"}
    causes = {name: cause for cause in results.causes for name in cause.blocked}
    assert causes.keys() == blocked.keys()
    assert [
        (name, by)
        for name, by in blocked.items()
        if not (by not in {name for c in results.causes for name in c.requirements} or by in causes[name].requirements)
    ] == []


def error(text, **more):
    return {"json": {"error": text, **more}}


def test_the_same_error_in_other_words_of_the_run_is_one_cause():
    first = finding("a", body=error("cannot find it at file:///tmp/lp12_3/a: there is no such file, id 17"))
    other = finding(
        "b", body=error("cannot find it at file:///tmp/lp99_4/b: there is no such file, id 4"), where="c:test_other"
    )
    (cause,) = find_causes([first, other])
    assert cause.requirements == ["api.it.a", "api.it.b"]
    assert cause.sentence == (
        "GetIt returns 500 for an invalid request (expected 400): “cannot find it at …: there is no such file, id …”"
    )


def test_one_statement_about_several_cases_is_told_once():
    causes = find_causes([finding(name, body=error("no")) for name in ("red", "green")])
    assert [cause.sentence for cause in causes] == ["GetIt returns 500 (expected 400): “What is … is refused with 400”"]


def test_pages_are_one_cause_whatever_is_on_them():
    page = {"text": "<html><title>Error 500 NullPointerException</title></html>"}
    other = {"text": "<!doctype html><HTML><title>Oops</title></html>"}
    (cause,) = find_causes([finding("a", body=page), finding("b", body=other, where="c:test_other")])
    assert cause.sentence == "GetIt returns 500 and an HTML page for an invalid request (expected 400)"


def test_cases_of_one_statement_that_fail_in_the_same_step_are_one_cause():
    stale = [finding(name, f"the {name}: expected 1, got 2", status=200, mark="body:/a") for name in ("a", "b")]
    (cause,) = find_causes(stale)
    assert cause.sentence == "GetIt violates “What is … is refused with 400”"


def test_what_the_kit_says_of_several_operations_is_told_of_all():
    text = "the body is not JSON: unexpected character"
    findings = [finding(name, text, status=200, mark="body:", where=f"c:{name}") for name in ("a", "b")]
    findings[0].steps[0].operation = "FindIt"
    assert [cause.sentence for cause in find_causes(findings)] == [f"FindIt and GetIt: {text}"]
    findings[1].message += " (and 2 more)"
    assert len(find_causes(findings)) == 1


def test_what_the_kit_says_of_all_findings_alone_is_told():
    lacks = 'the answer lacks the field "id" of an object'
    findings = [finding(name, lacks, status=200, mark="body:/it", where=f"c:{name}") for name in ("a", "b")]
    other = finding("c", "the it: expected 1, got nothing", status=200, mark="body:/it", where="c:c")
    assert [cause.sentence for cause in find_causes(findings)] == [f"GetIt: {lacks}"]
    (cause,) = find_causes([*findings, other])
    assert cause.sentence == "GetIt violates “It is got”"


def test_a_value_that_should_be_otherwise_is_no_sentence():
    claim = "this does not hold: the file s3://lake/lp1n2/t is there after the drop"
    (cause,) = find_causes([finding("a", claim, status=200, mark="body:")])
    assert cause.sentence == "GetIt violates “What is a is refused with 400”"


def test_a_success_of_another_status_is_one_cause_of_an_operation():
    text = "GetIt: expected 204, got 200"
    same = [finding(name, text, status=200, where=f"c:{name}", clause=clause(name)) for name in ("a", "b")]
    (cause,) = find_causes(same)
    assert cause.sentence == "GetIt returns 200 for a valid request (expected 204)"
    other = finding("c", text, status=200, where="c:c", clause=clause("c"))
    other.steps[0].operation = "FindIt"
    assert [cause.operations for cause in find_causes([*same, other])] == [["GetIt"], ["FindIt"]]


def test_verbs_are_those_of_several_operations():
    findings = [
        finding(name, f"{operation} is refused with 501", mark="body:", where=f"c:{name}", kind="wire", status=501)
        for name, operation in (("a", "GetIt"), ("b", "FindIt"))
    ]
    findings[1].steps[0].operation = "FindIt"
    assert [cause.sentence for cause in find_causes(findings)] == ["FindIt and GetIt are refused with 501"]


def test_a_request_of_no_operation_is_answered_by_the_server():
    nowhere = finding("nowhere", "a path that no operation has should be refused with 404, but got 400", status=400)
    nowhere.steps[0].operation = ""
    (cause,) = find_causes([nowhere])
    assert cause.sentence.startswith("The server returns 400")
    nowhere.message, nowhere.steps[0].mark = "the body is no error", "body:"
    assert [cause.sentence for cause in find_causes([nowhere])] == ["The body is no error"]


def test_what_a_loser_of_a_race_is_told_is_a_status():
    (cause,) = find_causes([finding("lost", "who lost should be told 404 or 409, not 500", kind="race", mark="body:")])
    assert (cause.title, cause.rank) == ("Wrong status", 3)


def test_the_shortest_way_to_see_it_is_shown():
    long = finding("long", body=error("no"))
    long.steps = long.steps * 3
    (cause,) = find_causes([long, finding("short", body=error("no"))])
    assert cause.example == "api.it.short"


def test_the_worst_comes_first():
    lost = finding("lost", "the rows: lacks [1]", status=200, mark="body:", kind="race", where="c:r")
    right = finding("right", "GetIt: expected 200, got 500", where="c:t", body=error("no"))
    form = finding("form", "the body is text/plain", status=200, mark="header:Content-Type", kind="wire", where="c:w")
    soft = finding("soft", where="c:s", verdict="warn", level="SHOULD", body=error("well"), kind="auth", status=200)
    causes = find_causes([form, finding("wrong", body=error("a b c")), right, lost, soft])
    assert [(cause.rank, cause.level, cause.example.rpartition(".")[2]) for cause in causes] == [
        (1, "MUST", "lost"),
        (2, "MUST", "right"),
        (2, "SHOULD", "soft"),
        (3, "MUST", "wrong"),
        (4, "MUST", "form"),
    ]


def test_a_should_lifts_no_cause():
    """Of one cause the MUST is a wrong form, the SHOULD loses data: it comes behind what breaks clients."""
    form = finding("form", "the name: expected 1, got 2", status=200, mark="body:", kind="wire")
    lost = finding("lost", "the name: expected 1, got 2", status=200, mark="body:", kind="data", level="SHOULD")
    right = finding("right", "GetIt: expected 200, got 500", where="c:t", body=error("no"))
    causes = find_causes([form, lost, right])
    assert [(cause.rank, cause.level, cause.requirements) for cause in causes] == [
        (2, "MUST", ["api.it.right"]),
        (4, "MUST", ["api.it.form", "api.it.lost"]),
    ]


def test_the_strongest_plain_requirement_is_the_example():
    race = finding("race", body=error("no"), kind="race")
    varied = finding("varied", body=error("no"))
    varied.steps = varied.steps * 300
    soft = finding("soft", body=error("no"), level="SHOULD")
    plain = finding("plain", body=error("no"))
    plain.steps = plain.steps * 5
    for others, example in (
        ([], "race"),
        ([varied], "varied"),
        ([varied, soft], "soft"),
        ([varied, soft, plain], "plain"),
    ):
        (cause,) = find_causes([race, *others])
        assert cause.example == f"api.it.{example}"


@pytest.mark.parametrize(("kind", "rank"), [("data", 1), ("error", 3)])
def test_a_wrong_commit_that_is_done_loses_data(kind, rank):
    (cause,) = find_causes([finding("stale", kind=kind, body=error("old"), status=200)])
    assert cause.rank == rank


def test_what_blocks_without_being_a_finding_is_a_cause_of_its_own():
    blocked = [
        finding(name, "the server does not have GetIt", verdict="blocked", blocked_by="GetIt", steps=[])
        for name in ("a", "b")
    ]
    (cause,) = find_causes(blocked)
    assert (cause.sentence, cause.requirements, cause.blocked) == (
        "The server does not have GetIt", [], ["api.it.a", "api.it.b"]
    )  # fmt: skip


def test_what_is_blocked_by_what_is_blocked_belongs_to_the_first_of_them():
    first = finding("a", body=error("no"))
    chain = [finding(name, verdict="blocked", blocked_by=f"api.it.{by}", steps=[]) for name, by in ("ba", "cb")]
    (cause,) = find_causes([first, *chain])
    assert cause.blocked == ["api.it.b", "api.it.c"]


BODIES = [
    None,
    {"text": ""},
    {"text": "no"},
    {"base64": "AA==", "size": 1},
    {"json": [1]},
    error(None),
    error({"message": 5, "type": [1]}),
]


@pytest.mark.parametrize("body", BODIES, ids=repr)
@pytest.mark.parametrize("status", [0, 200, 500])
@pytest.mark.parametrize("message", ["", "GetIt: expected 400, got 500", "GetIt: expected 200 or 400, got 1", "x"])
def test_whatever_was_seen_has_a_sentence(body, status, message):
    for verdict in ("fail", "blocked"):
        for mark in ("", "status", "body:", "body:/error", "body:/a~b/0", "header:X"):
            first = finding("a", message, body=body, status=status, verdict=verdict, mark=mark)
            assert find_causes([first])[0].sentence
        assert find_causes([finding("a", message, verdict=verdict, steps=[])])[0].sentence


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no 'a' at /x/y.rs:17, id 5f0e", "no … at …, id …"),
        ('Schema { message: "no", at: { x } } failed', "Schema … failed"),
        ("column `a", "column …"),
        ("5 of 7", "… of …"),
        ("", ""),
    ],
)
def test_what_changes_from_run_to_run_is_left_out(text, words):
    assert pattern(text) == words


def test_texts_share_their_words():
    assert common_text(["A limit of ListTables is kept.", "A limit of ListTags is kept."]) == "A limit of … is kept"
    assert common_text(["One."]) == "One"
    assert common_text(["A schema (no id) is refused.", "A schema (bad id) is refused."]) == "A schema … is refused"


def test_files_of_older_kits_have_causes_too(tmp_path):
    results = read_results(HERE / f"{SERVERS[0]}.json.gz")
    value = results.to_json()
    assert value.pop("causes")
    (tmp_path / "results.json").write_text(json.dumps(value))
    assert read_results(tmp_path).causes == results.causes
