"""Findings are one cause when what they show agrees: operations, kind of request, what was due, and what came."""

from __future__ import annotations

import pytest
from msgspec import structs

from conformance.after.causes import find_causes
from conformance.after.claims import true_of_all
from conformance.after.grouping import MOST_RULES
from conformance.values.evidence import Evidence, Said
from tests.conformance.made_findings import clause, finding


def shown_by(operation, name, message="GetIt: expected 400, got 422", **fields):
    """A finding of its own test and clause, seen in an operation."""
    fields = {"where": f"c:{name}", "clause": clause(name), "status": 422, **fields}
    found = finding(name, message.replace("GetIt", operation), **fields)
    found.steps[0].operation = operation
    return found


def passed(*reached):
    return structs.replace(finding("good"), verdict="pass", message="", reached=list(reached))


def error(message, kind):
    return {"json": {"error": {"message": message, "type": kind}}}


def groups_of(results):
    causes = find_causes(results)
    by_id = {result.id: result for result in results}
    assert [cause for cause in causes if not true_of_all(cause, [by_id[name] for name in cause.requirements])] == []
    return causes


HANDLED = [
    shown_by("GetIt", "a", body=error("no such field", "BadRequest")),
    shown_by("FindIt", "b", body=error("too long", "TooLong")),
    shown_by("MakeIt", "c", body=error("a name is missing", "Invalid")),
]


def test_a_status_that_no_operation_ever_returns_is_one_cause():
    (cause,) = groups_of([*HANDLED, passed("GetIt 200", "GetIt 404")])
    assert cause.sentence == "FindIt, GetIt and MakeIt return 422 for an invalid request (expected 400)"


@pytest.mark.parametrize("others", [[], [passed("DropIt 400")]], ids=["findings alone", "returned elsewhere"])
def test_a_status_that_may_be_returned_elsewhere_joins_nothing(others):
    assert len(groups_of([*HANDLED, *others])) == 3


def test_the_same_type_and_status_where_the_same_was_due_is_one_cause():
    same = [structs.replace(entry, steps=HANDLED[0].steps) for entry in HANDLED]
    (cause,) = groups_of([*same, passed("DropIt 400")])
    assert cause.sentence.startswith("GetIt returns 422 for an invalid request (expected 400)")


def test_an_operation_that_never_rejects_anything_is_one_cause():
    taken = [
        shown_by("GetIt", "a", status=200),
        shown_by("GetIt", "b", "GetIt: expected 404, got 200", status=200),
        shown_by("FindIt", "c", status=200),
    ]
    causes = groups_of([*taken, passed("GetIt 200", "FindIt 400")])
    assert [cause.sentence for cause in causes] == [
        "GetIt returns 200 for an invalid request (expected 4xx)",
        "FindIt returns 200 (expected 400): “What is c is refused with 400”",
    ]
    a_router = passed("GetIt 400", "FindIt 400")
    assert len(groups_of([*taken, a_router])) == 2
    assert len(groups_of([*taken, a_router, structs.replace(a_router, id="api.it.too")])) == 3


def test_a_wrong_type_of_an_error_is_one_cause_in_all_operations():
    wrong = [
        shown_by(operation, name, "the type of the error: expected \"Gone\", got \"Lost\"", status=404,
                 mark="body:/error/type", body=error(f"no {name}", "Lost"))
        for operation, name in (("GetIt", "a"), ("FindIt", "b"), ("DropIt", "c"))
    ]  # fmt: skip
    (cause,) = groups_of(wrong)
    assert cause.sentence == "DropIt, FindIt and GetIt return a wrong /error/type"


def test_a_place_that_was_only_read_last_joins_nothing():
    """A plan lacks files; in another the digits of a bound have another case. Both read the next page of the plan."""
    plan = {"json": {"files": []}}
    lost = shown_by("Plan", "a", "the files of the plan: lacks [1]", status=200, mark="body:/next", body=plan)
    digits = shown_by("Plan", "b", 'the bound: expected "FF", got "ff"', status=200, mark="body:/next", body=plan)
    assert len(groups_of([lost, digits])) == 2
    absent = shown_by("Plan", "c", 'the next page: expected "x", got nothing', status=200, mark="body:/next", body=plan)
    other = structs.replace(absent, id="api.it.d", where="c:d", clause=clause("d"))
    assert [cause.sentence for cause in groups_of([absent, other])] == ["Plan returns a wrong /next"]


def test_a_short_error_of_one_operation_is_one_cause_where_the_same_was_due():
    text = "GetIt: expected 404, got 400"
    missing = [
        shown_by("DropIt", name, text, status=400, body=error(f"it is not here: {name}", "Lost")) for name in ("a", "b")
    ]
    (cause,) = groups_of(missing)
    assert cause.sentence.startswith("DropIt returns 400 for a missing object (expected 404): “it is not here")
    right = shown_by("DropIt", "r", "GetIt: expected 200, got 400", status=400, body=error("it is not here: r", "Lost"))
    assert len(groups_of([*missing, right])) == 2


