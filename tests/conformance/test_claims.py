"""Sentences of causes are true of every finding of the cause: published ones, and made ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from conformance.after.cause_sentences import sentence_of
from conformance.after.causes import find_causes
from conformance.after.claims import HOLDS, true_of_all, untrue_claims
from conformance.after.common_words import common_text, has_words, shortened
from conformance.after.reading import read_results
from conformance.values.causes import OPERATION, Claims
from conformance.values.evidence import Evidence, Said
from tests.conformance.made_findings import clause, finding

REPORTS = Path(__file__).parents[2] / "reports"
EVIDENCE = Evidence(
    operation="GetIt", aspect="status", statuses=(400,), status=500, request="invalid", thing="GetIt fails on it",
    said=Said(type="Broken", message="it broke while it was read"), place="/it", expected="1", actual="2",
    state="stale", write="SetIt", reader="GetIt", only="only in the root", caller="a caller with READ on it",
)  # fmt: skip
MEMBER = structs.replace(finding("a"), evidence=EVIDENCE)
TRUE: dict[str, Any] = {
    "operations": ("GetIt",), "status": 500, "request": "invalid", "statuses": (400,), "due": 4, "aspect": "status",
    "said": "it … while it was read", "place": "/it", "field": "it", "expected": "1", "actual": "2",
    "relation": "equal", "kind": "Broken", "state": "stale", "write": "SetIt", "reader": "GetIt",
    "only": "only in the root", "norm": "What is … is refused with 400", "message": f"{OPERATION} fails on it",
    "writes": ("DropIt", "SetIt"), "returned": 0, "page": True, "callers": ("a caller with READ … it", "nobody"),
}  # fmt: skip
FALSE: dict[str, Any] = {
    "operations": ("FindIt",), "status": 400, "request": "valid", "statuses": (404,), "due": 5, "aspect": "body",
    "said": "it was read twice", "place": "/that", "field": "that", "expected": "2", "actual": "1",
    "relation": "present", "kind": "Lost", "state": "answer", "write": "DropIt", "reader": "ListIt",
    "only": "only for a renamed table", "norm": "What is … is accepted", "message": f"{OPERATION} hangs on it",
    "writes": ("DropIt",), "returned": 204, "page": True, "callers": ("a caller with WRITE on it",),
}  # fmt: skip
PAGE = structs.replace(MEMBER, evidence=structs.replace(EVIDENCE, said=Said(page=True)))
EQUAL = structs.replace(MEMBER, evidence=structs.replace(EVIDENCE, relation="equal"))


def claiming(claims, members):
    """The claims that do not hold for members of a cause whose sentence is made of these claims."""
    (cause,) = find_causes([members[0]])
    cause = structs.replace(cause, claims=claims, sentence=sentence_of(claims))
    assert true_of_all(cause, members) == (not untrue_claims(cause, members))
    return {name for _, name in untrue_claims(cause, members)}


@pytest.mark.parametrize("name", Claims.__struct_fields__)
def test_each_claim_is_compared_with_every_member(name):
    member = PAGE if name == "page" else EQUAL if name == "relation" else MEMBER
    true, false = (structs.replace(Claims(), **{name: values[name]}) for values in (TRUE, FALSE))
    assert claiming(true, [member, member]) == set()
    assert name in HOLDS
    assert name in claiming(false, [member, MEMBER])


def test_a_sentence_states_nothing_but_its_claims():
    (cause,) = find_causes([MEMBER])
    assert true_of_all(cause, [MEMBER])
    assert untrue_claims(structs.replace(cause, sentence=f"{cause.sentence} always"), [MEMBER]) == [("", "sentence")]
    assert not true_of_all(structs.replace(cause, claims=None), [MEMBER])


def test_an_operation_that_no_member_shows_is_not_named():
    assert claiming(Claims(operations=("GetIt", "FindIt"), status=500), [MEMBER]) == {"operations"}


@pytest.mark.parametrize("report", sorted(path.parent.name for path in REPORTS.glob("*/results.json.gz")))
def test_sentences_about_published_servers_are_true_of_all_findings(report):
    entries = {entry.id: entry for entry in read_results(REPORTS / report).requirements}
    causes = [cause for cause in find_causes(entries.values()) if cause.requirements]
    wrong = {
        cause.sentence: untrue_claims(cause, members)
        for cause in causes
        if not true_of_all(cause, members := [entries[name] for name in cause.requirements])
    }
    assert wrong == {}


def test_what_differs_between_findings_is_not_claimed():
    """The example is an invalid request; the other finding of the same error is a valid one."""
    broken = {"json": {"error": {"message": "cannot read the type of this column from a text", "type": "Broken"}}}
    wrong = finding("wrong", body=broken)
    right = finding("right", "GetIt: expected 200, got 500", body=broken, where="c:other", clause=clause("other"))
    (cause,) = find_causes([wrong, right])
    assert cause.claims.request == "unknown"
    assert cause.sentence == "GetIt returns 500: “cannot read the type of this column from a text”"
    assert true_of_all(cause, [wrong, right])


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (("the table is there after its drop", "the view is there after its drop"), "the … is there after its drop"),
        (("the table does not exist (dropped: True)", "the space was dropped, and a table was declared in it"), ""),
    ],
)
def test_a_message_is_told_where_findings_share_half_of_its_words(messages, told):
    results = [
        finding(str(number), text, status=200, evidence=Evidence(operation="GetIt", thing=text, check="c:same"))
        for number, text in enumerate(messages)
    ]
    (cause,) = find_causes(results)
    assert cause.claims.message == told


def test_expected_statuses_that_differ_are_told_by_their_class():
    broken = {"json": {"error": {"message": "cannot read the type of this column from a text", "type": "Broken"}}}
    wrong = finding("wrong", body=broken)
    missing = finding("missing", "GetIt: expected 404, got 500", body=broken, where="c:other", clause=clause("other"))
    (cause,) = find_causes([wrong, missing])
    assert cause.claims.due == 4
    assert "for an invalid request (expected 4xx)" in cause.sentence


def test_all_statuses_of_a_class_are_told_as_it():
    due = (200, *range(400, 500))
    assert (
        sentence_of(Claims(operations=("GetIt",), status=500, statuses=due))
        == "GetIt returns 500 (expected 200 or 4xx)"
    )


@pytest.mark.parametrize(
    "texts", [("one two three", "one three"), ("a (b c) d", "a (e) d"), ("", "x"), ("a b.", "a b")]
)
def test_common_words_are_in_each_text(texts):
    shared = common_text(texts)
    assert [text for text in texts if not has_words(text, shared)] == []
    assert has_words(texts[0], shortened(texts[0], 3))
    assert not has_words("three one", "one three")
