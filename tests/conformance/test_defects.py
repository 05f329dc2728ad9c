"""Defects: what a claim about a write, a view or a status predicts has no cause of its own."""

from __future__ import annotations

import pytest
from msgspec import structs

from conformance.after.causes import find_causes
from conformance.after.claims import true_of_all
from conformance.values.evidence import Evidence
from conformance.values.exchange import Step, StepRequest, StepResponse
from tests.conformance.made_findings import clause, finding

NAME, OTHER = "lp1a01", "lp1a02"


def step(operation, *path, status=200, body=None, mark=""):
    """Return a step at a path."""
    method = "GET" if operation.startswith(("get", "list")) else "POST"
    sent = {"json": body} if body else None
    request = StepRequest(method=method, url=f"http://x/{'/'.join(path)}", headers={}, body=sent, curl="curl http://x/")
    response = StepResponse(status=status, headers={}, body=None, failure="")
    return Step(operation=operation, request=request, response=response, seconds=0, mark=mark)


def seen(name, *steps, **evidence):
    """Return a finding that its last step shows, each of a clause of its own."""
    last = steps[-1]
    known = {"operation": last.operation, "status": last.response.status, "check": name, **evidence}
    return structs.replace(
        finding(name, where=f"c:{name}", clause=clause(name), kind="behaviour"),
        steps=[*steps[:-1], structs.replace(last, mark="status")],
        evidence=Evidence(thing=name, **known),
    )


def created(name=NAME):
    return step("createPrincipal", "principals", status=201, body={"principal": {"name": name}})


def undone(id="api.effect.undone"):
    """Return the finding that createPrincipal does nothing."""
    state = {"operation": "createPrincipal", "aspect": "effect", "state": "not done", "write": "createPrincipal"}
    found = seen("undone", created(), step("getPrincipal", "principals", NAME, status=404), **state)
    return structs.replace(found, id=id)


def absent(name, *steps, operation="getPrincipal", path=NAME, **evidence):
    """Return the finding that a valid request is answered with 404."""
    last = step(operation, "principals", path, status=404)
    return seen(name, *steps, last, aspect="status", statuses=(200,), request="valid", **evidence)


def passed(*reached, name="good", **fields):
    return structs.replace(finding(name), message="", reached=list(reached), **{"verdict": "pass", **fields})


def causes_of(*results):
    """Return pairs of a sentence and the names of what follows from it."""
    causes = find_causes(results)
    by_id = {result.id: result for result in results}
    assert [cause for cause in causes if not true_of_all(cause, [by_id[name] for name in cause.requirements])] == []
    return {cause.sentence: [name.rpartition(".")[2] for name in cause.consequences] for cause in causes}


NOTHING = "createPrincipal returns 201 and does nothing"


def test_what_rests_on_a_write_that_does_nothing_follows_from_it():
    update = absent("update", created(), operation="updatePrincipal")
    assert causes_of(undone(), absent("load", created()), update) == {NOTHING: ["load", "update"]}


def test_the_shortest_finding_that_another_operation_shows_is_the_example():
    (cause,) = find_causes([structs.replace(undone(), steps=undone().steps * 5), absent("load", created())])
    assert (cause.example, cause.weight, cause.size) == ("api.it.load", "MUST", "2 requirements")


def test_an_object_that_the_write_does_not_concern_has_a_cause_of_its_own():
    between = step("createPrincipalRole", "principal-roles", status=201, body={"principalRole": {"name": OTHER}})
    other = absent("other", created(), between, operation="getPrincipalRole", path=OTHER)
    assert list(causes_of(undone(), other).values()) == [[], []]
    same = absent("same", created(), between)
    assert causes_of(undone(), same) == {NOTHING: ["same"]}


def about(name, verdict="pass"):
    """Return a result of a requirement about createPrincipal."""
    return passed("createPrincipal 201", name=name, verdict=verdict, kind="behaviour", operations=["createPrincipal"])


def test_a_single_read_that_sees_no_change_is_no_defect_where_others_see_some():
    one_read = undone("api.it.undone")
    met, unmet = about("met"), [about(f"unmet{number}", "fail") for number in range(2)]
    assert NOTHING in causes_of(one_read, passed("getPrincipal 200"))
    assert NOTHING not in causes_of(one_read, passed("getPrincipal 200"), met)
    assert NOTHING in causes_of(one_read, passed("getPrincipal 200"), met, *unmet)
    assert NOTHING not in causes_of(one_read, *unmet, structs.replace(met, id="api.effect.create_principal"))
    assert NOTHING not in causes_of(one_read)


def test_a_write_that_looks_at_no_request_accepts_every_wrong_one():
    bad = seen("bad", created(), aspect="status", statuses=(400,), request="invalid")
    assert causes_of(undone(), bad, passed("createPrincipal 201")) == {NOTHING: ["bad"]}
    checked = [passed("createPrincipal 400", name=name) for name in ("a", "b")]
    assert list(causes_of(undone(), bad, *checked).values()) == [[], []]


def test_operations_that_end_objects_and_do_nothing_are_one_defect_if_they_are_many():
    def dropping(operation):
        write = step(operation, "of", NAME, status=204)
        state = {"operation": operation, "aspect": "effect", "state": "not done", "write": operation}
        found = seen(operation, write, step("getPrincipal", "of", NAME), **state)
        return structs.replace(found, id=f"api.effect.{operation}")

    drops = [dropping(operation) for operation in ("dropTable", "dropView", "dropNamespace")]
    assert causes_of(*drops) == {"dropNamespace, dropTable and dropView return 204 and do nothing": []}
    assert len(causes_of(*drops[:2])) == 2