def stated(operation, name, status=200, *, body=None, **fields):
    """A finding with evidence of its own, as a run of this kit has it."""
    evidence = Evidence(operation=operation, status=status, check=f"c:{name}", **fields)
    return shown_by(operation, name, status=status, body=body, evidence=evidence)


DENIED = {"aspect": "status", "statuses": (403,), "request": "invalid"}
OF_ANSWER = {"aspect": "body", "relation": "equal"}
SAID = {"said": Said(type="7", message="no {it}")}
TELLING_WORDS = Said(type="Bad", message="the effort must be positive")
ONE_CAUSE = {
    "who is let through": [stated("GetIt", "a", **DENIED), stated("DropIt", "b", 409, **DENIED)],
    "one code of all errors": [
        stated("GetIt", "a", 400, expected="3", actual="7", **OF_ANSWER, **SAID),
        stated("DropIt", "b", 404, expected="4", actual="7", **OF_ANSWER, **SAID),
    ],
    "one list": [
        stated("ListIt", "a", field="/its", expected="[1]", actual="[]", **OF_ANSWER),
        stated("ListIt", "b", field="/its", aspect="effect", relation="items", actual="[2]"),
    ],
    "an answer that changes without a change": [
        stated("ListIt", "a", field="/its", state="unsteady", expected="[1]", actual="[]", **OF_ANSWER),
        stated("ListIt", "b", field="/token", state="unsteady", aspect="body", relation="none of", actual="[2]"),
    ],
    "one refusal of a valid and of an invalid request": [
        stated("GetIt", "a", 400, aspect="status", statuses=(200,), request="valid", said=TELLING_WORDS),
        stated("GetIt", "b", 400, aspect="status", statuses=(404,), request="invalid", said=TELLING_WORDS),
    ],
    "a status that no API uses": [
        stated("GetIt", "a", 299, aspect="status", statuses=(404,), request="invalid"),
        stated("GetIt", "b", 299, aspect="status", statuses=(200,), request="valid"),
    ],
}


@pytest.mark.parametrize("found", ONE_CAUSE.values(), ids=ONE_CAUSE)
def test_one_answer_that_several_requirements_see_is_one_cause(found):
    passes = passed("GetIt 400", "DropIt 400", "ListIt 400")
    assert len(groups_of([*found, passes])) == 1


def test_what_accepts_everything_is_told_apart_from_who_is_let_through():
    found = [stated("GetIt", "a", **DENIED), stated("DropIt", "b", 204, **DENIED)]
    assert len(groups_of([*found, passed("GetIt 400", "DropIt 400")])) == 1
    passes = passed("GetIt 200", "DropIt 400")
    assert len(groups_of([*found, passes])) == 1
    accepted = stated("GetIt", "c", aspect="status", statuses=(400,), request="invalid")
    assert len(groups_of([*found, accepted, passes])) == 2


def let_through(operation, name, status, caller, **fields):
    return stated(operation, name, status, caller=caller, relation="status", **{**DENIED, **fields})


def test_a_hole_names_who_gets_through_and_comes_before_other_losses_of_data():
    hole = let_through("GetIt", "a", 200, "a caller with READ on it", statuses=tuple(range(400, 500)))
    hole = structs.replace(hole, kind="auth")
    lost = [structs.replace(stated("SetIt", name, **OF_ANSWER, field="/x"), kind="data") for name in ("d", "e")]
    first, other = find_causes([*lost, hole])
    assert first.sentence == "GetIt returns 200 to a caller with READ on it (expected 4xx)"
    assert (first.rank, other.rank) == (1, 1)


def test_who_gets_through_is_told_of_all_answers():
    found = [
        let_through("GetIt", "a", 200, "a caller with READ"),
        let_through("DropIt", "b", 409, "a caller with LIST"),
    ]
    (cause,) = groups_of(found)
    assert cause.sentence == "DropIt and GetIt let a caller with LIST or a caller with READ through"
    many = [let_through("GetIt", str(number), 200, f"a caller with {number} on it") for number in range(4)]
    assert groups_of(many)[0].sentence == "GetIt returns 200 to a caller with … on it (expected 403)"


def test_a_refusal_with_another_status_lets_nobody_through():
    hidden = let_through("GetIt", "a", 404, "a caller with READ")
    assert hidden.evidence.refused
    causes = groups_of([hidden, let_through("DropIt", "b", 200, "a caller with READ")])
    assert len(causes) == 2
    assert [cause.rank for cause in causes] == [1, 3]


def test_two_numbers_and_what_does_not_hold_about_a_place_join_nothing():
    """A commit without updates changes a time, and a registration a sequence number: both are compared in one place."""
    numbers = [
        stated("LoadIt", "a", field="/its/time", expected="17", actual="18", **OF_ANSWER),
        stated("LoadIt", "b", field="/its/number", expected="1", actual="0", **OF_ANSWER),
    ]
    same = [structs.replace(entry, evidence=structs.replace(entry.evidence, check="c:same")) for entry in numbers]
    assert len(groups_of(same)) == 2
    wrong = stated("LoadIt", "c", place="/location", expected="nothing", actual="x", **OF_ANSWER)
    gone = stated("LoadIt", "d", place="/location", aspect="body", relation="holds", thing="its file is there")
    assert len(groups_of([wrong, structs.replace(gone, operations=["DropIt"])])) == 2


@pytest.mark.parametrize(("rules", "causes"), [(MOST_RULES, 1), (MOST_RULES + 1, MOST_RULES + 1)])
def test_a_field_that_findings_of_many_rules_name_joins_none_of_them(rules, causes):
    given = {"field": "/it", **OF_ANSWER}
    found = [stated("GetIt", f"rule{number}", expected=f"e{number}", **given) for number in range(rules)]
    found = [structs.replace(entry, operations=["PutIt"]) for entry in found]
    assert len(groups_of(found)) == causes


def test_the_form_of_an_error_is_told_apart_from_an_error_that_was_not_due():
    refused = stated("GetIt", "a", 409, aspect="status", statuses=(200,), request="valid", said=TELLING_WORDS)
    form = stated("GetIt", "b", 409, aspect="body", place="/error/type", said=TELLING_WORDS)
    assert len(groups_of([refused, form])) == 1
    assert len(groups_of([refused, structs.replace(form, kind="wire")])) == 2


def test_a_field_that_is_missing_wherever_it_is_read_is_one_cause():
    lacking = {"relation": "present", "field": "it-id", "thing": 'the field "it-id" of an object in the answer'}
    found = [stated(name, name, aspect="body", **lacking) for name in ("GetIt", "PutIt")]
    wrong = stated("GetIt", "c", field="/it", expected="1", actual="2", **OF_ANSWER)
    wrong = structs.replace(wrong, where=found[0].where, clause=found[0].clause)  # another case of the same test
    causes = groups_of([*found, wrong])
    assert [len(cause.requirements) for cause in causes] == [2, 1]
    assert causes[0].sentence == "GetIt and PutIt omit it-id"


def test_rules_that_one_test_checks_have_nothing_in_common():
    rules = [stated("GetIt", name, aspect="body", thing=f"rule {name}") for name in ("a", "b")]
    rules = [structs.replace(rule, where="c:rules", kind="wire") for rule in rules]
    assert len(groups_of(rules)) == 2


def test_valid_requests_that_fail_alike_in_one_world_alone_are_one_cause():
    valid = {"aspect": "status", "statuses": (200,), "request": "valid", "world": (("names", "unicode"),)}
    lost = [stated("GetIt", "a", 404, **valid), stated("DropIt", "b", 404, **valid)]
    assert len(groups_of(lost)) == 1
    assert len(groups_of([lost[0], stated("DropIt", "b", 500, **valid)])) == 2
    other = {**valid, "world": (("names", "dot"),)}
    assert len(groups_of([lost[0], stated("DropIt", "b", 404, **other)])) == 2


def test_an_answer_that_omits_a_field_is_no_wrong_value_of_the_field():
    """In worlds whose tables the server cannot read it omits all fields: one cause, beside a wrong value elsewhere."""
    missing = {"aspect": "effect", "relation": "present", "thing": "a field"}
    world = {"world": (("names", "percent"),), "only": "only for a name with a percent sign"}
    coded = {"world": (("names", "coded"),), "only": "only for a name with percent-coded letters"}
    omitted = [
        stated("GetIt", "a", place="/schema", **missing, **world),
        stated("GetIt", "b", place="/version", **missing, **world),
        stated("GetIt", "c", place="/version", **missing, **coded),
    ]
    wrong = stated("GetIt", "d", field="/schema", expected="1", actual="2", **OF_ANSWER)
    wrong = structs.replace(wrong, where=omitted[0].where, clause=omitted[0].clause)
    causes = groups_of([*omitted, wrong])
    assert [len(cause.requirements) for cause in causes] == [3, 1]
    assert causes[0].sentence == "GetIt omits fields (only in drawn worlds)"


def test_a_code_that_is_wrong_in_one_world_alone_is_no_code_of_all_errors():
    wrong = {"expected": "1", "actual": "4", "said": Said(type="4", message="no")}
    everywhere = [stated("GetIt", "a", 404, **wrong), stated("PutIt", "b", 404, **wrong)]
    assert len(groups_of(everywhere)) == 1
    assert len(groups_of([*everywhere, stated("DropIt", "c", 404, **wrong, world=(("branch", "own"),))])) == 2