def test_a_claim_that_a_shorter_one_predicts_is_no_defect():
    again = step("createPrincipal", "principals", status=409, body={"principal": {"name": NAME}})
    state = {"operation": "createPrincipal", "aspect": "effect", "state": "done", "write": "createPrincipal"}
    write = step("deletePrincipal", "principals", NAME, status=204)
    kept = {"operation": "deletePrincipal", "aspect": "effect", "state": "not done", "write": "deletePrincipal"}
    load = step("getPrincipal", "principals", NAME)
    refused = seen("refused", created(), write, again, load, **state)
    undeleted = structs.replace(seen("kept", created(), write, load, **kept), id="api.effect.kept")
    assert causes_of(undeleted, refused) == {"deletePrincipal returns 204 and does nothing": ["refused"]}


def test_a_part_that_was_not_done_predicts_what_the_same_operation_shows():
    write = step("updatePrincipal", "principals", NAME)
    part = {"aspect": "effect", "state": "half done", "write": "updatePrincipal", "reader": "listPrincipals"}
    listed = seen("part", write, step("listPrincipals", "principals", NAME), **part)
    also = seen("also", write, step("listPrincipals", "principals", NAME), aspect="body", expected="1", actual="2")
    other = seen("other", write, step("getPrincipal", "principals", NAME), aspect="body", expected="1", actual="3")
    found = causes_of(listed, also, other)
    assert found.pop("updatePrincipal returns 200 and does a part of it alone, as listPrincipals shows") == ["also"]
    assert list(found.values()) == [[]]


@pytest.mark.parametrize(("relation", "follows"), [("items", ["lost"]), ("equal", None)])
def test_a_list_that_lacks_an_entry_predicts_lists_that_lack_some(relation, follows):
    short = {"aspect": "effect", "state": "short", "write": "createPrincipal", "reader": "listPrincipals"}
    first = seen("short", created(), step("listPrincipals", "principals"), **short)
    lost = seen("lost", step("listPrincipals", "principals"), aspect="body", relation=relation, expected='["a"]')
    found = causes_of(first, lost)
    assert (follows in found.values()) == bool(follows)


def test_a_race_is_about_the_objects_that_a_broken_write_prepared():
    race = seen("race", step("deletePrincipal", "principals", NAME, status=404), aspect="history")
    race = structs.replace(race, kind="race", operations=["createPrincipal", "deletePrincipal"])
    assert causes_of(undone(), race) == {NOTHING: ["race"]}


OPERATIONS = ("getPrincipal", "updatePrincipal", "deletePrincipal", "getCatalog")


def refused(operation, due, status=422):
    last = step(operation, "of", NAME, status=status)
    return seen(operation + str(due), last, aspect="status", statuses=(due,), request="invalid")


def test_a_status_that_many_operations_return_in_place_of_another_one_is_one_defect():
    alike = [refused(operation, 400) for operation in OPERATIONS]
    either = structs.replace(refused("getView", 0), evidence=Evidence(
        operation="getView", aspect="status", statuses=(400, 404), status=422, request="invalid"
    ))  # fmt: skip
    other = refused("getTable", 404)
    found = causes_of(*alike, either, other, passed("getView 400"))
    assert found.pop("4 operations return 422 for an invalid request (expected 400)") == ["getView0"]
    assert list(found.values()) == [[]]


def test_a_race_that_a_conflict_in_other_words_ends_follows_from_the_status():
    alike = [refused(operation, 409, status=400) for operation in OPERATIONS]
    race = seen("race", step("updatePrincipal", "of", NAME, status=400), aspect="history")
    (follows,) = causes_of(*alike, structs.replace(race, kind="race")).values()
    assert follows == ["race"]


def test_a_failure_of_the_server_may_have_any_reason():
    alike = [refused(operation, 400, status=500) for operation in OPERATIONS]
    assert len(causes_of(*alike, passed("getView 400"))) == 4


def old(operation, *more):
    """Return the finding that a view shows what was before updatePrincipal."""
    state = {"aspect": "effect", "state": "old", "write": "updatePrincipal", "reader": operation}
    return seen(f"old_{operation}", step("updatePrincipal", "of", NAME), *more, step(operation, "of", NAME), **state)


def test_a_view_that_keeps_an_earlier_answer_predicts_each_answer_that_it_repeats():
    read, drop = step("getPrincipal", "of", OTHER), step("deletePrincipal", "of", OTHER, status=204)
    state = {"state": "not done", "write": "deletePrincipal", "aspect": "status", "statuses": (404,)}
    repeated = seen("repeated", read, drop, read, request="invalid", **state)
    assert causes_of(old("getPrincipal", drop, drop), repeated) == {
        "getPrincipal shows what was before updatePrincipal": ["repeated"]
    }


def test_what_rests_on_a_repeated_answer_follows_from_its_view():
    read, update = step("getPrincipal", "of", OTHER), step("updatePrincipal", "of", OTHER)
    stale = step("updatePrincipal", "of", OTHER, status=409)
    late = {"aspect": "status", "statuses": (200,), "request": "valid"}
    told = "getPrincipal shows what was before updatePrincipal"
    assert causes_of(old("getPrincipal"), seen("late", read, update, read, stale, **late)) == {told: ["late"]}
    other = step("updatePrincipal", "of", NAME)
    assert causes_of(old("getPrincipal"), seen("late", read, other, read, stale, **late))[told] == []
    done = seen("done", stale, read, state="done", write="updatePrincipal", reader="getPrincipal", aspect="effect")
    assert causes_of(old("getPrincipal"), done) == {told: ["done"]}


def test_many_views_that_show_another_state_are_one_defect():
    views = [old(operation) for operation in ("getPrincipal", "listPrincipals", "listRoles", "getCatalog")]
    assert causes_of(*views) == {"4 operations show what was before updatePrincipal": []}
    assert len(causes_of(*views[:2])) == 2
